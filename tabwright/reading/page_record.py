"""A page that was read as a record for programs; what is empty is left out."""

from collections.abc import Mapping

import attrs
import msgspec

from tabwright.protocol.page_text import PageText

ALWAYS = frozenset({"title", "text", "kind", "name", "value", "label", "url"})
"""What stands in a record even where it is empty."""


def page_record(page: PageText, *, media: bool = False) -> dict[str, object]:
    """The record; with the list of the page's media, if that is wanted."""
    record = attrs.asdict(page)
    if not media:
        record["media"] = ()
    return without_empty(record)


def without_empty(record: Mapping[str, object]) -> dict[str, object]:
    """The record without what says nothing, at any depth."""
    cleaned = {name: _cleaned(value) for name, value in record.items()}
    return {
        name: value
        for name, value in cleaned.items()
        if name in ALWAYS or value is False or value == 0 or value
    }


def _cleaned(value: object) -> object:
    match value:
        case dict():
            return without_empty(msgspec.convert(value, dict[str, object]))
        case list() | tuple():
            return [_cleaned(inner) for inner in msgspec.convert(value, list[object])]
        case _:
            return value
