"""The whole house: every actor in its order, and what a program asks of them."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from functools import partial

import attrs
import trio

from tabwright.actors import desk as desk_life
from tabwright.actors import extractor as extractor_life
from tabwright.actors import governor as governor_life
from tabwright.actors import supervisor as supervisor_life
from tabwright.actors.address import Address
from tabwright.actors.browser import Launcher
from tabwright.actors.extractor import InThread, Offload
from tabwright.actors.hearing import guarded
from tabwright.actors.keeping import keep
from tabwright.actors.launcher import ChromiumLauncher
from tabwright.actors.page_reading import PageReader
from tabwright.actors.tracing import ActorSystem
from tabwright.cdp.wire_log import WireLog
from tabwright.config.engines import Pace, load_paces
from tabwright.config.file import load_settings
from tabwright.config.settings import Settings
from tabwright.protocol.answers import SearchResult
from tabwright.protocol.pages import PageFormat, PageText
from tabwright.protocol.searching import (
    CloseThread,
    Desk,
    GetThread,
    Progress,
    Search,
    Thread,
    unheard,
)


@attrs.frozen(eq=False)
class Tabwright:
    """A running house, as `open_tabwright` gives it.

    Attributes:
        settings: what it runs with.
        desk: the actor that searches.
        reader: what pages are read with.
    """

    settings: Settings
    desk: Address[Desk]
    reader: PageReader

    async def search(
        self,
        query: str,
        *,
        language: str | None = None,
        follow_up: bool = False,
        progress: Progress = unheard,
    ) -> SearchResult:
        """Asks Google AI Mode; see `tabwright.protocol.searching.Search`.

        Cancellation stops the page.

        Raises:
            TabwrightError: no answer, and why.
        """
        with guarded(progress) as heard:
            return await self.desk.ask(Search(query, language, follow_up, heard))

    async def thread(self) -> Thread | None:
        """The conversation in which a follow-up would be asked; None where it would begin one.

        There is none either while a question is being answered in it.
        """
        return await self.desk.ask(GetThread())

    async def close_thread(self) -> None:
        """Ends that conversation, if there is one, and closes its tab."""
        await self.desk.ask(CloseThread())

    async def browse(self, url: str, *, page_format: PageFormat = "markdown") -> PageText:
        """Reads one page; see `PageReader.read`.

        Raises:
            TabwrightError: no text, and why.
        """
        return await self.reader.read(url, page_format)


@attrs.frozen(eq=False, kw_only=True)
class Seams:
    """What comes into the house from outside; each has a real and a simulated form.

    Attributes:
        launcher: where browsers come from; None for what the settings say.
        system: tracer and randomness.
        paces: how often sites may be turned to.
        offload: where CPU work runs.
        wire_log: is called with a line for each CDP frame.
    """

    launcher: Launcher | None = None
    system: ActorSystem = attrs.field(factory=ActorSystem)
    paces: Mapping[str, Pace] = attrs.field(factory=load_paces)
    offload: Offload = attrs.field(factory=InThread)
    wire_log: WireLog | None = None


@asynccontextmanager
async def open_tabwright(
    settings: Settings | None = None, seams: Seams | None = None
) -> AsyncGenerator[Tabwright]:
    """Runs the house for as long as the block runs. The browser starts on first need.

    Belongs to nobody's event loop but the caller's: no globals, signals or logging set-up.
    Leaving the block, also by an exception or a cancellation, stops everything in reverse order
    and leaves no process; a sole error of the block comes out unwrapped.

    Args:
        settings: the shipped defaults if left out.
        seams: the real world if left out.
    """
    settings = settings or load_settings()
    seams = seams or Seams()
    system = seams.system
    governing = partial(governor_life.rate_governor, seams.paces)
    extracting = partial(extractor_life.extractor, seams.offload)
    launcher = seams.launcher or ChromiumLauncher(settings)
    supervising = partial(
        supervisor_life.browser_supervisor, system, settings, launcher, seams.wire_log
    )
    async with (
        keep(system, "governor", governing, governor_life.CARE) as governor,
        keep(system, "extractor", extracting, extractor_life.CARE) as extractor,
        keep(system, "supervisor", supervising, supervisor_life.CARE) as supervisor,
    ):
        searching = partial(desk_life.search_desk, supervisor, governor, settings)
        reader = PageReader(supervisor, governor, extractor, settings.network)
        async with keep(system, "desk", searching, desk_life.CARE) as desk:
            yield Tabwright(settings, desk, reader)


async def serve(
    settings: Settings | None = None,
    *,
    task_status: trio.TaskStatus[Tabwright] = trio.TASK_STATUS_IGNORED,
) -> None:
    """`open_tabwright` for ``await nursery.start(serve, settings)``; cancel it to stop."""
    async with open_tabwright(settings) as house:
        task_status.started(house)
        await trio.sleep_forever()
