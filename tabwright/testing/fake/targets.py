"""The fake browser's own methods: contexts, targets, and the sessions attached to them."""

from collections.abc import Callable, Mapping

from tabwright.testing.fake.site import FakeSite
from tabwright.testing.fake.target import FakeTarget
from tabwright.testing.fake.wire import (
    INVALID_PARAMETERS,
    SERVER_ERROR,
    SESSION_NOT_FOUND,
    CommandRefused,
    FakeWire,
    Parameters,
    Result,
)


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
            "Browser.getVersion": self._get_version,
            "Browser.setDownloadBehavior": self._deny_downloads,
            "Browser.close": self._close,
            "Storage.getCookies": self._get_cookies,
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
        raise CommandRefused(SESSION_NOT_FOUND, "Session with given id not found.")

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
        """Gives the target a session, and says so."""
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
        """Ends the target's session, as when its renderer goes away; nobody holds it then."""
        target.loading.cancel()
        target.held_url = ""
        if target.session_id:
            self._wire.emit(
                "Inspector.detached", {"reason": "Render process gone."}, target.session_id
            )
            self._end_session(target)

    def _get_version(self, _params: Parameters) -> Result:
        return {
            "product": self._name,
            "userAgent": f"Mozilla/5.0 {self._name}",
            "protocolVersion": "1.3",
        }

    def _deny_downloads(self, _params: Parameters) -> Result:
        return {}

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
        for target in self._pages_in(context_id):
            self._close_page(target)
        return {}

    def _pages_in(self, context_id: str) -> list[FakeTarget]:
        targets = self.by_id.values()
        return [t for t in targets if t.context_id == context_id and t.parent is None]

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
            raise CommandRefused(INVALID_PARAMETERS, "No target with given id found")
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
