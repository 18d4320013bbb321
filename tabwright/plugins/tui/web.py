"""Pages through the server's tools: each tab has a session with separate cookies."""

import asyncio
from collections.abc import Mapping

import attrs
import msgspec

from tabwright.plugins.tui.outline import PageControl, controls_of, field_of_control
from tabwright.plugins.tui.page import BrowsedPage, FieldValue, PageDialog, PendingIntervention
from tabwright.plugins.tui.replies import CallFailed, OnStep, ToolReply
from tabwright.plugins.tui.server import ServerProcess
from tabwright.protocol.snapshot import Field, PageForm, PageLink
from tabwright.text.token_budget import count_tokens

WHOLE = 1_000_000_000
"""The token limit of a whole page: a person can scroll, so nothing is omitted."""

BARELY = 1
"""The token limit of an answer whose page is read by later calls."""

CUT = "The page is longer; only this part was read."

ASK = ":ask"
"""The prefix of an answer's URL."""


class _Timing(msgspec.Struct):
    total_ms: float = 0.0


class _Cut(msgspec.Struct):
    next_offset: int | None = None


class _Medium(msgspec.Struct):
    number: int
    url: str = ""


class _Read(msgspec.Struct):
    """The structured content of the reading tools."""

    url: str
    title: str
    text: str
    tier: int
    status: int = 0
    timing: _Timing = msgspec.field(default_factory=_Timing)
    notice: str = ""
    truncation: _Cut | None = None
    media: tuple[_Medium, ...] = ()


class _Links(msgspec.Struct):
    links: tuple[PageLink, ...]


class _Forms(msgspec.Struct):
    forms: tuple[PageForm, ...]


class _Entry(msgspec.Struct):
    url: str
    title: str


class _Found(msgspec.Struct):
    """The structured content of the search tools."""

    sources: tuple[_Entry, ...] = ()
    results: tuple[_Entry, ...] = ()
    conversation: str = ""


class _Outcome(msgspec.Struct):
    """The outcome of an action."""

    description: str = ""
    dialog: PageDialog | None = None
    dialogs: tuple[PageDialog, ...] = ()


class _Queue(msgspec.Struct):
    interventions: tuple[PendingIntervention, ...]


@attrs.define(eq=False)
class Web:
    """The requests of one tab to the server, in a separate session.

    Every method raises `CallFailed` if the server refuses, and `ServerMissing` or `ServerLost` if
    it is not available. Cancellation also stops the work in the server.

    Attributes:
        session: its name.
        on_step: called with each step of a call.
    """

    server: ServerProcess
    session: str
    on_step: OnStep
    _here: BrowsedPage | None = attrs.field(default=None, init=False)
    _connection: int = attrs.field(default=0, init=False)
    _conversation: str = attrs.field(default="", init=False)

    async def open(self, url: str, *, reader: bool = False) -> BrowsedPage:
        """Open a URL and return the page."""
        went = await self._call(
            "navigate", url=url, format="text", max_tokens=BARELY, readability=reader
        )
        return await self._read(went, reader=reader)

    async def controls(self, page: BrowsedPage) -> BrowsedPage:
        """Return the page as it is in a tab, with all its controls; opens it there."""
        if not self.is_at(page):
            await self.open(page.url)
        return await self._outlined()

    async def reload_controls(self, page: BrowsedPage) -> BrowsedPage:
        """Load a page again in its tab and return it with its controls."""
        await self._call("navigate", url=page.url, format="text", max_tokens=BARELY)
        return await self._outlined()

    async def text(self, page: BrowsedPage) -> BrowsedPage:
        """Return the text of a page that is open in its tab, as it is now."""
        self._require(page)
        went = await self._call("snapshot", format="text", max_tokens=BARELY)
        return await self._read(went, reader=False)

    async def act(self, page: BrowsedPage, tool: str, **arguments: object) -> BrowsedPage:
        """Use a control of a page, or answer its dialog, and return the page as it is then.

        Raises:
            CallFailed: the tab has another page, or the tool refuses.
        """
        self._require(page)
        done = (await self._call(tool, **arguments)).read(_Outcome)
        lines = [done.description, *(f'{one.kind} "{one.message}"' for one in done.dialogs)]
        if done.dialog is None:
            return await self._outlined(" ".join(lines))
        self._here = attrs.evolve(page, dialog=done.dialog, notice=" ".join(lines))
        return self._here

    async def field(self, page: BrowsedPage, control: PageControl) -> Field:
        """Return the field of a control, with its whole value and its options."""
        self._require(page)
        if control.has_options:
            listed = await self._call("select", ref=control.ref)
            return field_of_control(control, listed.read(_Outcome).description)
        seen = await self._call("snapshot", format="outline", ref=control.ref, max_tokens=WHOLE)
        whole = controls_of(seen.read(_Read).text)
        return field_of_control(next((one for one in whole if one == control), control))

    def _require(self, page: BrowsedPage) -> None:
        if not self.is_at(page):
            raise CallFailed("The tab has another page now. Press r to load this page again.")

    async def _outlined(self, notice: str = "") -> BrowsedPage:
        """Return the page of the session's tab with its controls; open it in a tab if necessary."""
        clock = asyncio.get_running_loop().time
        began_s = clock()
        self._here = None
        read = (await self._call("snapshot", format="outline", max_tokens=WHOLE)).read(_Read)
        self._connection = self.server.number
        self._here = BrowsedPage(
            url=read.url,
            title=read.title,
            text="",
            tier=read.tier,
            status=read.status,
            took_s=clock() - began_s,
            tokens=count_tokens(read.text),
            notice=notice or read.notice,
            outline=read.text.partition("\n")[2],  # its first line is the title
        )
        return self._here

    async def submit(
        self, page: BrowsedPage, form: PageForm, values: Mapping[str, FieldValue]
    ) -> BrowsedPage:
        """Submit a form from its page, to which the session returns, and return the new page."""
        if not self.is_at(page):
            await self.open(page.url)
        went = await self._call(
            "fill_form",
            fields=dict(values),
            submit=True,
            form_index=form.index,
            format="text",
            max_tokens=BARELY,
        )
        return await self._read(went, reader=False)

    async def ask(self, question: str, *, follow_up: bool) -> BrowsedPage:
        """Ask Google AI Mode; a follow-up continues this tab's latest question."""
        where = follow_up and (self._conversation or True)
        return await self._asked(
            f"{ASK} {question}", "google_ai_search", query=question, follow_up=where
        )

    async def search(self, words: str) -> BrowsedPage:
        """Search several engines."""
        return await self._asked(f":search {words}", "web_search", query=words)

    async def pictures(self) -> Mapping[str, bytes]:
        """Return thumbnails of the images of the session's current page, by URL."""
        seen = await self._call("snapshot", format="text", max_tokens=BARELY, include_media=True)
        urls = {one.number: one.url for one in seen.read(_Read).media}
        shown = ((one.number, one.data) for one in seen.pictures)
        return {urls[number]: data for number, data in shown if number in urls}

    def is_at(self, page: BrowsedPage) -> bool:
        """Return whether the page is the session's current one."""
        return self._here is page and self._connection == self.server.number

    async def keep(self) -> None:
        """Save the session's cookies for the next start."""
        await self._call("session_save")

    async def close(self) -> None:
        """Close the session."""
        await self._call("session_close")

    async def _read(self, went: ToolReply, *, reader: bool) -> BrowsedPage:
        """Return the page that the session navigated to."""
        self._here = None
        text, links, forms = await asyncio.gather(
            self._call("snapshot", links="inline", max_tokens=WHOLE),
            self._call("snapshot", format="links"),
            self._call("snapshot", format="forms"),
        )
        seen, read = went.read(_Read), text.read(_Read)
        self._connection = self.server.number
        self._here = BrowsedPage(
            url=read.url,
            title=read.title,
            text=read.text,
            links=links.read(_Links).links,
            forms=forms.read(_Forms).forms,
            status=read.status,
            tier=read.tier,
            took_s=seen.timing.total_ms / 1000,
            tokens=count_tokens(read.text),
            notice=seen.notice or (CUT if read.truncation else ""),
            reader=reader,
        )
        return self._here

    async def _asked(self, command: str, tool: str, **arguments: object) -> BrowsedPage:
        """Return an answer as a page; its sources or results are the first links, in order."""
        clock = asyncio.get_running_loop().time
        began_s = clock()
        answer = _succeeded(await self.server.call(tool, arguments, self.on_step))
        found = answer.read(_Found)
        self._conversation = found.conversation or self._conversation
        return BrowsedPage(
            url=command,
            title=str(arguments["query"]),
            text=answer.text,
            links=tuple(
                PageLink(number, one.title, one.url, "external")
                for number, one in enumerate((*found.sources, *found.results), 1)
            ),
            took_s=clock() - began_s,
            tokens=count_tokens(answer.text),
        )

    async def _call(self, tool: str, **arguments: object) -> ToolReply:
        asked = {"session": self.session, **arguments}
        return _succeeded(await self.server.call(tool, asked, self.on_step))


async def what_waits(server: ServerProcess) -> tuple[PendingIntervention, ...]:
    """Return the open interventions of the server."""
    listed = _succeeded(await server.call("interventions", {}))
    return listed.read(_Queue).interventions


async def open_window(server: ServerProcess, waiting: PendingIntervention) -> None:
    """Open a window for an intervention on the server."""
    _succeeded(await server.call("interventions", {"action": "open", "id": waiting.id}))


def _succeeded(answer: ToolReply) -> ToolReply:
    if answer.failed:
        raise CallFailed(answer.text)
    return answer
