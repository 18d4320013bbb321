"""The Target domain: pages, frames and workers, and the sessions attached to them."""

from tabwright.cdp.wire import CDPCommand, Event, Nothing, Shape, present


class ContextCreated(Shape, frozen=True):
    """The id of a new browser context."""

    browser_context_id: str


class TargetCreated(Shape, frozen=True):
    """The id of a new target."""

    target_id: str


class Attached(Shape, frozen=True):
    """The session id of an attached target."""

    session_id: str


class TargetInfo(Shape, frozen=True):
    """A target; `type` is ``page``, ``iframe``, ``worker`` and so on."""

    target_id: str
    type: str
    url: str = ""
    title: str = ""
    opener_id: str | None = None
    browser_context_id: str | None = None


class Targets(Shape, frozen=True):
    """All targets of a browser."""

    target_infos: tuple[TargetInfo, ...]


class TargetDetails(Shape, frozen=True):
    """One target."""

    target_info: TargetInfo


class Contexts(Shape, frozen=True):
    """The ids of the browser contexts, without the default one."""

    browser_context_ids: tuple[str, ...]


class AttachedToTarget(Event, frozen=True):
    """A target was attached; its session begins here."""

    method = "Target.attachedToTarget"
    session_id: str
    target_info: TargetInfo
    waiting_for_debugger: bool = False


class TargetFound(Event, frozen=True):
    """A target exists; sent for each that is new, and first for those that are there."""

    method = "Target.targetCreated"
    target_info: TargetInfo


class TargetDestroyed(Event, frozen=True):
    """A target is gone."""

    method = "Target.targetDestroyed"
    target_id: str


def get_targets() -> CDPCommand[Targets]:
    """Target.getTargets: the pages, workers and so on of all contexts."""
    return CDPCommand("Target.getTargets", {}, Targets)


def get_target_info(target_id: str) -> CDPCommand[TargetDetails]:
    """Target.getTargetInfo: where a target is now."""
    return CDPCommand("Target.getTargetInfo", {"targetId": target_id}, TargetDetails)


def get_browser_contexts() -> CDPCommand[Contexts]:
    """Target.getBrowserContexts: those that clients have created."""
    return CDPCommand("Target.getBrowserContexts", {}, Contexts)


def create_browser_context() -> CDPCommand[ContextCreated]:
    """Target.createBrowserContext; it is disposed with its pages when our connection ends."""
    return CDPCommand("Target.createBrowserContext", {"disposeOnDetach": True}, ContextCreated)


def dispose_browser_context(context_id: str) -> CDPCommand[Nothing]:
    """Target.disposeBrowserContext: close its pages without ``beforeunload``."""
    return CDPCommand("Target.disposeBrowserContext", {"browserContextId": context_id}, Nothing)


def create_target(
    context_id: str | None = None, *, background: bool = False, new_window: bool = True
) -> CDPCommand[TargetCreated]:
    """Target.createTarget: a blank page in a new window, optionally in the background.

    In a shared window the page may be in the background, where screenshots hang.
    """
    params = present(
        url="about:blank",
        newWindow=new_window,
        browserContextId=context_id,
        background=background or None,
    )
    return CDPCommand("Target.createTarget", params, TargetCreated)


def attach_to_target(target_id: str) -> CDPCommand[Attached]:
    """Target.attachToTarget, flat: the session uses the same link."""
    return CDPCommand("Target.attachToTarget", {"targetId": target_id, "flatten": True}, Attached)


def detach_from_target(session_id: str) -> CDPCommand[Nothing]:
    """Target.detachFromTarget: end a session, and with it what it has changed in the page."""
    return CDPCommand("Target.detachFromTarget", {"sessionId": session_id}, Nothing)


def attach_to_browser() -> CDPCommand[Attached]:
    """Target.attachToBrowserTarget: another session of the browser itself, always flat."""
    return CDPCommand("Target.attachToBrowserTarget", {}, Attached)


def close_target(target_id: str) -> CDPCommand[Nothing]:
    """Target.closeTarget; does not run ``beforeunload``."""
    return CDPCommand("Target.closeTarget", {"targetId": target_id}, Nothing)


def discover_pages() -> CDPCommand[Nothing]:
    """Target.setDiscoverTargets: send `TargetFound` and `TargetDestroyed` for each page."""
    return CDPCommand(
        "Target.setDiscoverTargets",
        {"discover": True, "filter": [{"type": "page"}, {"exclude": True}]},
        Nothing,
    )


def auto_attach_pages() -> CDPCommand[Nothing]:
    """Target.setAutoAttach for the browser: pop-ups, each paused until it is continued."""
    return CDPCommand(
        "Target.setAutoAttach",
        {
            "autoAttach": True,
            "waitForDebuggerOnStart": True,
            "flatten": True,
            "filter": [{"type": "page"}, {"exclude": True}],
        },
        Nothing,
    )


def auto_attach_all() -> CDPCommand[Nothing]:
    """Target.setAutoAttach for the browser: pages and workers, each paused until continued."""
    return CDPCommand(
        "Target.setAutoAttach",
        {
            "autoAttach": True,
            "waitForDebuggerOnStart": True,
            "flatten": True,
            "filter": [
                {"type": "page"},
                {"type": "service_worker"},
                {"type": "shared_worker"},
                {"exclude": True},
            ],
        },
        Nothing,
    )


def auto_attach_workers() -> CDPCommand[Nothing]:
    """Target.setAutoAttach for the browser: shared and service workers, paused until continued."""
    return CDPCommand(
        "Target.setAutoAttach",
        {
            "autoAttach": True,
            "waitForDebuggerOnStart": True,
            "flatten": True,
            "filter": [{"type": "service_worker"}, {"type": "shared_worker"}, {"exclude": True}],
        },
        Nothing,
    )


def auto_attach_frames() -> CDPCommand[Nothing]:
    """Target.setAutoAttach for a page: its out-of-process frames and workers."""
    return CDPCommand(
        "Target.setAutoAttach",
        {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True},
        Nothing,
    )
