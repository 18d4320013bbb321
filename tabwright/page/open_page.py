"""Opening a page in a running browser, and closing it on every path."""

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from itertools import count

import attrs
import msgspec
import trio

from tabwright.browser.identity import Hint, Hints
from tabwright.browser.running import RunningBrowser
from tabwright.browser.url_guard import URLGuard
from tabwright.cdp.domains import browser, page, runtime, target
from tabwright.cdp.errors import CDPError, CommandFailed
from tabwright.cdp.session import NEW_PAGE, CDPSession
from tabwright.cdp.wire import CDPCommand, Nothing
from tabwright.config.secrets import Secrets
from tabwright.config.settings import Settings
from tabwright.http.signatures import RequestSigner
from tabwright.page.errors import translate_cdp_errors
from tabwright.protocol.browser_pool import NO_LEASE, OpenPage, TabState, leave_open
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.urls import ABOUT_BLANK

OPEN_S = 20.0
"""Seconds for a running browser to open a page: usually 0.1 s, and more than 5 s on a busy
machine.
"""

CLOSE_S = 0.3
"""Seconds for the browser to close a page; one that hangs is closed with its browser."""

CLOSE_TRIES_MAX = 3

UNLOAD_S = 0.6
"""Seconds for the scripts of a document that was left; Chromium ends them after 0.5 s."""

UNLOAD_S_MAX = 3.0
"""Seconds for leaving the document too."""

SCHEMES = ("http:", "https:", "about:")
"""Pages of the browser itself, of its extensions and of files are not the agent's concern."""


@attrs.frozen
class AttachedPage:
    """An attached blank page.

    Attributes:
        frame_id: the id of its main frame, which in Chromium is that of the target.
        running: the browser.
        context_id: the id of its context; None for the browser's profile.
        own: whether it is a page of the user, in a browser that we did not start.
        adopted: whether it was open before.
        size: its width and height in CSS pixels, without a device; None for those of its window.
        is_private: whether it asks sites for privacy.
        downloads: see `LeaseTab`.
    """

    session: CDPSession
    frame_id: str
    running: RunningBrowser
    context_id: str | None = None
    own: bool = False
    adopted: bool = False
    size: tuple[int, int] | None = None
    is_private: bool = False
    downloads: str = ""


@attrs.frozen
class PageOptions:
    """Options for opening a page.

    Attributes:
        context: the name of its context, whose cookies and storage are removed together with
            its last page; empty for the browser's profile.
        pop_up: an open page to adopt; empty for a new page.
        own: whether it is a page of the user, which stays open in a browser that we did not start.
        closes: called at the end of such a page: whether to close it nevertheless.
        light: whether the requests that the settings block are blocked.
        background: whether it opens behind the other windows, if there are windows.
        downloads: see `LeaseTab`.
        state: returns the lease of its tab.
    """

    context: str
    pop_up: str = ""
    own: bool = False
    closes: Callable[[], bool] = leave_open
    light: bool = False
    background: bool = True
    downloads: str = ""
    state: Callable[[], TabState] = lambda: NO_LEASE


@asynccontextmanager
async def open_page(running: RunningBrowser, plan: PageOptions) -> AsyncGenerator[AttachedPage]:
    """Open a page in its own window, or adopt an open one.

    Opening is never cancelled half-way, only limited in time: otherwise the id of the new page
    would be lost, and it could not be closed.

    Raises:
        BrowserDied: the browser is gone.
        PageFailed: it did not open a page, or not within `OPEN_S`.
        TabLost: the page crashed at once.
    """
    theirs = plan.own and not running.ours
    async with _open_context(running, plan.context) as context_id:
        if plan.pop_up:
            target_id, session = plan.pop_up, running.pop_ups.take(plan.pop_up)
        else:
            behind = plan.background and running.visible
            create = partial(target.create_target, context_id, background=behind)
            with translate_cdp_errors(), trio.fail_after(OPEN_S, shield=True):
                try:
                    created = await running.connection.root.execute(create(new_window=not theirs))
                except CommandFailed:
                    if not theirs:
                        raise
                    # The user's browser has no window for another tab.
                    created = await running.connection.root.execute(create(new_window=True))
            target_id, session = created.target_id, None
        running.contexts.pages.add(target_id)
        try:
            if session is None:
                with translate_cdp_errors(), trio.fail_after(OPEN_S):
                    attached = await running.connection.root.execute(
                        target.attach_to_target(target_id)
                    )
                    session = running.connection.session(attached.session_id)
                    await session.execute_all(NEW_PAGE)
                if running.guard is not None:  # which tracks pop-ups from their start
                    with translate_cdp_errors(), trio.fail_after(OPEN_S):
                        await running.guard.keeps(target_id)
            adopted = bool(plan.pop_up)
            yield AttachedPage(
                session,
                target_id,
                running,
                context_id,
                theirs,
                adopted,
                downloads=plan.downloads,
            )
        finally:
            running.contexts.pages.discard(target_id)
            if theirs and not plan.closes():
                await _release(running, target_id, session)
            else:
                if running.guard is not None and not running.ours and session is not None:
                    await _unload(session, running.guard)
                await _close(running.connection.root, target_id, session)


@asynccontextmanager
async def _open_context(running: RunningBrowser, name: str) -> AsyncGenerator[str | None]:
    """Keep the context of that name open, from its first page to its last."""
    if not name:
        yield None
        return
    root = running.connection.root
    async with running.contexts.opening:
        context_id = running.contexts.ids.get(name) or await _new_context(root)
        running.contexts.ids[name] = context_id
        running.contexts.uses[name] += 1
    try:
        yield context_id
    finally:
        running.contexts.uses[name] -= 1
        if not running.contexts.uses[name]:
            del running.contexts.ids[name], running.contexts.uses[name]
            await _undo(root, target.dispose_browser_context(context_id))


async def _new_context(root: CDPSession) -> str:
    with translate_cdp_errors(), trio.fail_after(OPEN_S, shield=True):
        created = await root.execute(target.create_browser_context())
        context_id = created.browser_context_id
        await root.execute(browser.deny_downloads(context_id))
    return context_id


async def _release(running: RunningBrowser, target_id: str, session: CDPSession | None) -> None:
    """Leave a page open as it was before: with our session, its emulation and scripts end."""
    if running.guard is not None:
        with trio.move_on_after(CLOSE_S, shield=True), suppress(CDPError):
            await running.guard.releases(target_id)
    if session is not None:
        await _undo(running.connection.root, target.detach_from_target(session.id))


async def _unload(session: CDPSession, guard: URLGuard) -> None:
    """Leave the document of a page, so that nothing can be sent once its requests are not stopped.

    Chromium lets the scripts of a document run on for a moment, and sends what they request, also
    in a page that it closes.
    """
    with trio.move_on_after(UNLOAD_S_MAX, shield=True), suppress(CDPError):
        await session.execute(page.navigate(ABOUT_BLANK))
        await trio.sleep(UNLOAD_S)
        await guard.settled()


async def _close(root: CDPSession, target_id: str, session: CDPSession | None) -> None:
    """Close the page; Chromium may ignore the command while the page begins a navigation.

    The end of a session is not enough evidence: a page that crashes still exists.
    """
    for _ in range(CLOSE_TRIES_MAX):
        done = await _undo(root, target.close_target(target_id))
        if done and (session is None or await _has_ended(session)):
            return
        if session is not None:
            await _undo(session, page.stop_loading())


async def _has_ended(session: CDPSession) -> bool:
    with trio.move_on_after(CLOSE_S, shield=True):
        while session.failure is None:
            await trio.sleep(CLOSE_S / 30)
    return session.failure is not None


async def _undo(root: CDPSession, command: CDPCommand[Nothing]) -> bool:
    """Return whether the command was executed, even if cancelled."""
    with trio.move_on_after(CLOSE_S, shield=True), suppress(CDPError):
        await root.execute(command)
        return True
    return False


# User-Agent Client Hints (W3C), read from the browser without network access.

SECURE_PAGE = "file:///dev/null"
"""Only secure pages have hints; this one is empty, and also exists in the headless shell."""

ASK_S = 3.0
"""Seconds for the browser to open it, usually 0.1 s."""

QUESTION = """navigator.userAgentData?.getHighEntropyValues([
  "architecture", "bitness", "fullVersionList", "model", "platformVersion", "wow64",
]).then((hints) => JSON.stringify(hints))"""

CHROMIUM = "Chrome/"
"""A part of the user agent of every browser that has hints."""

HINTS = frozenset(
    {"architecture", "bitness", "brands", "fullVersionList", "mobile", "model"}
    | {"platform", "platformVersion", "wow64"}
)
"""The parts of the answer that ``Emulation.UserAgentMetadata`` accepts."""


async def ask_hints(running: RunningBrowser) -> Hints | None:
    """Return the metadata for ``Emulation.setUserAgentOverride``, empty if there are no hints.

    Opens a page for at most `ASK_S` seconds and closes it again, even if cancelled. Return None if
    the browser did not respond.
    """
    if CHROMIUM not in running.identity.user_agent:
        return {}
    with suppress(CDPError, TabwrightError), trio.move_on_after(ASK_S):
        async with open_page(running, PageOptions(context="")) as opened:
            await opened.session.execute(page.navigate(SECURE_PAGE))
            reply = await opened.session.execute(runtime.evaluate(QUESTION))
            if not isinstance(reply.result.value, str):
                return {}
            hints = msgspec.json.decode(reply.result.value, type=dict[str, Hint])
            return {name: hints[name] for name in hints if name in HINTS}
    return None


# The settings, secrets and document numbers that all tabs share.


# The pages that the user has open: those of the default context of a browser.


async def open_pages(running: RunningBrowser | None) -> tuple[OpenPage, ...]:
    """Return the pages of the default context, of the web and blank ones; none if it has ended.

    Raises:
        BrowserDied, PageFailed: the browser is gone, or refuses.
    """
    if running is None:
        return ()
    root = running.connection.root
    with translate_cdp_errors():
        others = (await root.execute(target.get_browser_contexts())).browser_context_ids
        known = (await root.execute(target.get_targets())).target_infos
    return tuple(
        OpenPage(one.target_id, one.url, one.title, one.target_id in running.contexts.pages)
        for one in known
        if one.type == "page"
        and one.browser_context_id not in others
        and one.url.startswith(SCHEMES)
    )


@attrs.frozen(eq=False)
class TabDependencies:
    """The dependencies shared by all tabs.

    Attributes:
        settings: the settings of the tabs.
        secrets: the secrets that can be typed by name.
        signer: signs the requests of the tabs; None to leave them unsigned.
        documents: the document numbers, unique among all tabs.
    """

    settings: Settings
    secrets: Secrets = attrs.field(factory=Secrets)
    signer: RequestSigner | None = None
    documents: Iterator[int] = attrs.field(factory=lambda: count(1))
