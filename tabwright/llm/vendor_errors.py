"""Translate vendors' errors into errors with advice, and decode replies.

Their texts are shown to people and logged. So they are shortened, stripped of terminal control
characters, and contain no key.
"""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TypeVar

import msgspec

from tabwright.config.secrets import LENGTH_MIN
from tabwright.llm.vendor import VendorEndpoint, VendorReply
from tabwright.protocol.errors import ModelFailed, ModelFault
from tabwright.protocol.untrusted_text import Quoted

TEXT_MAX = 400
"""Maximum length of a vendor's text in an error."""

KEY_BEGINNING_MIN = 12
"""Minimum length of a truncated key that is masked; many keys share a shorter prefix."""

REDIRECTS = range(300, 400)

BY_STATUS: Mapping[int, ModelFault] = {
    401: ModelFault.AUTHENTICATION,
    402: ModelFault.FORBIDDEN,
    408: ModelFault.TRANSIENT,
    409: ModelFault.TRANSIENT,
    413: ModelFault.OVERFLOW,
    425: ModelFault.TRANSIENT,
    429: ModelFault.RATE_LIMITED,
}
"""Statuses with a clear meaning."""

PAID_OUT = re.compile(r"insufficient_quota|insufficient balance|credit balance is too low")
"""Texts for exhausted credit, where waiting does not help, whatever the status."""

SIGNS = (
    (
        re.compile(r"api_key_invalid|api key not valid|(invalid|incorrect) api key"),
        ModelFault.AUTHENTICATION,
    ),
    (
        re.compile(
            r"content_filter|content_policy|content filtering policy|responsibleai|invalid_prompt"
            r"|requires moderation|(input|prompt) was flagged"
        ),
        ModelFault.REFUSED,
    ),
    (re.compile(r"tool_use_failed"), ModelFault.UNREADABLE),
)
"""Vendors' texts, in lower case, for statuses that can mean several things."""

SETTINGS = (
    (r"temperature", "Set models.temperature: null."),
    (
        r"max_?(completion_?|output_?)?tokens",
        "Lower models.output_tokens_max, or set it to null.",
    ),
    (r"tool_?choice|tool_?config|forces tool use", "Set models.tools: offered."),
    (r"tool|function", "Set models.tools: none."),
    (r"image|vision|picture", "Set agent.pictures: []."),
)
"""The setting to change, by the parameter that a vendor refuses."""

CHECK_KEY = "Check the key, and models.key if it is set."
CHECK_NAME = "Check models.name, and models.base_url if it is set."

_DELAY = re.compile(rb'"retryDelay"\s*:\s*"(\d{1,9}(?:\.\d{1,9})?)s"')
_SECONDS = re.compile(r"\d{1,9}(\.\d{1,9})?", re.ASCII)


class _Error(msgspec.Struct, frozen=True):
    message: str | None = None


class _Body(msgspec.Struct, frozen=True):
    """The shapes of error bodies."""

    error: _Error | str | None = None
    message: str | None = None
    detail: str | None = None

    @property
    def text(self) -> str:
        """The message, in whichever shape; empty if there is none."""
        message = self.error.message if isinstance(self.error, _Error) else self.error
        return message or self.message or self.detail or ""


def failed(reply: VendorReply, place: VendorEndpoint, overflow: re.Pattern[str]) -> ModelFailed:
    """Return the error for a failed reply.

    Args:
        reply: a reply whose status is not a success.
        place: the endpoint that sent it.
        overflow: matches the vendor's text, in lower case, for a question that is too long.
    """
    try:
        text = msgspec.json.decode(reply.body, type=_Body).text
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        text = ""
    text = vendor_error_text(text or reply.body.decode(errors="replace"), place.key)
    signs = reply.body.decode(errors="replace").lower()
    if PAID_OUT.search(signs):
        fault = ModelFault.FORBIDDEN
    elif reply.status in BY_STATUS:
        fault = BY_STATUS[reply.status]
    elif overflow.search(signs):
        fault = ModelFault.OVERFLOW
    elif reply.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        fault = ModelFault.TRANSIENT
    else:
        otherwise = (
            ModelFault.FORBIDDEN if reply.status == HTTPStatus.FORBIDDEN else ModelFault.MISSING
        )
        fault = next((fault for sign, fault in SIGNS if sign.search(signs)), otherwise)
    return ModelFailed(
        (
            f"{place.vendor} did not answer (HTTP {reply.status}): ",
            Quoted(text or "it gives no reason"),
        ),
        fault=fault,
        advice=_advice(fault, reply.status, text),
        retry_after_s=_retry_after_s(reply),
    )


def refused(place: VendorEndpoint, why: str) -> ModelFailed:
    """Return the error for an answer that the model or its safety filter refused."""
    return ModelFailed(
        (f"{place.vendor} refuses to answer: ", Quoted(vendor_error_text(why, place.key))),
        fault=ModelFault.REFUSED,
        advice="Rephrase the task.",
    )


def unreadable(
    place: VendorEndpoint, why: str, advice: str = "Try again, or use another model."
) -> ModelFailed:
    """Return the error for a reply that cannot be used."""
    return ModelFailed(
        (f"{place.vendor} sent an invalid answer: ", Quoted(why), "."),
        fault=ModelFault.UNREADABLE,
        advice=advice,
    )


def empty(place: VendorEndpoint, *, cut: bool) -> ModelFailed:
    """Return the error for an empty answer."""
    if cut:
        return unreadable(
            place,
            "it is empty because the token limit was reached",
            "Raise models.output_tokens_max.",
        )
    return unreadable(place, "it is empty")


def vendor_error_text(text: str, key: str) -> str:
    """Return a vendor's text on one line, without the key and terminal control characters."""
    masked = text[: 4 * TEXT_MAX]
    if len(key) >= LENGTH_MIN:
        masked = masked.replace(key, "***")
        for length in range(len(key) - 1, KEY_BEGINNING_MIN - 1, -1):  # prefixes of a truncated key
            masked = masked.replace(key[:length], "***")
    printable = "".join(char if char.isprintable() else " " for char in masked)
    line = " ".join(printable.split())
    return line if len(line) <= TEXT_MAX else f"{line[: TEXT_MAX - 1]}…"


ADVICE: Mapping[ModelFault, str] = {
    ModelFault.AUTHENTICATION: CHECK_KEY,
    ModelFault.FORBIDDEN: "Check the permissions and the billing of the key with the vendor.",
    ModelFault.RATE_LIMITED: "Try again later.",
    ModelFault.OVERFLOW: "Use a model with a larger context.",
    ModelFault.TRANSIENT: "Try again later.",
    ModelFault.REFUSED: "Rephrase the task.",
    ModelFault.UNREADABLE: "Try again, or set models.tools: none.",
}


def _advice(fault: ModelFault, status: int, text: str) -> str:
    if fault in ADVICE:
        return ADVICE[fault]
    if status in REDIRECTS:
        return "Redirects are not followed: check models.base_url."
    fitting = (advice for sign, advice in SETTINGS if re.search(sign, text, re.IGNORECASE))
    return next(fitting, CHECK_NAME)


def _retry_after_s(reply: VendorReply) -> float | None:
    """Return the pause that the vendor requests, from any of its headers."""
    if delay := _DELAY.search(reply.body):
        return float(delay[1])
    if (ms := _seconds(reply.headers.get("retry-after-ms", ""))) is not None:
        return ms / 1000
    header = reply.headers.get("retry-after", "")
    if "," not in header:
        return _seconds(header)
    try:  # both dates are the vendor's, whose clock can be wrong
        now = parsedate_to_datetime(reply.headers.get("date", ""))
        pause_s = (parsedate_to_datetime(header) - now).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return None
    return max(pause_s, 0.0)


def _seconds(text: str) -> float | None:
    return float(text) if _SECONDS.fullmatch(text) else None


# Decoding replies into documented shapes.

_ShapeT = TypeVar("_ShapeT", bound=msgspec.Struct)


def decoded(reply: VendorReply, shape: type[_ShapeT], place: VendorEndpoint) -> _ShapeT:
    """Decode the body of a reply.

    Raises:
        ModelFailed: it does not have this shape.
    """
    try:
        return msgspec.json.decode(reply.body, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise unreadable(place, "it is not the expected JSON") from error
