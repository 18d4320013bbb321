"""How much of a page's source is read: the tree of bare tags takes eighty times their room."""

from collections.abc import Iterable, Iterator

import attrs

from tabwright.protocol.snapshot import PageSource

PAGE_TAGS_MAX = 300_000
"""In the page and all its frames; a tree of as many, and its blocks, take 200 MB."""


def bounded(source: PageSource) -> PageSource:
    """The source up to the tag number `PAGE_TAGS_MAX`, and whether that is less than there was."""
    whole = (source.html, *source.frames)
    kept = tuple(_within(PAGE_TAGS_MAX, whole))
    if kept == whole:
        return source
    return attrs.evolve(source, html=kept[0], frames=kept[1:], cut=True)


def _within(tags_max: int, sources: Iterable[str]) -> Iterator[str]:
    left = tags_max
    for html in sources:
        yield _begun(html, left)
        left = max(0, left - html.count("<"))


def _begun(html: str, tags: int) -> str:
    """The source as far as its first tags go."""
    if html.count("<") <= tags:
        return html
    return "<".join(html.split("<", tags + 1)[:-1])
