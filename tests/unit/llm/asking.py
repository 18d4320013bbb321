"""Sample questions for models, and the endpoint that receives them."""

import msgspec

from tabwright.llm.vendor import HTTPCall, ModelTraits, VendorEndpoint, VendorReply
from tabwright.protocol.errors import ModelFailed
from tabwright.protocol.llm import (
    AnswerForm,
    ChatMessage,
    ModelRequest,
    ModelResponse,
    Part,
    Speaker,
)
from tabwright.protocol.snapshot import Thumbnail

KEY = "sk-hunter2-0123456789"

FORM = AnswerForm(
    "plan",
    "What to do next.",
    {"type": "object", "properties": {"done": {"type": "boolean"}}, "required": ["done"]},
)
PICTURE = Thumbnail(1, "https://a.example/x.png", "a cat", "image/png", b"png", 1, 1)
PICTURE_BASE64 = "cG5n"

PLACE = VendorEndpoint(vendor="Vendor", base_url="https://api.example/v1", name="clever-1", key=KEY)
TRAITS = ModelTraits(temperature=0.5, output_tokens_max=100)
UNSAID = ModelTraits()


def question(*output: tuple[Speaker, str], part: Part = "planner") -> ModelRequest:
    messages = output or (("system", "Plan."), ("user", "Buy milk."))
    return ModelRequest(part, tuple(ChatMessage(*one) for one in messages), FORM)


def shown(text: str = "What is it?") -> ModelRequest:
    return ModelRequest("planner", (ChatMessage("user", text, (PICTURE,)),), FORM)


def body_of(call: HTTPCall) -> dict[str, object]:
    return msgspec.json.decode(call.body, type=dict[str, object])


def reply(body: object, status: int = 200, **headers: str) -> VendorReply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return VendorReply(
        status, body if isinstance(body, bytes) else msgspec.json.encode(body), named
    )


def ending(dialect, body: object, status: int = 200, **headers: str) -> ModelResponse | ModelFailed:
    """Return the response or the failure that a dialect reads from a reply."""
    try:
        return dialect.completion(reply(body, status, **headers), PLACE)
    except ModelFailed as failure:
        return failure
