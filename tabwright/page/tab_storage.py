"""Cookies and ``localStorage`` of a tab, as its session keeps and restores them."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from typing import Protocol

import attrs
import msgspec
import trio

from tabwright.cdp.domains import network, page, runtime, storage
from tabwright.cdp.domains.network import StoredCookie
from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.session import CDPSession
from tabwright.page.frames import ANSWER_S
from tabwright.page.scripts import load_script
from tabwright.protocol.errors import BadInput, PageFailed
from tabwright.protocol.fetch import Cookie
from tabwright.protocol.tab import OriginStorage
from tabwright.protocol.untrusted_text import Quoted

READ_STORAGE = load_script("read_storage")
"""A function declaration that returns a JSON string for `parse_storage`."""

REPLACE_STORAGE = load_script("replace_storage")
"""A function declaration that replaces the storage of the page by that of its origin, if any."""

_RESTORE = load_script("restore_storage")


@attrs.frozen
class _StorageAnswer:
    localStorage: tuple[tuple[str, str], ...] | None  # noqa: N815  (keeps it out of the wire log)
    origin: str = ""


def parse_storage(answer: str) -> OriginStorage | None:
    """Parse the result; return None if the storage is too large or not accessible.

    Raises:
        PageFailed: it is not a result of the script.
    """
    try:
        read = msgspec.json.decode(answer, type=_StorageAnswer)
    except msgspec.MsgspecError as error:
        raise PageFailed("The storage of the page could not be read.") from error
    if read.localStorage is None or not read.origin.startswith(("http:", "https:")):
        return None
    return OriginStorage(read.origin, read.localStorage)


def restoring(storage: Iterable[OriginStorage], session: OriginStorage | None = None) -> str:
    """Return a script for new documents that restores the storage of each origin.

    Args:
        storage: the ``localStorage`` of the origins.
        session: the ``sessionStorage`` of one of them.
    """
    of_session = stored_pairs(() if session is None else (session,))
    return f"({_RESTORE})(\n{stored_pairs(storage)},\n{of_session}\n)"


def stored_pairs(storage: Iterable[OriginStorage]) -> str:
    """Return each origin with its names and values, as JSON."""
    pairs = [(one.origin, one.items) for one in storage]
    return msgspec.json.encode(pairs).decode()


# Cookies in our form and in the browser's.

SAME_SITE = frozenset({"Strict", "Lax", "None"})
"""The values that the browser accepts (``Network.CookieSameSite``)."""


def cookie_of(stored: StoredCookie) -> Cookie:
    """Return a cookie of the browser in our form."""
    return Cookie(
        name=stored.name,
        value=stored.value,
        domain=stored.domain.removeprefix("."),
        path=stored.path,
        host_only=not stored.domain.startswith("."),
        secure=stored.secure,
        http_only=stored.http_only,
        expires_s=stored.expires if stored.expires >= 0 else None,
        same_site=stored.same_site,
    )


def cookie_shape(cookie: Cookie) -> StoredCookie:
    """Return a cookie in the browser's form."""
    same_site = cookie.same_site.capitalize()
    return StoredCookie(
        name=cookie.name,
        value=cookie.value,
        domain=cookie.shown_domain,
        path=cookie.path,
        expires=-1 if cookie.expires_s is None else cookie.expires_s,
        http_only=cookie.http_only,
        secure=cookie.secure,
        same_site=same_site if same_site in SAME_SITE else "",
    )


class ScriptRunner(Protocol):
    """Runs a script in the document of a tab; see `Tab.run_script`."""

    async def __call__(self, function: str, /, *, values: tuple[str, ...] = ()) -> str:
        """Return what the script returns."""
        ...


@attrs.define(eq=False)
class TabStorage:
    """The cookies and the storage of a tab.

    Attributes:
        session: of the page.
        run: runs a script in its document.
        at_work: is held meanwhile, so that the tab does not count as idle.
    """

    session: CDPSession
    run: ScriptRunner
    at_work: Callable[[], AbstractContextManager[None]]
    _restoring_script: str = attrs.field(default="", init=False)

    async def cookies(self) -> tuple[Cookie, ...]:
        with self.at_work(), trio.fail_after(ANSWER_S):
            stored = await self.session.execute(network.get_cookies())
        return tuple(map(cookie_of, stored.cookies))

    async def set_cookies(
        self, cookies: tuple[Cookie, ...], removed: tuple[Cookie, ...] = ()
    ) -> None:
        with self.at_work(), trio.fail_after(ANSWER_S):
            deletions = [network.delete_cookie(cookie_shape(one)) for one in removed]
            await self.session.execute_all(deletions)
            try:
                added = network.set_cookies(map(cookie_shape, cookies))
                await self.session.execute(added)
            except CommandFailed as error:
                raise BadInput(
                    ("The browser does not accept the cookies: ", Quoted(error.text), "."),
                    advice="Check their domains, paths and attributes.",
                ) from error

    async def storage(self) -> OriginStorage | None:
        with self.at_work(), trio.fail_after(ANSWER_S):
            await self._wake()
            return parse_storage(await self.run(READ_STORAGE))

    async def set_storage(
        self,
        origins: tuple[OriginStorage, ...],
        cleared: tuple[str, ...] = (),
        session: OriginStorage | None = None,
    ) -> None:
        # Not cancelled half-way, only limited in time: the id of the script would be lost.
        with self.at_work(), trio.fail_after(ANSWER_S, shield=True):
            if self._restoring_script:
                await self._wake()
                before, self._restoring_script = self._restoring_script, ""
                await self.session.execute(page.remove_script(before))
            clear = [storage.clear_local_storage(origin) for origin in cleared]
            await self.session.execute_all(clear)
            if origins or session is not None:
                script = restoring(origins, session)
                command = page.add_script(script)
                self._restoring_script = (await self.session.execute(command)).identifier
            if cleared:
                here = [one for one in origins if one.origin in cleared]
                await self.run(REPLACE_STORAGE, values=(stored_pairs(here),))

    async def _wake(self) -> None:
        """Run a script in the document: in the headless shell, our scripts wait for a first one."""
        with suppress(CommandFailed):  # it is being left
            await self.session.execute(runtime.evaluate("0"))
