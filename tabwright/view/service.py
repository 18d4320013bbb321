"""The live view of a process: its links, and the port that it listens at."""

import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, Collection, Generator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import attrs
import trio

from tabwright.concurrency.nursery import background_nursery
from tabwright.config.settings import ViewSettings
from tabwright.page.live_tabs import LiveTabs
from tabwright.protocol.errors import BadInput
from tabwright.view.links import LINK_S, ViewLinks, ViewScope, ViewSession

if TYPE_CHECKING:  # a command that needs no browser does not import it
    from tabwright.page.live_page import LivePage

PATH = "/view"

COME_BACK_S = 30.0
"""Seconds for a person whose connection broke to come back before the tab is handed back."""


@attrs.define(eq=False)
class View:
    """The live view; it listens from the first link on, unless a server serves it.

    Attributes:
        settings: of the live view.
        tabs: the tabs that can be watched.
        links: the links and sessions.
    """

    settings: ViewSettings
    tabs: LiveTabs
    _nursery: trio.Nursery
    _ends: ExitStack
    links: ViewLinks = attrs.field(factory=ViewLinks, init=False)
    _url: str = attrs.field(default="", init=False)
    _starting: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    _present: Counter[str] = attrs.field(factory=Counter[str], init=False)
    _folders: "count[int]" = attrs.field(factory=lambda: count(1), init=False)
    _folder: Path | None = attrs.field(default=None, init=False)

    @property
    def is_on(self) -> bool:
        """Return whether the settings allow it."""
        return self.settings.address is not None

    @property
    def is_watched(self) -> bool:
        """Return whether somebody has the page open."""
        return any(self._present.values())

    @property
    def is_ready(self) -> bool:
        """Return whether it listens."""
        return self._url != ""

    def served_at(self, server_url: str, hosts: Collection[str]) -> None:
        """Note that a server serves it, the URL of that without a path, and its other names."""
        if self.is_on:
            self._url = f"{self._public(server_url, hosts)}{PATH}"

    async def ready(self) -> None:
        """Listen, unless it does already.

        Raises:
            BadInput: the settings do not allow it, or the address cannot be used.
        """
        async with self._starting:
            if self._url:
                return
            bind = self.settings.address
            if bind is None:
                raise BadInput("The live view is switched off.", advice="Set view.address.")
            from tabwright.view.routes import listen  # noqa: PLC0415  (rarely needed)

            try:
                url: str = await self._nursery.start(listen, self, bind)
            except OSError as error:
                raise BadInput(
                    f"The live view cannot listen at {bind}: {error.strerror or error}.",
                    advice="Set view.address to another address.",
                ) from error
            self._url = f"{self._public(url)}{PATH}"

    async def link(self, scope: ViewScope, valid_s: float = LINK_S) -> str:
        """Return a new link; see `ViewLinks`.

        Raises:
            BadInput: see `ready`.
        """
        await self.ready()
        return self.url_of(self.links.create(scope, valid_s))

    def url_of(self, token: str) -> str:
        """Return the link with a token, once `ready`."""
        return f"{self._url}#{token}"

    def new_folder(self) -> Path:
        """Return a new private folder for files that a person chooses; removed at shutdown."""
        if self._folder is None:
            folder = tempfile.TemporaryDirectory(prefix="tabwright-view-")
            self._folder = Path(self._ends.enter_context(folder))
        path = self._folder / str(next(self._folders))
        path.mkdir()
        return path

    @contextmanager
    def present(self, session: ViewSession) -> Generator[None]:
        """Note that a person is there while the block runs; afterwards hand the tab back."""
        self._present[session.id] += 1
        try:
            yield
        finally:
            self._present[session.id] -= 1
            self._nursery.start_soon(self._hand_back_later, session)

    async def _hand_back_later(self, session: ViewSession) -> None:
        await trio.sleep(COME_BACK_S)
        if not self._present[session.id]:
            del self._present[session.id]
            for live in self.tabs.all():
                live.hand_back(session.id)

    @property
    def hosts(self) -> Collection[str]:
        """Return the names of the server, besides loopback and IP addresses."""
        name = urlsplit(self.settings.url or "").hostname
        return (name,) if name else ()

    def _public(self, url: str, hosts: Collection[str] = ()) -> str:
        """Return the public URL of the server."""
        if self.settings.url is not None:
            return self.settings.url.rstrip("/")
        parts = urlsplit(url)
        if parts.hostname in {"0.0.0.0", "::"}:  # noqa: S104  (it is replaced)
            name = next(iter(hosts), "127.0.0.1")
            return f"{parts.scheme}://{name}:{parts.port}"
        return f"{parts.scheme}://{parts.netloc}"


@asynccontextmanager
async def open_view(settings: ViewSettings, tabs: LiveTabs) -> AsyncGenerator[View]:
    """Keep the live view of a process available while the block runs."""
    with ExitStack() as ends:
        async with background_nursery() as nursery:
            yield View(settings, tabs, nursery, ends)


@attrs.define(eq=False)
class PrincipalView:
    """The live view as one user of the server sees it.

    Attributes:
        shared: the live view of the process.
        principal: the user; empty for the only one.
    """

    shared: View
    principal: str = ""
    _tokens: dict[str, str] = attrs.field(factory=dict[str, str], init=False)

    async def link(self, tab: int | None = None, valid_s: float = LINK_S) -> str:
        """Return a new one-time link to the user's tabs, or to one of them.

        Raises:
            BadInput: there is no such tab, or no live view.
        """
        if tab is not None and self._find(tab) is None:
            raise BadInput(
                f"There is no tab {tab}.", advice="List them with `tabwright top --pool`."
            )
        return await self.shared.link(ViewScope(self.principal, tab), valid_s)

    def pages(self) -> "tuple[LivePage, ...]":
        """Return the pages of the user's tabs, the oldest first."""
        return tuple(
            live for live in self.shared.tabs.all() if live.state().principal == self.principal
        )

    async def is_available(self) -> bool:
        """Return whether a person can be asked to act in a tab; listen if so."""
        if not self.shared.is_on:
            return False
        try:
            await self.shared.ready()
        except BadInput:
            return False
        return True

    def ask_for_help(self, tab: int, intervention: str, why: str) -> None:
        """Report that a person is needed in a tab."""
        if live := self._find(tab):
            live.ask_for_help(intervention, why)

    def help_link(self, intervention: str, valid_s: float) -> str:
        """Return an unused link to the tab of an intervention; empty if nothing listens."""
        if not self.shared.is_ready:
            return ""
        links = self.shared.links
        token = self._tokens.get(intervention, "")
        if not links.is_unused(token):
            scope = ViewScope(self.principal, intervention=intervention)
            token = self._tokens[intervention] = links.create(scope, valid_s)
        return self.shared.url_of(token)

    def end_help(self, tab: int | None, intervention: str, outcome: str) -> None:
        """Report how an intervention ended, and make unused links to its tab invalid."""
        self._tokens.pop(intervention, None)
        self.shared.links.forget(ViewScope(self.principal, intervention=intervention))
        if tab is not None and (live := self._find(tab)):
            live.end_help(outcome)

    def _find(self, number: int) -> "LivePage | None":
        live = self.shared.tabs.find(number)
        return live if live is not None and live.state().principal == self.principal else None
