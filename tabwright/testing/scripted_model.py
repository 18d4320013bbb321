"""A language model that follows a script: a local server with the vendors' wire formats.

It accepts chat completions of OpenAI and of Azure, Anthropic's messages and Gemini's
``generateContent``; the path selects the format. Point ``models.base_url`` at it::

    async with open_scripted_model([Replies('{"done": true}')]) as model:
        settings = settings_from(
            override(
                models__provider="custom", models__name="m", models__base_url=model.base_url
            )
        )
        ...
    assert model.asked[0].form == "plan"

``custom`` needs no key; another provider, with any key, uses its own format.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import TypeAlias

import attrs
import msgspec
import trio

from tabwright.testing.replica.server import Exchange, Seen, ServerResponse, open_server
from tabwright.testing.scripted_model_wire import (
    JSON,
    ReceivedRequest,
    ScriptedReply,
    error_body,
    question_in,
    refusal_body,
    vendor_of,
)

__all__ = [
    "Fails",
    "ReceivedRequest",
    "Refuses",
    "Replies",
    "ScriptedModel",
    "Sends",
    "open_scripted_model",
]

Headers: TypeAlias = tuple[tuple[str, str], ...]


@attrs.frozen
class Replies:
    """An answer.

    Attributes:
        text: a JSON object if the request offers a tool, which is called with it.
        by_tool: whether to call the tool; False for a model that answers in text anyway.
        cut: whether the answer ends at the output limit.
        input_tokens, output_tokens: the reported token counts.
        delay_s: the delay before the answer, in seconds.
    """

    text: str
    by_tool: bool = True
    cut: bool = False
    input_tokens: int = 100
    output_tokens: int = 10
    delay_s: float = 0.0


@attrs.frozen
class Refuses:
    """A refusal in the vendor's format; see `Replies` for the delay."""

    reason: str = "SAFETY"
    delay_s: float = 0.0


@attrs.frozen
class Fails:
    """An error in the vendor's format; see `Replies` for the delay.

    Attributes:
        code: the vendor's error code, such as ``rate_limit_exceeded``.
        headers: additional headers, such as ``Retry-After``.
    """

    status: int
    message: str = "It went wrong."
    code: str = "error"
    headers: Headers = ()
    delay_s: float = 0.0


@attrs.frozen
class Sends:
    """Raw bytes; see `Replies` for the delay."""

    body: bytes
    status: int = HTTPStatus.OK
    headers: Headers = ()
    delay_s: float = 0.0


Cue: TypeAlias = Replies | Refuses | Fails | Sends
"""The response to one request."""

Script: TypeAlias = Sequence[Cue] | Callable[[ReceivedRequest], Cue]
"""Responses in order, followed by errors for a bad request; or a function that returns each."""


@attrs.frozen(eq=False)
class ScriptedModel:
    """A running model that follows a script.

    Attributes:
        base_url: for ``models.base_url``, whatever the provider.
        asked: every valid request, oldest first.
    """

    base_url: str
    asked: list[ReceivedRequest] = attrs.field(factory=list[ReceivedRequest])


@asynccontextmanager
async def open_scripted_model(script: Script) -> AsyncGenerator[ScriptedModel]:
    """Serve on a free port of 127.0.0.1 for the length of the block.

    Leaving the block closes every connection; an error of a script function ends it.
    """
    asked: list[ReceivedRequest] = []
    play = script if callable(script) else _in_order(script)
    log: list[Seen] = []

    async def handle(exchange: Exchange) -> None:
        """Answer a question by the script; cancelled, it leaves it unanswered."""
        await exchange.answer(await _response(exchange, play, asked))

    async with open_server(handle, log) as port:
        yield ScriptedModel(f"http://127.0.0.1:{port}", asked)


def _in_order(cues: Sequence[Cue]) -> Callable[[ReceivedRequest], Cue]:
    coming = iter(cues)

    def play(_question: ReceivedRequest) -> Cue:
        """Return the next cue, regardless of the question."""
        return next(coming, Fails(HTTPStatus.BAD_REQUEST, "The script has ended."))

    return play


async def _response(
    exchange: Exchange, play: Callable[[ReceivedRequest], Cue], asked: list[ReceivedRequest]
) -> ServerResponse:
    found = vendor_of(exchange.path)
    if found is None:
        return _json(
            error_body("openai", HTTPStatus.NOT_FOUND, "There is no such path.", ""),
            HTTPStatus.NOT_FOUND,
        )
    vendor, name = found
    try:
        question = question_in(vendor, name, exchange.body)
    except msgspec.MsgspecError as error:
        return _json(
            error_body(vendor, HTTPStatus.BAD_REQUEST, str(error), "invalid"),
            HTTPStatus.BAD_REQUEST,
        )
    asked.append(question)
    cue = play(question)
    await trio.sleep(cue.delay_s)
    match cue:
        case Replies():
            return _json(
                ScriptedReply(
                    question=question,
                    text=cue.text,
                    by_tool=cue.by_tool and bool(question.form),
                    cut=cue.cut,
                    input_tokens=cue.input_tokens,
                    output_tokens=cue.output_tokens,
                ).body
            )
        case Refuses():
            return _json(refusal_body(question, cue.reason))
        case Fails():
            body = error_body(question.vendor, cue.status, cue.message, cue.code)
            return _json(body, cue.status, cue.headers)
        case Sends():
            return ServerResponse(cue.body, cue.status, "application/json", cue.headers)


def _json(body: JSON, status: int = HTTPStatus.OK, headers: Headers = ()) -> ServerResponse:
    return ServerResponse(msgspec.json.encode(body), status, "application/json", headers)
