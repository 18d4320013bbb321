"""The acting side of a tab: what can be asked of a page as a person would act on it."""

from typing import TYPE_CHECKING, Protocol

from tabwright.protocol.pictures import SmallPicture

if TYPE_CHECKING:
    from tabwright.protocol.actions import (
        AnswerDialog,
        Choice,
        Choose,
        Click,
        Drag,
        Emulate,
        Evaluate,
        Evaluation,
        Fill,
        Hover,
        ListOptions,
        Press,
        Scroll,
        TurnAway,
        Type,
        Upload,
        WaitFor,
    )
    from tabwright.protocol.inspection import (
        Capture,
        ListDownloads,
        ListRequests,
        PageRequest,
        Print,
        ReadBody,
        ReadConsole,
        ReadRequest,
        RequestDetails,
    )
    from tabwright.protocol.outcomes import ConsoleEntry, Download, Outcome
    from tabwright.protocol.outlines import Locate, Look, OutlineText, Place, TakeOutline


class Acting(Protocol):
    """The acting side of a tab. An action is begun only when the one before has ended."""

    async def look(self, request: "Look", /) -> "Place":
        """See `Look`."""
        ...

    async def downloads(self, request: "ListDownloads", /) -> tuple["Download", ...]:
        """See `ListDownloads`."""
        ...

    async def outline(self, request: "TakeOutline", /) -> "OutlineText":
        """See `TakeOutline`."""
        ...

    async def locate(self, request: "Locate", /) -> str:
        """See `Locate`."""
        ...

    async def click(self, request: "Click", /) -> "Outcome":
        """See `Click`."""
        ...

    async def type(self, request: "Type", /) -> "Outcome":
        """See `Type`."""
        ...

    async def press(self, request: "Press", /) -> "Outcome":
        """See `Press`."""
        ...

    async def hover(self, request: "Hover", /) -> "Outcome":
        """See `Hover`."""
        ...

    async def drag(self, request: "Drag", /) -> "Outcome":
        """See `Drag`."""
        ...

    async def choose(self, request: "Choose", /) -> "Outcome":
        """See `Choose`."""
        ...

    async def options(self, request: "ListOptions", /) -> tuple["Choice", ...]:
        """See `ListOptions`."""
        ...

    async def scroll(self, request: "Scroll", /) -> "Outcome":
        """See `Scroll`."""
        ...

    async def fill(self, request: "Fill", /) -> "Outcome":
        """See `Fill`."""
        ...

    async def upload(self, request: "Upload", /) -> "Outcome":
        """See `Upload`."""
        ...

    async def answer_dialog(self, request: "AnswerDialog", /) -> "Outcome":
        """See `AnswerDialog`."""
        ...

    async def wait_for(self, request: "WaitFor", /) -> "Outcome":
        """See `WaitFor`."""
        ...

    async def evaluate(self, request: "Evaluate", /) -> "Evaluation":
        """See `Evaluate`."""
        ...

    async def capture(self, request: "Capture", /) -> SmallPicture:
        """See `Capture`."""
        ...

    async def print(self, request: "Print", /) -> bytes:
        """See `Print`."""
        ...

    async def console(self, request: "ReadConsole", /) -> tuple["ConsoleEntry", ...]:
        """See `ReadConsole`."""
        ...

    async def requests(self, request: "ListRequests", /) -> tuple["PageRequest", ...]:
        """See `ListRequests`."""
        ...

    async def request(self, request: "ReadRequest", /) -> "RequestDetails":
        """See `ReadRequest`."""
        ...

    async def body(self, request: "ReadBody", /) -> bytes:
        """See `ReadBody`."""
        ...

    async def emulate(self, request: "Emulate", /) -> "Outcome":
        """See `Emulate`."""
        ...

    async def turn_away(self, request: "TurnAway", /) -> None:
        """See `TurnAway`."""
        ...


class ActingTab(Protocol):
    """A tab that can be acted in."""

    @property
    def acting(self) -> Acting:
        """Its acting side."""
        ...
