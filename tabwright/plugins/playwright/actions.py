"""The acting tools of playwright-mcp: ``browser_click``, ``browser_type`` and so on."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Literal

import attrs
import msgspec
from msgspec import Meta

from tabwright.config.secrets import NAME, mark
from tabwright.config.settings import DEFAULT_SESSION
from tabwright.mcp.page_results import outcome_result
from tabwright.mcp.tool import READS, SETS, ToolContext, ToolResult
from tabwright.plugins.playwright.targets import PlaywrightAction, Target, ref_of
from tabwright.plugins.playwright.tool import playwright_tool
from tabwright.protocol.actions import (
    AnswerDialog,
    Click,
    ConsoleEntry,
    Drag,
    Emulate,
    FieldValue,
    Fill,
    Hover,
    MouseButton,
    Outcome,
    Press,
    SelectOption,
    Type,
    WaitFor,
)
from tabwright.protocol.errors import BadInput, TabwrightError
from tabwright.protocol.inspection import ReadConsole
from tabwright.protocol.untrusted_text import Parts, quoted

CONSOLE_MAX = 3
"""The maximum number of console messages that are reported with an action."""

WAIT_MAX_S = 30.0
"""The maximum wait of browser_wait_for, in seconds."""


async def act(arguments: PlaywrightAction, context: ToolContext) -> ToolResult:
    """Perform the action in the current tab, and report the console messages that it caused."""
    _, result = await act_with_outcome(arguments, context)
    return result


async def act_with_outcome(
    arguments: PlaywrightAction, context: ToolContext
) -> tuple[Outcome, ToolResult]:
    """Perform the action as `act` does; return its outcome, too.

    Messages after typing are left out: typed key by key, they can contain the beginning of a
    secret.
    """
    refs = [await ref_of(context.tabwright, target) for target in arguments.targets]
    request = arguments.request(refs)
    before = await _console_entries(context)
    outcome = await context.tabwright.session(DEFAULT_SESSION).act(
        request, progress=context.on_progress
    )
    result = outcome_result(outcome, context.names)
    last = before[-1].number if before else 0
    is_silent = outcome.tabs or isinstance(request, Type | Fill)
    entries = () if is_silent else await _console_entries(context, last)
    return outcome, attrs.evolve(result, parts=(*result.parts, *_console_parts(entries)))


async def _console_entries(context: ToolContext, after: int = 0) -> tuple[ConsoleEntry, ...]:
    """Return the console messages of the current tab; none if there is no tab."""
    with suppress(TabwrightError):
        return await context.tabwright.session(DEFAULT_SESSION).inspect(
            ReadConsole("info", after=after)
        )
    return ()


def _console_parts(entries: Sequence[ConsoleEntry]) -> Parts:
    """Return the latest console messages except errors, which are reported anyway."""
    from tabwright.page.outline_text import escape_refs, truncate  # noqa: PLC0415  (heavy)

    shown = [one for one in entries if one.level != "error"]
    texts = [f"Console {one.level}: {truncate(one.text)}" for one in shown[-CONSOLE_MAX:]]
    more = [f"({len(shown) - CONSOLE_MAX} more before)"] if len(shown) > CONSOLE_MAX else []
    return quoted("\n".join((*map(escape_refs, texts), *more)))


class Aimed(PlaywrightAction, frozen=True, kw_only=True):
    """An action on one element."""

    target: Target
    element: str = ""

    @property
    def targets(self) -> tuple[str, ...]:
        return (self.target,)


class BrowserClick(Aimed, frozen=True, kw_only=True):
    """Arguments of `browser_click`."""

    double_click: bool = False
    button: MouseButton = "left"
    modifiers: tuple[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"], ...] = ()

    def request(self, refs: Sequence[str], /) -> Click:
        return Click(refs[0], self.button, 2 if self.double_click else 1, self.modifiers)


class BrowserHover(Aimed, frozen=True, kw_only=True):
    """Arguments of `browser_hover`."""

    def request(self, refs: Sequence[str], /) -> Hover:
        return Hover(refs[0])


HOVER = playwright_tool("browser_hover", "Move the mouse over an element.", BrowserHover, act)


class BrowserType(Aimed, frozen=True, kw_only=True):
    """Arguments of `browser_type`."""

    text: str
    submit: bool = False
    slowly: bool = False

    def request(self, refs: Sequence[str], /) -> Type:
        return Type(refs[0], self.text, submit=self.submit, slowly=self.slowly, literal=True)


async def type_text(arguments: BrowserType, context: ToolContext) -> ToolResult:
    """Type a text, or the secret that it names."""
    text = _secret(arguments.text, context)
    return await act(msgspec.structs.replace(arguments, text=text), context)


def _secret(text: str, context: ToolContext) -> str:
    """Return the text; the bare name of a secret, as these clients write it, in our notation."""
    is_secret = text in dict(context.tabwright.parts.secrets.items()) and NAME.fullmatch(mark(text))
    return mark(text) if is_secret else text


TYPE = playwright_tool("browser_type", "Type text into a field.", BrowserType, type_text, SETS)


class BrowserSelectOption(Aimed, frozen=True, kw_only=True):
    """Arguments of `browser_select_option`."""

    values: tuple[str, ...]

    def request(self, refs: Sequence[str], /) -> SelectOption:
        return SelectOption(refs[0], self.values)


SELECT_OPTION = playwright_tool(
    "browser_select_option", "Select options of a list.", BrowserSelectOption, act, SETS
)


class BrowserDrag(PlaywrightAction, frozen=True, kw_only=True):
    """Arguments of `browser_drag`."""

    start_target: Target
    end_target: Target
    start_element: str = ""
    end_element: str = ""

    @property
    def targets(self) -> tuple[str, ...]:
        return self.start_target, self.end_target

    def request(self, refs: Sequence[str], /) -> Drag:
        return Drag(refs[0], refs[1])


DRAG = playwright_tool("browser_drag", "Drag an element and drop it on another.", BrowserDrag, act)


class FormField(msgspec.Struct, frozen=True, kw_only=True):
    """A field of `browser_fill_form`."""

    target: Target
    value: str
    name: str = ""
    type: Literal["textbox", "checkbox", "radio", "combobox", "slider"] = "textbox"
    element: str = ""


class BrowserFillForm(PlaywrightAction, frozen=True, kw_only=True):
    """Arguments of `browser_fill_form`."""

    fields: tuple[FormField, ...]

    @property
    def targets(self) -> tuple[str, ...]:
        return tuple(field.target for field in self.fields)

    def request(self, refs: Sequence[str], /) -> Fill:
        pairs = zip(refs, self.fields, strict=True)
        return Fill(tuple(FieldValue(ref, field.value) for ref, field in pairs))


async def fill_form(arguments: BrowserFillForm, context: ToolContext) -> ToolResult:
    """Fill in fields, each with its value or with the secret that the value names."""
    fields = tuple(
        msgspec.structs.replace(field, value=_secret(field.value, context))
        for field in arguments.fields
    )
    return await act(msgspec.structs.replace(arguments, fields=fields), context)


FILL_FORM = playwright_tool(
    "browser_fill_form", "Fill in several fields.", BrowserFillForm, fill_form, SETS
)


class BrowserPressKey(PlaywrightAction, frozen=True, kw_only=True):
    """Arguments of `browser_press_key`."""

    key: str

    def request(self, _refs: Sequence[str], /) -> Press:
        return Press("Space" if self.key == " " else self.key)


PRESS_KEY = playwright_tool(
    "browser_press_key", "Press a key, e.g. ArrowLeft or a.", BrowserPressKey, act
)


class BrowserWaitFor(PlaywrightAction, frozen=True, kw_only=True):
    """Arguments of `browser_wait_for`."""

    time: Annotated[float, Meta(gt=0, description="seconds, at most 30")] | None = None
    text: Annotated[str | tuple[str, ...], Meta(description="text, or several: any of them")] = ""
    text_gone: str = ""

    def request(self, _refs: Sequence[str], /) -> WaitFor:
        if self.time is None and not any(self.text) and not self.text_gone:
            raise BadInput(
                "No condition to wait for is given.", advice="Give time, text or textGone."
            )
        return WaitFor(self.text, self.text_gone, seconds=min(self.time or WAIT_MAX_S, WAIT_MAX_S))


WAIT_FOR = playwright_tool(
    "browser_wait_for",
    "Wait for text to appear or disappear, or for a time.",
    BrowserWaitFor,
    act,
    READS,
)


class BrowserHandleDialog(PlaywrightAction, frozen=True, kw_only=True):
    """Arguments of `browser_handle_dialog`."""

    accept: bool
    prompt_text: str | None = None

    def request(self, _refs: Sequence[str], /) -> AnswerDialog:
        return AnswerDialog(self.accept, self.prompt_text)


HANDLE_DIALOG = playwright_tool(
    "browser_handle_dialog", "Answer the open dialog.", BrowserHandleDialog, act
)


class BrowserResize(PlaywrightAction, frozen=True, kw_only=True):
    """Arguments of `browser_resize`."""

    width: Annotated[int, Meta(ge=1)]
    height: Annotated[int, Meta(ge=1)]

    def request(self, _refs: Sequence[str], /) -> Emulate:
        return Emulate((self.width, self.height), scale=0)


RESIZE = playwright_tool(
    "browser_resize", "Resize the visible area of the page.", BrowserResize, act
)


class BrowserEmulateMedia(PlaywrightAction, frozen=True, kw_only=True):
    """Arguments of `browser_emulate_media`; of that only the colours are emulated here."""

    color_scheme: Literal["light", "dark"] | None = None
    reduced_motion: Literal["reduce", "no-preference"] | None = None
    forced_colors: Literal["active", "none"] | None = None
    contrast: Literal["more", "no-preference"] | None = None
    media: Literal["screen", "print"] | None = None

    def request(self, _refs: Sequence[str], /) -> Emulate:
        if any((self.reduced_motion, self.forced_colors, self.contrast, self.media)):
            raise BadInput("Only colorScheme is emulated here.", advice="Omit the other arguments.")
        return Emulate(dark=self.color_scheme == "dark")


EMULATE_MEDIA = playwright_tool(
    "browser_emulate_media", "Emulate a light or dark color scheme.", BrowserEmulateMedia, act
)
