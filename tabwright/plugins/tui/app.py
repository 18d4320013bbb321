"""The terminal browser: tabs, keys and commands for pages from a server."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import ClassVar

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widgets import Static
from textual.worker import WorkType

from tabwright.plugins.tui.commands import (
    completed,
    details_page,
    help_page,
    links_page,
    number_in,
    read_command,
    start_page,
    with_scheme,
)
from tabwright.plugins.tui.dialogs import Chosen, InputLine, Lines, OneOf, Prompt, SomeOf
from tabwright.plugins.tui.layout import links_of, typeset
from tabwright.plugins.tui.outline import TYPED, PageControl
from tabwright.plugins.tui.page import (
    SECRET,
    SENDS,
    BrowsedPage,
    FieldName,
    FieldValue,
    PageDialog,
    field_of,
    ticked,
    value_of,
    values_of,
)
from tabwright.plugins.tui.page_view import PageView, TypedNumber, follow_window, line_of_anchor
from tabwright.plugins.tui.replies import TerminalError
from tabwright.plugins.tui.server import ServerProcess
from tabwright.plugins.tui.status import People, Status, message_lines_max, status_text
from tabwright.plugins.tui.tabs import BrowserTab, HistoryEntry, PageLoader, Tabs, tabs_line
from tabwright.plugins.tui.web import ASK
from tabwright.protocol.snapshot import Field, Option, PageLink
from tabwright.text.lines import strip_invisible

SESSION = "tui"
CLOCK_S = 0.25
"""The refresh interval of the status line during a load, in seconds."""

STARTING = "starting the server"

DIGITS_S = 0.8
"""The time after which a link number that could have more digits is complete, in seconds."""

COMMAND, FIND = ":", "/"
BLANK = BrowsedPage("", "", "")


class TerminalBrowser(App[int]):
    """The Textual app. Esc stops loading; q quits."""

    CSS = """
    Screen { layers: page; background: ansi_default; color: ansi_default; }
    #tabs { height: 1; }
    #page { height: 1fr; background: ansi_default; color: ansi_default; scrollbar-size: 1 1; }
    #status { height: auto; text-wrap: nowrap; text-style: reverse; }
    #entry { height: 1; }
    #before { width: auto; max-width: 50%; text-wrap: nowrap; text-overflow: ellipsis; }
    #line { width: 1fr; background: ansi_default; color: ansi_default; }
    OneOf, SomeOf, Lines { align: center middle; background: transparent; }
    OneOf Label, SomeOf Label, Lines Label { max-width: 80%; max-height: 40%; }
    OptionList, SelectionList, TextArea { width: 80%; height: auto; max-height: 60%; }
    TextArea { height: 10; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "end", show=False, priority=True)]

    def __init__(self, server: ServerProcess, urls: Sequence[str], session: str) -> None:
        super().__init__(ansi_color=True)
        self.server = server
        self._urls = urls
        self._keeps = bool(session)
        self._tabs = Tabs(server, session or SESSION)
        self._loads = PageLoader(self, self)
        self._people = People(server, self._say, self.draw)
        self._number = TypedNumber()
        self._digits_timer: Timer | None = None
        self._take_typed: Callable[[str], None] | None = None
        self._leave_typed: Callable[[], None] | None = None
        self._asked_of: BrowsedPage | None = None
        self.draws_pictures = True
        self._shown: HistoryEntry | None = None

    # What stands on the screen.

    def compose(self) -> ComposeResult:
        """Create the widgets, from top to bottom."""
        yield Static(id="tabs")
        yield PageView()
        yield Static(id="status")
        yield Prompt()

    def on_mount(self) -> None:
        """Open the requested pages."""
        follow_window(self)
        self.draws_pictures = not self.no_color and self.console.color_system is not None
        for url in self._urls or [""]:
            self._add_tab(url)
        self.set_interval(CLOCK_S, self._draw_clock)
        self._in_background(partial(self._people.poll, self._is_in_use))
        self.view.focus()

    @property
    def view(self) -> PageView:
        """The page view."""
        return self.query_one(PageView)

    @property
    def entry(self) -> Prompt:
        """The prompt."""
        return self.query_one(Prompt)

    @property
    def tab(self) -> BrowserTab:
        """The current tab."""
        return self._tabs.current

    @property
    def current(self) -> HistoryEntry | None:
        """The current history entry."""
        return self.tab.history.entry

    def on_resize(self) -> None:
        """Lay out the page for the new width."""
        self._set()

    def _in_background(
        self, work: WorkType[None], *, group: str = "default", exclusive: bool = False
    ) -> None:
        """Run work in the background; an unexpected error in it ends the program."""
        self.run_worker(work, group=group, exclusive=exclusive, exit_on_error=True)

    def _open(self, tab: BrowserTab, url: str) -> None:
        self._loads.begin(tab, url, lambda: tab.web.open(url, reader=tab.reader))

    # What is shown.

    def leave(self, tab: BrowserTab) -> None:
        """Record the line at which a page is left."""
        if tab is self.tab and self.current is not None and self.current is self._shown:
            self.current.line = self.view.top

    def show(self, tab: BrowserTab) -> None:
        """Show the page of a tab, if it is the current one."""
        if tab is self.tab:
            self._set()

    def _set(self) -> None:
        """Lay out the current page in the background, and show it."""
        self._in_background(self._typeset, group="sheet", exclusive=True)

    async def _typeset(self) -> None:
        current, view = self.current, self.view
        page = current.page if current else start_page(self.tab.loading)
        filled = dict(current.filled) if current else {}
        pictures = current.pictures if current and self.draws_pictures else None
        width = self.size.width - 1
        if current is None:  # short, and to be seen in the first frame
            sheet = typeset(page, width)
        else:
            sheet = await asyncio.to_thread(typeset, page, width, filled, pictures)
        if current is not None and current is self._shown:
            view.show_anew(sheet)
        else:
            view.show(sheet, current.line if current else 0)
        self._shown = current
        self.draw()
        if page.dialog is not None and page is not self._asked_of:
            self._asked_of = page
            self._ask_dialog(page.dialog)

    def draw(self) -> None:
        """Draw the lines above and below the page."""
        width = self.size.width
        bar = self.query_one("#tabs", Static)
        bar.display = len(self._tabs.all) > 1
        bar.update(tabs_line(self._tabs, width))
        tab, view = self.tab, self.view
        bottom = view.top + view.size.height
        lines = max(len(view.sheet.lines), 1)
        target = view.spot.target if view.spot else None
        link = target.url if isinstance(target, (PageLink, PageControl)) else ""
        status = Status(
            page=self.current.page if self.current else None,
            place=min(100 * bottom // lines, 100),
            message=tab.message,
            link=link,
            loading=tab.loading,
            step=tab.step or ("" if self.server.is_ready else STARTING),
            since_s=asyncio.get_running_loop().time() - tab.began_s,
            waiting=self._people.waiting,
        )
        self.query_one("#status", Static).update(
            status_text(status, width, message_lines_max(self.size.height))
        )

    def _draw_clock(self) -> None:
        if self.tab.loading:
            self.draw()

    def _say(self, message: str) -> None:
        self.tab.message = message
        self.draw()

    # Tabs.

    def _add_tab(self, url: str = "") -> None:
        tab = self._tabs.add(self._show_progress)
        if url:
            self._open(tab, with_scheme(url))

    def _show_progress(self, tab: BrowserTab, step: str) -> None:
        tab.step = step
        self.draw()

    def action_turn_to(self, number: int) -> None:
        """Switch to the tab of that number, counted from 1; 0 is the last."""
        if number <= len(self._tabs.all):
            self.leave(self.tab)
            self._tabs.turn_to(number - 1)
            self._set()

    def action_next_tab(self, step: int) -> None:
        """Switch to another tab."""
        self.leave(self.tab)
        self._tabs.step(step)
        self._set()

    def action_new_tab(self) -> None:
        """Open a new tab, and prompt for its URL."""
        self._add_tab()
        self.action_turn_to(0)
        self.action_type(COMMAND, "open ")

    def action_close_tab(self) -> None:
        """Close the tab and its session; the last tab cannot be closed."""
        if len(self._tabs.all) == 1:
            self._say("This is the last tab; q quits.")
            return
        tab = self._tabs.close()
        self._loads.stop(tab)
        self._in_background(partial(self._loads.close, tab, self.tab))
        self._set()

    # Moving about.

    def on_page_view_moved(self) -> None:
        """Clear the message after the user moved."""
        self.tab.message = ""
        self.draw()

    def action_find_next(self, step: int) -> None:
        """Go to the next match of the search."""
        self._say(self.view.find_next(step) or "Search for text with / first.")

    def action_step(self, step: int) -> None:
        """Go back or forward, to the line at which the page was left."""
        self.leave(self.tab)
        if self.tab.history.step(step):
            self.tab.message = ""
            self._set()
        else:
            self._say("There is no earlier page." if step < 0 else "There is no later page.")

    def action_refresh_page(self) -> None:
        """Reload the page."""
        current, tab = self.current, self.tab
        if current is None or current.page.is_answer:
            self._say("There is no page to reload.")
            return
        page, url, reader = current.page, current.page.url, tab.reader
        if page.is_live:
            self._loads.begin(tab, url, lambda: tab.web.reload_controls(page), again=True)
            return
        self._loads.begin(tab, url, lambda: tab.web.open(url, reader=reader), again=True)

    def action_reader(self) -> None:
        """Toggle reader mode."""
        self.tab.reader = not self.tab.reader
        self.action_refresh_page()

    def action_images(self) -> None:
        """Toggle pictures."""
        self.draws_pictures = not self.draws_pictures
        self._set()
        if self.draws_pictures and self.current and not self.current.pictures:
            pictures = partial(self._loads.get_pictures, self.tab, self.current.page)
            self._in_background(pictures)

    def action_stop(self) -> None:
        """Stop loading, and clear the focus."""
        self._loads.stop(self.tab)
        stopped = bool(self.tab.loading)
        self._number.end()
        self.view.focused = None
        self._say("Stopped." if stopped else "")

    async def action_end(self) -> None:
        """Quit the program."""
        if self._keeps:
            with suppress(TerminalError):
                await self._tabs.all[0].web.keep()
        self.exit(0)

    # Links and fields.

    def action_use(self) -> None:
        """Follow the focused link, or use the focused field."""
        match self.view.spot.target if self.view.spot else None:
            case PageLink() as link:
                self._follow(link)
            case FieldName() as name:
                if self.current is not None:
                    page, filled = self.current.page, self.current.filled
                    field = field_of(page, name)
                    if field is None or field.type in SENDS:
                        self._submit(name.form)
                    elif field.type in {"checkbox", "radio"}:
                        self._fill(ticked(page, name, field, filled))
                    else:
                        value = value_of(name, field, filled)
                        self._ask_value(field, value, lambda chosen: self._fill({name: chosen}))
            case PageControl() as control:
                self._use(control)
            case None:
                self._say("Nothing is focused; Tab moves to a link or a field.")

    def action_digit(self, digit: str) -> None:
        """Add a digit to a link's number."""
        if self._digits_timer:
            self._digits_timer.stop()
        last = max((link.number for link in self._links()), default=0)
        number = self._number.take(digit, last)
        if number is not None:
            self._follow_number(number)
        else:
            self._say(f"Link {self._number}…")
            self._digits_timer = self.set_timer(DIGITS_S, self._follow_typed)

    def _follow_typed(self) -> None:
        number = self._number.end()
        if number is not None:
            self._follow_number(number)

    def _follow_number(self, number: int) -> None:
        for link in self._links():
            if link.number == number:
                self._follow(link)
                return
        self._say(f"There is no link {number}.")

    def _links(self) -> Sequence[PageLink]:
        return links_of(self.current.page) if self.current else ()

    def _follow(self, link: PageLink) -> None:
        line = line_of_anchor(self.current.page, self.view.sheet, link) if self.current else None
        if line is None:
            self._open(self.tab, link.url)
        else:
            self.view.go_to(line)
            self.draw()

    def _ask_value(
        self, field: Field, value: FieldValue, use: Callable[[FieldValue], None]
    ) -> None:
        """Prompt for the value of a field."""

        def take(chosen: Chosen) -> None:
            """Use the chosen value, if the dialog was not cancelled."""
            if chosen is not None:
                use(chosen)

        if field.multiple:
            self.push_screen(SomeOf(field, value), take)
        elif field.options:
            self.push_screen(OneOf(field), take)
        elif field.type == "textarea":
            self.push_screen(Lines(field, value), take)
        else:
            label = strip_invisible(field.label or field.name)
            self._ask_line(label, str(value), use, secret=field.type == SECRET)

    def _ask_line(
        self,
        label: str,
        value: str,
        use: Callable[[str], None],
        *,
        leave: Callable[[], None] | None = None,
        secret: bool = False,
    ) -> None:
        self._take_typed, self._leave_typed = use, leave
        self.entry.begin(f"{label} = ", value, secret=secret)

    # Controls of a page that is open in its tab.

    def action_controls(self) -> None:
        """Toggle between the page's controls and its text."""
        current, tab = self.current, self.tab
        if current is None or current.page.is_answer:
            self._say("There is no page to use.")
            return
        page = current.page
        change = tab.web.text if page.is_live else tab.web.controls
        self._loads.begin(tab, page.url, lambda: change(page), again=True)

    def _use(self, control: PageControl) -> None:
        """Click a control, or prompt for its value."""
        if self.tab.loading:
            self._say("The page is loading. Wait, or press Esc to stop it.")
        elif "disabled" in control.states:
            self._say(f"{control.label} is disabled.")
        elif control.role == "file":
            self._say("Files cannot be chosen in the terminal browser.")
        elif control.has_options or control.role in TYPED:
            self._in_background(partial(self._ask_control, control), group="field", exclusive=True)
        else:
            self._act("click", ref=control.ref)

    async def _ask_control(self, control: PageControl) -> None:
        current, tab = self.current, self.tab
        if current is None:
            return
        try:
            field = await tab.web.field(current.page, control)
        except TerminalError as error:
            self._say(str(error))
            return
        if current is not self.current:
            return

        def use(value: FieldValue) -> None:
            """Set the value in the page."""
            if field.options:
                values = list(value) if isinstance(value, tuple) else [value]
                self._act("select", ref=control.ref, values=values)
            else:
                self._act("type", ref=control.ref, text=value, literal=True)

        chosen = tuple(one.value for one in field.options if one.selected)
        self._ask_value(field, chosen if field.multiple else field.value, use)

    def _act(self, tool: str, **arguments: object) -> None:
        """Use a control of the page, and show the resulting page."""
        current, tab = self.current, self.tab
        if current is not None:
            page = current.page
            self._loads.begin(tab, page.url, lambda: tab.web.act(page, tool, **arguments))

    def _ask_dialog(self, dialog: PageDialog) -> None:
        """Prompt for the answer to a dialog of the page; cancelling means Cancel."""
        if dialog.kind == "prompt":
            self._ask_line(
                strip_invisible(dialog.message),
                dialog.preset,
                lambda text: self._act("dialog", accept=True, text=text),
                leave=lambda: self._act("dialog", accept=False),
            )
            return
        answers = ("OK",) if dialog.kind == "alert" else ("OK", "Cancel")
        field = Field(
            dialog.kind,
            "select",
            label=f"{dialog.kind}: {dialog.message}",
            options=tuple(Option(answer, answer) for answer in answers),
        )

        def take(chosen: Chosen) -> None:
            """Send the answer."""
            self._act("dialog", accept=chosen == "OK" or dialog.kind == "alert")

        self.push_screen(OneOf(field), take)

    def _press(self, keys: str) -> None:
        target = self.view.spot.target if self.view.spot else None
        if isinstance(target, PageControl):
            self._act("press", ref=target.ref, keys=keys)
        else:
            self._say("No control is focused. Press c, then Tab.")

    def _fill(self, values: Mapping[FieldName, FieldValue]) -> None:
        if self.current is not None:
            self.current.filled.update(values)
            self._set()

    def _submit(self, number: int) -> None:
        tab, current = self.tab, self.current
        forms = [form for form in current.page.forms if form.index == number] if current else []
        if not forms or current is None:
            self._say(f"There is no form {number + 1}.")
            return
        form, page, values = forms[0], current.page, values_of(forms[0], current.filled)
        self._loads.begin(tab, form.action, lambda: tab.web.submit(page, form, values))

    # What is typed.

    def action_type(self, before: str, text: str = "") -> None:
        """Prompt for a command or a search."""
        complete = self._completions if before == COMMAND else None
        self._leave_typed = None
        self.entry.begin(before, text, complete)

    def _completions(self, line: str) -> Sequence[str]:
        urls = [link.url for link in self._links()]
        return completed(line, self.entry.typed(COMMAND), urls)

    def on_input_line_early(self, early: InputLine.Early) -> None:
        """Pass a key to the focused widget."""
        self.post_message(events.Key(early.key, early.character))

    def on_input_line_left(self) -> None:
        """Close the prompt."""
        leave, self._leave_typed = self._leave_typed, None
        self.entry.end()
        if leave is not None:
            leave()

    async def on_prompt_typed(self, typed: Prompt.Typed) -> None:
        """Execute the typed line."""
        self.entry.end()
        if typed.before == COMMAND:
            if typed.text.strip():
                await self._command(typed.text)
        elif typed.before == FIND:
            count = self.view.find(typed.text)
            self._say(f"{count} found; n: next." if count else f"{typed.text} not found.")
        elif self._take_typed is not None:
            self._leave_typed = None
            self._take_typed(typed.text)

    async def _command(self, line: str) -> None:
        try:
            command = read_command(line)
        except TerminalError as error:
            self._say(str(error))
            return
        if command.action:
            await self.run_action(command.action)
        else:
            tab, words = self.tab, command.words
            match command.name:
                case "follow":
                    self._follow_number(number_in(words) or 0)
                case "open":
                    self._open(tab, with_scheme(words))
                case "tab":
                    self._add_tab(words)
                    self.action_turn_to(0)
                case "ask" | "new":
                    follow_up = command.name == "ask"
                    # Asks, in the thread that the tab shows if it shows one.
                    shown = self.current.page if self.current else BLANK
                    goes_on = follow_up and shown.url.startswith(ASK)
                    self._loads.begin(tab, words, lambda: tab.web.ask(words, follow_up=goes_on))
                case "search":
                    self._loads.begin(tab, words, lambda: tab.web.search(words))
                case "press":
                    self._press(words)
                case "submit":
                    self._submit((number_in(words) or 1) - 1)
                case _:
                    self._say(f":{command.name} takes no argument.")

    def _show_page(self, page: BrowsedPage) -> None:
        """Show a built-in page."""
        self.leave(self.tab)
        self.tab.message = ""
        self.tab.history.go(page)
        self._set()

    def action_show_links(self) -> None:
        """Show the links of the page."""
        if self.current is not None:
            self._show_page(links_page(self.current.page, self._links()))

    def action_go_to_form(self) -> None:
        """Focus the first field of the first form."""
        for spot in self.view.sheet.spots:
            if isinstance(spot.target, FieldName):
                self.view.focus_on(spot.target)
                self.draw()
                return
        self._say("The page has no form.")

    def action_details(self) -> None:
        """Show the full texts that the status line may have cut."""
        target = self.view.spot.target if self.view.spot else None
        page = self.current.page if self.current else BLANK
        details = {
            "Message": self.tab.message or page.notice,
            "Loading": f"{self.tab.loading} {self.tab.step}".strip(),
            "Focused link": target.url if isinstance(target, (PageLink, PageControl)) else "",
            "Title": page.title,
            "URL": page.url,
        }
        self._show_page(details_page(details))

    def action_help(self) -> None:
        """Show keys and commands."""
        self._show_page(help_page())

    def action_person(self) -> None:
        """Open the window of the oldest intervention."""
        self._in_background(self._people.open_first)

    def _is_in_use(self) -> bool:
        return any(tab.history.entry or tab.loading for tab in self._tabs.all)
