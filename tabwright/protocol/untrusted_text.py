"""Text for a client in parts: our words, and words that a page may have written.

Text that a page may have written is between marks, and no other text is. A model can thus treat the
text inside as material, and the text outside as written by the server. So a prompt injection is
never taken for words of the server.
"""

import re
from collections.abc import Iterable
from itertools import groupby
from string import Formatter
from typing import TypeAlias

import attrs

STRUCTURED = "tabwright/structured"
"""In the metadata of a call: whether the client requests structured content with fenced texts."""

_MARKED = re.compile(r"<untrusted (\w+)>(\n?)(.*?)\2</untrusted \1>", re.DOTALL)


@attrs.frozen
class Quoted:
    """Text that a page may have written."""

    text: str


@attrs.frozen
class Sentence:
    """A line of our own text with quotations of page text inside it, in order."""

    chunks: tuple[str | Quoted, ...]


Part: TypeAlias = str | Quoted | Sentence
Parts: TypeAlias = tuple[Part, ...]
"""The lines of an answer, in order; plain strings are written by tabwright."""

Message: TypeAlias = str | tuple[str | Quoted, ...]
"""The text of an error: our own text, or a sequence of it and of quotations of page text."""


def quoting(template: str, **values: Message) -> tuple[str | Quoted, ...]:
    """Return our template as chunks with its fields filled in.

    Args:
        template: as for `str.format`, without conversions.
        values: strings that a page may have written, or messages in chunks.
    """
    chunks: list[str | Quoted] = []
    for own, name, _format, _conversion in Formatter().parse(template):
        chunks += [own] if own else []
        value = values[name] if name else ()
        chunks += quoted(value) if isinstance(value, str) else value
    return tuple(chunks)


def quoted(text: str) -> tuple[Quoted, ...]:
    """Return the text as a part written by a page; no part for an empty text."""
    return (Quoted(text),) if text else ()


def text_of(part: Part) -> str:
    """Return the text of a part."""
    match part:
        case Sentence(chunks=chunks):
            return "".join(map(text_of, chunks))
        case Quoted(text=text):
            return text
        case _:
            return part


def has_page_text(part: Part) -> bool:
    """Return whether a page may have written some of the part."""
    if isinstance(part, Sentence):
        return any(map(has_page_text, part.chunks))
    return isinstance(part, Quoted) and bool(part.text)


def plain(parts: Iterable[Part]) -> str:
    """Return all parts as lines, without fences."""
    return "\n".join(filter(None, map(text_of, parts)))


def fence_untrusted(parts: Iterable[Part], nonce: str) -> str:
    """Return all parts as lines, with text written by pages inside fences.

    Args:
        parts: consecutive parts of the same kind share a fence.
        nonce: letters and digits that no page can have written.
    """
    shown = [part for part in parts if text_of(part)]
    return "\n".join(
        marked(plain(alike), nonce)
        if is_quoted
        else "\n".join(_with_inner_fences(part, nonce) for part in alike)
        for is_quoted, alike in groupby(shown, key=lambda part: isinstance(part, Quoted))
    )


def _with_inner_fences(part: Part, nonce: str) -> str:
    if not isinstance(part, Sentence):
        return text_of(part)
    return "".join(
        f"<untrusted {nonce}>{chunk.text}</untrusted {nonce}>"
        if isinstance(chunk, Quoted) and chunk.text
        else text_of(chunk)
        for chunk in part.chunks
    )


def marked(text: str, nonce: str) -> str:
    """Return the text between fence marks.

    Args:
        text: contains text written by pages.
        nonce: letters and digits that no page can have written.
    """
    return f"<untrusted {nonce}>\n{text}\n</untrusted {nonce}>"


def unmarked(text: str) -> str:
    """Return the text without fence marks."""
    return _MARKED.sub(lambda found: found[3], text)
