"""The acting side of a tab: what is asked of it, and who does it."""

import trio

from tabwright.page import inspect
from tabwright.page.action_runner import ActionRunner
from tabwright.page.actions import field, fill_form, mouse, viewport
from tabwright.protocol.actions import (
    AnswerDialog,
    Choice,
    Click,
    ConsoleEntry,
    Download,
    Drag,
    Emulate,
    Evaluate,
    Evaluation,
    Fill,
    Hover,
    LeavePage,
    ListOptions,
    Outcome,
    Press,
    Scroll,
    SelectOption,
    Type,
    Upload,
    WaitFor,
)
from tabwright.protocol.inspection import (
    Capture,
    ListDownloads,
    ListRequests,
    Locate,
    LocateOnPage,
    NetworkEntry,
    OutlineText,
    PageLocation,
    Print,
    ReadBody,
    ReadConsole,
    ReadRequest,
    RequestDetails,
    TakeOutline,
)
from tabwright.protocol.snapshot import Thumbnail

FILES_S = 10.0
"""For files that are on their way; of one that takes longer it is told how far it is."""


class PageActing:
    """Answers what `tabwright.protocol.tab.Acting` asks."""

    def __init__(self, stage: ActionRunner) -> None:
        self._stage = stage

    async def look(self, request: LocateOnPage, /) -> PageLocation:
        """See `LocateOnPage`."""
        async with self._stage.ready(dialog=True, anywhere=True):
            return await inspect.look(self._stage, request)

    async def downloads(self, request: ListDownloads, /) -> tuple[Download, ...]:
        """See `ListDownloads`."""
        del request
        async with self._stage.ready(dialog=True):
            with trio.move_on_after(FILES_S):
                await self._stage.files.rests()
            return self._stage.files.listed

    async def outline(self, request: TakeOutline, /) -> OutlineText:
        """See `TakeOutline`."""
        async with self._stage.ready():
            return await inspect.outline(self._stage, request)

    async def locate(self, request: Locate, /) -> str:
        """See `Locate`."""
        async with self._stage.ready():
            return await inspect.locate(self._stage, request)

    async def click(self, request: Click, /) -> Outcome:
        """See `Click`."""
        async with self._stage.ready():
            return await mouse.click(self._stage, request)

    async def type(self, request: Type, /) -> Outcome:
        """See `Type`."""
        async with self._stage.ready():
            return await field.type_text(self._stage, request)

    async def press(self, request: Press, /) -> Outcome:
        """See `Press`."""
        async with self._stage.ready():
            return await field.press(self._stage, request)

    async def hover(self, request: Hover, /) -> Outcome:
        """See `Hover`."""
        async with self._stage.ready():
            return await mouse.hover(self._stage, request)

    async def drag(self, request: Drag, /) -> Outcome:
        """See `Drag`."""
        async with self._stage.ready():
            return await mouse.drag(self._stage, request)

    async def choose(self, request: SelectOption, /) -> Outcome:
        """See `SelectOption`."""
        async with self._stage.ready():
            return await field.choose(self._stage, request)

    async def options(self, request: ListOptions, /) -> tuple[Choice, ...]:
        """See `ListOptions`."""
        async with self._stage.ready():
            return await field.options(self._stage, request)

    async def scroll(self, request: Scroll, /) -> Outcome:
        """See `Scroll`."""
        async with self._stage.ready():
            return await viewport.scroll(self._stage, request)

    async def fill(self, request: Fill, /) -> Outcome:
        """See `Fill`."""
        async with self._stage.ready():
            return await fill_form.fill(self._stage, request)

    async def upload(self, request: Upload, /) -> Outcome:
        """See `Upload`."""
        async with self._stage.ready():
            return await mouse.upload(self._stage, request)

    async def answer_dialog(self, request: AnswerDialog, /) -> Outcome:
        """See `AnswerDialog`."""
        async with self._stage.ready(dialog=True):
            return await viewport.answer_dialog(self._stage, request)

    async def wait_for(self, request: WaitFor, /) -> Outcome:
        """See `WaitFor`."""
        async with self._stage.ready():
            return await viewport.wait_for(self._stage, request)

    async def evaluate(self, request: Evaluate, /) -> Evaluation:
        """See `Evaluate`."""
        async with self._stage.ready():
            return await inspect.evaluate(self._stage, request)

    async def capture(self, request: Capture, /) -> Thumbnail:
        """See `Capture`."""
        async with self._stage.ready():
            return await inspect.capture(self._stage, request)

    async def print(self, request: Print, /) -> bytes:
        """See `Print`."""
        async with self._stage.ready():
            return await inspect.print_page(self._stage, request)

    async def console(self, request: ReadConsole, /) -> tuple[ConsoleEntry, ...]:
        """See `ReadConsole`."""
        async with self._stage.ready(dialog=True):
            return self._stage.console.entries(
                request.level, request.after, this_page=request.this_page
            )

    async def requests(self, request: ListRequests, /) -> tuple[NetworkEntry, ...]:
        """See `ListRequests`."""
        async with self._stage.ready(dialog=True):
            return self._stage.requests.listed(request)

    async def request(self, request: ReadRequest, /) -> RequestDetails:
        """See `ReadRequest`."""
        async with self._stage.ready(dialog=True):
            return inspect.request_details(self._stage, request)

    async def body(self, request: ReadBody, /) -> bytes:
        """See `ReadBody`."""
        async with self._stage.ready(dialog=True):
            return await inspect.body(self._stage, request)

    async def turn_away(self, request: LeavePage, /) -> None:
        """See `LeavePage`."""
        await self._stage.turn_away(request.targets)

    async def emulate(self, request: Emulate, /) -> Outcome:
        """See `Emulate`."""
        async with self._stage.ready():
            return await viewport.emulate(self._stage, request)
