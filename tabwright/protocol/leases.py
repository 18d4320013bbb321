"""Exclusive use of a tab, and leave to turn to a site: each held until its asker ends it."""

from typing import Protocol

import attrs

from tabwright.protocol.asking import Asked, Ending
from tabwright.protocol.tabs import Tab


class Supervisor(Protocol):
    """Keeps the browser and its tabs."""

    async def lease_tab(self, request: "LeaseTab", /) -> "Lease":
        """See `LeaseTab`."""
        ...

    async def look_at_proxy(self, request: "LookAtProxy", /) -> str:
        """See `LookAtProxy`."""
        ...

    async def find_screen(self, request: "FindScreen", /) -> None:
        """See `FindScreen`."""
        ...


class Governor(Protocol):
    """Keeps the pace at which sites are turned to."""

    async def permit(self, request: "Permit", /) -> None:
        """See `Permit`."""
        ...


@attrs.frozen
class Lease:
    """A tab that was granted.

    Attributes:
        notice: what the browser's start had to do without, as its profile; empty as a rule.
    """

    tab: Asked[Tab]
    notice: str = ""


@attrs.frozen
class LeaseTab:
    """A new blank tab for the asker alone.

    Granted in order of asking. The tab is closed when the lease is over, and when nothing was
    asked of it for the idle time of the settings. Refused with `BrowserUnavailable`.

    Attributes:
        over: the asker ends the lease by it, on every way out.
        private: cookies and storage of its own, gone with the tab; otherwise those of the profile.
        light: whether the tab does without pictures, fonts, media and advertisements.
        visible: whether a person must be able to see it. A browser without a window is exchanged
            for one with a window, on the same profile; refused with `BrowserUnavailable` where
            there is no screen.
    """

    over: Ending
    private: bool
    light: bool = False
    visible: bool = False

    async def visit(self, supervisor: Supervisor, /) -> "Lease":
        """Has `supervisor` answer."""
        return await supervisor.lease_tab(self)


@attrs.frozen
class LookAtProxy:
    """A page could not be reached: look at the browser's proxy.

    Answers what the user may do about it; empty where no proxy has a part in it. Where a browser
    would get out in another way by now, the next lease is of a new one. Refused with
    `BrowserUnavailable` where the settings name a proxy that cannot be used.
    """

    async def visit(self, supervisor: Supervisor, /) -> str:
        """Has `supervisor` answer."""
        return await supervisor.look_at_proxy(self)


@attrs.frozen
class FindScreen:
    """Make sure that a person could be shown a tab; refused with `BrowserUnavailable` if not."""

    async def visit(self, supervisor: Supervisor, /) -> None:
        """Has `supervisor` answer."""
        await supervisor.find_screen(self)


@attrs.frozen
class Permit:
    """Leave for one request to `site`, given when its pace allows.

    Attributes:
        over: the asker says by it that the request is done, on every way out.
        site: the name of an engine, or of a host.
    """

    over: Ending
    site: str

    async def visit(self, governor: Governor, /) -> None:
        """Has `governor` answer."""
        await governor.permit(self)
