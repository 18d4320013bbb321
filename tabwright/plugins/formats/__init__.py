"""Office files, books and feeds, read as pages."""

from collections.abc import Iterator

from tabwright.plugin import Plugin


def _formats() -> Iterator[object]:
    from tabwright.plugins.formats.feeds import FEEDS
    from tabwright.plugins.formats.office.read import OFFICE

    yield OFFICE
    yield FEEDS


PLUGIN = Plugin(
    name="formats",
    summary="Reads office files, EPUB books and feeds as pages.",
    formats=_formats,
)
