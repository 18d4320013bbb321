"""What a browser says of itself to sites: the same in every tab, and in every run of its profile.

A site that meets one profile under two names has reason to ask for a person. We say what we are: a
profile that was used without a window once says so from then on, in the window as well in which a
person solves a CAPTCHA for it; never the other way round.
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

HEADLESS = "HeadlessChrome/"

Hint: TypeAlias = str | bool | tuple[dict[str, str], ...]
Hints: TypeAlias = Mapping[str, Hint]
"""``Emulation.UserAgentMetadata``, as far as the browser tells."""

RECORD = "tabwright-identity.json"
"""A file in a profile that says what it said of itself without a window, last."""

_log = logging.getLogger("tabwright.actors")


@attrs.frozen
class StoredIdentity:
    """What a profile said of itself without a window.

    Attributes:
        user_agent: the header.
        hints: the client hints; None where nobody asked for them.
    """

    user_agent: str
    hints: Hints | None = None


def read_kept(profile: Path | None) -> StoredIdentity | None:
    """What a profile said; None for nothing, and where nobody keeps the profile."""
    if profile is None:
        return None
    try:
        kept = msgspec.json.decode((profile / RECORD).read_bytes(), type=StoredIdentity)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        _log.warning("The saved identity of %s cannot be read: %s", profile, error)
        return None
    return kept if kept.user_agent.isprintable() else None


def _write_kept(profile: Path, user_agent: str, hints: Hints | None = None) -> None:
    try:
        (profile / RECORD).write_bytes(msgspec.json.encode(StoredIdentity(user_agent, hints)))
    except OSError as error:
        _log.warning("The identity of %s cannot be saved: %s", profile, error)


def identity_of(profile: Path | None, own: str, *, visible: bool) -> "Identity":
    """What a browser is to say that calls itself `own`, and was started as `read_kept` says."""
    kept = read_kept(profile)
    if visible or profile is None or HEADLESS not in own:
        return Identity(own, is_own=kept is None, hints=kept.hints if kept else None)
    if kept is None or kept.user_agent != own:
        _write_kept(profile, own)
    return Identity(own, keep=partial(_write_kept, profile, own))


@attrs.define(eq=False)
class Identity:
    """What one running browser says of itself.

    Attributes:
        user_agent: the header, and ``navigator.userAgent``.
        is_own: whether it says all of it by itself.
        hints: its client hints, once they are known; empty where it has none.
        keep: is given them then, to remember.
    """

    user_agent: str
    is_own: bool = True
    hints: Hints | None = None
    keep: Callable[[Hints], None] | None = None
    _asking: trio.Lock = attrs.field(factory=trio.Lock)

    async def command(
        self, ask_hints: Callable[[], Awaitable[Hints | None]], languages: str = ""
    ) -> CDPCommand[Nothing]:
        """Has a page say it, in these languages; empty for those of the browser.

        Args:
            ask_hints: asks the browser for its client hints, until it has told them: if the caller
                sets a user agent, it has to give them too, or pages are told that there are none.
            languages: as in the header ``Accept-Language``, without weights.
        """
        async with self._asking:
            if self.hints is None:
                self.hints = await ask_hints()
                if self.keep is not None and self.hints is not None:
                    self.keep(self.hints)
        return emulation.set_identity(self.user_agent, self.hints or None, languages)
