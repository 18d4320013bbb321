"""What the pages of a session keep in ``localStorage``: known here, so that a tab may be lost."""

from collections.abc import Iterable

import attrs

from tabwright.protocol.tab import OriginStorage

ORIGINS_MAX = 20
"""Those that were visited last; each may keep as much as `read_storage.js` reads."""


@attrs.define(eq=False)
class SessionStorage:
    """By origin, those visited last at the end."""

    _kept: dict[str, OriginStorage] = attrs.field(factory=dict[str, OriginStorage])
    _lacking: set[str] = attrs.field(factory=set[str])

    @classmethod
    def of(cls, saved: Iterable[OriginStorage]) -> "SessionStorage":
        """What was saved, of which no tab has anything yet."""
        return cls({one.origin: one for one in tuple(saved)[-ORIGINS_MAX:]})

    @property
    def kept(self) -> tuple[OriginStorage, ...]:
        """All that is known."""
        return tuple(self._kept.values())

    @property
    def lacking(self) -> tuple[OriginStorage, ...]:
        """What the tab has not come to yet, and must be given when it does."""
        return tuple(one for one in self.kept if one.origin in self._lacking)

    def begin_tab(self) -> None:
        """A new tab has nothing."""
        self._lacking = set(self._kept)

    def note(self, found: OriginStorage | None) -> None:
        """What the tab's page keeps now."""
        if found is None:
            return
        self._lacking.discard(found.origin)
        self._kept.pop(found.origin, None)
        if found.items:
            self._kept[found.origin] = found
        for origin in list(self._kept)[:-ORIGINS_MAX]:
            del self._kept[origin]
