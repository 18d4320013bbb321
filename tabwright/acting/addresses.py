"""Where links lead, as hints: what the name of a link says already is not paid for twice."""

import re
from urllib.parse import unquote

URL_MAX = 60

_ESCAPED = re.compile("(?:%[89A-F][0-9A-F])+", re.IGNORECASE)
"""Letters of other alphabets."""

_WORD = r"(?:[^\W\d_]+|\d+)"
_TITLE = re.compile(rf"(?<=/)(?<!//)([^\W\d_]+)(?:[-_]{_WORD}){{2,}}(\.\w{{1,5}})?(?=[/?#]|$)")
"""Three words or more in a path, as ``why-a-sorted-array-is-faster``; codes are none."""


def hint(url: str, *, named: bool = True) -> str:
    """A URL as short as it still tells where a link leads; what is left out is an ellipsis.

    Of a title in the path the first word is kept, ``https://`` is left out, and what is long ends
    early.

    Args:
        url: absolute, or from the path on where that is on the page's own site.
        named: whether the link has a name, which says what a title in the path does.
    """
    read = _ESCAPED.sub(_letters, url)
    told = _TITLE.sub(r"\1…\2", read) if named else read
    return _shortened(told.removeprefix("https://"))


def _letters(escaped: re.Match[str]) -> str:
    """What is escaped, unless nobody sees it."""
    letters = unquote(escaped[0])
    return letters if letters.isprintable() else escaped[0]


def _shortened(url: str) -> str:
    if len(url) > URL_MAX and "?" in url[:URL_MAX]:
        return url[: url.index("?")] + "?…"
    return url if len(url) <= URL_MAX else url[: URL_MAX - 1] + "…"
