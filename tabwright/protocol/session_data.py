"""Cookies and storage of sessions, and the state of their pages: read and changed from outside."""

from typing import Literal, Protocol, TypeAlias

import attrs

from tabwright.protocol.fetch import Cookie
from tabwright.protocol.inspection import Inspection
from tabwright.protocol.tab import OriginStorage


class SessionData(Protocol):
    """Manages the cookies and the storage of sessions, as a part of `Sessions`."""

    async def change_cookies(
        self, session: str, put: tuple[Cookie, ...] = (), removed: tuple[Cookie, ...] = ()
    ) -> tuple[Cookie, ...]:
        """Remove and then set cookies of a session, and return all that it has afterwards.

        A session that is not open is opened. Refused with `BadInput` if the browser does not accept
        a cookie; the session then keeps the cookies that it had.

        Args:
            session: its name.
            put: the cookies to set; each replaces the one with its name, domain and path.
            removed: the cookies to remove.
        """
        ...

    async def storage_state(self, session: str, *, indexed_db: bool = False) -> "StorageState":
        """Return the cookies and the storage of a session; `SessionMissing` if it is not open.

        Args:
            session: its name.
            indexed_db: whether to include the IndexedDB of the origins that are open in its tabs.
        """
        ...

    async def set_storage_state(self, session: str, state: "StorageState") -> tuple[str, ...]:
        """Replace the cookies and the storage of a session, which is opened if it is not open.

        Pages that are open keep what they show, and find the new values at once. Databases are only
        restored for origins that are open; the origins of all others are returned.
        """
        ...


@attrs.frozen
class OriginDatabases:
    """The IndexedDB databases of an origin, as a JSON array in the form of Playwright."""

    origin: str
    databases: str = attrs.field(repr=False)


@attrs.frozen
class StorageState:
    """The cookies of a session, and the ``localStorage`` of the origins that it has visited.

    Attributes:
        cookies: of the session.
        origins: the ``localStorage`` by origin.
        databases: IndexedDB of origins, as far as requested and available.
    """

    cookies: tuple[Cookie, ...] = attrs.field(default=(), repr=False)
    origins: tuple[OriginStorage, ...] = ()
    databases: tuple[OriginDatabases, ...] = ()

    def updated(self, newer: "StorageState") -> "StorageState":
        """Return the state with what `newer` has: it replaces the same cookies and origins."""
        cookies = {(one.name, one.domain, one.path): one for one in self.cookies}
        cookies |= {(one.name, one.domain, one.path): one for one in newer.cookies}
        origins = {one.origin: one for one in (*self.origins, *newer.origins)}
        databases = {one.origin: one for one in (*self.databases, *newer.databases)}
        return StorageState(
            tuple(cookies.values()), tuple(origins.values()), tuple(databases.values())
        )


# The storage of one page.

StorageArea: TypeAlias = Literal["local", "session"]
"""``localStorage`` or ``sessionStorage`` (HTML, section 12.2)."""


@attrs.frozen
class ChangeWebStorage(Inspection[OriginStorage]):
    """Change the storage of the page's origin, and return what it contains afterwards.

    Refused with `PageFailed` if the page has no storage or it is full, and with `BadInput` if it
    is too large to be returned.

    Attributes:
        area: the storage.
        put: names and values to set.
        removed: names to remove.
        clear: whether to remove everything first.
    """

    area: StorageArea = "local"
    put: tuple[tuple[str, str], ...] = attrs.field(default=(), repr=False)
    removed: tuple[str, ...] = ()
    clear: bool = False


@attrs.frozen
class ReadDatabases(Inspection[OriginDatabases]):
    """Return the IndexedDB databases of the page's origin.

    Refused with `PageFailed` if they are too large or contain a value that cannot be saved.
    """


@attrs.frozen
class RestoreDatabases(Inspection[str]):
    """Replace databases of the page's origin by those of the same name; return the origin.

    Refused with `PageFailed` if the page has a database open, or a value cannot be restored.

    Attributes:
        saved: of several origins; those of the page are restored.
    """

    saved: tuple[OriginDatabases, ...]


# The state of a page that is lost with its tab: form fields, scroll position, sessionStorage.

Lost = Literal["form fields", "scroll position", "sessionStorage", "IndexedDB"]
"""A part of the state of a page that could not be kept, or not restored."""


@attrs.frozen
class SleepingPage:
    """The state of a page, for `RestorePageState` after it is loaded again.

    The values of fields can be passwords, which are kept in memory only, if the page marks them.

    Attributes:
        url: of the page.
        origin: of the page.
        session: its ``sessionStorage``, as names and values.
        content: form fields that differ from what the page has set, and scroll positions.
        lost: the parts that could not be kept.
    """

    url: str = ""
    origin: str = ""
    session: tuple[tuple[str, str], ...] = attrs.field(default=(), repr=False)
    content: str = attrs.field(default="", repr=False)
    lost: tuple[Lost, ...] = ()


@attrs.frozen
class ReadPageState(Inspection[SleepingPage]):
    """Return the state of the page. Fields in frames of other origins are not included."""


@attrs.frozen
class RestorePageState(Inspection[tuple[Lost, ...]]):
    """Restore form fields and scroll positions, and return what could not be restored.

    Waits for elements that the page has not added yet, for a second at most.
    """

    state: SleepingPage
