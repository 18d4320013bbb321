"""A question, and where it goes."""

import msgspec

from tabwright.llm.vendor import Call, Manner, Place, Reply
from tabwright.protocol.errors import ModelFailed
from tabwright.protocol.llm import AnswerForm, Completion, Message, Part, Question, Speaker
from tabwright.protocol.snapshot import SmallPicture

KEY = "sk-hunter2-0123456789"

FORM = AnswerForm(
    "plan",
    "What to do next.",
    {"type": "object", "properties": {"done": {"type": "boolean"}}, "required": ["done"]},
)
PICTURE = SmallPicture(1, "https://a.example/x.png", "a cat", "image/png", b"png", 1, 1)
PICTURE_BASE64 = "cG5n"

PLACE = Place(
    vendor="Vendor", base_url="https://api.example/v1", name="clever-1", key=KEY, api_version="1"
)
MANNER = Manner(temperature=0.5, top_p=0.9, output_tokens_max=100)
UNSAID = Manner()


def question(*said: tuple[Speaker, str], part: Part = "planner") -> Question:
    messages = said or (("system", "Plan."), ("user", "Buy milk."))
    return Question(part, tuple(Message(*one) for one in messages), FORM)


def shown(text: str = "What is it?") -> Question:
    return Question("planner", (Message("user", text, (PICTURE,)),), FORM)


def body_of(call: Call) -> dict[str, object]:
    return msgspec.json.decode(call.body, type=dict[str, object])


def reply(body: object, status: int = 200, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, body if isinstance(body, bytes) else msgspec.json.encode(body), named)


def ending(dialect, body: object, status: int = 200, **headers: str) -> Completion | ModelFailed:
    """What comes of a reply: there is no third."""
    try:
        return dialect.completion(reply(body, status, **headers), PLACE)
    except ModelFailed as failure:
        return failure
