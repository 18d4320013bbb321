import pytest

from tabwright.llm.openai import AzureDialect, OpenAIDialect
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

DIALECT = OpenAIDialect()

FUNCTION = {"name": "plan", "description": FORM.description, "parameters": FORM.schema}
TOOLS = [{"type": "function", "function": FUNCTION}]


def answered(message: object, reason: str = "stop", **more: object) -> dict[str, object]:
    return {"choices": [{"message": message, "finish_reason": reason}], **more}


def called(arguments: object) -> dict[str, object]:
    return {"content": None, "tool_calls": [{"function": {"arguments": arguments}}]}


def test_openai_request_has_url_headers_and_body() -> None:
    call = DIALECT.call(question(), PLACE, TRAITS)
    assert call.url == "https://api.example/v1/chat/completions"
    assert call.headers == (("Authorization", f"Bearer {KEY}"),)
    assert body_of(call) == {
        "model": "clever-1",
        "messages": [
            {"role": "system", "content": "Plan."},
            {"role": "user", "content": "Buy milk."},
        ],
        "temperature": 0.5,
        "max_tokens": 100,
        "tools": TOOLS,
        "tool_choice": {"type": "function", "function": {"name": "plan"}},
    }


def test_azure_request_has_deployment_url_and_api_key_header() -> None:
    call = AzureDialect().call(question(), PLACE, TRAITS)
    assert call.url == (
        "https://api.example/v1/openai/deployments/clever-1/chat/completions?api-version=2024-10-21"
    )
    assert call.headers == (("api-key", KEY),)
    body = body_of(call)
    assert body["max_completion_tokens"] == 100
    assert "model" not in body


def test_unspecified_parameters_are_omitted_from_the_request() -> None:
    assert set(body_of(DIALECT.call(question(), PLACE, UNSAID))) == {
        "model",
        "messages",
        "tools",
        "tool_choice",
    }


def test_reasoning_model_limit_is_sent_as_max_completion_tokens() -> None:
    call = OpenAIDialect("max_completion_tokens").call(question(), PLACE, TRAITS)
    assert body_of(call)["max_completion_tokens"] == 100
    assert "max_tokens" not in body_of(call)


def test_tool_is_offered_or_omitted_as_the_model_supports() -> None:
    offered = body_of(DIALECT.call(question(), PLACE, ModelTraits(tools="offered")))
    assert offered["tools"] == TOOLS
    assert "tool_choice" not in offered
    none = body_of(DIALECT.call(question(), PLACE, ModelTraits(tools="none")))
    assert not {"tools", "tool_choice"} & set(none)


def test_image_is_sent_before_the_text() -> None:
    body = body_of(DIALECT.call(shown(), PLACE, UNSAID))
    url = f"data:image/png;base64,{PICTURE_BASE64}"
    content = [
        {"type": "image_url", "image_url": {"url": url}},
        {"type": "text", "text": "What is it?"},
    ]
    assert body["messages"] == [{"role": "user", "content": content}]


@pytest.mark.parametrize(
    ("body", "completion"),
    [
        (answered(called('{"done":true}'), "tool_calls"), ModelResponse('{"done":true}')),
        (answered(called({"done": True})), ModelResponse('{"done":true}')),
        (answered({"content": "Yes."}), ModelResponse("Yes.")),
        (answered({"content": [{"type": "text", "text": "Yes."}]}), ModelResponse("Yes.")),
        (answered({"content": "Ye"}, "length"), ModelResponse("Ye", cut=True)),
        (answered({"content": "Yes.", "tool_calls": []}), ModelResponse("Yes.")),
        (
            answered(
                {"content": "Yes.", "refusal": None},
                model="clever-1-2026",
                usage={"prompt_tokens": 7, "completion_tokens": 2, "more": {}},
            ),
            ModelResponse("Yes.", "clever-1-2026", 7, 2),
        ),
        (answered({"content": "Yes."}, usage=None, model=None, error=None), ModelResponse("Yes.")),
    ],
)
def test_openai_response_is_parsed(body: object, completion: ModelResponse) -> None:
    assert ending(DIALECT, body) == completion


@pytest.mark.parametrize(
    ("body", "fault", "reported"),
    [
        (answered({"refusal": "I cannot."}), ModelFault.REFUSED, "I cannot."),
        (answered({"content": "I"}, "content_filter"), ModelFault.REFUSED, "filter"),
        (answered({"content": ""}), ModelFault.UNREADABLE, "empty"),
        (answered({"content": ""}, "length"), ModelFault.UNREADABLE, "output_tokens_max"),
        (answered({"content": 5}), ModelFault.UNREADABLE, "JSON"),
        ({"choices": []}, ModelFault.UNREADABLE, "empty"),
        ({}, ModelFault.UNREADABLE, "empty"),
        (b"", ModelFault.UNREADABLE, "JSON"),
        (b"[" * 100_000, ModelFault.UNREADABLE, "JSON"),
        ({"error": {"code": 429, "message": "Slow down"}}, ModelFault.RATE_LIMITED, "Slow down"),
        ({"error": {"code": "server_error", "message": "Oh"}}, ModelFault.TRANSIENT, "Oh"),
        (
            {"choices": [{"error": {"code": 502, "message": "Upstream"}}]},
            ModelFault.TRANSIENT,
            "502",
        ),
    ],
)
def test_unusable_response_is_reported(body: object, fault: ModelFault, reported: str) -> None:
    failure = ending(DIALECT, body)
    assert isinstance(failure, ModelFailed)
    assert failure.fault is fault
    assert reported in str(failure)
