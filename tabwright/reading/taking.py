"""From what a server sent, or a browser holds, to a snapshot."""

import attrs

from tabwright.content.extract import html_of, is_html, snapshot_of
from tabwright.content.html.snapshot import take_snapshot
from tabwright.protocol.extraction import Source, Taken
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import PageSource, Selection, Tier
from tabwright.reading.escalation import lacking


def take(source: Source, selection: Selection, tier: Tier) -> Taken:
    """What a page holds, got by `tier`, and whether the next one would show more of it.

    Raises:
        BadInput: a selector is none.
        PageFailed: nobody can read what was sent.
    """
    match source:
        case PageSource():
            return _page(source, selection, tier)
        case Fetched() if is_html(source):
            return _page(html_of(source), selection, tier)
        case Fetched():
            return Taken(snapshot_of(source))


def _page(source: PageSource, selection: Selection, tier: Tier) -> Taken:
    snapshot = take_snapshot(source, selection)
    if source.charset:
        metadata = attrs.evolve(snapshot.metadata, charset=source.charset)
        snapshot = attrs.evolve(snapshot, metadata=metadata)
    return Taken(snapshot, lacking(source, tier))
