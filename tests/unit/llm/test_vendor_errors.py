import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.llm.anthropic import AnthropicDialect
from tabwright.llm.gemini import GeminiDialect
from tabwright.llm.openai import AzureDialect, OpenAIDialect
from tabwright.llm.vendor_errors import TEXT_MAX, vendor_error_text
from tabwright.protocol.errors import ModelFailed, ModelFault
from tabwright.protocol.llm import ModelResponse

from .asking import KEY, ending

OPENAI = OpenAIDialect()
ANTHROPIC = AnthropicDialect()
GEMINI = GeminiDialect()
DIALECTS = [OPENAI, AzureDialect(), ANTHROPIC, GEMINI]

NOW = "Sun, 22 Nov 2026 22:00:00 GMT"


def openai(message: str, code: str | None = None) -> object:
    return {"error": {"message": message, "type": "invalid_request_error", "code": code}}


def anthropic(message: str, kind: str = "invalid_request_error") -> object:
    return {"type": "error", "error": {"type": kind, "message": message}}


def gemini(message: str, status: str = "INVALID_ARGUMENT", *details: object) -> object:
    return {"error": {"code": 400, "message": message, "status": status, "details": details}}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("status", "fault", "passes"),
    [
        (301, ModelFault.MISSING, False),
        (307, ModelFault.MISSING, False),
        (400, ModelFault.MISSING, False),
        (401, ModelFault.AUTHENTICATION, False),
        (402, ModelFault.FORBIDDEN, False),
        (403, ModelFault.FORBIDDEN, False),
        (404, ModelFault.MISSING, False),
        (408, ModelFault.TRANSIENT, True),
        (409, ModelFault.TRANSIENT, True),
        (413, ModelFault.OVERFLOW, False),
        (429, ModelFault.RATE_LIMITED, True),
        (500, ModelFault.TRANSIENT, True),
        (502, ModelFault.TRANSIENT, True),
        (503, ModelFault.TRANSIENT, True),
        (529, ModelFault.TRANSIENT, True),
    ],
)
def test_http_status_determines_fault_and_retryability(dialect, status, fault, passes) -> None:
    failure = ending(dialect, {"error": {"message": "Words of the vendor"}}, status)
    assert isinstance(failure, ModelFailed)
    assert (failure.fault, failure.retryable) == (fault, passes)
    assert failure.message == f"Vendor did not answer (HTTP {status}): Words of the vendor"
    assert failure.advice


@pytest.mark.parametrize(
    ("dialect", "status", "body", "fault"),
    [
        (OPENAI, 429, openai("Pay first", "insufficient_quota"), ModelFault.FORBIDDEN),
        (OPENAI, 400, openai("Too much", "context_length_exceeded"), ModelFault.OVERFLOW),
        (OPENAI, 400, openai("This model's maximum context length is 9"), ModelFault.OVERFLOW),
        (OPENAI, 400, {"error": "maximum prompt length is 131072"}, ModelFault.OVERFLOW),
        (OPENAI, 500, {"error": "exceeds the available context size"}, ModelFault.OVERFLOW),
        (OPENAI, 400, openai("prompt too long; exceeded max context length"), ModelFault.OVERFLOW),
        (OPENAI, 500, openai("Context size has been exceeded."), ModelFault.OVERFLOW),
        (OPENAI, 400, openai("No", "content_filter"), ModelFault.REFUSED),
        (OPENAI, 400, openai("No", "content_policy_violation"), ModelFault.REFUSED),
        (OPENAI, 400, {"error": "Incorrect API key provided"}, ModelFault.AUTHENTICATION),
        (OPENAI, 402, openai("Insufficient Balance"), ModelFault.FORBIDDEN),
        (OPENAI, 400, openai("Failed to call", "tool_use_failed"), ModelFault.UNREADABLE),
        (OPENAI, 403, openai("No", "content_filter"), ModelFault.REFUSED),
        (ANTHROPIC, 400, anthropic("prompt is too long: 3 tokens > 2"), ModelFault.OVERFLOW),
        (ANTHROPIC, 413, anthropic("Big", "request_too_large"), ModelFault.OVERFLOW),
        (
            ANTHROPIC,
            400,
            anthropic("input length and `max_tokens` exceed context limit: 3 + 4 > 5"),
            ModelFault.OVERFLOW,
        ),
        (ANTHROPIC, 400, anthropic("Your credit balance is too low"), ModelFault.FORBIDDEN),
        (ANTHROPIC, 400, anthropic("blocked by content filtering policy"), ModelFault.REFUSED),
        (GEMINI, 400, gemini("The input token count (9) exceeds the max"), ModelFault.OVERFLOW),
        (GEMINI, 400, gemini("API key not valid. Pass one."), ModelFault.AUTHENTICATION),
        (GEMINI, 429, gemini("You exceeded your current quota"), ModelFault.RATE_LIMITED),
    ],
)
def test_vendor_error_body_determines_the_fault(dialect, status, body, fault) -> None:
    failure = ending(dialect, body, status)
    assert isinstance(failure, ModelFailed)
    assert failure.fault is fault


@pytest.mark.parametrize(
    "message",
    [
        "m requires moderation on OpenInference.",
        'Your input was flagged for "violence".',
        "Your prompt was flagged",
    ],
)
def test_moderation_error_is_reported_as_a_refusal(message: str) -> None:
    failure = ending(OPENAI, openai(message), 403)
    assert isinstance(failure, ModelFailed)
    assert failure.fault is ModelFault.REFUSED
    assert failure.advice == "Rephrase the task."


@pytest.mark.parametrize(
    ("message", "setting"),
    [
        ("Unsupported value: 'temperature' does not support 0.3", "models.temperature: null"),
        ("Unsupported parameter: 'max_tokens' is not supported", "models.output_tokens_max"),
        ("Invalid value for maxOutputTokens", "models.output_tokens_max"),
        ("Thinking mode does not support this tool_choice", "models.tools: offered"),
        ("m:1b does not support tools", "models.tools: none"),
        ("No endpoints found that support tool use.", "models.tools: none"),
        ("No endpoints found that support image input", "agent.pictures: []"),
        ("The model `gpt-9` does not exist", "models.name"),
    ],
)
def test_unsupported_model_feature_error_names_its_setting(message: str, setting: str) -> None:
    failure = ending(OPENAI, openai(message), 400)
    assert isinstance(failure, ModelFailed)
    assert failure.fault is ModelFault.MISSING
    assert setting in failure.advice


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": "7.5"}, 7.5),
        ({"retry_after": "7", "retry_after_ms": "250"}, 0.25),
        ({"retry_after": "Sun, 22 Nov 2026 22:00:30 GMT", "date": NOW}, 30.0),
        ({"retry_after": "Sun, 22 Nov 2026 21:00:00 GMT", "date": NOW}, 0.0),
        ({"retry_after": "Sun, 22 Nov 2026 22:00:30 GMT"}, None),
        ({"retry_after": "Sun, 22 Nov 2026 22:00:30", "date": NOW}, None),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "-1"}, None),
        ({"retry_after": "1e9"}, None),
        ({"retry_after": "٣"}, None),
        ({"retry_after": "a, b", "date": "c, d"}, None),
        ({}, None),
    ],
)
def test_retry_delay_is_read_only_from_valid_headers(headers, wait_s) -> None:
    failure = ending(OPENAI, openai("Slow down"), 429, **headers)
    assert isinstance(failure, ModelFailed)
    assert failure.retry_after_s == wait_s


def test_gemini_retry_delay_is_read_from_the_body() -> None:
    retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}
    failure = ending(GEMINI, gemini("Slow down", "RESOURCE_EXHAUSTED", retry), 429)
    assert isinstance(failure, ModelFailed)
    assert failure.retry_after_s == 34.5


@pytest.mark.parametrize(
    ("body", "reported"),
    [
        ({"error": "Plain."}, "Plain."),
        ({"message": "Plain."}, "Plain."),
        ({"detail": "Plain."}, "Plain."),
        ({"error": {"message": None}}, '{"error":{"message":null}}'),
        ([{"error": {"message": "In a list"}}], '[{"error":{"message":"In a list"}}]'),
        (b"<h1>Bad Gateway</h1>", "<h1>Bad Gateway</h1>"),
        (b"", "it gives no reason"),
    ],
)
def test_vendor_error_text_is_included_in_the_failure(body: object, reported: str) -> None:
    failure = ending(OPENAI, body, 500)
    assert isinstance(failure, ModelFailed)
    assert failure.message == f"Vendor did not answer (HTTP 500): {reported}"


@given(st.text(), st.integers(0, 2 * TEXT_MAX), st.text())
def test_vendor_error_text_is_short_printable_and_free_of_the_key(
    before: str, filling: int, after: str
) -> None:
    reported = vendor_error_text(f"{before}{'x' * filling}{KEY}\x1b[2J\u202e{after}", KEY)
    assert len(reported) <= TEXT_MAX
    assert reported.isprintable()
    assert KEY[:12] not in reported


@pytest.mark.parametrize(
    ("key", "reported"), [("", "no key abc"), ("abc", "no key abc"), ("no key", "*** abc")]
)
def test_short_key_is_masked_but_very_short_or_empty_is_not(key: str, reported: str) -> None:
    assert vendor_error_text("no key abc", key) == reported


@pytest.mark.parametrize("shown", [len(KEY), len(KEY) - 1, 12])
def test_truncated_key_is_masked(shown: int) -> None:
    assert vendor_error_text(f"{' ' * (4 * TEXT_MAX - shown)}{KEY}", KEY) == "***"
    assert vendor_error_text(f"The key {KEY[:shown]}… is wrong", KEY) == "The key ***… is wrong"


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("status", [200, 400, 401, 429, 500])
def test_a_key_that_is_repeated_is_masked(dialect, status) -> None:
    body = {
        "error": {"message": f"Wrong: {KEY}", "code": 400},
        "promptFeedback": {"blockReason": KEY},
        "stop_reason": "refusal",
        "content": [{"type": "text", "text": f"No: {KEY}"}],
    }
    failure = ending(dialect, body, status)
    assert isinstance(failure, ModelFailed)
    assert "***" in str(failure)
    assert "hunter2" not in f"{failure} {failure!r} {failure.details()}"


NAMES = st.sampled_from(
    [
        *("choices", "message", "content", "tool_calls", "function", "arguments", "refusal"),
        *("finish_reason", "usage", "prompt_tokens", "error", "code", "text", "type", "input"),
        *("stop_reason", "candidates", "parts", "functionCall", "args", "finishReason"),
        *("promptFeedback", "blockReason", "usageMetadata", "promptTokenCount", "model", "detail"),
    ]
)
WORDS = st.sampled_from(["text", "tool_use", "length", "SAFETY", "STOP", "refusal"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=30,
)
STATUSES = st.sampled_from([200, 204, 302, 400, 401, 403, 404, 429, 500, 999])
HEADERS = st.dictionaries(st.sampled_from(["retry_after", "retry_after_ms", "date"]), st.text())


@pytest.mark.parametrize("dialect", DIALECTS)
@given(VALUES.map(msgspec.json.encode) | st.binary(), STATUSES, HEADERS)
def test_arbitrary_vendor_response_gives_an_answer_or_a_failure(
    dialect, body: bytes, status: int, headers
) -> None:
    came = ending(dialect, body, status, **headers)
    if isinstance(came, ModelResponse):
        assert came.text.strip()
    else:
        assert came.message.isprintable()
        assert came.advice
