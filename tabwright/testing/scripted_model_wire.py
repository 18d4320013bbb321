"""The three wire formats of models from the server's side: requests and responses."""

import re
from collections.abc import Mapping
from typing import Literal, TypeAlias

import attrs
import msgspec

Vendor: TypeAlias = Literal["openai", "anthropic", "gemini"]
"""The wire format of a request; Azure's is OpenAI's at another path."""

JSON: TypeAlias = dict[str, object]

PATHS: Mapping[Vendor, re.Pattern[str]] = {
    "openai": re.compile(r"(?:/openai/deployments/(?P<name>[^/]+))?/chat/completions$"),
    "anthropic": re.compile(r"/messages$"),
    "gemini": re.compile(r"/models/(?P<name>[^/:]+):generateContent$"),
}


@attrs.frozen(kw_only=True)
class ReceivedRequest:
    """A request to a model.

    Attributes:
        model: its name; at Azure, the deployment.
        system: the system message; empty for none.
        messages: the messages, oldest first: ``user`` or ``assistant``, and the text.
        pictures: the number of pictures.
        form: the name of the offered tool; empty for none.
        is_forced: whether the tool must be called.
        body: the whole request body.
    """

    vendor: Vendor
    model: str
    system: str
    messages: tuple[tuple[str, str], ...]
    pictures: int
    form: str
    is_forced: bool
    body: Mapping[str, object]

    @property
    def text(self) -> str:
        """All text, including the system message."""
        return "\n".join((self.system, *(text for _, text in self.messages)))


def vendor_of(path: str) -> tuple[Vendor, str] | None:
    """Return the vendor and the model of a path; None if it is unknown."""
    for vendor, pattern in PATHS.items():
        if found := pattern.search(path):
            return vendor, found.groupdict().get("name") or ""
    return None


class _Shape(msgspec.Struct, frozen=True):
    """A part of a question; attributes are the vendor's names."""


class _Piece(_Shape, frozen=True):
    text: str = ""
    type: str = ""
    inlineData: object = None  # noqa: N815

    @property
    def is_picture(self) -> bool:
        """Whether it is a picture, in any vendor's format."""
        return self.inlineData is not None or self.type in {"image", "image_url"}


class _Turn(_Shape, frozen=True):
    role: str = "user"
    content: str | list[_Piece] = ""
    parts: list[_Piece] = []

    @property
    def pieces(self) -> list[_Piece]:
        """The content as pieces; bare text is one."""
        return [_Piece(self.content)] if isinstance(self.content, str) else self.content

    @property
    def text(self) -> str:
        """All the words of it, a piece a line."""
        return "\n".join(piece.text for piece in (*self.pieces, *self.parts) if piece.text)


class _Named(_Shape, frozen=True):
    name: str = ""


class _Tool(_Shape, frozen=True):
    name: str = ""
    function: _Named = _Named()
    functionDeclarations: list[_Named] = []  # noqa: N815

    @property
    def any_name(self) -> str:
        """The name of the tool, wherever the vendor puts it; empty for none."""
        declared = self.functionDeclarations[0].name if self.functionDeclarations else ""
        return self.name or self.function.name or declared


class _Body(_Shape, frozen=True):
    """The fields of all three formats; each format uses some of them."""

    model: str = ""
    system: str = ""
    systemInstruction: _Turn = _Turn()  # noqa: N815
    messages: list[_Turn] = []
    contents: list[_Turn] = []
    tools: list[_Tool] = []
    tool_choice: object = None
    toolConfig: object = None  # noqa: N815


def question_in(vendor: Vendor, name: str, body: bytes) -> ReceivedRequest:
    """Return the request in a body.

    Raises:
        msgspec.MsgspecError: the body is not valid in any vendor's format.
    """
    shape = msgspec.json.decode(body, type=_Body)
    turns = [*shape.messages, *shape.contents]
    system = [turn.text for turn in turns if turn.role == "system"]
    spoken = [turn for turn in turns if turn.role != "system"]
    pieces = [piece for turn in spoken for piece in (*turn.pieces, *turn.parts)]
    return ReceivedRequest(
        vendor=vendor,
        model=shape.model or name,
        system="\n".join(filter(None, (shape.system, shape.systemInstruction.text, *system))),
        messages=tuple(
            ("assistant" if turn.role == "model" else turn.role, turn.text) for turn in spoken
        ),
        pictures=sum(piece.is_picture for piece in pieces),
        form=shape.tools[0].any_name if shape.tools else "",
        is_forced=bool(shape.tool_choice or shape.toolConfig),
        body=msgspec.json.decode(body, type=JSON),
    )


@attrs.frozen(kw_only=True)
class ScriptedReply:
    """An answer.

    Attributes:
        question: what it answers.
        text: what the model says; JSON of an object where it calls the tool.
        by_tool: whether it does.
        cut: whether it ends for want of room.
    """

    question: ReceivedRequest
    text: str
    by_tool: bool
    cut: bool
    input_tokens: int
    output_tokens: int

    @property
    def body(self) -> JSON:
        """Return the response in the vendor's format."""
        match self.question.vendor:
            case "openai":
                return self._openai
            case "anthropic":
                return self._anthropic
            case "gemini":
                return self._gemini

    @property
    def _openai(self) -> JSON:
        function = {"name": self.question.form, "arguments": self.text}
        call = {"id": "call_1", "type": "function", "function": function}
        content = (
            {"content": None, "tool_calls": [call]} if self.by_tool else {"content": self.text}
        )
        reason = "length" if self.cut else "tool_calls" if self.by_tool else "stop"
        choice = {"index": 0, "message": {"role": "assistant", **content}, "finish_reason": reason}
        return {
            "model": self.question.model,
            "choices": [choice],
            "usage": {
                "prompt_tokens": self.input_tokens,
                "completion_tokens": self.output_tokens,
            },
        }

    @property
    def _anthropic(self) -> JSON:
        call = {"type": "tool_use", "id": "toolu_1", "name": self.question.form}
        block = {"type": "text", "text": self.text}
        reason = "tool_use" if self.by_tool else "end_turn"
        return {
            "type": "message",
            "role": "assistant",
            "model": self.question.model,
            "content": [{**call, "input": self._object} if self.by_tool else block],
            "stop_reason": "max_tokens" if self.cut else reason,
            "usage": {"input_tokens": self.input_tokens, "output_tokens": self.output_tokens},
        }

    @property
    def _gemini(self) -> JSON:
        part: JSON = {"text": self.text}
        if self.by_tool:
            part = {"functionCall": {"name": self.question.form, "args": self._object}}
        content = {"role": "model", "parts": [part]}
        reason = "MAX_TOKENS" if self.cut else "STOP"
        return {
            "candidates": [{"content": content, "finishReason": reason}],
            "usageMetadata": {
                "promptTokenCount": self.input_tokens,
                "candidatesTokenCount": self.output_tokens,
            },
            "modelVersion": self.question.model,
        }

    @property
    def _object(self) -> JSON:
        return msgspec.json.decode(self.text, type=JSON)


def refusal_body(question: ReceivedRequest, reason: str) -> JSON:
    """A refusal as the vendor would give it."""
    match question.vendor:
        case "openai":
            message = {"role": "assistant", "content": None, "refusal": reason}
            return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
        case "anthropic":
            content = [{"type": "text", "text": reason}]
            return {"type": "message", "content": content, "stop_reason": "refusal"}
        case "gemini":
            return {"promptFeedback": {"blockReason": reason}}


def error_body(vendor: Vendor, status: int, message: str, code: str) -> JSON:
    """An error as the vendor would tell it."""
    match vendor:
        case "openai":
            return {"error": {"message": message, "type": code, "code": code, "param": None}}
        case "anthropic":
            return {"type": "error", "error": {"type": code, "message": message}}
        case "gemini":
            return {"error": {"code": status, "message": message, "status": code}}
