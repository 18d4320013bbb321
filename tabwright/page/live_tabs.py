"""The open tabs, for the people that may watch them."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a command that needs no browser does not import it
    from tabwright.page.live_page import LivePage


class LiveTabs:
    """The pages of all open tabs, by the numbers of their leases."""

    def __init__(self) -> None:
        self._pages: dict[int, LivePage] = {}

    @contextmanager
    def listed(self, page: "LivePage") -> Generator[None]:
        """Make a page known while the block runs."""
        number = page.state().number
        self._pages[number] = page
        try:
            yield
        finally:
            del self._pages[number]
            page.hand_back(page.person)

    def find(self, number: int) -> "LivePage | None":
        """Return the page of a lease; None if it has ended."""
        return self._pages.get(number)

    def all(self) -> "tuple[LivePage, ...]":
        """Return the pages, the oldest first."""
        return tuple(self._pages.values())
