"""Languages of a search: the six with texts of their own, and any other that a browser may name."""

import re

from tabwright.protocol.errors import BadInput

LANGUAGES = ("zh-CN", "en-US", "ja-JP", "ko-KR", "de-DE", "fr-FR")
"""The languages whose page texts are known and in which results and errors are worded."""

DEFAULT_LANGUAGE = "zh-CN"

_TAG = re.compile(
    r"(?P<language>[A-Za-z]{2,3})(-(?P<script>[A-Za-z]{4}))?(-(?P<region>[A-Za-z]{2}|\d{3}))?"
)
"""The part of BCP 47 (RFC 5646) that an ``hl`` parameter uses."""


def checked_language(code: str) -> str:
    """The code in its usual spelling: ``zh-cn`` becomes ``zh-CN``.

    Raises:
        BadInput: the code is not of the form language, script, region.
    """
    match = _TAG.fullmatch(code)
    if match is None or not code.isascii():
        raise BadInput(
            f"{code!r} is not a language code.",
            advice="Use a code such as zh-CN, en-US or pt-BR.",
        )
    parts = (
        match["language"].lower(),
        (match["script"] or "").title(),
        (match["region"] or "").upper(),
    )
    return "-".join(part for part in parts if part)


def primary(code: str) -> str:
    """The language alone: ``zh`` of ``zh-CN``."""
    return code.partition("-")[0].lower()


def accept_language(code: str) -> str:
    """What a browser set to this language accepts, best first: ``ja-JP,ja,en``.

    Without weights: the browser adds them in its header (RFC 9110, 12.5.4), and tells pages none.
    """
    code = checked_language(code)
    return ",".join(dict.fromkeys((code, primary(code), "en")))
