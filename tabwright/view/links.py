"""One-time links to the live view, and the sessions of the people that have used one.

Links and sessions are random tokens. Only their hashes are kept. A token is in the fragment of a
link, which browsers do not send: the page sends it in the body of a request. So no log of a server
or a proxy has it, and a program that fetches links to show a preview does not use it up.
"""

import hashlib
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs
import trio

if TYPE_CHECKING:  # a command that needs no browser does not import it
    from tabwright.page.live_page import LivePage

LINK_S = 600.0
"""Seconds in which a link can be used, unless another time is requested."""

SESSION_S = 8 * 3600.0
"""Seconds after which the person needs a new link."""

LINKS_MAX = 256
"""The maximum number of unused links, and of sessions; a further one replaces the oldest."""


@attrs.frozen
class ViewScope:
    """The tabs that a link shows.

    Attributes:
        principal: the user of the server whose tabs it shows; empty for the only one.
        tab: the number of the only tab that it shows; None for all of them.
        intervention: the id of the intervention whose tab alone it shows; empty for others.
    """

    principal: str = ""
    tab: int | None = None
    intervention: str = ""

    def includes(self, page: "LivePage") -> bool:
        """Return whether it shows a page."""
        state = page.state()
        return (
            state.principal == self.principal
            and self.tab in {None, state.number}
            and self.intervention in {"", page.intervention}
        )


@attrs.frozen(eq=False)
class ViewSession:
    """The session of a person in the live view.

    Attributes:
        id: names the person among those that watch; it opens nothing.
        until_s: when it ends, on the clock of trio.
    """

    id: str
    scope: ViewScope
    until_s: float


@attrs.define(eq=False)
class ViewLinks:
    """The unused links and the sessions of a server.

    Attributes:
        now_s: returns the time in seconds, from any beginning.
    """

    now_s: Callable[[], float] = trio.current_time
    _links: dict[bytes, tuple[ViewScope, float]] = attrs.field(
        factory=dict[bytes, tuple[ViewScope, float]], init=False
    )
    _sessions: dict[bytes, ViewSession] = attrs.field(factory=dict[bytes, ViewSession], init=False)

    def create(self, scope: ViewScope, valid_s: float = LINK_S) -> str:
        """Return the token of a new link, which can be used once within `valid_s` seconds."""
        token = secrets.token_urlsafe()
        self._links[_digest(token)] = scope, self.now_s() + valid_s
        while len(self._links) > LINKS_MAX:
            del self._links[next(iter(self._links))]
        return token

    def is_unused(self, token: str) -> bool:
        """Return whether a link can still be used."""
        known = self._links.get(_digest(token))
        return known is not None and self.now_s() < known[1]

    def redeem(self, token: str) -> str | None:
        """Use a link, and return the token of a new session; None if the link cannot be used."""
        scope, until_s = self._links.pop(_digest(token), (ViewScope(), 0.0))
        if self.now_s() >= until_s:
            return None
        session = secrets.token_urlsafe()
        self._sessions[_digest(session)] = ViewSession(
            secrets.token_hex(8), scope, self.now_s() + SESSION_S
        )
        while len(self._sessions) > LINKS_MAX:
            del self._sessions[next(iter(self._sessions))]
        return session

    def session(self, token: str) -> ViewSession | None:
        """Return the session of a token; None if there is none, or it has ended."""
        session = self._sessions.get(_digest(token))
        return session if session is not None and self.now_s() < session.until_s else None

    def forget(self, scope: ViewScope) -> None:
        """Make the unused links to a scope invalid; sessions continue."""
        self._links = {key: one for key, one in self._links.items() if one[0] != scope}


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
