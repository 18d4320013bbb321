from collections.abc import Callable

import pytest

from tabwright.content.html.snapshot import take_snapshot
from tabwright.protocol.snapshot import LoadedPage, PageSnapshot, PageSource, Selection

Snap = Callable[..., PageSnapshot]


@pytest.fixture(scope="session")
def snap() -> Snap:
    """Return a function that takes a snapshot of HTML at https://a.example/dir/page."""

    def take(html: str, url: str = "https://a.example/dir/page", **selection) -> PageSnapshot:
        source = PageSource(LoadedPage(url, 200, "text/html"), html)
        return take_snapshot(source, Selection(**selection))

    return take
