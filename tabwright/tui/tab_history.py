"""Where a tab has been: pages with the line at which each was left."""

from collections.abc import Mapping

import attrs

from tabwright.tui.page import FieldName, FieldValue
from tabwright.tui.pages import Page


@attrs.define(eq=False)
class Visit:
    """A page that one was at.

    Attributes:
        line: the first that was seen.
        filled: what was filled in its forms.
        pictures: the files of its small pictures, by their URLs.
    """

    page: Page
    line: int = 0
    pictures: Mapping[str, bytes] = attrs.field(factory=dict[str, bytes])
    filled: dict[FieldName, FieldValue] = attrs.field(factory=dict[FieldName, FieldValue])


@attrs.define(eq=False)
class TabHistory:
    """The visits of a tab, and which of them is shown; going on forgets those ahead."""

    _visits: list[Visit] = attrs.field(factory=list[Visit], init=False)
    _place: int = attrs.field(default=-1, init=False)

    @property
    def visit(self) -> Visit | None:
        """The one that is shown; None before the first."""
        return self._visits[self._place] if self._visits else None

    def go(self, page: Page) -> None:
        """Goes on to a page."""
        del self._visits[self._place + 1 :]
        self._visits.append(Visit(page))
        self._place += 1

    def replace(self, page: Page) -> None:
        """The same page, loaded again or with more of it: the line stays."""
        if self.visit is None:
            self.go(page)
        else:
            self.visit.page = page

    def step(self, step: int) -> bool:
        """Goes back (-1) or forward (1); tells whether there is anything."""
        place = self._place + step
        if not 0 <= place < len(self._visits):
            return False
        self._place = place
        return True
