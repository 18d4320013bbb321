"""The identity of a browser towards sites: the same in every tab and in every run of its profile.

A site that sees one profile under two identities has a reason to show a CAPTCHA. The identity is
truthful: a profile that was used without a window reports that from then on, even in the window in
which a person solves a CAPTCHA for it; never the other way round.

User agent and client hints agree: a browser that calls itself ``HeadlessChrome`` in its user agent
has that brand in its hints too, in pages and in workers.

With the setting ``browser.identity: ordinary`` (the flag ``--stealth``) a browser reports what it
would report in a window, with or without one. Nothing else is changed, and no challenge is answered
by that.

With the setting ``network.do_not_track`` its pages ask sites for privacy, in headers and scripts.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

import attrs
import msgspec
import trio
from platformdirs import user_cache_path

from tabwright.cdp.domains import emulation, network, page, target
from tabwright.cdp.errors import CDPError
from tabwright.cdp.session import CDPSession, keep_attached
from tabwright.cdp.wire import CDPCommand, Nothing
from tabwright.config.loader import write_private
from tabwright.http.request import PRIVACY
from tabwright.text.file_errors import file_problem

HEADLESS, CHROME = "HeadlessChrome/", "Chrome/"
ENGINE = "Chromium"
"""The brand with the version of the engine, which all of these browsers have."""

Brands: TypeAlias = tuple[dict[str, str], ...]
Hint: TypeAlias = str | bool | Brands
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


# Client hints are read from a page of their own, which makes the first page a sixth slower. They
# depend only on the program of the browser, its options and the system. So they are stored, and the
# next start of the same browser does not open that page.


@attrs.frozen
class BuildHints:
    """The client hints of the browser that was started last.

    Attributes:
        digest: the digest of its build; see `Identity`.
        hints: the client hints of its pages.
    """

    digest: str
    hints: Hints


def _hints_file() -> Path:
    return user_cache_path("tabwright", appauthor=False) / "client-hints.json"


def hints_of_build(build: str) -> Hints | None:
    """Return the client hints of a build, or None if they are not known."""
    with suppress(OSError, msgspec.MsgspecError):  # they are read from a page again
        latest = msgspec.json.decode(_hints_file().read_bytes(), type=BuildHints)
        if build and latest.digest == _digest(build):
            return latest.hints
    return None


def keep_hints_of_build(build: str, hints: Hints) -> None:
    """Store the client hints of a build for its next start."""
    if build and hints:
        with suppress(OSError):  # the next start is slower
            latest = BuildHints(_digest(build), hints)
            write_private(_hints_file(), msgspec.json.encode(latest))


def _digest(build: str) -> str:
    """Return the digest of a build, whose options may be secret."""
    return sha256(build.encode(errors="replace")).hexdigest()


def identity_of(
    profile: Path | None, own: str, *, visible: bool, agrees: bool = True, build: str = ""
) -> "Identity":
    """Return the identity of a browser with the user agent `own`, with its stored identity.

    Args:
        profile: the profile of the browser; None if it is not stored.
        own: its user agent.
        visible: whether it has windows.
        agrees: whether the client hints of the browser agree with its user agent.
        build: see `Identity`.
    """
    kept = read_kept(profile)
    if visible or profile is None or HEADLESS not in own:
        hints = agreeing(kept.hints, own) if kept and kept.hints else None
        return Identity(own, is_own=kept is None and agrees, hints=hints, build=build)
    if kept is None or kept.user_agent != own:
        _write_kept(profile, own)
    return Identity(own, is_own=agrees, keep=partial(_write_kept, profile, own), build=build)


def ordinary_identity(own: str, build: str = "") -> "Identity":
    """Return the identity that a browser with the user agent `own` has in a window."""
    return Identity(own.replace(HEADLESS, CHROME), is_own=HEADLESS not in own, build=build)


@attrs.define(eq=False)
class Identity:
    """The identity of one running browser.

    Attributes:
        user_agent: the ``User-Agent`` header and ``navigator.userAgent``.
        is_own: whether the browser reports all of it by itself.
        hints: its client hints, once known; empty if it has none.
        keep: called with the client hints once known, to store them.
        build: its program, version, options and system, on which its client hints depend; empty
            if unknown: then they are not stored.
    """

    user_agent: str
    is_own: bool = True
    hints: Hints | None = None
    keep: Callable[[Hints], None] | None = None
    build: str = ""
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
                asked = hints_of_build(self.build)
                if asked is None and (asked := await ask_hints()):
                    keep_hints_of_build(self.build, asked)
                self.hints = agreeing(asked, self.user_agent) if asked else asked
                if self.keep is not None and self.hints is not None:
                    self.keep(self.hints)
        return emulation.set_identity(self.user_agent, self.hints or None, languages)

    def for_workers(self) -> tuple[CDPCommand[Nothing], ...]:
        """Return the command that sets the identity of a worker, once the hints are known."""
        if self.is_own or not self.hints:
            return ()
        return (emulation.set_identity(self.user_agent, self.hints, ""),)


def agreeing(hints: Hints, user_agent: str) -> Hints:
    """Return the hints with the brand ``HeadlessChrome`` if and only if the user agent has it."""
    return {
        name: _branded(value, user_agent) if isinstance(value, tuple) else value
        for name, value in hints.items()
    }


def _branded(brands: Brands, user_agent: str) -> Brands:
    headless = HEADLESS.rstrip("/")
    others = tuple(one for one in brands if one.get("brand") != headless)
    if HEADLESS not in user_agent:
        return others
    version = next((one["version"] for one in others if one.get("brand") == ENGINE), "")
    return (*others, {"brand": headless, "version": version})


async def identify_workers(root: CDPSession, identity: Identity) -> None:
    """Set the identity of shared and service workers as they start, until the browser ends.

    They have no page whose identity they could share; dedicated workers have.
    """
    with suppress(CDPError):  # the end of the browser is reported elsewhere
        attached = await root.execute(target.attach_to_browser())
        own = root.connection.session(attached.session_id)
        await keep_attached(
            own, target.auto_attach_workers(), lambda _arrival, _worker: identity.for_workers()
        )


_PRIVACY_SCRIPT = """
for (const [name, value] of [["doNotTrack", "1"], ["globalPrivacyControl", true]]) {
  const property = {get: () => value, configurable: true, enumerable: true};
  Object.defineProperty(Navigator.prototype, name, property);
}
"""
"""Makes a page that sends `PRIVACY` report the same to its scripts."""


def privacy_commands() -> tuple[CDPCommand[Nothing], ...]:
    """Return the commands by which a page, or a frame in another process, asks for privacy.

    Its events of the network are enabled already. Its workers do not send the headers.
    """
    return (
        network.set_extra_headers(dict(PRIVACY)),
        page.add_page_script(_PRIVACY_SCRIPT),
    )
