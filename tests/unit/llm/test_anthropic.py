import pytest

from tabwright.llm.anthropic import AnthropicDialect
from tabwright.llm.vendor import ModelTraits
from tabwright.protocol.errors import ModelFailed, ModelFault
from tabwright.protocol.llm import ModelResponse

from .asking import (
    FORM,
    KEY,
    PICTURE_BASE64,
    PLACE,
    TRAITS,
    UNSAID,
    body_of,
    ending,
    question,
    shown,
)

DIALECT = AnthropicDialect()

TOOL = {"name": "plan", "description": FORM.description, "input_schema": FORM.schema}


def answered(*blocks: object, reason: str = "end_turn", **more: object) -> dict[str, object]:
    return {"type": "message", "content": list(blocks), "stop_reason": reason, **more}


def text(text: str) -> dict[str, object]:
    return {"type": "text", "text": text}


CALL = {"type": "tool_use", "id": "toolu_1", "name": "plan", "input": {"done": True}}


def test_anthropic_request_has_url_headers_and_body() -> None:
    call = DIALECT.call(question(), PLACE, TRAITS)
    assert call.url == "https://api.example/v1/messages"
    assert call.headers == (("x-api-key", KEY), ("anthropic-version", "2023-06-01"))
    assert body_of(call) == {
        "model": "clever-1",
        "max_tokens": 100,
        "system": "Plan.",
        "messages": [{"role": "user", "content": [text("Buy milk.")]}],
        "temperature": 0.5,
        "tools": [TOOL],
        "tool_choice": {"type": "tool", "name": "plan"},
    }


def test_request_without_temperature_sends_none() -> None:
    assert "temperature" not in body_of(DIALECT.call(question(), PLACE, UNSAID))


def test_max_tokens_is_always_sent() -> None:
    assert body_of(DIALECT.call(question(), PLACE, UNSAID))["max_tokens"] == 4096


def test_tool_is_offered_or_omitted_as_the_model_supports() -> None:
    offered = body_of(DIALECT.call(question(), PLACE, ModelTraits(tools="offered")))
    assert offered["tools"] == [TOOL]
    assert "tool_choice" not in offered
    none = body_of(DIALECT.call(question(), PLACE, ModelTraits(tools="none")))
    assert not {"tools", "tool_choice"} & set(none)


def test_image_is_sent_before_the_text() -> None:
    body = body_of(DIALECT.call(shown(), PLACE, UNSAID))
    source = {"type": "base64", "media_type": "image/png", "data": PICTURE_BASE64}
    content = [{"type": "image", "source": source}, text("What is it?")]
    assert body["messages"] == [{"role": "user", "content": content}]
    assert "system" not in body


@pytest.mark.parametrize(
    ("body", "completion"),
    [
        (answered(CALL, reason="tool_use"), ModelResponse('{"done":true}')),
        (answered({"type": "thinking"}, text("So."), CALL), ModelResponse('{"done":true}')),
        (answered({"type": "thinking"}, text("Y"), text("es.")), ModelResponse("Yes.")),
        (answered(text("Ye"), reason="max_tokens"), ModelResponse("Ye", cut=True)),
        (
            answered(
                text("Yes."),
                model="clever-1-2026",
                usage={"input_tokens": 7, "cache_read_input_tokens": 3, "output_tokens": 2},
            ),
            ModelResponse("Yes.", "clever-1-2026", 10, 2),
        ),
    ],
)
def test_anthropic_response_is_parsed(body: object, completion: ModelResponse) -> None:
    assert ending(DIALECT, body) == completion


@pytest.mark.parametrize(
    ("body", "fault", "reported"),
    [
        (answered(reason="refusal"), ModelFault.REFUSED, "it gives no reason"),
        (answered(text("I cannot."), reason="refusal"), ModelFault.REFUSED, "I cannot."),
        (answered(), ModelFault.UNREADABLE, "empty"),
        (answered({"type": "thinking"}, reason="max_tokens"), ModelFault.UNREADABLE, "output_tok"),
        ({}, ModelFault.UNREADABLE, "empty"),
        (b"<html>", ModelFault.UNREADABLE, "JSON"),
        ([], ModelFault.UNREADABLE, "JSON"),
    ],
)
def test_unusable_response_is_reported(body: object, fault: ModelFault, reported: str) -> None:
    failure = ending(DIALECT, body)
    assert isinstance(failure, ModelFailed)
    assert failure.fault is fault
    assert reported in str(failure)
