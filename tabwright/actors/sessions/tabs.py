"""The tabs of a session: numbered, in one context, one of them the current one."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager

import attrs

from tabwright.protocol.errors import BadInput, TabClosed
from tabwright.sessions.session_tab import SessionTab

TABS_MAX = 16
"""Of one session."""


@attrs.define(eq=False)
class SessionTabs:
    """The tabs that a session has, the first of which is there before it is needed.

    Attributes:
        current: the number of the one that is meant where none is named.
    """

    _new: Callable[[], SessionTab]
    current: int = attrs.field(default=1, init=False)
    _tabs: dict[int, SessionTab] = attrs.field(factory=dict[int, SessionTab], init=False)
    _latest: int = attrs.field(default=1, init=False)

    def __attrs_post_init__(self) -> None:
        self._tabs[1] = self._new()

    def __iter__(self) -> Iterator[tuple[int, SessionTab]]:
        return iter(tuple(self._tabs.items()))

    def __getitem__(self, number: int | None) -> SessionTab:
        """A tab by its number, or the current one.

        Raises:
            BadInput: there is no such tab.
        """
        tab = self._tabs.get(self.current if number is None else number)
        if tab is None:
            known = ", ".join(map(str, self._tabs))
            raise BadInput(f"There is no tab {number}.", advice=f"There are: {known}.")
        return tab

    def add(self) -> int:
        """One more, which is the current one from now on; its number.

        Raises:
            BadInput: there are too many.
        """
        if len(self._tabs) >= TABS_MAX:
            raise BadInput(f"The session has {TABS_MAX} tabs.", advice="Close one of them.")
        self._latest += 1
        self._tabs[self._latest] = self._new()
        self.current = self._latest
        return self.current

    def switch(self, number: int) -> None:
        """Another is the current one.

        Raises:
            BadInput: there is no such tab.
        """
        _ = self[number]
        self.current = number

    @contextmanager
    def one_more(self) -> Generator[tuple[int, SessionTab]]:
        """One more, which stays if the block gets through; otherwise all is as it was before.

        Raises:
            BadInput: there are too many.
        """
        before, number = self.current, self.add()
        try:
            yield number, self._tabs[number]
        except BaseException:
            if number in self._tabs:
                self.close(number)
            if before in self._tabs:
                self.current = before
            raise

    def close(self, number: int | None) -> None:
        """Closes one; the latest of the others is the current one then, or a new and empty one.

        Raises:
            BadInput: there is no such tab.
        """
        self[number].give_back()
        del self._tabs[self.current if number is None else number]
        if not self._tabs:
            self._latest += 1
            self._tabs[self._latest] = self._new()
        if self.current not in self._tabs:
            self.current = max(self._tabs)

    def empty(self) -> None:
        """The current one has no page any more, nor a history."""
        self[None].give_back()
        self._tabs[self.current] = self._new()

    @contextmanager
    def losing(self, tab: SessionTab) -> Generator[None]:
        """For the block: where a page closes its tab, that is none of the session's any more."""
        try:
            yield
        except TabClosed as closed:
            for number, own in self:
                if own is tab:
                    self.close(number)
            closed.advise(
                advice=f"Tab {self.current} is the current one now."
                if self[None].history.urls
                else "Navigate: the session has no other page."
            )
            closed.retryable = False
            raise

    def give_back(self) -> None:
        """Has all of them closed."""
        for tab in self._tabs.values():
            tab.give_back()
