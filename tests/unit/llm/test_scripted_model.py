"""Scripted models over real sockets, from the settings to the answer."""

import random
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
import trio

from tabwright.config.loader import override, settings_from
from tabwright.config.secrets import Secrets
from tabwright.http.net import NetworkBackend
from tabwright.http.proxy_discovery import ProxyFinder
from tabwright.llm.providers import PROVIDERS
from tabwright.llm.router import open_models
from tabwright.llm.transport import ModelTransport
from tabwright.llm.vendor import HTTPCall
from tabwright.protocol.errors import ModelFailed, ModelFault
from tabwright.protocol.llm import Model, ModelResponse
from tabwright.testing.scripted_model import (
    Cue,
    Fails,
    ReceivedRequest,
    Refuses,
    Replies,
    Script,
    ScriptedModel,
    Sends,
    open_scripted_model,
)

from .asking import KEY, question, shown

OF_EACH_FORM = ("openai", "azure", "anthropic", "gemini")
NETWORK = {
    "network__proxy": "none",
    "browser__extra_args": ["--host-resolver-rules=MAP * 127.0.0.1:1"],
}
"""A model is none of the web, which is elsewhere."""

DONE = '{"done":true}'

Stage = tuple[ScriptedModel, Model]
OpenStage = Callable[..., AbstractAsyncContextManager[Stage]]


@pytest.fixture
def open_stage() -> OpenStage:
    """Return a context manager that opens a scripted model and a client for it."""

    @asynccontextmanager
    async def open_stage(script: Script, provider: str, **more: object) -> AsyncGenerator[Stage]:
        environment = dict.fromkeys(PROVIDERS[provider].variables, KEY)
        async with open_scripted_model(script) as scripted:
            values = {"provider": provider, "base_url": scripted.base_url, "name": "clever-1"}
            given = {f"models__{name}": it for name, it in {**values, **more}.items()}
            settings = settings_from(override(**NETWORK, **given))
            chance = random.Random(1)
            async with open_models(settings, Secrets(), chance, environment) as models:
                yield scripted, models.choose()

    return open_stage


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_scripted_model_answers_as_every_provider(
    open_stage: OpenStage, provider: str
) -> None:
    async with open_stage([Replies(DONE)], provider) as (scripted, model):
        assert await model.answer(question()) == ModelResponse(DONE, "clever-1", 100, 10)
    (asked,) = scripted.asked
    assert (asked.model, asked.form) == ("clever-1", "plan")
    assert asked.messages == (("user", "Buy milk."),)
    assert asked.system.startswith("Plan.")
    assert asked.is_forced is ("calling the tool plan" not in asked.text)


@pytest.mark.parametrize("provider", OF_EACH_FORM)
async def test_a_picture_reaches_the_model(open_stage: OpenStage, provider: str) -> None:
    async with open_stage([Replies(DONE)], provider) as (scripted, model):
        await model.answer(shown("What is it?"))
    (asked,) = scripted.asked
    assert asked.pictures == 1
    assert "What is it?" in asked.text


@pytest.mark.parametrize("provider", OF_EACH_FORM)
async def test_a_model_without_tools_answers_in_text(open_stage: OpenStage, provider: str) -> None:
    async with open_stage([Replies(DONE, cut=True)], provider, tools="none") as (scripted, model):
        output = await model.answer(question())
    assert (output.text, output.cut) == (DONE, True)
    (asked,) = scripted.asked
    assert (asked.form, asked.is_forced) == ("", False)
    assert '"properties":{"done"' in asked.system


@pytest.mark.parametrize("provider", OF_EACH_FORM)
async def test_a_tool_may_be_left_uncalled(open_stage: OpenStage, provider: str) -> None:
    async with open_stage([Replies("Done.", by_tool=False)], provider) as (_, model):
        assert (await model.answer(question())).text == "Done."


@pytest.mark.parametrize("provider", OF_EACH_FORM)
@pytest.mark.parametrize(
    ("cue", "fault"),
    [
        (Refuses(), ModelFault.REFUSED),
        (Fails(401, f"Wrong key {KEY}"), ModelFault.AUTHENTICATION),
        (Fails(403), ModelFault.FORBIDDEN),
        (Fails(429, headers=(("Retry-After", "3600"),)), ModelFault.RATE_LIMITED),
        (Fails(404), ModelFault.MISSING),
        (Sends(b"\xff\x00 not JSON"), ModelFault.UNREADABLE),
        (Sends(b"", 200), ModelFault.UNREADABLE),
        (Sends(b"", 307, (("Location", "http://127.0.0.1:1/"),)), ModelFault.MISSING),
    ],
)
async def test_provider_failure_is_reported_without_exposing_the_key(
    open_stage: OpenStage, provider: str, cue: Cue, fault: ModelFault
) -> None:
    async with open_stage([cue], provider) as (_, model):
        with pytest.raises(ModelFailed) as caught:
            await model.answer(question())
    assert caught.value.fault is fault
    assert "hunter2" not in str(caught.value)


async def test_transient_failure_is_retried(open_stage: OpenStage) -> None:
    async with open_stage([Fails(503), Replies(DONE)], "gemini") as (scripted, model):
        assert (await model.answer(question())).text == DONE
    assert len(scripted.asked) == 2


async def test_script_function_receives_the_request(open_stage: OpenStage) -> None:
    def play(asked: ReceivedRequest) -> Cue:
        return Replies(f'{{"for":"{asked.form}","in":"{asked.vendor}"}}')

    async with open_stage(play, "gemini") as (_, model):
        assert (await model.answer(question())).text == '{"for":"plan","in":"gemini"}'


async def test_request_after_the_last_cue_fails(open_stage: OpenStage) -> None:
    async with open_stage([], "openai") as (_, model):
        with pytest.raises(ModelFailed, match=r"The script has ended\."):
            await model.answer(question())


async def test_request_to_a_slow_model_can_be_cancelled(open_stage: OpenStage) -> None:
    async with open_stage([Replies(DONE, delay_s=3600)], "openai") as (scripted, model):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(model.answer, question())
            while not scripted.asked:
                await trio.sleep(0.001)
            nursery.cancel_scope.cancel()
    assert len(scripted.asked) == 1


async def test_questions_are_answered_side_by_side(open_stage: OpenStage) -> None:
    both = trio.Event()
    output: list[str] = []

    async with open_stage([Replies(DONE)] * 2, "anthropic") as (_, model):

        async def ask() -> None:
            output.append((await model.answer(question())).text)
            if len(output) == 2:
                both.set()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            nursery.start_soon(ask)
            await both.wait()
    assert output == [DONE, DONE]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [("/", b"{}", 404), ("/messages", b"{", 400), ("/chat/completions", b'{"tools":1}', 400)],
)
async def test_malformed_model_request_gets_an_error_status(
    path: str, body: bytes, status: int
) -> None:
    line = ModelTransport(NetworkBackend(), ProxyFinder("none"))
    async with open_scripted_model([]) as scripted:
        reply = await line.send(HTTPCall(f"{scripted.base_url}{path}", (), body), 10)
        await line.aclose()
    assert reply.status == status
    assert scripted.asked == []
