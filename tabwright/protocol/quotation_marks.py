"""Texts in quotation marks, in which a backslash escapes a quotation mark and a backslash."""

import re

_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def double_quoted(text: str) -> str:
    r"""Return a text in double quotation marks, for example ``"say \"hi\""``."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def unescaped(text: str) -> str:
    """Return the inside of a quoted text without its backslashes."""
    return _ESCAPED.sub(r"\1", text)
