"""The structured data of a page as a record for programs, within a budget of tokens."""

from collections.abc import Mapping

import attrs
import msgspec

from tabwright.content.render.json_record import without_empty
from tabwright.protocol.structured_data import ExtractedPage, FilledSchema, PageData
from tabwright.text.token_budget import count_tokens

LIMITS = (100, 30, 10, 5, 3, 2, 1)
"""The numbers of groups and of records per group that are tried until a budget suffices."""


def data_record(page: ExtractedPage) -> dict[str, object]:
    """Return the data of a page; empty fields are left out."""
    filled = page.data.filled
    head: dict[str, object] = {
        "url": page.url,
        "title": page.title,
        "status": page.status,
        "tier": page.tier,
        "notice": page.notice,
    }
    shown = without_empty(head)
    if filled is not None:
        return {**shown, **_filled(filled)}
    groups = [
        without_empty(
            {
                "kind": group.kind,
                "title": group.title,
                "source": group.source,
                "records": [attrs.asdict(record) for record in group.records],
                "omitted": group.omitted or None,
            }
        )
        for group in page.data.groups
    ]
    omitted = {"groups_omitted": page.data.omitted} if page.data.omitted else {}
    return {**shown, "groups": groups, **omitted}


def _filled(filled: FilledSchema) -> Mapping[str, object]:
    return {
        "value": filled.value,
        "sources": dict(filled.sources),
        "missing": list(filled.missing),
    }


def within_tokens(page: ExtractedPage, tokens_max: int) -> ExtractedPage:
    """Return the page with as many records as the budget allows; what is left out is counted.

    Values for a schema are never cut.
    """
    fitting = page
    for limit in LIMITS:
        if count_tokens(msgspec.json.encode(data_record(fitting)).decode()) <= tokens_max:
            return fitting
        fitting = attrs.evolve(page, data=_limited(page.data, limit))
    return fitting


def _limited(data: PageData, limit: int) -> PageData:
    groups = tuple(
        attrs.evolve(
            group,
            records=group.records[:limit],
            omitted=group.omitted + max(0, len(group.records) - limit),
        )
        for group in data.groups[:limit]
    )
    return attrs.evolve(
        data, groups=groups, omitted=data.omitted + max(0, len(data.groups) - limit)
    )
