"""The structured data of a page as a record for programs, within a budget of tokens."""

import attrs
import msgspec

from tabwright.content.render.json_record import without_empty
from tabwright.protocol.structured_data import ExtractedPage
from tabwright.text.token_budget import count_tokens

LIMITS = (100, 30, 10, 5, 3, 2, 1)
"""The numbers of groups and of records per group that are tried until a budget suffices."""


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


def within_tokens(page: ExtractedPage, tokens_max: int) -> ExtractedPage:
    """Return the page with as many records as the budget allows; what is left out is counted.

    Values for a schema are never cut.
    """
    fitting = page
    for limit in LIMITS:
        if count_tokens(msgspec.json.encode(data_record(fitting)).decode()) <= tokens_max:
            return fitting
        groups = tuple(
            attrs.evolve(
                group,
                records=group.records[:limit],
                omitted=group.omitted + max(0, len(group.records) - limit),
            )
            for group in page.data.groups[:limit]
        )
        data = attrs.evolve(
            page.data,
            groups=groups,
            omitted=page.data.omitted + max(0, len(page.data.groups) - limit),
        )
        fitting = attrs.evolve(page, data=data)
    return fitting
