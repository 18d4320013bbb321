import attrs
import pytest

from tabwright.llm.gemini import GeminiDialect
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

DIALECT = GeminiDialect()

FUNCTION = {"name": "plan", "description": FORM.description, "parameters": FORM.schema}


def answered(*parts: object, reason: str = "STOP", **more: object) -> dict[str, object]:
    return {"candidates": [{"content": {"parts": list(parts)}, "finishReason": reason}], **more}


CALL = {"functionCall": {"name": "plan", "args": {"done": True}}}


def test_gemini_request_has_url_headers_and_body() -> None:
    asked = question(("system", "Plan."), ("user", "Buy milk."), ("assistant", "Where?"))
    call = DIALECT.call(asked, PLACE, TRAITS)
    assert call.url == "https://api.example/v1/models/clever-1:generateContent"
    assert call.headers == (("x-goog-api-key", KEY),)
    assert body_of(call) == {
        "systemInstruction": {"parts": [{"text": "Plan."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Buy milk."}]},
            {"role": "model", "parts": [{"text": "Where?"}]},
        ],
        "generationConfig": {"temperature": 0.5, "maxOutputTokens": 100},
        "tools": [{"functionDeclarations": [FUNCTION]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["plan"]}},
    }


@pytest.mark.parametrize(
    ("name", "part"), [("models/m", "m"), ("../m?key=1", "..%2Fm%3Fkey%3D1"), ("a b", "a%20b")]
)
def test_model_name_is_escaped_into_one_url_segment(name: str, part: str) -> None:
    url = DIALECT.call(question(), attrs.evolve(PLACE, name=name), UNSAID).url
    assert url == f"https://api.example/v1/models/{part}:generateContent"


def test_function_is_offered_or_omitted_as_the_model_supports() -> None:
    offered = body_of(DIALECT.call(question(), PLACE, ModelTraits(tools="offered")))
    assert offered["tools"] == [{"functionDeclarations": [FUNCTION]}]
    assert "toolConfig" not in offered
    none = body_of(DIALECT.call(question(), PLACE, ModelTraits(tools="none")))
    assert not {"tools", "toolConfig"} & set(none)


def test_image_is_sent_before_the_text() -> None:
    body = body_of(DIALECT.call(shown(), PLACE, UNSAID))
    picture = {"inlineData": {"mimeType": "image/png", "data": PICTURE_BASE64}}
    assert body["contents"] == [{"role": "user", "parts": [picture, {"text": "What is it?"}]}]
    assert "systemInstruction" not in body
    assert body["generationConfig"] == {}


@pytest.mark.parametrize(
    ("body", "completion"),
    [
        (answered(CALL), ModelResponse('{"done":true}')),
        (answered({"text": "Hm.", "thought": True}, CALL), ModelResponse('{"done":true}')),
        (answered({"text": "Hm.", "thought": True}, {"text": "Yes."}), ModelResponse("Yes.")),
        (answered({"text": "Ye"}, reason="MAX_TOKENS"), ModelResponse("Ye", cut=True)),
        (
            answered(
                {"text": "Yes."},
                modelVersion="clever-1-2026",
                usageMetadata={
                    "promptTokenCount": 7,
                    "candidatesTokenCount": 2,
                    "thoughtsTokenCount": 3,
                },
            ),
            ModelResponse("Yes.", "clever-1-2026", 7, 5),
        ),
    ],
)
def test_gemini_response_is_parsed(body: object, completion: ModelResponse) -> None:
    assert ending(DIALECT, body) == completion


@pytest.mark.parametrize(
    ("body", "fault", "reported"),
    [
        ({"promptFeedback": {"blockReason": "SAFETY"}}, ModelFault.REFUSED, "SAFETY"),
        (answered({"text": "I"}, reason="RECITATION"), ModelFault.REFUSED, "RECITATION"),
        ({"candidates": [{"finishReason": "SAFETY"}]}, ModelFault.REFUSED, "SAFETY"),
        (
            {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]},
            ModelFault.UNREADABLE,
            "incorrectly",
        ),
        (
            {"candidates": [{"content": {}, "finishReason": "MAX_TOKENS"}]},
            ModelFault.UNREADABLE,
            "output_tokens_max",
        ),
        ({}, ModelFault.UNREADABLE, "empty"),
        ({"candidates": [None]}, ModelFault.UNREADABLE, "JSON"),
    ],
)
def test_unusable_response_is_reported(body: object, fault: ModelFault, reported: str) -> None:
    failure = ending(DIALECT, body)
    assert isinstance(failure, ModelFailed)
    assert failure.fault is fault
    assert reported in str(failure)
