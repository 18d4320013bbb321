"""The web of the fake browser: pages by URL, streamed answers, and documents with controls."""

import json
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Literal
from urllib.parse import urlsplit

import attrs
import msgspec

from tabwright.protocol.errors import BadInput
from tabwright.search.ai_mode.google_urls import read_ai_mode_url

NEVER = object()
"""The value of a promise that is never settled."""


@attrs.frozen
class OpenedPage:
    """The result of a script that opens a pop-up at this URL."""

    url: str


@attrs.frozen
class AddedFrame:
    """The result of a script that adds a frame of another site, in a separate process."""

    url: str


@attrs.define(eq=False)
class FakeBarrier:
    """A CAPTCHA or consent page before the answers of AI Mode, or before a page.

    Attributes:
        kind: a CAPTCHA is solved by a person at a window, a consent page by declining.
        solved_after_s: how long a person takes after it is shown; None never solves it.
        lifted: whether it is gone for good.
        in_view: whether the person sees it without a window, too, in the live view.
    """

    kind: Literal["captcha", "consent"]
    solved_after_s: float | None = None
    lifted: bool = False
    in_view: bool = False

    def page_state(self, url: str) -> Mapping[str, object]:
        """Return its state as the page script returns it."""
        if self.kind == "consent":
            return {"url": f"https://consent.google.com/ml?continue={url}", "consent": True}
        return {"url": f"https://www.google.com/sorry/index?continue={url}", "captcha": True}

    def work(self, shown_s: float, *, visible: bool) -> None:
        """Let a person solve it who has seen it for `shown_s` seconds."""
        is_seen = (visible or self.in_view) and self.solved_after_s is not None
        if is_seen and shown_s >= (self.solved_after_s or 0):
            self.lifted = True

    def answer(self, choice: str) -> str:
        """Return the result of the consent script."""
        if self.kind != "consent":
            return "missing"
        self.lifted = choice == "reject"
        return "answered"


@attrs.frozen
class FakeDialog:
    """A dialog that a page opens, for example ``confirm``."""

    kind: Literal["alert", "confirm", "prompt"]
    message: str


@attrs.frozen
class FakeControl:
    """A control, and the effect of a click on it.

    Attributes:
        role: ``textbox`` for text fields.
        asks: the dialog that it opens first; the other effects require accepting it.
        shows: a text that appears.
        leads_to: the URL that it navigates to; empty for none.
        opens: the URL of a pop-up; empty for none.
    """

    name: str
    role: Literal["button", "link", "textbox"] = "button"
    asks: FakeDialog | None = None
    shows: str = ""
    leads_to: str = ""
    opens: str = ""


@attrs.frozen
class FakePage:
    """An ordinary page.

    Attributes:
        html: the outer HTML of its document.
        static_html: the HTML of its server, if scripts change it.
        status: the HTTP status.
        headers: of its response.
        error: why it cannot be reached: ``net::ERR_CONNECTION_REFUSED``.
        values: results of the page's scripts: expression to JSON value, `NEVER`, `OpenedPage` or
            `AddedFrame`.
        load_s: the seconds from the request to the parsed document.
        sizes: the bytes of each part of the body, in order of arrival.
        stores: initial values that its scripts put into ``localStorage``.
        forms: the targets of its forms, by selector, or by their position on the page.
        says: its texts, for actions.
        controls: its controls, below the texts.
        barrier: a barrier before it; the page shows `barrier_html` until it is lifted.
    """

    html: str = "<html><head><title></title></head><body></body></html>"
    status: int = 200
    mime_type: str = "text/html"
    headers: Mapping[str, str] = attrs.field(factory=dict[str, str])
    error: str = ""
    values: Mapping[str, object] = attrs.field(factory=dict[str, object])
    load_s: float = 0.05
    sizes: tuple[int, ...] = (1000,)
    stores: Mapping[str, str] = attrs.field(factory=dict[str, str])
    forms: Mapping[str, str] = attrs.field(factory=dict[str, str])
    says: tuple[str, ...] = ()
    controls: tuple[FakeControl, ...] = ()
    barrier: FakeBarrier | None = None
    barrier_html: str = "<html><body>Are you a robot?</body></html>"
    static_html: str | None = None

    @property
    def title(self) -> str:
        """The title of its document."""
        return self.html.partition("<title>")[2].partition("</title>")[0]

    def shown(self, age_s: float, *, visible: bool) -> str:
        """Return the page's state after it was shown for `age_s` seconds."""
        if self.barrier is None:
            return self.html
        self.barrier.work(age_s, visible=visible)
        return self.html if self.barrier.lifted else self.barrier_html


@attrs.frozen
class FakeAnswer:
    """An answer of Google AI Mode that is streamed paragraph by paragraph.

    Attributes:
        paragraphs: its text, one block each.
        sources: title and URL of each source; they appear at the end.
        step_s: the seconds between two paragraphs.
    """

    paragraphs: tuple[str, ...]
    sources: tuple[tuple[str, str], ...] = ()
    step_s: float = 0.5

    def page_state(self, query: str, url: str, age_s: float, turns: int) -> Mapping[str, object]:
        """Return its state as the page script returns it after `age_s` seconds."""
        shown = min(len(self.paragraphs), int(age_s / self.step_s))
        complete = shown == len(self.paragraphs)
        cards = [
            {"href": url, "label": f"{title}. Opens in new tab.", "units": [title]}
            for title, url in self.sources
        ]
        return {
            "url": url,
            "shell": True,
            "announcements": turns if complete else turns - 1,
            "stop": "hidden" if complete else "shown",
            "streams": turns if complete else turns - 1,
            "turns": turns,
            "turn": {
                "identity": f"turn {turns}",
                "query": query,
                "column": [
                    {"kind": "box", "kids": [{"kind": "text", "text": text}]}
                    for text in self.paragraphs[:shown]
                ],
                "cards": cards if complete else [],
                "aside": bool(self.sources),
                "complete": complete,
                "actions": complete,
                "loading": not shown,
            },
        }


@attrs.frozen
class FakeSite:
    """The web of a fake browser.

    Attributes:
        pages: by URL; every other URL returns status 404.
        answer: the answer of AI Mode to any question.
        barrier: the barrier before it.
        outages: the errors of the next visits to it, one each, for example
            ``net::ERR_CONNECTION_RESET``.
        visits: time on trio's clock and URL of each visit.
    """

    pages: MutableMapping[str, FakePage] = attrs.field(factory=dict[str, FakePage])
    answer: FakeAnswer = FakeAnswer(paragraphs=("An answer.",))
    barrier: FakeBarrier | None = None
    outages: list[str] = attrs.field(factory=list[str])
    visits: list[tuple[float, str]] = attrs.field(factory=list[tuple[float, str]])

    def page(self, url: str) -> FakePage:
        """The page at a URL, visited."""
        if asks_ai_mode(url):
            return FakePage(error=self.outages.pop(0) if self.outages else "")
        return self.pages.get(url, FakePage(status=404))


def asks_ai_mode(url: str) -> str:
    """The question that a URL of AI Mode asks; empty for any other URL."""
    try:
        return read_ai_mode_url(url).query
    except BadInput:
        return ""


# A document of the fake browser, and the answers of the injected script in it.

ROW_PX = 30
"""Each control has a row of its own, one below the other."""

VIEW_PX = (800, 600)
FRAME_S = 1 / 60
POLL_S = 0.05

FIELDS = frozenset({"textbox", "searchbox"})


@attrs.frozen
class PendingCondition:
    """An answer that is not there yet, and how to ask for it after a while."""

    delay_s: float
    answer: Callable[[], "str | PendingCondition"]


@attrs.frozen
class Handle:
    """A handle on an object; that of an element is its number, as node of the page too."""

    id: int | str


class _FieldState(msgspec.Struct):
    """A field in the form of ``page_state.js``."""

    index: int
    value: str
    signature: str = "input text  "


class _LocatorText(msgspec.Struct):
    text: str
    exact: bool

    def rank(self, name: str) -> int:
        """Return 2 for a name that is this text, 1 for one that has it in it, and 0 for others."""
        if self.exact:
            return 2 if name == self.text else 0
        wanted, name = self.text.casefold(), name.casefold()
        return 2 if name == wanted else int(wanted in name)


class _LocatorStep(msgspec.Struct):
    """A step in the form of `tabwright.page.targets.steps_of`."""

    kind: str
    value: _LocatorText
    name: _LocatorText | None = None
    states: list[object] = []

    def rank(self, control: FakeControl) -> int:
        """Return how well a control matches; 0 for not at all."""
        match self.kind:
            case "role" if not self.states and control.role == self.value.text:
                return 2 if self.name is None else self.name.rank(control.name)
            case "text" | "label" | "words":
                return self.value.rank(control.name)
            case _:
                return 0


class _PageState(msgspec.Struct):
    fields: list[_FieldState]
    scrolled: list[object] = []


@attrs.define(eq=False)
class FakeDocument:
    """The controls of one document.

    Attributes:
        number: what our library was given when it was put there; 0 before.
        shown: the texts that its controls have brought up.
        focused_on: the number of the control that `focusOn` focused; 0 if the last call failed.
    """

    url: str
    page: FakePage
    number: int = attrs.field(default=0, init=False)
    shown: list[str] = attrs.field(factory=list[str], init=False)
    focused_on: int = attrs.field(default=0, init=False)
    _values: dict[int, str] = attrs.field(factory=dict[int, str], init=False)
    _focused: int = attrs.field(default=0, init=False)
    _selected: bool = attrs.field(default=False, init=False)
    _stirred: bool = attrs.field(default=True, init=False)
    _changes: int = attrs.field(default=0, init=False)

    def install(self, number: int) -> int:
        """Install the library unless it is installed, and return its number."""
        self.number = self.number or number
        return self.number

    def answer(self, name: str, values: Sequence[object]) -> str | PendingCondition:
        """Return the result of a library function as JSON.

        Raises:
            LookupError: the fake does not know the function.
        """
        match name, values:
            case "quiet", _:
                return PendingCondition(2 * FRAME_S, lambda: "true")
            case "changed", (int() | float() as ms,):
                return self._changed(self._changes, ms / 1000)
            case _:
                return json.dumps(self._answer(name, values))

    def _answer(self, name: str, values: Sequence[object]) -> object:  # noqa: C901, PLR0911, PLR0912  (a case a function)
        match name, values:
            case "place", _:
                return {"url": self.url, "title": self.page.title}
            case "listed", _:
                controls = list(map(self._control, range(1, len(self.page.controls) + 1)))
                parts = [*self.page.says, *controls, *self.shown]
                return {
                    "url": self.url,
                    "title": self.page.title,
                    "top": 0,
                    "height": VIEW_PX[1],
                    "viewport": VIEW_PX,
                    "lines": [{"depth": 0, "kind": "", "parts": [part]} for part in parts],
                }
            case "ready", (int(number), *_):
                return self._ready(number)
            case "located", (steps,):
                found = self._located(msgspec.convert(steps, list[_LocatorStep]))
                matches = [{"ref": number, "what": self._what(number)} for number in found]
                return {"count": len(found), "matches": matches}
            case "checked", _:
                return {}
            case "frames", _:
                return []
            case "shows", (options,):
                return self._shows(msgspec.convert(options, _PlaywrightCondition))
            case "disarm", _:
                return {}
            case "unsent", _:
                return ""
            case "focusOn", (int(number), options):
                return self._focus_on(number, msgspec.convert(options, dict[str, bool]))
            case "held", (int(number), str(text), options):
                append = msgspec.convert(options, dict[str, bool])["append"]
                value = self._values.get(number, "")
                same = value.endswith(text) if append else value == text
                return {"same": same, "taken": True, "value": value, "length": len(value)}
            case "stirred", _:
                stirred, self._stirred = self._stirred, False
                return stirred
            case _:
                raise LookupError(name)

    def press(self, y: float) -> FakeControl | None:
        """The mouse presses at that height: what is there gets the focus; None for nothing."""
        row = int(y // ROW_PX)
        if not 0 <= row < len(self.page.controls):
            return None
        self._focused, self._selected = row + 1, False
        return self.page.controls[row]

    def show(self, text: str) -> None:
        """Something new is there."""
        self.shown.append(text)
        self._stir()

    def insert(self, text: str) -> bool:
        """Text goes into the field that has the focus; False where none has it."""
        if not self._focused or self.page.controls[self._focused - 1].role not in FIELDS:
            return False
        before = "" if self._selected else self._values.get(self._focused, "")
        self._values[self._focused] = before + text
        self._selected = False
        self._stir()
        return True

    def state(self, wanted: str) -> str:
        """Return the values of the fields, or restore them."""
        if wanted:
            fields = msgspec.json.decode(wanted, type=_PageState).fields
            self._values.update({one.index: one.value for one in fields})
            self._stir()
        kept = _PageState([_FieldState(*one) for one in self._values.items()])
        values = msgspec.json.encode(kept).decode()
        return json.dumps({"webStorage": values, "url": self.url, "lost": []})

    def _stir(self) -> None:
        self._stirred = True
        self._changes += 1

    def _control(self, number: int) -> Mapping[str, object]:
        control = self.page.controls[number - 1]
        return {
            "ref": number,
            "role": control.role,
            "name": control.name,
            "value": self._values.get(number, ""),
            "states": ["focused"] if number == self._focused else [],
            "url": urlsplit(control.leads_to).path if control.role == "link" else "",
        }

    def _located(self, steps: Sequence[_LocatorStep]) -> Sequence[int]:
        """Return the controls that a locator matches; partial matches only without whole ones."""
        found: Sequence[int] = range(1, len(self.page.controls) + 1)
        for step in steps:
            if step.kind == "nth":
                place = int(step.value.text)
                found = found[place : place + 1 or None]
                continue
            ranks = {number: step.rank(self.page.controls[number - 1]) for number in found}
            best = max(ranks.values(), default=0)
            found = [number for number, rank in ranks.items() if rank and rank == best]
        return found

    def _ready(self, number: int) -> object:
        if not 1 <= number <= len(self.page.controls):
            return {"problem": "unknown"}
        top = (number - 1) * ROW_PX
        return {
            "what": self._what(number),
            "point": {"x": 50, "y": top + ROW_PX / 2},
            "box": {"x": 0, "y": top, "width": 100, "height": ROW_PX},
        }

    def _focus_on(self, number: int, options: Mapping[str, bool]) -> object:
        self.focused_on = 0
        if self.page.controls[number - 1].role not in FIELDS:
            problem = "no text field" if options["writes"] else "unfocused"
            return {"problem": problem, "detail": self._what(number)}
        self._focused, self._selected = number, not options["append"]
        self.focused_on = number
        filled = bool(self._values.get(number))
        return {"what": self._what(number), "filled": filled, "field": number}

    def _what(self, number: int) -> str:
        control = self.page.controls[number - 1]
        return f'{control.role} "{control.name}"'

    def _changed(self, before: int, left_s: float) -> str | PendingCondition:
        if left_s > 0 and self._changes == before:
            return PendingCondition(POLL_S, lambda: self._changed(before, left_s - POLL_S))
        return "true"

    def _shows(self, options: "_PlaywrightCondition") -> object:
        text = "\n".join((*self.page.says, *self.shown)).lower()
        return {
            "text": any(one.lower() in text for one in options.text),
            "gone": bool(options.gone) and options.gone.lower() in text,
            "selector": False,
        }


class _PlaywrightCondition(msgspec.Struct):
    text: tuple[str, ...] = ()
    gone: str = ""
