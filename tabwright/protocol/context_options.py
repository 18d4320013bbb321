"""Options of a session's browser context: request routing, network, device and permissions.

They hold for all tabs of the session, and for no page that is fetched without a browser.
"""

from collections.abc import Callable
from typing import Literal, Protocol, TypeAlias

import attrs

Headers: TypeAlias = tuple[tuple[str, str], ...]


# Request routing.


@attrs.frozen
class RecordedResponse:
    """A response of a HAR file, for requests of this method and URL."""

    method: str
    url: str
    status: int
    headers: Headers = attrs.field(default=(), repr=False)
    body: bytes = attrs.field(default=b"", repr=False)


@attrs.frozen
class RequestRoute:
    """A rule for the requests whose URL matches a pattern.

    They are blocked, or answered, or sent with other headers. A request outside of the URLs that
    the user allows is never answered.

    Attributes:
        pattern: a glob: ``*`` matches anything but a slash, ``**`` anything, ``{a,b}`` either.
        block: whether they fail.
        status: answers them with this HTTP status; None to send them.
        headers: of the response if they are answered, otherwise headers to set.
        removed_headers: names of headers to remove from the request.
        body: of the response.
        recorded: responses of a HAR file; a request that has none of them is sent.
    """

    pattern: str
    block: bool = False
    status: int | None = None
    headers: Headers = attrs.field(default=(), repr=False)
    removed_headers: tuple[str, ...] = ()
    body: bytes = attrs.field(default=b"", repr=False)
    recorded: tuple[RecordedResponse, ...] = attrs.field(default=(), repr=False)


# Network, device and permissions.

ThrottlingPreset: TypeAlias = Literal["none", "slow-3g", "fast-3g", "slow-4g", "fast-4g"]


Permission: TypeAlias = Literal[
    "accelerometer",
    "ambient-light-sensor",
    "background-sync",
    "camera",
    "clipboard-read",
    "clipboard-write",
    "geolocation",
    "gyroscope",
    "local-fonts",
    "magnetometer",
    "microphone",
    "midi",
    "midi-sysex",
    "notifications",
    "payment-handler",
    "storage-access",
]
"""Permissions by the names of Playwright."""


@attrs.frozen
class HTTPCredentials:
    """A user name and a password for one origin (RFC 9110, section 11); never sent to another."""

    origin: str
    user: str
    password: str = attrs.field(repr=False)


@attrs.frozen
class Geolocation:
    """A position in degrees (WGS 84), and its accuracy in meters."""

    latitude: float
    longitude: float
    accuracy: float = 1.0


@attrs.frozen
class DeviceProfile:
    """A device that pages are shown on.

    Attributes:
        width, height: size of the view in CSS pixels.
        scale: device pixel ratio.
        mobile: whether pages get the mobile layout.
        touch: whether it has a touch screen.
        user_agent: with ``{version}`` in place of the version of the browser.
    """

    width: int
    height: int
    scale: float
    mobile: bool
    touch: bool
    user_agent: str


@attrs.frozen
class ContextOptions:
    """The options of a context; the defaults change nothing.

    Attributes:
        routes: the latest first; the first that matches a request decides.
        offline: whether the network is cut.
        throttling: the speed of the network.
        cpu_rate: how many times slower scripts run.
        headers: additional headers of every request.
        credentials: for HTTP authentication.
        user_agent: empty for that of the browser, or of `device`.
        geolocation: the position that pages with this permission see.
        permissions: granted to every origin.
        device: the device that pages are shown on.
        init_scripts: scripts that run in every document, before those of the page.
    """

    routes: tuple[RequestRoute, ...] = ()
    offline: bool = False
    throttling: ThrottlingPreset = "none"
    cpu_rate: float = 1.0
    headers: Headers = attrs.field(default=(), repr=False)
    credentials: tuple[HTTPCredentials, ...] = ()
    user_agent: str = ""
    geolocation: Geolocation | None = None
    permissions: tuple[Permission, ...] = ()
    device: DeviceProfile | None = None
    init_scripts: tuple[str, ...] = attrs.field(default=(), repr=False)

    @property
    def change_requests(self) -> bool:
        """Whether requests without a browser would differ from those of the tabs."""
        asked = self.routes or self.headers or self.credentials or self.user_agent or self.device
        return bool(asked or self.offline)


class ContextTab(Protocol):
    """A tab that applies options of its context, as a part of `Tab`."""

    async def set_options(self, options: ContextOptions) -> None:
        """Apply options in place of those before; `BadInput` if the browser refuses one."""
        ...


class SessionContexts(Protocol):
    """Manages the options of sessions, as a part of `Sessions`."""

    async def change_context(
        self, session: str, change: Callable[[ContextOptions], ContextOptions]
    ) -> ContextOptions:
        """Change the options of a session, which is opened if it is not open; return them.

        Refused with `BadInput` if the browser does not accept a value: the options stay as they
        were.

        Args:
            session: its name.
            change: returns the new options; it must not block.
        """
        ...
