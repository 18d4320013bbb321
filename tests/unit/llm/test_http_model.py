"""Retries of model calls, in virtual time and without a network."""

import random

import pytest
import trio

from tabwright.llm.openai import OpenAIDialect
from tabwright.llm.transport import BACKOFF, RETRIES_MAX, WAIT_MAX_S, HttpModel, RetryPolicy
from tabwright.llm.vendor import HTTPCall, VendorReply
from tabwright.protocol.errors import ModelFailed, ModelFault
from tabwright.protocol.llm import ModelResponse

from .asking import PLACE, TRAITS, question, reply

GOOD = reply({"choices": [{"message": {"content": "Yes."}}]})
UNREACHED = ModelFailed("Nobody is there.", fault=ModelFault.TRANSIENT)


def failing(status: int, **headers: str) -> VendorReply:
    return reply({"error": {"message": "No."}}, status, **headers)


class Script:
    """A fake transport: returns outcomes in order; records the calls and their times."""

    def __init__(self, *outcomes: VendorReply | ModelFailed) -> None:
        self._coming = list(outcomes)
        self.calls: list[HTTPCall] = []
        self.asked_s: list[float] = []

    async def send(self, call: HTTPCall, timeout_s: float) -> VendorReply:
        await trio.lowlevel.checkpoint()
        self.calls.append(call)
        self.asked_s.append(trio.current_time())
        outcome = self._coming.pop(0)
        if isinstance(outcome, ModelFailed):
            raise outcome
        return outcome

    @property
    def pauses_s(self) -> list[float]:
        pairs = zip(self.asked_s, self.asked_s[1:], strict=False)
        return [after - before for before, after in pairs]


def model(script: Script) -> HttpModel:
    return HttpModel(
        line=script,
        dialect=OpenAIDialect(),
        place=PLACE,
        traits=TRAITS,
        retry=RetryPolicy(random.Random(1)),
        timeout_s=10,
    )


async def test_transient_failure_is_retried_with_backoff(autojump_clock) -> None:
    script = Script(UNREACHED, failing(503), failing(500), GOOD)
    assert await model(script).answer(question()) == ModelResponse("Yes.")
    assert len(set(script.calls)) == 1
    first, second, third = script.pauses_s
    assert 0.5 <= first <= 1 <= second <= 2 <= third <= 4


async def test_transient_failure_is_reported_after_the_last_retry(autojump_clock) -> None:
    script = Script(*[failing(503)] * (RETRIES_MAX + 1), GOOD)
    with pytest.raises(ModelFailed) as caught:
        await model(script).answer(question())
    assert caught.value.fault is ModelFault.TRANSIENT
    assert len(script.calls) == RETRIES_MAX + 1


async def test_retry_after_of_the_vendor_is_obeyed(autojump_clock) -> None:
    script = Script(failing(429, retry_after="20"), GOOD)
    await model(script).answer(question())
    assert script.pauses_s == [20]


async def test_retry_after_beyond_the_limit_fails_immediately(
    autojump_clock,
) -> None:
    wanted_s = WAIT_MAX_S + 1
    script = Script(failing(429, retry_after=f"{wanted_s:g}"), GOOD)
    with pytest.raises(ModelFailed) as caught:
        await model(script).answer(question())
    assert (caught.value.fault, caught.value.retry_after_s) == (ModelFault.RATE_LIMITED, wanted_s)
    assert trio.current_time() == script.asked_s[0]


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413])
async def test_permanent_http_error_is_not_retried(autojump_clock, status: int) -> None:
    script = Script(failing(status, retry_after="1"), GOOD)
    with pytest.raises(ModelFailed):
        await model(script).answer(question())
    assert len(script.calls) == 1


async def test_exhausted_quota_is_not_retried(autojump_clock) -> None:
    error = {"error": {"message": "Pay.", "code": "insufficient_quota"}}
    script = Script(reply(error, 429, retry_after="1"), GOOD)
    with pytest.raises(ModelFailed, match=r"Pay\.") as caught:
        await model(script).answer(question())
    assert caught.value.fault is ModelFault.FORBIDDEN
    assert len(script.calls) == 1


async def test_cancellation_ends_the_retry_pause(autojump_clock) -> None:
    script = Script(failing(429, retry_after="60"), GOOD)
    with trio.move_on_after(5) as scope:
        await model(script).answer(question())
    assert scope.cancelled_caught
    assert len(script.calls) == 1


def test_retry_pauses_are_bounded_and_end_after_the_last_retry() -> None:
    policy = RetryPolicy(random.Random(1))
    pauses_s = [policy.pause_s(UNREACHED, times) for times in range(1, RETRIES_MAX + 1)]
    assert all(pause_s is not None and pause_s <= BACKOFF.max_s for pause_s in pauses_s)
    assert policy.pause_s(UNREACHED, RETRIES_MAX + 1) is None
