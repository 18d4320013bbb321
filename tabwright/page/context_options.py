"""Applying the options of a context to one page, its frames and their requests.

The options have a session of their own with the page. They thus neither disturb what the other
sessions intercept and emulate, nor outlast the page.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

import attrs
import trio

from tabwright.cdp.domains import browser, emulation, fetch, network, page, target
from tabwright.cdp.errors import CDPError, CommandFailed, Gone
from tabwright.cdp.session import CDPSession, Subscription, keep_attached
from tabwright.cdp.wire import CDPCommand, Event, Nothing
from tabwright.concurrency.nursery import background_nursery
from tabwright.page.frames import ANSWER_S
from tabwright.page.interception import auth_command, route_command
from tabwright.page.open_page import CHROMIUM, CLOSE_S, AttachedPage
from tabwright.protocol.context_options import ContextOptions, Permission, ThrottlingPreset
from tabwright.protocol.errors import BadInput
from tabwright.protocol.untrusted_text import quoting
from tabwright.protocol.urls import Bounds

PAUSES = (fetch.RequestPaused, fetch.AuthRequired)

THROTTLING: Mapping[ThrottlingPreset, tuple[float, float, float]] = {
    "none": (0, -1, -1),
    "slow-3g": (2000, 50_000, 50_000),
    "fast-3g": (562.5, 180_000, 84_375),
    "slow-4g": (562.5, 180_000, 84_375),
    "fast-4g": (165, 1_012_500, 168_750),
}
"""Latency in milliseconds, and bytes per second down and up: the presets of Chromium's DevTools."""

PERMISSIONS: Mapping[Permission, tuple[str, ...]] = {
    "accelerometer": ("sensors",),
    "ambient-light-sensor": ("sensors",),
    "background-sync": ("backgroundSync",),
    "camera": ("videoCapture",),
    "clipboard-read": ("clipboardReadWrite",),
    "clipboard-write": ("clipboardSanitizedWrite",),
    "geolocation": ("geolocation",),
    "gyroscope": ("sensors",),
    "local-fonts": ("localFonts",),
    "magnetometer": ("sensors",),
    "microphone": ("audioCapture",),
    "midi": ("midi",),
    "midi-sysex": ("midiSysex",),
    "notifications": ("notifications",),
    "payment-handler": ("paymentHandler",),
    "storage-access": ("storageAccess",),
}
"""The names of permissions in CDP (``Browser.PermissionType``)."""


def option_commands(
    before: ContextOptions,
    after: ContextOptions,
    user_agent: str,
    *,
    is_page: bool,
    size: tuple[int, int] | None = None,
) -> Iterator[CDPCommand[Nothing]]:
    """Yield the commands for the options that differ.

    Args:
        before: the current options.
        after: the new ones.
        user_agent: of the browser.
        is_page: whether they are for a page, and not for a frame in another process.
        size: see `AttachedPage`.
    """
    changed = {
        name
        for name in attrs.fields_dict(ContextOptions)
        if getattr(before, name) != getattr(after, name)
    }
    yield from _network_commands(changed, after)
    if changed & {"user_agent", "device"}:
        yield emulation.set_identity(shown_user_agent(after, user_agent), None, "")
    if "geolocation" in changed:
        here = after.geolocation
        yield (
            emulation.set_geolocation(here.latitude, here.longitude, here.accuracy)
            if here
            else emulation.clear_geolocation()
        )
    if "init_scripts" in changed:
        yield page.enable()
    for script in after.init_scripts[len(before.init_scripts) :]:
        yield page.add_page_script(script)
    if is_page:
        if "cpu_rate" in changed:
            yield emulation.set_cpu_throttling(after.cpu_rate)
        if "device" in changed and after.device:
            one = after.device
            yield emulation.set_device(one.width, one.height, scale=one.scale, mobile=one.mobile)
            yield emulation.set_touch(enabled=one.touch)
        elif "device" in changed:
            yield emulation.set_size(size)
            yield emulation.set_touch(enabled=False)


def _network_commands(changed: set[str], after: ContextOptions) -> Iterator[CDPCommand[Nothing]]:
    if changed & {"routes", "credentials"}:
        if after.routes or after.credentials:
            yield fetch.enable([fetch.pattern()], handles_auth=bool(after.credentials))
        else:
            yield fetch.disable()
    if changed & {"headers", "offline", "throttling"}:
        yield network.enable()
    if "headers" in changed:
        yield network.set_extra_headers(dict(after.headers))
    if changed & {"offline", "throttling"}:
        latency, down, up = THROTTLING[after.throttling]
        yield network.emulate_conditions(
            offline=after.offline, latency_ms=latency, download=down, upload=up
        )


def shown_user_agent(options: ContextOptions, own: str) -> str:
    """Return the user agent of the options; empty for that of the browser.

    Args:
        options: of the context.
        own: the user agent of the browser, whose version a device has.
    """
    if options.user_agent or options.device is None:
        return options.user_agent
    version = own.partition(CHROMIUM)[2].partition(" ")[0]
    return options.device.user_agent.replace("{version}", version)


class ContextOverrides:
    """The options of a context, as one page has them.

    Args:
        opened: the page.
        bounds: requests outside of them are never answered.
    """

    def __init__(self, opened: AttachedPage, bounds: Bounds) -> None:
        self._page = opened
        self._bounds = bounds
        self._options: ContextOptions = ContextOptions()
        self._sessions: dict[CDPSession, bool] = {}
        self._answered: set[str] = set()
        self._wanted = trio.Event()
        self._ready = trio.Event()

    async def attend(self) -> None:
        """Answer the page's paused requests, from the first options until it is gone."""
        await self._wanted.wait()
        root = self._page.running.connection.root
        with suppress(Gone):  # the actor of the tab reports it
            attached = await root.execute(target.attach_to_target(self._page.frame_id))
            own = root.connection.session(attached.session_id)
            async with background_nursery() as nursery:

                def welcome(
                    arrival: target.AttachedToTarget, child: CDPSession
                ) -> Sequence[CDPCommand[Nothing]]:
                    """Serve a frame in another process; return its options."""
                    if arrival.target_info.type != "iframe":
                        return ()
                    nursery.start_soon(self._serve, child, child.subscribe(*PAUSES))
                    self._sessions[child] = False
                    commands = self._commands(ContextOptions(), self._options, is_page=False)
                    return (*commands, target.auto_attach_frames())

                nursery.start_soon(self._serve, own, own.subscribe(*PAUSES))
                self._sessions[own] = True
                begun = self._ready.set
                try:
                    await keep_attached(own, target.auto_attach_frames(), welcome, begun)
                finally:
                    if self._page.own:  # the page stays open
                        with trio.move_on_after(CLOSE_S, shield=True), suppress(CDPError):
                            await root.execute(target.detach_from_target(own.id))

    async def apply(self, options: ContextOptions) -> None:
        """Apply other options; if the browser refuses one, the page has those before.

        Raises:
            BadInput: the browser refuses them.
            CDPError: the page is gone.
        """
        if options == self._options:
            return
        self._wanted.set()
        with trio.fail_after(ANSWER_S):
            await self._ready.wait()
            before, self._options = self._options, options
            try:
                await self._send(before, options)
            except CommandFailed as error:
                self._options = before
                with suppress(CommandFailed):
                    await self._send(options, before)
                raise BadInput(
                    quoting(
                        "The browser does not accept the options: {reason}.", reason=error.text
                    ),
                    advice="Change one option at a time.",
                ) from error

    async def _send(self, before: ContextOptions, after: ContextOptions) -> None:
        if before.permissions != after.permissions:
            root, context_id = self._page.running.connection.root, self._page.context_id
            granted = [name for one in after.permissions for name in PERMISSIONS[one]]
            await root.execute(browser.reset_permissions(context_id))
            if granted:
                await root.execute(browser.grant_permissions(dict.fromkeys(granted), context_id))
        for session, is_page in tuple(self._sessions.items()):
            commands = self._commands(before, after, is_page=is_page)
            try:
                await session.execute_all(commands)
            except CDPError:
                if is_page:
                    raise
                del self._sessions[session]  # the frame is gone

    def _commands(
        self, before: ContextOptions, after: ContextOptions, *, is_page: bool
    ) -> list[CDPCommand[Nothing]]:
        own, size = self._page.running.identity.user_agent, self._page.size
        return list(option_commands(before, after, own, is_page=is_page, size=size))

    async def _serve(self, session: CDPSession, events: Subscription[Event]) -> None:
        with suppress(Gone), events:
            async for event in events:
                with suppress(CommandFailed):  # the page has continued meanwhile
                    match event:
                        case fetch.RequestPaused():
                            command = route_command(event, self._options.routes, self._bounds)
                            await session.execute(command)
                        case fetch.AuthRequired():
                            again = event.request_id in self._answered
                            self._answered.add(event.request_id)
                            credentials = self._options.credentials
                            await session.execute(auth_command(event, credentials, again=again))
                        case _:
                            pass
