"""The page commands of the fake browser: navigation, scripts, keys."""

from collections.abc import Callable, Mapping

import msgspec
import trio

from tabwright.control.json_rpc import INVALID_PARAMS
from tabwright.testing.fake.link import (
    SERVER_ERROR,
    Blocked,
    CommandRefused,
    FakeWire,
    Later,
    Parameters,
    Result,
    Silence,
)
from tabwright.testing.fake.site import (
    NEVER,
    AddedFrame,
    FakeControl,
    FakeSite,
    Handle,
    OpenedPage,
    PendingCondition,
)
from tabwright.testing.fake.targets import FakeTarget, FakeTargets

UNSEEN = (
    "Page.enable",
    "Page.setLifecycleEventsEnabled",
    "Page.setInterceptFileChooserDialog",
    "Page.bringToFront",
    "Runtime.enable",
    "Runtime.terminateExecution",
    "Runtime.releaseObjectGroup",
    "Log.enable",
    "Network.enable",
    "Network.emulateNetworkConditions",
    "Network.setExtraHTTPHeaders",
    "Fetch.enable",
    "Fetch.disable",
    "Emulation.setUserAgentOverride",
    "Emulation.setFocusEmulationEnabled",
    "Emulation.setDeviceMetricsOverride",
    "Emulation.clearDeviceMetricsOverride",
    "Emulation.setTouchEmulationEnabled",
    "Emulation.setLocaleOverride",
    "Emulation.setTimezoneOverride",
    "Emulation.setEmulatedMedia",
)
"""Commands that are answered and have no visible effect."""


class FakePages:
    """The pages of one browser.

    Attributes:
        methods: what can be asked of one.
    """

    def __init__(self, wire: FakeWire, site: FakeSite, targets: FakeTargets) -> None:
        self._wire = wire
        self._site = site
        self._targets = targets
        self.methods: Mapping[str, Callable[[FakeTarget, Parameters], Result]] = {
            **dict.fromkeys(UNSEEN, lambda _target, _params: {}),
            "Inspector.enable": self._inspect,
            "Page.navigate": self._navigate,
            "Page.stopLoading": _stop_loading,
            "Page.createIsolatedWorld": lambda target, _: {"executionContextId": target.world},
            "Page.addScriptToEvaluateOnNewDocument": self._add_script,
            "Page.removeScriptToEvaluateOnNewDocument": _remove_script,
            "Page.crash": self._crash_itself,
            "Page.handleJavaScriptDialog": self._handle_dialog,
            "Network.getAllCookies": self._get_cookies,
            "Network.setCookies": self._set_cookies,
            "Accessibility.getFullAXTree": _get_tree,
            "Target.setAutoAttach": _attach_frames,
            "Runtime.runIfWaitingForDebugger": self._run,
            "Runtime.evaluate": self._evaluate,
            "Runtime.callFunctionOn": self._call_function,
            "DOM.getDocument": lambda _target, _params: {"root": {"backendNodeId": 1}},
            "DOM.describeNode": lambda _target, params: {
                "node": {"backendNodeId": int(str(params["objectId"]))}
            },
            "DOM.resolveNode": lambda _target, params: {
                "object": {"type": "object", "objectId": str(params["backendNodeId"])}
            },
            "DOMDebugger.getEventListeners": lambda _target, _params: {"listeners": []},
            "Input.dispatchMouseEvent": self._dispatch_mouse,
            "Input.insertText": _insert_text,
            "Input.dispatchKeyEvent": _dispatch_key,
        }

    def _get_cookies(self, target: FakeTarget, _params: Parameters) -> Result:
        return {"cookies": list(self._targets.cookies.get(target.context_id, {}).values())}

    def _set_cookies(self, target: FakeTarget, params: Parameters) -> Result:
        jar = self._targets.cookies.setdefault(target.context_id, {})
        for cookie in msgspec.convert(params["cookies"], list[dict[str, object]]):
            key = str(cookie["domain"]), str(cookie["path"]), str(cookie["name"])
            jar[key] = cookie
        return {}

    def _add_script(self, target: FakeTarget, params: Parameters) -> Result:
        identifier = self._wire.new_id("script")
        target.arrival_scripts[identifier] = str(params["source"])
        return {"identifier": identifier}

    def crash(self, target: FakeTarget) -> None:
        """The renderer dies, and the page answers nothing any more."""
        target.crashed = True
        if target.session_id:
            self._wire.emit("Inspector.targetCrashed", {}, target.session_id)

    def _inspect(self, target: FakeTarget, _params: Parameters) -> Result:
        if target.crashed:
            self.crash(target)
        return {}

    def _crash_itself(self, target: FakeTarget, _params: Parameters) -> Result:
        self.crash(target)
        raise Silence

    def _run(self, target: FakeTarget, _params: Parameters) -> Result:
        if target.held_url:
            self._navigate(target, {"url": target.held_url})
            target.held_url = ""
        return {}

    def _evaluate(self, target: FakeTarget, params: Parameters) -> Result:
        expression = str(params["expression"])
        if expression.isdecimal():
            return _remote(int(expression))
        if expression == "document":
            return _remote(Handle(0))
        if expression not in target.page.values:
            raise CommandRefused(SERVER_ERROR, f"The fake page has no value for {expression!r}")
        match target.page.values[expression]:
            case OpenedPage(url):
                self._open_pop_up(target, url)
                return {"result": {"type": "undefined"}}
            case AddedFrame(url):
                frame = self._targets.add(target.context_id, parent=target)
                self._begin(frame, url, held=target.attaches_frames)
                return {"result": {"type": "undefined"}}
            case value if value is NEVER:
                raise Silence
            case value:
                return _remote(value)

    def _call_function(self, target: FakeTarget, params: Parameters) -> Result:
        arguments = msgspec.convert(params.get("arguments", ()), list[dict[str, object]])
        values = [given["value"] for given in arguments if "value" in given]
        function = str(params["functionDeclaration"])
        world = params.get("executionContextId")
        if world is None:
            world, function = target.called(str(params["objectId"]), function)
        try:
            value = target.call(function, values)
        except LookupError as error:
            problem = f"The fake cannot run the script {error}"
            raise CommandRefused(SERVER_ERROR, problem) from error
        result = _evaluated(target, world, value)
        if target.leads_to:
            url, target.leads_to = target.leads_to, ""
            self._go(target, url)
        return result

    def _go(self, target: FakeTarget, url: str) -> None:
        """The page goes somewhere by itself."""
        self._wire.later(0.01, lambda: self._navigate(target, {"url": url}))

    def _dispatch_mouse(self, target: FakeTarget, params: Parameters) -> Result:
        if params["type"] != "mouseReleased":
            return {}
        control = target.document.press(msgspec.convert(params["y"], float))
        if control is None:
            return {}
        if control.asks is None:
            self._follow(target, control)
            return {}
        target.dialog = control
        opening = {"type": control.asks.kind, "message": control.asks.message, "url": target.url}
        self._wire.emit("Page.javascriptDialogOpening", opening, target.session_id)
        raise Blocked(dict)

    def _handle_dialog(self, target: FakeTarget, params: Parameters) -> Result:
        asking, target.dialog = target.dialog, None
        if asking is None:
            raise CommandRefused(INVALID_PARAMS, "No dialog is showing")
        self._report_closed(target, accepted=bool(params["accept"]))
        if params["accept"]:
            self._follow(target, asking)
        _unblock(target)
        return {}

    def _report_closed(self, target: FakeTarget, *, accepted: bool) -> None:
        """The dialog is gone."""
        self._wire.emit("Page.javascriptDialogClosed", {"result": accepted}, target.session_id)

    def _commit(self, target: FakeTarget, url: str, loader_id: str) -> None:
        """A new document is here; the dialog of the one before goes with it."""
        target.commit(url, loader_id)
        if target.dialog:
            target.dialog = None
            self._report_closed(target, accepted=False)
            _unblock(target)

    def _follow(self, target: FakeTarget, control: FakeControl) -> None:
        """Apply the effects of a click."""
        if control.shows:
            target.document.show(control.shows)
        if control.opens:
            self._open_pop_up(target, control.opens)
        if control.leads_to:
            self._go(target, control.leads_to)

    def _open_pop_up(self, opener: FakeTarget, url: str) -> None:
        pop_up = self._targets.add(opener.context_id, opener=opener)
        self._begin(pop_up, url, held=self._targets.attaches_pop_ups)

    def _begin(self, target: FakeTarget, url: str, *, held: bool) -> None:
        if held:
            target.held_url = url
            self._targets.attach(target)
        else:
            self._commit(target, url, self._wire.new_id("loader"))

    def _navigate(self, target: FakeTarget, params: Parameters) -> Result:
        url, loader_id = str(params["url"]), self._wire.new_id("loader")
        page = self._site.page(url)
        self._site.visits.append((trio.current_time(), url))
        target.loading.cancel()
        if page.error:
            self._commit(target, "chrome-error://chromewebdata/", loader_id)
            return {"frameId": target.id, "loaderId": loader_id, "errorText": page.error}
        self._commit(target, url, loader_id)
        target.loading, target.parsed = trio.CancelScope(), False
        # What Chromium emits, in its order, before the document is parsed.
        request = {"requestId": target.loader_id, "type": "Document", "frameId": target.id}
        response = {
            "url": target.url,
            "status": target.page.status,
            "mimeType": target.page.mime_type,
            "headers": dict(target.page.headers),
        }
        started = {"frameId": target.id, "loaderId": target.loader_id, "name": "init"}
        requested = {**request, "request": {"url": target.url}}
        self._wire.emit("Network.requestWillBeSent", requested, target.session_id)
        received = {**request, "response": response}
        self._wire.emit("Network.responseReceived", received, target.session_id)
        self._wire.emit("Page.lifecycleEvent", started, target.session_id)
        self._wire.later(page.load_s, lambda: self._parsed(target), target.loading)
        return {"frameId": target.id, "loaderId": loader_id}

    def _parsed(self, target: FakeTarget) -> None:
        target.parsed = True
        for size in target.page.sizes:
            received = {"requestId": target.loader_id, "dataLength": size}
            self._wire.emit("Network.dataReceived", received, target.session_id)
        finished = {"requestId": target.loader_id, "encodedDataLength": sum(target.page.sizes)}
        self._wire.emit("Network.loadingFinished", finished, target.session_id)
        for name in ("DOMContentLoaded", "load", "networkIdle"):
            event = {"frameId": target.id, "loaderId": target.loader_id, "name": name}
            self._wire.emit("Page.lifecycleEvent", event, target.session_id)


def _unblock(target: FakeTarget) -> None:
    """Continue the commands that waited for the answer to a dialog."""
    blocked, target.blocked = target.blocked, []
    for go_on in blocked:
        go_on()


def _attach_frames(target: FakeTarget, _params: Parameters) -> Result:
    target.attaches_frames = True
    return {}


def _stop_loading(target: FakeTarget, _params: Parameters) -> Result:
    target.loading.cancel()
    return {}


def _remove_script(target: FakeTarget, params: Parameters) -> Result:
    if target.arrival_scripts.pop(str(params["identifier"]), None) is None:
        raise CommandRefused(SERVER_ERROR, "Script not found")
    return {}


def _evaluated(target: FakeTarget, world: object, value: object) -> Result:
    """Return the result of a function, which is removed with its document."""
    if target.crashed:
        raise Silence
    if world != target.world:
        raise CommandRefused(SERVER_ERROR, "Cannot find context with specified id")
    if isinstance(value, PendingCondition):
        raise Later(value.delay_s, lambda: _evaluated(target, world, value.answer()))
    return _remote(value)


def _remote(value: object) -> Result:
    if isinstance(value, Handle):
        return {"result": {"type": "object", "objectId": str(value.id)}}
    if value is None:
        return {"result": {"type": "object", "subtype": "null", "value": None}}
    kind = "string" if isinstance(value, str) else "number"
    return {"result": {"type": kind, "value": value}}


def _get_tree(target: FakeTarget, _params: Parameters) -> Result:
    """The page as one document and its text."""
    text = {"nodeId": "2", "role": {"value": "StaticText"}, "name": {"value": target.page.html}}
    root = {"nodeId": "1", "role": {"value": "RootWebArea"}, "childIds": ["2"]}
    return {"nodes": [root, text]}


def _insert_text(target: FakeTarget, params: Parameters) -> Result:
    target.type(str(params["text"]))
    return {}


def _dispatch_key(target: FakeTarget, params: Parameters) -> Result:
    if params["type"] == "keyDown" and params["key"] == "Enter":
        target.press_enter()
    return {}
