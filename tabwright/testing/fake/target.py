"""A page of the fake browser: its document, its loading, its scripts."""

import json
import re
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

import attrs
import trio

from tabwright.testing.fake.document import FakeDocument, Handle
from tabwright.testing.fake.site import FakeBarrier, FakeControl, FakePage, FakeSite, asks_ai_mode

_NAME = re.compile(r"^(?:async )?function (\w+)", re.MULTILINE)

BLANK = FakePage(status=0, mime_type="")


@attrs.define(eq=False)
class FakeTarget:
    """One target: a page, or a frame in a process of its own.

    Attributes:
        id: also the id of its main frame, as in Chromium.
        parent: of a frame the target around it.
        opener: the page that has opened it; None for nobody.
        session_id: of the one session that may be attached; empty while none is.
        loader_id: the document's.
        crashed: whether its renderer is dead: then nothing but its closing is answered.
        hangs: whether its renderer waits for good, which answers nothing either.
        leads_to: where a script has led it, which is not there yet; empty for nowhere.
        held_url: where it goes once it is told to run; empty if it is not held.
        attaches_frames: whether its frames are attached as they come.
        visible: whether a person could see it.
        parsed: whether its document is; before that it shows nothing.
        loading: cancelled to stop a load.
        storage: what the pages of its context keep, by origin.
        arrival_scripts: what runs in each new document, by the id of the script.
        world: the id of our isolated world in the document.
        document: what is acted on.
        dialog: the one that is open; None for none.
        blocked: what goes on once it is answered.
    """

    id: str
    context_id: str | None
    site: FakeSite
    session_id: str = ""
    loader_id: str = ""
    url: str = "about:blank"
    page: FakePage = BLANK
    crashed: bool = False
    hangs: bool = False
    parent: "FakeTarget | None" = None
    opener: "FakeTarget | None" = None
    leads_to: str = ""
    held_url: str = ""
    attaches_frames: bool = False
    visible: bool = False
    parsed: bool = True
    loading: trio.CancelScope = attrs.field(factory=trio.CancelScope)
    storage: dict[str, dict[str, str]] = attrs.field(factory=dict[str, dict[str, str]])
    arrival_scripts: dict[str, str] = attrs.field(factory=dict[str, str])
    world: int = 2
    document: FakeDocument = attrs.field(factory=lambda: FakeDocument("about:blank", BLANK))
    dialog: FakeControl | None = None
    blocked: list[Callable[[], None]] = attrs.field(factory=list[Callable[[], None]])
    _questions: list[str] = attrs.field(factory=list[str])
    _asked_at_s: float = 0.0
    _typed: str = ""

    def commit(self, url: str, loader_id: str) -> None:
        """A new document is here."""
        self.url, self.loader_id, self.page = url, loader_id, self.site.page(url)
        self.world += 1
        self.document = FakeDocument(url, self.page)
        for script in self.arrival_scripts.values():
            self._restore(script)
        self._stored.update({**self.page.stores, **self._stored})
        question = asks_ai_mode(url)
        self._questions = [question] if question else []
        self._asked_at_s = trio.current_time()

    def type(self, text: str) -> None:
        """Text goes into the focused field."""
        if not self.document.insert(text):
            self._typed += text

    def press_enter(self) -> None:
        """Submits what was typed, as the next question of an AI Mode page."""
        if self._typed and self._questions:
            self._questions.append(self._typed)
            self._asked_at_s = trio.current_time()
        self._typed = ""

    def call(self, function: str, values: Sequence[object] = ()) -> object:
        """What one of our page scripts would answer here, called with these values.

        Raises:
            LookupError: it is none of the scripts that the fake knows.
            Later: it takes its time.
        """
        named = _NAME.search(function)
        match named and named[1], values:
            case "install", (int(number),):
                return self.document.install(number)
            case "hold", ("hold", int(number)):
                return Handle(number)
            case "number", ():
                return self.document.number
            case "call", (str(name), *given):
                return self.document.answer(name, given)
            case str(name), _:
                return self._read(name, tuple(map(str, values)))
            case _:
                raise LookupError(function)

    def _read(self, name: str, values: Sequence[str]) -> str:
        match name:
            case "readSource":
                return json.dumps(self._source())
            case "look" | "readStorage":
                return json.dumps(self._look() if name == "look" else self._kept())
            case "submit" | "submitForm":
                self.leads_to = self.page.forms.get(values[1 if name == "submitForm" else 0], "")
                is_there = self.leads_to or values[0] == self.url
                return "submitted" if is_there else "missing"
            case "compose":
                return "ready" if self._questions else "missing"
            case "stop" | "ask":  # "ask" where links lead: nobody is there to answer
                return "quiet"
            case "consent" if self._barrier:
                return self._barrier.answer(*values)
            case _:
                raise LookupError(name)

    def _source(self) -> object:
        html = self.page.shown(self._age_s, visible=self.visible) if self.parsed else ""
        return {"url": self.url, "html": html, "cut": False, "frames": []}

    def _kept(self) -> object:
        return {"origin": self._origin, "localStorage": list(self._stored.items())}

    @property
    def _origin(self) -> str:
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def _stored(self) -> dict[str, str]:
        return self.storage.setdefault(self._origin, {})

    def _restore(self, script: str) -> None:
        """Runs the script of `tabwright.page.dom_scripts`."""
        for origin, items in json.loads(script.split("\n")[-2]):
            if origin == self._origin and not self._stored:
                self._stored.update(items)

    @property
    def _age_s(self) -> float:
        return trio.current_time() - self._asked_at_s

    @property
    def _barrier(self) -> FakeBarrier | None:
        """What stands before the answer of this page; None where the way is free."""
        barrier = self.site.barrier
        return barrier if barrier and self._questions and not barrier.lifted else None

    def _look(self) -> object:
        if barrier := self._barrier:
            barrier.work(self._age_s, visible=self.visible)
            if barrier.lifted:
                self._asked_at_s = trio.current_time()
            return barrier.look(self.url)
        if not self._questions:
            return {"url": self.url, "text": self.page.html}
        turns = len(self._questions)
        return self.site.answer.look(self._questions[-1], self.url, self._age_s, turns)
