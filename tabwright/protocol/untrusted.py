"""What is said to a client, in parts: our own words, and those that a page may have written.

What a page may have written stands between marks, and nothing else does: so that a model can take
what is inside as material, and what is outside as said by the server.
"""

import re
from collections.abc import Iterable
from itertools import groupby
from typing import TypeAlias

import attrs

STRUCTURED = "tabwright/structured"
"""In the metadata of a call: whether its client wants a record, whose texts stand in fences too."""

_MARKED = re.compile(r"<untrusted (\w+)>\n(.*?)\n</untrusted \1>", re.DOTALL)


@attrs.frozen
class Quoted:
    """Lines in which there are words that a page may have written."""

    text: str


Part: TypeAlias = str | Quoted
Parts: TypeAlias = tuple[Part, ...]
"""Lines of an answer, in order; a text without a mark is our own."""


def quoted(text: str) -> Parts:
    """A part with words of a page; none for an empty text."""
    return (Quoted(text),) if text else ()


def text_of(part: Part) -> str:
    """What a part says."""
    return part.text if isinstance(part, Quoted) else part


def plain(parts: Iterable[Part]) -> str:
    """All parts as lines, for whoever needs no marks."""
    return "\n".join(filter(None, map(text_of, parts)))


def fenced(parts: Iterable[Part], nonce: str) -> str:
    """All parts as lines; what pages may have written stands between marks.

    Args:
        parts: those that follow each other and are alike stand in one fence.
        nonce: letters and digits that no page can have written.
    """
    said = [part for part in parts if text_of(part)]
    return "\n".join(
        marked(plain(alike), nonce) if is_quoted else plain(alike)
        for is_quoted, alike in groupby(said, key=_is_quoted)
    )


def _is_quoted(part: Part) -> bool:
    return isinstance(part, Quoted)


def marked(text: str, nonce: str) -> str:
    """The text between marks.

    Args:
        text: with what pages say in it.
        nonce: letters and digits that no page can have written.
    """
    return f"<untrusted {nonce}>\n{text}\n</untrusted {nonce}>"


def unmarked(text: str) -> str:
    """A text without the marks round what is between them."""
    return _MARKED.sub(lambda found: found[2], text)


def inside(text: str, nonce: str) -> str:
    """What stands between the marks of that nonce, all of it."""
    return "\n".join(found[2] for found in _MARKED.finditer(text) if found[1] == nonce)
