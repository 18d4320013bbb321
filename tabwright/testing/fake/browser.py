"""The fake browser itself: commands in, replies and events out, in Chromium's order."""

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import TypeAlias, TypeVar

import attrs
import trio

from tabwright.testing.fake.faults import Faults, Harm
from tabwright.testing.fake.link import FakeLink
from tabwright.testing.fake.site import NEVER, AddedFrame, FakeSite, OpenedPage
from tabwright.testing.fake.target import FakeTarget

Parameters: TypeAlias = Mapping[str, object]
Result: TypeAlias = Mapping[str, object]
MethodT = TypeVar("MethodT")

LATENCY_MAX_S = 0.01
"""A command takes up to this long, by chance."""

METHOD_NOT_FOUND = -32601
SERVER_ERROR = -32000
SESSION_NOT_FOUND = -32001


@attrs.frozen
class _Command:
    number: int
    method: str
    params: Parameters
    session_id: str


class _CommandError(Exception):
    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class _Silence(Exception):
    """This command is not answered."""


class FakeBrowser:
    """One run of a browser. Start `run` in a nursery and talk to its `link`."""

    def __init__(self, site: FakeSite, random: Random, faults: Faults | None = None) -> None:
        self.link = FakeLink()
        self.targets: dict[str, FakeTarget] = {}
        self._site = site
        self._random = random
        self._faults = faults or Faults()
        self._ids = itertools.count(1)
        self._contexts: set[str] = set()
        self._attaches_pop_ups = False
        self._nursery: trio.Nursery | None = None
        self._methods: Mapping[str, Callable[[Parameters], Result]] = {
            "Browser.getVersion": self._get_version,
            "Browser.setDownloadBehavior": _nothing,
            "Browser.close": self._close,
            "Target.createBrowserContext": self._create_context,
            "Target.disposeBrowserContext": self._dispose_context,
            "Target.createTarget": self._create_target,
            "Target.attachToTarget": self._attach,
            "Target.detachFromTarget": self._detach_session,
            "Target.closeTarget": self._close_target,
            "Target.setAutoAttach": self._attach_pop_ups,
        }
        self._page_methods: Mapping[str, Callable[[FakeTarget, Parameters], Result]] = {
            "Page.enable": _no_change,
            "Page.setLifecycleEventsEnabled": _no_change,
            "Page.navigate": self._navigate,
            "Page.stopLoading": _stop_loading,
            "Page.createIsolatedWorld": _create_world,
            "Page.crash": self._crash_itself,
            "Network.enable": _no_change,
            "Emulation.setUserAgentOverride": _no_change,
            "Target.setAutoAttach": _attach_frames,
            "Runtime.runIfWaitingForDebugger": self._run,
            "Runtime.evaluate": self._evaluate,
            "Runtime.callFunctionOn": _call_function,
            "DOM.getDocument": _get_document,
            "Input.insertText": _insert_text,
            "Input.dispatchKeyEvent": _dispatch_key,
        }

    async def run(self) -> None:
        """Serves the link until it is cut or cancelled."""
        async with trio.open_nursery() as self._nursery:
            try:
                async for frame in self.link.commands:
                    await trio.sleep(self._random.uniform(0, LATENCY_MAX_S))
                    self._serve(frame)
            except trio.ClosedResourceError:
                pass
            self.link.cut()
            self._nursery.cancel_scope.cancel()

    def die(self) -> None:
        """Ends without a word, as by SIGKILL."""
        self.link.cut()

    def crash(self, target: FakeTarget) -> None:
        """The renderer dies: two events, and no answer from the page any more."""
        target.crashed = True
        self._emit("Inspector.targetCrashed", {}, target.session_id)

    def _serve(self, frame: bytes) -> None:
        message = json.loads(frame)
        command = _Command(
            message["id"], message["method"], message["params"], message.get("sessionId", "")
        )
        try:
            self._harm(command)
            reply: dict[str, object] = {"result": self._result(command)}
        except _Silence:
            return
        except _CommandError as error:
            reply = {"error": {"code": error.code, "message": str(error)}}
        session = {"sessionId": command.session_id} if command.session_id else {}
        self.link.emit(json.dumps({"id": command.number, **reply, **session}).encode())

    def _harm(self, command: _Command) -> None:
        match self._faults.strike(command.method):
            case None:
                return
            case Harm.ERROR:
                raise _CommandError(SERVER_ERROR, "a planned fault")
            case Harm.CRASH:
                self.crash(self._target_of(command.session_id))
            case Harm.DETACH:
                self._detach(self._target_of(command.session_id))
            case Harm.CUT:
                self.link.cut()
            case Harm.GARBLE:
                self.link.emit(b"{this is no JSON")
            case Harm.MUTE:
                pass
        raise _Silence

    def _result(self, command: _Command) -> Result:
        if not command.session_id:
            return _method(self._methods, command.method)(command.params)
        target = self._target_of(command.session_id)
        method = _method(self._page_methods, command.method)
        if target.crashed:
            raise _Silence
        return method(target, command.params)

    def _target_of(self, session_id: str) -> FakeTarget:
        for target in self.targets.values():
            if session_id and target.session_id == session_id:
                return target
        raise _CommandError(SESSION_NOT_FOUND, "Session with given id not found.")

    def _emit(self, method: str, params: Parameters, session_id: str = "") -> None:
        session = {"sessionId": session_id} if session_id else {}
        self.link.emit(json.dumps({"method": method, "params": params, **session}).encode())

    def _new_id(self, kind: str) -> str:
        return f"{kind}-{next(self._ids)}"

    # The browser's own methods.

    def _get_version(self, _params: Parameters) -> Result:
        return {
            "product": "FakeBrowser/1.0",
            "userAgent": "Mozilla/5.0 FakeBrowser/1.0",
            "protocolVersion": "1.3",
        }

    def _close(self, _params: Parameters) -> Result:
        self._later(0, self.link.cut)
        return {}

    def _create_context(self, _params: Parameters) -> Result:
        context_id = self._new_id("context")
        self._contexts.add(context_id)
        return {"browserContextId": context_id}

    def _dispose_context(self, params: Parameters) -> Result:
        context_id = str(params["browserContextId"])
        if context_id not in self._contexts:
            raise _CommandError(SERVER_ERROR, f"Failed to find context with id {context_id}")
        self._contexts.discard(context_id)
        for target in self._pages_in(context_id):
            self._close_page(target)
        return {}

    def _pages_in(self, context_id: str) -> list[FakeTarget]:
        targets = self.targets.values()
        return [t for t in targets if t.context_id == context_id and t.parent is None]

    def _create_target(self, params: Parameters) -> Result:
        context_id = params.get("browserContextId")
        target = FakeTarget(
            self._new_id("target"), str(context_id) if context_id else None, self._site
        )
        self.targets[target.id] = target
        return {"targetId": target.id}

    def _attach(self, params: Parameters) -> Result:
        target = self._target_by_id(params)
        self._attach_to(target)
        return {"sessionId": target.session_id}

    def _attach_to(self, target: FakeTarget, opener: FakeTarget | None = None) -> None:
        target.session_id = self._new_id("session")
        info = {
            "targetId": target.id,
            "type": "iframe" if target.parent else "page",
            "url": target.url,
            **({"browserContextId": target.context_id} if target.context_id else {}),
            **({"openerId": opener.id} if opener else {}),
        }
        attached = {"sessionId": target.session_id, "targetInfo": info}
        waiting = {"waitingForDebugger": bool(target.held_url)}
        self._emit("Target.attachedToTarget", {**attached, **waiting}, _owner(target))

    def _detach_session(self, params: Parameters) -> Result:
        self._end_session(self._target_of(str(params["sessionId"])))
        return {}

    def _close_target(self, params: Parameters) -> Result:
        self._close_page(self._target_by_id(params))
        return {"success": True}

    def _attach_pop_ups(self, _params: Parameters) -> Result:
        self._attaches_pop_ups = True
        return {}

    def _target_by_id(self, params: Parameters) -> FakeTarget:
        target = self.targets.get(str(params["targetId"]))
        if target is None:
            raise _CommandError(-32602, "No target with given id found")
        return target

    def _close_page(self, target: FakeTarget) -> None:
        for frame in [t for t in self.targets.values() if t.parent is target]:
            self._close_page(frame)
        self._detach(target)
        del self.targets[target.id]

    def _detach(self, target: FakeTarget) -> None:
        target.loading.cancel()
        if target.session_id:
            self._emit("Inspector.detached", {"reason": "Render process gone."}, target.session_id)
            self._end_session(target)

    def _end_session(self, target: FakeTarget) -> None:
        detached = {"sessionId": target.session_id, "targetId": target.id}
        self._emit("Target.detachedFromTarget", detached, _owner(target))
        target.session_id = ""

    # The methods of a page.

    def _crash_itself(self, target: FakeTarget, _params: Parameters) -> Result:
        self.crash(target)
        raise _Silence

    def _run(self, target: FakeTarget, _params: Parameters) -> Result:
        if target.held_url:
            self._navigate(target, {"url": target.held_url})
            target.held_url = ""
        return {}

    def _evaluate(self, target: FakeTarget, params: Parameters) -> Result:
        expression = str(params["expression"])
        if expression not in target.page.values:
            raise _CommandError(SERVER_ERROR, f"The fake page has no value for {expression!r}")
        match target.page.values[expression]:
            case OpenedPage(url):
                self._open_pop_up(target, url)
                return {"result": {"type": "undefined"}}
            case AddedFrame(url):
                self._add_frame(target, url)
                return {"result": {"type": "undefined"}}
            case value if value is NEVER:
                raise _Silence
            case value:
                return _remote(value)

    def _open_pop_up(self, opener: FakeTarget, url: str) -> None:
        pop_up = FakeTarget(self._new_id("target"), opener.context_id, self._site)
        self._begin(pop_up, url, held=self._attaches_pop_ups, opener=opener)

    def _add_frame(self, page: FakeTarget, url: str) -> None:
        frame = FakeTarget(self._new_id("target"), page.context_id, self._site, parent=page)
        self._begin(frame, url, held=page.attaches_frames)

    def _begin(
        self, target: FakeTarget, url: str, *, held: bool, opener: FakeTarget | None = None
    ) -> None:
        self.targets[target.id] = target
        if held:
            target.held_url = url
            self._attach_to(target, opener)
        else:
            target.commit(url, self._new_id("loader"))

    def _navigate(self, target: FakeTarget, params: Parameters) -> Result:
        url, loader_id = str(params["url"]), self._new_id("loader")
        page = self._site.page(url)
        target.loading.cancel()
        if page.error:
            target.commit("chrome-error://chromewebdata/", loader_id)
            return {"frameId": target.id, "loaderId": loader_id, "errorText": page.error}
        target.commit(url, loader_id)
        target.loading = trio.CancelScope()
        for method, event in _loading_events(target):
            self._emit(method, event, target.session_id)
        self._later(page.load_s, lambda: self._parsed(target), target.loading)
        return {"frameId": target.id, "loaderId": loader_id}

    def _parsed(self, target: FakeTarget) -> None:
        for size in target.page.sizes:
            received = {"requestId": target.loader_id, "dataLength": size}
            self._emit("Network.dataReceived", received, target.session_id)
        for name in ("DOMContentLoaded", "load"):
            event = {"frameId": target.id, "loaderId": target.loader_id, "name": name}
            self._emit("Page.lifecycleEvent", event, target.session_id)

    def _later(
        self, delay_s: float, work: Callable[[], None], scope: trio.CancelScope | None = None
    ) -> None:
        async def wait() -> None:
            with scope or trio.CancelScope():
                await trio.sleep(delay_s)
                work()

        if self._nursery is not None:
            self._nursery.start_soon(wait)


def _loading_events(target: FakeTarget) -> Iterator[tuple[str, Parameters]]:
    """What a navigation emits before its document is parsed, in Chromium's order."""
    request = {"requestId": target.loader_id, "type": "Document", "frameId": target.id}
    response = {
        "url": target.url,
        "status": target.page.status,
        "mimeType": target.page.mime_type,
    }
    started = {"frameId": target.id, "loaderId": target.loader_id, "name": "init"}
    yield "Network.requestWillBeSent", {**request, "request": {"url": target.url}}
    yield "Network.responseReceived", {**request, "response": response}
    yield "Page.lifecycleEvent", started


def _method(methods: Mapping[str, MethodT], name: str) -> MethodT:
    if name not in methods:
        raise _CommandError(METHOD_NOT_FOUND, f"'{name}' wasn't found")
    return methods[name]


def _owner(target: FakeTarget) -> str:
    """The session that hears of the target's own: its page's, or the browser's."""
    return target.parent.session_id if target.parent else ""


def _nothing(_params: Parameters) -> Result:
    return {}


def _no_change(_target: FakeTarget, _params: Parameters) -> Result:
    return {}


def _attach_frames(target: FakeTarget, _params: Parameters) -> Result:
    target.attaches_frames = True
    return {}


def _stop_loading(target: FakeTarget, _params: Parameters) -> Result:
    target.loading.cancel()
    return {}


def _create_world(_target: FakeTarget, _params: Parameters) -> Result:
    return {"executionContextId": 2}


def _call_function(target: FakeTarget, params: Parameters) -> Result:
    try:
        return _remote(target.call(str(params["functionDeclaration"])))
    except LookupError as error:
        raise _CommandError(SERVER_ERROR, f"The fake cannot run the script {error}") from error


def _remote(value: object) -> Result:
    kind = "string" if isinstance(value, str) else "number"
    return {"result": {"type": kind, "value": value}}


def _get_document(_target: FakeTarget, _params: Parameters) -> Result:
    return {"root": {"backendNodeId": 1}}


def _insert_text(target: FakeTarget, params: Parameters) -> Result:
    target.type(str(params["text"]))
    return {}


def _dispatch_key(target: FakeTarget, params: Parameters) -> Result:
    if params["type"] == "keyDown" and params["key"] == "Enter":
        target.press_enter()
    return {}
