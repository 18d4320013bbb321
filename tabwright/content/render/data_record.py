"""The structured data of a page as a record for programs, within a budget of tokens."""

import re

import attrs
import msgspec

from tabwright.content.render.json_record import without_empty
from tabwright.protocol.errors import BadInput
from tabwright.protocol.structured_data import ExtractedPage, FilledSchema, PageData
from tabwright.text.token_budget import count_tokens

LIMITS = (500, 200, 100, 50, 30, 20, 10, 5, 3, 2, 1)
"""The numbers of groups and of records per group that are tried until a budget suffices."""

_ITEM = re.compile(r"/(\d+)(.*)", re.DOTALL)
"""A JSON Pointer to an item of a list, or into it (RFC 6901)."""


def nothing_found(page: ExtractedPage) -> str:
    """Return that a page has none of the data that was requested; empty if it has some."""
    filled = page.data.filled
    if filled is None:
        return "" if page.data.groups else "The page has no structured data."
    return "" if filled.value else "Nothing on the page matches the schema."


def data_record(page: ExtractedPage) -> dict[str, object]:
    """Return the data of a page; empty fields are left out."""
    filled = page.data.filled
    head: dict[str, object] = {
        "url": page.url,
        "title": page.title,
        "status": page.status,
        "tier": page.tier,
        "notice": " ".join(filter(None, (nothing_found(page), page.notice))),
    }
    shown = without_empty(head)
    if filled is not None:
        return {
            **shown,
            "value": filled.value,
            "sources": dict(filled.sources),
            "missing": list(filled.missing),
        }
    groups = [
        without_empty(
            {
                "kind": group.kind,
                "title": group.title,
                "source": group.source,
                "records": [
                    attrs.asdict(
                        record, filter=lambda field, value: field.name != "omitted" or value
                    )
                    for record in group.records
                ],
                "omitted": group.omitted or None,
            }
        )
        for group in page.data.groups
    ]
    omitted = {"groups_omitted": page.data.omitted} if page.data.omitted else {}
    return {**shown, "groups": groups, **omitted}


def flat_records(page: ExtractedPage) -> list[dict[str, object]]:
    """Return the data of a page as the rows of one table.

    With a schema, these are the objects that fill it in; without one, the records of all groups
    with the ``kind`` of the group, each field with its first value.
    """
    filled = page.data.filled
    if filled is not None:
        found = filled.value if isinstance(filled.value, list) else [filled.value]
        return [dict[str, object](one) for one in found if one and isinstance(one, dict)]
    rows: list[dict[str, object]] = []
    for group in page.data.groups:
        for record in group.records:
            row: dict[str, object] = {"kind": group.kind}
            for field in record.fields:
                row.setdefault(field.name, field.value)
            rows.append(row)
    return rows


@attrs.frozen
class DataPortion:
    """The records of a page from an offset on.

    Attributes:
        next_offset: the offset of the first record that was left out; None if there is none.
    """

    page: ExtractedPage
    next_offset: int | None


def within_tokens(page: ExtractedPage, tokens_max: int, offset: int = 0) -> DataPortion:
    """Return as many records as the budget allows, those of each group from an offset on.

    A single record, or object that fills a schema, is never cut.

    Raises:
        BadInput: the offset is after the last record.
    """
    data = page.data
    lists = [len(group.records) for group in data.groups]
    if data.filled is not None and isinstance(data.filled.value, list):
        lists = [len(data.filled.value)]
    length = max(lists, default=1)
    if offset and offset >= length:
        raise BadInput(f"offset is {offset}, and there are {length} records.")
    most = max(length, len(data.groups))
    limits = [one for one in LIMITS if one < most]
    end, part = offset + most, attrs.evolve(page, data=_between(data, offset, offset + most))
    while limits and _tokens(part) > tokens_max:
        end = offset + limits.pop(0)
        part = attrs.evolve(page, data=_between(data, offset, end))
    return DataPortion(part, end if end < length else None)


def _tokens(page: ExtractedPage) -> int:
    return count_tokens(msgspec.json.encode(data_record(page)).decode())


def _between(data: PageData, offset: int, end: int) -> PageData:
    """Return the records of each group from an offset to an end, of at most so many groups."""
    left = [group for group in data.groups if not offset or group.records[offset:]]
    groups_max = end - offset
    groups = tuple(
        attrs.evolve(
            group,
            records=group.records[offset:end],
            omitted=group.omitted + max(0, len(group.records) - end),
        )
        for group in left[:groups_max]
    )
    omitted = data.omitted + max(0, len(left) - groups_max)
    filled = data.filled and _filled_between(data.filled, offset, end)
    return attrs.evolve(data, groups=groups, omitted=omitted, filled=filled)


def _filled_between(filled: FilledSchema, offset: int, end: int) -> FilledSchema:
    """Return the objects of a list from an offset to an end, with pointers into that part."""
    if not isinstance(filled.value, list):
        return filled
    sources = {
        pointer: source
        for one, source in filled.sources.items()
        if (pointer := _moved(one, offset, end))
    }
    missing = filter(None, (_moved(one, offset, end) for one in filled.missing))
    return FilledSchema(filled.value[offset:end], sources, tuple(missing))


def _moved(pointer: str, offset: int, end: int) -> str:
    """Return a JSON Pointer within the part of a list; empty if it points elsewhere."""
    item = _ITEM.fullmatch(pointer)
    if item is None or not offset <= int(item[1]) < end:
        return ""
    return f"/{int(item[1]) - offset}{item[2]}"
