"""The identity of a browser towards sites: the same in every tab and in every run of its profile.

A site that sees one profile under two identities has a reason to show a CAPTCHA. The identity is
truthful: a profile that was used without a window reports that from then on, even in the window in
which a person solves a CAPTCHA for it; never the other way round.

With the setting ``browser.identity: ordinary`` a browser reports what it would report in a window,
with or without one. Nothing else is changed, and no challenge is answered by that.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeAlias

import attrs
import msgspec
import trio

from tabwright.cdp.domains import emulation
from tabwright.cdp.wire import CDPCommand, Nothing
from tabwright.text.file_errors import file_problem

HEADLESS, CHROME = "HeadlessChrome/", "Chrome/"

Hint: TypeAlias = str | bool | tuple[dict[str, str], ...]
Hints: TypeAlias = Mapping[str, Hint]
"""``Emulation.UserAgentMetadata``, as far as the browser reports it."""

RECORD = "tabwright-identity.json"
"""A file in a profile with the latest identity that it used without a window."""

_log = logging.getLogger("tabwright.actors")


@attrs.frozen
class StoredIdentity:
    """The identity of a profile used without a window.

    Attributes:
        user_agent: the ``User-Agent`` header.
        hints: the client hints; None if they were never read.
    """

    user_agent: str
    hints: Hints | None = None


def read_kept(profile: Path | None) -> StoredIdentity | None:
    """Return the stored identity of a profile, or None if there is none."""
    if profile is None:
        return None
    try:
        kept = msgspec.json.decode((profile / RECORD).read_bytes(), type=StoredIdentity)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        problem = file_problem(error, profile / RECORD)
        _log.warning("The saved identity of a browser is not used. %s", problem)
        return None
    return kept if kept.user_agent.isprintable() else None


def _write_kept(profile: Path, user_agent: str, hints: Hints | None = None) -> None:
    try:
        (profile / RECORD).write_bytes(msgspec.json.encode(StoredIdentity(user_agent, hints)))
    except OSError as error:
        problem = file_problem(error, profile / RECORD, writing=True)
        _log.warning("The identity of a browser was not saved. %s", problem)


def identity_of(profile: Path | None, own: str, *, visible: bool) -> "Identity":
    """Return the identity of a browser with the user agent `own`, with its stored identity."""
    kept = read_kept(profile)
    if visible or profile is None or HEADLESS not in own:
        return Identity(own, is_own=kept is None, hints=kept.hints if kept else None)
    if kept is None or kept.user_agent != own:
        _write_kept(profile, own)
    return Identity(own, keep=partial(_write_kept, profile, own))


def ordinary_identity(own: str) -> "Identity":
    """Return the identity that a browser with the user agent `own` has in a window."""
    return Identity(own.replace(HEADLESS, CHROME), is_own=HEADLESS not in own, as_in_window=True)


@attrs.define(eq=False)
class Identity:
    """The identity of one running browser.

    Attributes:
        user_agent: the ``User-Agent`` header and ``navigator.userAgent``.
        is_own: whether the browser reports all of it by itself.
        hints: its client hints, once known; empty if it has none.
        keep: called with the client hints once known, to store them.
        as_in_window: whether the hints are those of a browser in a window.
    """

    user_agent: str
    is_own: bool = True
    hints: Hints | None = None
    keep: Callable[[Hints], None] | None = None
    as_in_window: bool = False
    _asking: trio.Lock = attrs.field(factory=trio.Lock)

    async def command(
        self, ask_hints: Callable[[], Awaitable[Hints | None]], languages: str = ""
    ) -> CDPCommand[Nothing]:
        """Return the command that sets the identity of a page, in these languages if any.

        Args:
            ask_hints: reads the client hints from the browser, until they are known: a caller that
                sets a user agent must set them too, or pages receive none.
            languages: as in the header ``Accept-Language``, without weights.
        """
        async with self._asking:
            if self.hints is None:
                asked = await ask_hints()
                self.hints = _in_window(asked) if asked and self.as_in_window else asked
                if self.keep is not None and self.hints is not None:
                    self.keep(self.hints)
        return emulation.set_identity(self.user_agent, self.hints or None, languages)


def _in_window(hints: Hints) -> Hints:
    """Return the client hints without the brand that only a browser without a window has."""
    return {
        name: tuple(one for one in value if one.get("brand") != HEADLESS.rstrip("/"))
        if isinstance(value, tuple)
        else value
        for name, value in hints.items()
    }
