"""A page, as a program holds it: actions as a person would do them, and what it shows."""

from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeAlias, TypeVar, cast

import attrs
import msgspec

from tabwright.objects.locator import Locator
from tabwright.objects.methods import described
from tabwright.protocol.actions import (
    Action,
    AnswerDialog,
    Click,
    Drag,
    Emulate,
    FieldValue,
    Fill,
    Hover,
    Outcome,
    Press,
    RunSteps,
    Scroll,
    SelectOption,
    SelectText,
    SimpleAction,
    Step,
    Touch,
    Type,
    Upload,
    UseMouse,
    WaitFor,
)
from tabwright.protocol.argument_types import checks_arguments
from tabwright.protocol.errors import BadInput, PageFailed
from tabwright.protocol.inspection import (
    CallPageTool,
    Capture,
    Evaluate,
    Evaluation,
    Inspection,
    ListDownloads,
    ListPageTools,
    ListRequests,
    OutlineText,
    OutlineView,
    PageTool,
    Print,
    ReadBody,
    ReadConsole,
    ReadRequest,
    TakeOutline,
)
from tabwright.protocol.page_text import PageText
from tabwright.protocol.progress import OnProgress, ignore_progress
from tabwright.protocol.sessions import FieldValues
from tabwright.protocol.snapshot import PageSnapshot
from tabwright.sessions.store import STEPS

if TYPE_CHECKING:
    from tabwright.objects.session import Session

ParametersT = ParamSpec("ParametersT")
AnswerT = TypeVar("AnswerT")

JSONValue: TypeAlias = "str | int | float | bool | list[JSONValue] | dict[str, JSONValue] | None"
"""A value of JSON, as a script returns it."""

PageMethod: TypeAlias = Callable[
    Concatenate["Page", ParametersT], Coroutine[object, object, AnswerT]
]


def _performs(action: Callable[ParametersT, SimpleAction]) -> PageMethod[ParametersT, Outcome]:
    """Return the method that performs an action; its arguments are the fields of the action."""

    async def method(
        page: "Page", /, *args: ParametersT.args, **kwargs: ParametersT.kwargs
    ) -> Outcome:
        """Perform the action; the contract is that of the action."""
        return await page.act(action(*args, **kwargs))

    described(method, action)
    return method


def _returns(
    inspection: Callable[ParametersT, Inspection[AnswerT]],
) -> PageMethod[ParametersT, AnswerT]:
    """Return the method that inspects the page; its arguments are the fields of the inspection."""

    async def method(
        page: "Page", /, *args: ParametersT.args, **kwargs: ParametersT.kwargs
    ) -> AnswerT:
        """Inspect the page; the contract is that of the inspection."""
        return await page.inspect(inspection(*args, **kwargs))

    described(method, inspection)
    return method


def check_url(url: str) -> None:
    """Refuse what `Sessions.enter` takes instead of a URL.

    Raises:
        BadInput: that is no URL.
    """
    if not url or url in STEPS:
        raise BadInput(f"{url!r} is not a URL.", advice="Use back, forward or reload of the page.")


def _value(evaluation: Evaluation) -> JSONValue:
    """Return the value of a script.

    Raises:
        PageFailed: a dialog has interrupted it.
    """
    if not evaluation.json and evaluation.outcome.dialog is not None:
        raise PageFailed("A dialog has interrupted the script.", advice="Answer it with dialog.")
    try:
        return cast("JSONValue", msgspec.json.decode(evaluation.json or "null"))
    except msgspec.DecodeError:  # a number or a date that JSON has no form for
        return evaluation.json


@checks_arguments
@attrs.define(eq=False)
class Page:
    """A page in a tab of a session, open to actions.

    `Tabwright.open` and `Session.open` return one. Each action waits until its element is ready,
    and returns an `Outcome`: what was done and what changed. An element is named by a ref of the
    outline, such as ``1.5``, or by a locator, such as ``role=button[name="Send"]``,
    ``label=Email``, ``text=Next`` or ``css=#send``.

    Every method raises `TypeError` for an argument of a wrong type, and `TabwrightError` if it
    fails: `TabwrightError.effect` says whether an action may have happened. Cancellation stops an
    action that has not happened yet; it does not undo one.

    A tab is meant by its number: after its session was closed, a page is the one with this number
    in the next session of that name, if there is one.

    Attributes:
        session: the session that it is in.
        tab: its number in the session; None for whichever tab is current.
        url, title: of the page after the last action or reading; it may have moved on since.
    """

    session: "Session"
    tab: int | None = None
    url: str = ""
    title: str = ""

    async def goto(
        self,
        url: str,
        *,
        leaves: bool = True,
        progress: OnProgress = ignore_progress,
    ) -> Outcome:
        """Open another page in the tab.

        Args:
            url: of the page, http or https; ``about:blank`` empties the tab, with its history.
            leaves: whether the present page is left even if it asks whether to.
            progress: is called with each step.

        Raises:
            BadInput: that is no URL, or the tab was closed.
            TabwrightError: the page could not be opened; the tab may show an error page.
        """
        check_url(url)
        return self._at(
            await self.session.enter(url, tab=self.tab, leaves=leaves, progress=progress)
        )

    async def back(self) -> Outcome:
        """Go back in the history of the tab; `BadInput` if there is no page before this one."""
        return self._at(await self.session.enter("back", tab=self.tab))

    async def forward(self) -> Outcome:
        """Go forward in the history of the tab; `BadInput` if there is no page after this one."""
        return self._at(await self.session.enter("forward", tab=self.tab))

    async def reload(self) -> Outcome:
        """Load the page again."""
        return self._at(await self.session.enter("reload", tab=self.tab))

    async def close(self) -> None:
        """Close the tab; the session stays open.

        Raises:
            BadInput: it was closed before.
        """
        await self.session.change_tabs("close", self.tab)

    # Actions. Their parameters are the fields of the value in `tabwright.protocol.actions`.

    click = _performs(Click)
    type = _performs(Type)
    press = _performs(Press)
    select = _performs(SelectOption)
    hover = _performs(Hover)
    drag = _performs(Drag)
    select_text = _performs(SelectText)
    touch = _performs(Touch)
    mouse = _performs(UseMouse)
    scroll = _performs(Scroll)
    upload = _performs(Upload)
    wait_for = _performs(WaitFor)
    dialog = _performs(AnswerDialog)
    emulate = _performs(Emulate)

    async def fill(self, fields: FieldValues, *, submit: bool = False) -> Outcome:
        """Fill in several fields in order.

        Args:
            fields: values by field: its ref, name, id, label or placeholder. Text; true or false
                for a checkbox; for a list one of its options, or several as a tuple.
            submit: whether to submit the form of the last field then.

        Raises:
            BadInput: there is no such field or option, or the page rejects a value.
            PageFailed: a field is not ready in time. Those before it are filled in.
        """
        values = tuple(FieldValue(field, value) for field, value in fields.items())
        return await self.act(Fill(values, submit))

    async def run(self, *steps: Step) -> Outcome:
        """Perform several actions, and report the changes once, at the end.

        The first failure ends them; it is in `Outcome.steps`, not raised.

        Args:
            steps: actions, conditions and repetitions of `tabwright.advanced`.
        """
        return await self.act(RunSteps(steps))

    async def act(self, action: Action, *, progress: OnProgress = ignore_progress) -> Outcome:
        """Perform an action that is a value, as the other methods do.

        Args:
            action: the action; `tabwright.advanced` has all.
            progress: is called with each step.
        """
        return self._at(await self.session.act(action, tab=self.tab, progress=progress))

    # What the page shows.

    def locator(self, locator: str) -> Locator:
        """Return a locator of elements of the page, which are looked for when it is used.

        Args:
            locator: for example ``css=#message`` or ``role=row[name="Bob"]``; for methods that are
                for one element, also its ref.
        """
        return Locator(self, locator)

    async def outline(  # noqa: PLR0913
        self,
        *,
        query: str = "",
        max_tokens: int = 4000,
        offset: int = 0,
        within: str = "",
        viewport: bool = False,
        hidden: bool = False,
        diff: bool = False,
    ) -> OutlineText:
        """Return the page as an outline, with a ref for each control.

        Args:
            query: return only lines that contain all of these words, and their parents.
            max_tokens: the maximum length; 0 for no limit.
            offset: the first line to return, for the rest of a long outline.
            within: a locator of the element to begin at; empty for the whole page.
            viewport: return only what a person would see without scrolling.
            hidden: include controls that are not visible.
            diff: return only the changes since the previous outline, if there was one.

        Raises:
            BadInput: there is no element to begin at.
        """
        view = OutlineView(max_tokens=max_tokens, offset=offset, query=query, viewport=viewport)
        outline = await self.inspect(TakeOutline(view, selector=within, hidden=hidden, diff=diff))
        self.url, self.title = outline.url, outline.title
        return outline

    async def text(self, *, query: str = "", max_tokens: int | None = None) -> PageText:
        """Return the content of the page as Markdown, without reloading it.

        Args:
            query: return only the passages most relevant to this question.
            max_tokens: the maximum length; None for that of the session's settings.
        """
        view = attrs.evolve((await self.session.settings()).reading.options.view, query=query)
        if max_tokens is not None:
            view = attrs.evolve(view, max_tokens=max_tokens)
        text = await self.session.view(view, tab=self.tab)
        self.url, self.title = text.url, text.title
        return text

    async def snapshot(self) -> PageSnapshot:
        """Return the page as data, with its links and forms."""
        snapshot = await self.session.snapshot(tab=self.tab)
        self.url, self.title = snapshot.url, snapshot.title
        return snapshot

    screenshot = _returns(Capture)
    pdf = _returns(Print)
    console = _returns(ReadConsole)
    requests = _returns(ListRequests)
    request = _returns(ReadRequest)
    body = _returns(ReadBody)
    downloads = _returns(ListDownloads)

    async def evaluate(self, script: str, *elements: str) -> JSONValue:
        """Run a script in the page, and return its value.

        A value for which JSON has no form is its text, for example a date or a big integer.

        Args:
            script: an expression, or, with elements, a function that receives them.
            elements: their refs or locators, all of one frame.

        Raises:
            PageFailed: the script throws, or waits for a dialog, which `dialog` answers.
        """
        return _value(await self.inspect(Evaluate(script, refs=elements)))

    async def tools(self) -> tuple[PageTool, ...]:
        """Return the tools that the page offers to agents (WebMCP). The page has written them."""
        return await self.inspect(ListPageTools())

    async def call_tool(
        self, tool: PageTool, arguments: Mapping[str, JSONValue] | None = None
    ) -> JSONValue:
        """Call a tool that the page offers, and return its result.

        Raises:
            BadInput: the page does not offer it.
            PageFailed: the tool fails, or does not respond in time.
        """
        given = msgspec.json.encode(arguments or {}).decode()
        return _value(await self.inspect(CallPageTool(tool.name, tool.origin, given)))

    async def inspect(
        self, inspection: Inspection[AnswerT], *, progress: OnProgress = ignore_progress
    ) -> AnswerT:
        """Return a part of the state of the page, as the other methods do.

        Args:
            inspection: what is returned; `tabwright.advanced` has all.
            progress: is called with each step.
        """
        return await self.session.inspect(inspection, tab=self.tab, progress=progress, blank=True)

    def _at(self, outcome: Outcome) -> Outcome:
        """Record where an action has led to, and return it."""
        if outcome.url:
            self.url, self.title = outcome.url, outcome.title
        return outcome
