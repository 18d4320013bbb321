"""What a page says of itself in JSON for search engines: JSON-LD, in the words of schema.org."""

from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from typing import TypeAlias

import attrs
import msgspec
from selectolax.lexbor import LexborHTMLParser

from tabwright.text.lines import collapsed

Json: TypeAlias = "str | float | bool | Sequence[Json] | Mapping[str, Json] | None"
Record: TypeAlias = Mapping[str, Json]

CHARACTERS_MAX = 500_000
"""What is longer is a catalogue, not an account of the page."""

RECORDS_MAX = 200
"""As many records of a page are looked at."""

DEPTH_MAX = 4
"""As deep lists and records stand inside one another and are still followed."""

_SUBJECTS = ("article", "posting", "report", "review", "recipe", "product", "course", "webpage")
"""Words in the types of what a page is about, the likeliest first; its site is not among them."""


@attrs.frozen
class LinkedData:
    """The records of a page, those of what it is about first."""

    records: Sequence[Record] = ()

    @classmethod
    def of(cls, document: LexborHTMLParser) -> "LinkedData":
        """Those of a document; what is no JSON is passed over."""
        scripts = document.css("script[type='application/ld+json' i]")
        found = [record for script in scripts for record in _records(_decoded(script.text()), 0)]
        return cls(sorted(found[:RECORDS_MAX], key=_distance))

    def text(self, *names: str) -> str:
        """The first of these properties that a record has, as text."""
        told = (_text(record.get(name), 0) for record in self.records for name in names)
        return next(filter(None, told), "")


def _decoded(text: str) -> Json:
    if len(text) > CHARACTERS_MAX:
        return None
    try:
        decoded: Json = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None
    return decoded


def _records(value: Json, depth: int) -> Iterator[Record]:
    """Those of a list, or of a graph."""
    match value:
        case Mapping():
            graph = value.get("@graph")
            yield from _records(graph, depth + 1) if graph and depth < DEPTH_MAX else [value]
        case [*values] if depth < DEPTH_MAX:
            for one in values:
                yield from _records(one, depth + 1)
        case _:
            pass


def _distance(record: Record) -> int:
    """How far a record is from what the page is about."""
    kind = _text(record.get("@type"), 0).lower()
    return next((place for place, word in enumerate(_SUBJECTS) if word in kind), len(_SUBJECTS))


def _text(value: Json, depth: int) -> str:
    """A value as text; a record by its name."""
    match value:
        case str():
            return collapsed(unescape(value))
        case Mapping() if depth < DEPTH_MAX:
            return _text(value.get("name"), depth + 1)
        case [*values] if depth < DEPTH_MAX:
            return ", ".join(filter(None, (_text(one, depth + 1) for one in values[:RECORDS_MAX])))
        case _:
            return ""
