from collections.abc import Callable

import pytest

from tabwright.protocol.snapshot import LoadedPage, PageSnapshot, PageSource, Selection
from tabwright.reading.snapshot import take_snapshot

Snap = Callable[..., PageSnapshot]


@pytest.fixture(scope="session")
def snap() -> Snap:
    """Takes a snapshot of HTML found at https://a.example/dir/page."""

    def take(html: str, url: str = "https://a.example/dir/page", **selection) -> PageSnapshot:
        source = PageSource(LoadedPage(url, 200, "text/html"), html)
        return take_snapshot(source, Selection(**selection))

    return take
