"""The targets of the fake browser: contexts, pages, and the sessions attached to them."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlsplit

import attrs
import trio

from tabwright.control.json_rpc import INVALID_PARAMS
from tabwright.page.frames import UNKNOWN_SESSION
from tabwright.testing.fake.link import (
    SERVER_ERROR,
    CommandRefused,
    FakeWire,
    Parameters,
    Result,
)
from tabwright.testing.fake.site import (
    FakeBarrier,
    FakeControl,
    FakeDocument,
    FakePage,
    FakeSite,
    Handle,
    asks_ai_mode,
)

# A page: its document, its loading, its scripts.

_NAME = re.compile(r"^(?:async )?function (\w+)", re.MULTILINE)

_RESTORES_STORAGE = "function restoreStorage("
"""A part of the scripts of `tabwright.page.tab_storage.restoring`."""

DEFAULT_CONTEXT = "default-context"
"""The id of the context that is always there, as targets have it."""

BLANK = FakePage(status=0, mime_type="")


@attrs.define(eq=False)
class FakeTarget:
    """One target: a page, or a frame in a process of its own.

    Attributes:
        id: also the id of its main frame, as in Chromium.
        parent: of a frame the target around it.
        opener: the page that has opened it; None for no opener.
        session_id: of the one session that may be attached; empty while none is.
        loader_id: the document's.
        crashed: whether its renderer is dead: then nothing but its closing is answered.
        hangs: whether its renderer hangs forever, and so does not respond either.
        leads_to: the URL to which a script navigates it, not loaded yet; empty for none.
        held_url: the URL that it loads once it is resumed; empty if it is not held.
        attaches_frames: whether its frames are attached as they come.
        visible: whether a person could see it.
        parsed: whether its document is; before that it shows nothing.
        loading: cancelled to stop a load.
        storage: what the pages of its context keep, by origin.
        arrival_scripts: what runs in each new document, by the id of the script.
        world: the id of our isolated world in the document.
        scripts: our scripts that the document keeps, to be called by a handle.
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
    scripts: list[str] = attrs.field(factory=list[str])
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
        self.scripts = []
        self.document = FakeDocument(url, self.page)
        for script in self.arrival_scripts.values():
            if _RESTORES_STORAGE not in script:
                continue  # nothing that the fake has depends on it
            for origin, items in json.loads(script.split("\n")[-3][:-1]):
                if origin == self._origin and not self._stored:
                    self._stored.update(items)
        self._stored.update({**self.page.stores, **self._stored})
        question = asks_ai_mode(url)
        self._questions = [question] if question else []
        self._asked_at_s = trio.current_time()

    def type(self, text: str) -> None:
        """Text goes into the focused field."""
        if not self.document.insert(text):
            self._typed += text

    def press_enter(self) -> None:
        """Submit what was typed, as the next question of an AI Mode page."""
        if self._typed and self._questions:
            self._questions.append(self._typed)
            self._asked_at_s = trio.current_time()
        self._typed = ""

    def call(self, function: str, values: Sequence[object] = ()) -> object:  # noqa: PLR0911  (a case a function)
        """Return the result of one of our page scripts for these values.

        Raises:
            LookupError: the fake does not know the script.
            Later: the script takes some time.
        """
        named = _NAME.search(function)
        match named and named[1], values:
            case "install", (int(number), _):
                return self.document.install(number)
            case "world", ():
                return Handle(self.world)
            case "isShown", ():
                return None
            case "keep", ():
                self.scripts.append(function.partition("\n")[2])
                return Handle(f"{self.world}/{len(self.scripts) - 1}")
            case "hold", ("hold", int(number)):
                return Handle(number)
            case "hold", ("root" | "focused" as what,):
                focused = self.document.focused_on
                return Handle(focused or 0) if focused or what == "root" else None
            case "origin", ():
                return "{0.scheme}://{0.netloc}".format(urlsplit(self.url))
            case "call", (str(name), *given):
                return self.document.answer(name, given)
            case str(name), _:
                return self._read(name, tuple(map(str, values)))
            case _:
                raise LookupError(function)

    def called(self, handle: str, function: str) -> tuple[int, str]:
        """Return the world of a handle, and the function that is called: it may be the handle's."""
        world, _, script = handle.partition("/")
        is_here = int(world) == self.world
        return int(world), self.scripts[int(script)] if script and is_here else function

    def _read(self, name: str, values: Sequence[str]) -> str:  # noqa: PLR0911  (a case a function)
        match name:
            case "readSource" | "contentState":
                html = self.page.shown(self._age_s, visible=self.visible) if self.parsed else ""
                state: dict[str, object] = {
                    "quiet": True,
                    "shown": 1000 * bool(html),
                    "waits": False,
                    "frames": False,
                }
                source: dict[str, object] = {
                    "url": self.url,
                    "html": html,
                    "cut": False,
                    "frames": [],
                }
                return json.dumps(source if name == "readSource" else state)
            case "listEnd":
                return "whole"
            case "readPageState" | "readStorage":
                kept = {"origin": self._origin, "localStorage": list(self._stored.items())}
                return json.dumps(self._page_state() if name == "readPageState" else kept)
            case "pageState":
                return self.document.state(*values)
            case "submit" | "submitForm":
                self.leads_to = self.page.forms.get(values[1 if name == "submitForm" else 0], "")
                is_there = self.leads_to or values[0] == self.url
                return "submitted" if is_there else "missing"
            case "compose":
                return "ready" if self._questions else "missing"
            case "stop" | "ask":  # "ask" on a linked page: there is no answer to it
                return "quiet"
            case "consent" if self._barrier:
                return self._barrier.answer(*values)
            case _:
                raise LookupError(name)

    @property
    def _origin(self) -> str:
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def _stored(self) -> dict[str, str]:
        return self.storage.setdefault(self._origin, {})

    @property
    def _age_s(self) -> float:
        return trio.current_time() - self._asked_at_s

    @property
    def _barrier(self) -> FakeBarrier | None:
        """Return the barrier before the answer of this page, if any."""
        barrier = self.site.barrier
        return barrier if barrier and self._questions and not barrier.lifted else None

    def _page_state(self) -> object:
        if barrier := self._barrier:
            barrier.work(self._age_s, visible=self.visible)
            if barrier.lifted:
                self._asked_at_s = trio.current_time()
            return barrier.page_state(self.url)
        if not self._questions:
            return {"url": self.url, "text": self.page.html}
        turns = len(self._questions)
        return self.site.answer.page_state(self._questions[-1], self.url, self._age_s, turns)


class FakeTargets:
    """The contexts and targets of one browser.

    Attributes:
        by_id: every target that is open.
        attaches_pop_ups: whether pop-ups are attached as they open.
        cookies: of each context, by domain, path and name.
        methods: what can be asked of the browser itself.
    """

    def __init__(self, wire: FakeWire, site: FakeSite, *, visible: bool) -> None:
        self.by_id: dict[str, FakeTarget] = {}
        self._name = "FakeBrowser/1.0" if visible else "HeadlessFakeBrowser/1.0"
        self.attaches_pop_ups = False
        self._wire = wire
        self._site = site
        self._visible = visible
        self._contexts: set[str] = set()
        self.cookies: dict[str | None, dict[tuple[str, str, str], Parameters]] = {}
        self._storage: dict[str | None, dict[str, dict[str, str]]] = {}
        self.methods: Mapping[str, Callable[[Parameters], Result]] = {
            "Browser.getVersion": lambda _: {
                "product": self._name,
                "userAgent": f"Mozilla/5.0 {self._name}",
                "protocolVersion": "1.3",
            },
            "Browser.setDownloadBehavior": lambda _: {},
            "Browser.close": self._close,
            "Storage.getCookies": self._get_cookies,
            "Target.getBrowserContexts": lambda _: {"browserContextIds": sorted(self._contexts)},
            "Target.getTargets": lambda _: {
                "targetInfos": [_described(target) for target in self.by_id.values()]
            },
            "Target.getTargetInfo": lambda params: {
                "targetInfo": _described(self.named_by(params))
            },
            "Target.createBrowserContext": self._create_context,
            "Target.disposeBrowserContext": self._dispose_context,
            "Target.createTarget": self._create_target,
            "Target.attachToTarget": self._attach,
            "Target.detachFromTarget": self._detach_session,
            "Target.closeTarget": self._close_target,
            "Target.setAutoAttach": self._attach_pop_ups,
        }

    def of_session(self, session_id: str) -> FakeTarget:
        """The target that a session is attached to.

        Raises:
            CommandRefused: there is none.
        """
        for target in self.by_id.values():
            if session_id and target.session_id == session_id:
                return target
        raise CommandRefused(UNKNOWN_SESSION, "Session with given id not found.")

    def add(
        self,
        context_id: str | None,
        parent: FakeTarget | None = None,
        opener: FakeTarget | None = None,
    ) -> FakeTarget:
        """A new target."""
        target = FakeTarget(
            self._wire.new_id("target"),
            context_id,
            self._site,
            parent=parent,
            opener=opener,
            visible=self._visible,
            storage=self._storage.setdefault(context_id, {}),
        )
        self.by_id[target.id] = target
        return target

    def attach(self, target: FakeTarget) -> None:
        """Attach a session to the target, and emit the event."""
        target.session_id = self._wire.new_id("session")
        info = {
            "targetId": target.id,
            "type": "iframe" if target.parent else "page",
            "url": target.url,
            **({"browserContextId": target.context_id} if target.context_id else {}),
            **({"openerId": target.opener.id} if target.opener else {}),
        }
        attached = {"sessionId": target.session_id, "targetInfo": info}
        waiting = {"waitingForDebugger": bool(target.held_url)}
        self._wire.emit("Target.attachedToTarget", {**attached, **waiting}, _owner(target))

    def detach(self, target: FakeTarget) -> None:
        """End the target's session, as when its renderer goes away; it is no longer held then."""
        target.loading.cancel()
        target.held_url = ""
        if target.session_id:
            self._wire.emit(
                "Inspector.detached", {"reason": "Render process gone."}, target.session_id
            )
            self._end_session(target)

    def _get_cookies(self, params: Parameters) -> Result:
        context = params.get("browserContextId")
        jar = self.cookies.get(None if context is None else str(context), {})
        return {"cookies": list(jar.values())}

    def _close(self, _params: Parameters) -> Result:
        self._wire.later(0, self._wire.cut)
        return {}

    def _create_context(self, _params: Parameters) -> Result:
        context_id = self._wire.new_id("context")
        self._contexts.add(context_id)
        return {"browserContextId": context_id}

    def _dispose_context(self, params: Parameters) -> Result:
        context_id = str(params["browserContextId"])
        if context_id not in self._contexts:
            raise CommandRefused(SERVER_ERROR, f"Failed to find context with id {context_id}")
        self._contexts.discard(context_id)
        targets = list(self.by_id.values())
        for target in (t for t in targets if t.context_id == context_id and t.parent is None):
            self._close_page(target)
        return {}

    def _create_target(self, params: Parameters) -> Result:
        context_id = params.get("browserContextId")
        target = self.add(str(context_id) if context_id else None)
        return {"targetId": target.id}

    def _attach(self, params: Parameters) -> Result:
        target = self.named_by(params)
        self.attach(target)
        return {"sessionId": target.session_id}

    def _detach_session(self, params: Parameters) -> Result:
        self._end_session(self.of_session(str(params["sessionId"])))
        return {}

    def _close_target(self, params: Parameters) -> Result:
        self._close_page(self.named_by(params))
        return {"success": True}

    def _attach_pop_ups(self, _params: Parameters) -> Result:
        self.attaches_pop_ups = True
        return {}

    def named_by(self, params: Parameters) -> FakeTarget:
        """The target that a command names.

        Raises:
            CommandRefused: there is none.
        """
        target = self.by_id.get(str(params.get("targetId")))
        if target is None:
            raise CommandRefused(INVALID_PARAMS, "No target with given id found")
        return target

    def _close_page(self, target: FakeTarget) -> None:
        for frame in [t for t in self.by_id.values() if t.parent is target]:
            self._close_page(frame)
        if target.held_url and target.opener:
            target.opener.hangs = True  # one process has both, and waits for the one to run
        self.detach(target)
        del self.by_id[target.id]

    def _end_session(self, target: FakeTarget) -> None:
        detached = {"sessionId": target.session_id, "targetId": target.id}
        self._wire.emit("Target.detachedFromTarget", detached, _owner(target))
        target.session_id = ""


def _owner(target: FakeTarget) -> str:
    """The session that hears of the target's own: its page's, or the browser's."""
    return target.parent.session_id if target.parent else ""


def _described(target: FakeTarget) -> Result:
    """Return the browser's description of a target."""
    return {
        "targetId": target.id,
        "type": "page" if target.parent is None else "iframe",
        "url": target.url,
        "title": target.page.title,
        "browserContextId": target.context_id or DEFAULT_CONTEXT,
    }
