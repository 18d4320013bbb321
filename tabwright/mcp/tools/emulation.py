"""``emulate``: the network, the device, the place and the permissions of a session's pages."""

import re
from collections.abc import Iterable
from typing import Annotated, Literal, TypeAlias, get_args

import attrs
from msgspec import Meta

from tabwright.config.secrets import Secrets
from tabwright.mcp.arguments import object_schema
from tabwright.mcp.page_results import outcome_result
from tabwright.mcp.tool import LOOKS, Tool, ToolContext, ToolResult
from tabwright.mcp.tools.actions import OUTCOME_FIELDS, perform
from tabwright.mcp.tools.page_arguments import Rare, TabArguments
from tabwright.protocol.actions import Emulate
from tabwright.protocol.context_options import (
    ContextOptions,
    Geolocation,
    Headers,
    HTTPCredentials,
    Permission,
    ThrottlingPreset,
)
from tabwright.protocol.errors import BadInput, having_sent
from tabwright.text.similarity import did_you_mean

OptionName: TypeAlias = Literal[
    "offline",
    "throttling",
    "cpu_rate",
    "headers",
    "credentials",
    "user_agent",
    "geolocation",
    "permissions",
    "device",
]

_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)")
"""A header field on one line (RFC 9110, section 5)."""

LATITUDE_MAX = 90
LONGITUDE_MAX = 180


def read_headers(lines: Iterable[str], secrets: Secrets, receiver: str) -> Headers:
    """Return headers that are written as ``Name: Value``, with secrets in place of their names.

    Args:
        lines: the headers.
        secrets: those that can be named.
        receiver: the URL that the headers are sent to; empty for any.

    Raises:
        BadInput: a line is not a header, there is no such secret, or it belongs to another site.
    """
    headers: list[tuple[str, str]] = []
    for line in lines:
        found = _HEADER.fullmatch(secrets.inserted(line, receiver).strip())
        if found is None:
            raise BadInput("A header is not valid.", advice="Write it as Name: Value.")
        headers.append((found[1], found[2].strip()))
    return tuple(headers)


@attrs.frozen(kw_only=True)
class LoginArguments:
    """Credentials for HTTP authentication."""

    origin: str
    user: str
    password: str = attrs.field(repr=False)


@attrs.frozen(kw_only=True)
class EmulateArguments(TabArguments):
    """Arguments of `emulate`: those up to `dark` are for one tab, the others for all.

    Attributes:
        viewport: width and height in CSS pixels; (0, 0) for the default.
        mobile: layout and touch, together with `viewport` or alone.
    """

    viewport: (
        Annotated[
            tuple[int, int],
            Meta(description="Width and height in pixels; 0, 0 for the default."),
        ]
        | None
    ) = None
    scale: Rare[Annotated[float, Meta(gt=0, le=5, description="Device pixel ratio.")]] = 1.0
    mobile: Annotated[bool, Meta(description="Mobile layout and touch.")] = False
    locale: Annotated[str, Meta(description="Locale, e.g. de-DE, or default.")] = ""
    timezone: Annotated[str, Meta(description="Time zone, e.g. Europe/Berlin, or default.")] = ""
    dark: Annotated[bool, Meta(description="Dark color scheme, or light.")] | None = None

    offline: Annotated[bool, Meta(description="Cut the network, or restore it.")] | None = None
    throttling: Annotated[ThrottlingPreset, Meta(description="Speed of the network.")] | None = None
    cpu_rate: (
        Annotated[float, Meta(ge=1, le=50, description="Factor by which scripts are slowed down.")]
        | None
    ) = None
    headers: Annotated[
        tuple[str, ...], Meta(description="Sent with every request, as Name: Value.")
    ] = ()
    credentials: (
        Annotated[
            LoginArguments,
            Meta(description="HTTP authentication for an origin; password as {{NAME}}."),
        ]
        | None
    ) = None
    user_agent: Annotated[str, Meta(description="User agent.")] = ""
    geolocation: (
        Annotated[tuple[float, float], Meta(description="Latitude and longitude in degrees.")]
        | None
    ) = None
    permissions: Annotated[
        tuple[str, ...],
        Meta(description="Granted to every page, e.g. geolocation, clipboard-read, camera."),
    ] = ()
    device: Annotated[str, Meta(description="Device to emulate, e.g. iPhone 15 or Pixel 10.")] = ""
    reset: Annotated[
        tuple[OptionName, ...], Meta(description="Options to restore to their defaults first.")
    ] = ()

    @property
    def of_tab(self) -> Emulate:
        """Return what one tab emulates."""
        return Emulate(
            self.viewport,
            self.scale,
            self.mobile,
            self.locale or None,
            self.timezone or None,
            dark=self.dark,
        )


def changed_options(
    arguments: EmulateArguments, options: ContextOptions, secrets: Secrets
) -> ContextOptions:
    """Return the options after the changes that a call describes.

    Raises:
        BadInput: a value is not valid.
    """
    defaults = ContextOptions()
    values = {name: getattr(defaults, name) for name in arguments.reset}
    if arguments.offline is not None:
        values["offline"] = arguments.offline
    if arguments.throttling is not None:
        values["throttling"] = arguments.throttling
    if arguments.cpu_rate is not None:
        values["cpu_rate"] = arguments.cpu_rate
    if arguments.headers:
        values["headers"] = read_headers(arguments.headers, secrets, "")
    if arguments.credentials is not None:
        one = _credentials(arguments.credentials, secrets)
        known = () if "credentials" in arguments.reset else options.credentials
        others = (other for other in known if other.origin != one.origin)
        values["credentials"] = (one, *others)
    if arguments.user_agent:
        values["user_agent"] = _user_agent(arguments.user_agent)
    if arguments.geolocation is not None:
        values["geolocation"] = _geolocation(*arguments.geolocation)
    if arguments.permissions:
        values["permissions"] = checked_permissions(arguments.permissions)
    if arguments.device:
        from tabwright.config.devices import device  # noqa: PLC0415  (rare)

        values["device"] = device(arguments.device)
    return attrs.evolve(options, **values)


def _credentials(given: LoginArguments, secrets: Secrets) -> HTTPCredentials:
    from tabwright.http.request import target_of  # noqa: PLC0415  (heavy)

    origin = target_of(given.origin).origin
    user, password = (secrets.inserted(one, origin) for one in (given.user, given.password))
    return HTTPCredentials(origin, user, password)


def _user_agent(text: str) -> str:
    if not text.isascii() or not text.isprintable():
        raise BadInput("The user agent has invalid characters.", advice="Use printable ASCII.")
    return text


def _geolocation(latitude: float, longitude: float) -> Geolocation:
    if abs(latitude) > LATITUDE_MAX or abs(longitude) > LONGITUDE_MAX:
        raise BadInput(
            f"{latitude}, {longitude} is not a position.",
            advice="Give latitude (-90 to 90) and longitude (-180 to 180).",
        )
    return Geolocation(latitude, longitude)


def checked_permissions(names: tuple[str, ...]) -> tuple[Permission, ...]:
    """Return the names of permissions.

    Raises:
        BadInput: there is no such permission.
    """
    known: dict[str, Permission] = {name: name for name in get_args(Permission)}
    for name in names:
        if name not in known:
            raise BadInput(
                f"There is no permission {name!r}.{did_you_mean(name, known)}",
                advice=f"There are: {', '.join(known)}.",
            )
    return tuple(known[name] for name in names)


def options_text(options: ContextOptions) -> str:
    """Return the options that differ from the defaults, without values that may be secret."""
    here = options.geolocation
    device = options.device
    parts = (
        "offline" if options.offline else "",
        f"network {options.throttling}" if options.throttling != "none" else "",
        f"CPU {options.cpu_rate:g} times slower" if options.cpu_rate > 1 else "",
        f"headers {', '.join(name for name, _ in options.headers)}" if options.headers else "",
        *(f"credentials for {one.origin}" for one in options.credentials),
        f"user agent {options.user_agent}" if options.user_agent else "",
        f"position {here.latitude:g}, {here.longitude:g}" if here else "",
        f"permissions {', '.join(options.permissions)}" if options.permissions else "",
        f"device of {device.width}x{device.height} pixels" if device else "",
        f"{len(options.routes)} routes" if options.routes else "",
    )
    return "; ".join(filter(None, parts)) or "defaults"


async def emulate(arguments: EmulateArguments, context: ToolContext) -> ToolResult:
    """Change the options of a session's context and of its tab, and show those that are set."""
    secrets = context.tabwright.parts.secrets

    def change(options: ContextOptions) -> ContextOptions:
        """Return the changed options."""
        return changed_options(arguments, options, secrets)

    of_tab = arguments.of_tab
    options = await context.tabwright.session(arguments.session).change_context(change)
    text = options_text(options)
    result = ToolResult(f"Options of the session: {text}.", {"options": text})
    if of_tab == Emulate():
        return result
    with having_sent():  # the options of the session are changed
        outcome = outcome_result(await perform(of_tab, arguments, context), context.names)
    record = {**outcome.structured, **result.structured}
    return ToolResult((*outcome.parts, *result.parts), record)


EMULATE = Tool(
    name="emulate",
    description=(
        "Emulate a viewport, locale, time zone or color scheme in a tab, or a device, a network, "
        "headers, a position or permissions in all tabs of the session. Options that are not given "
        "stay as they are; those of the session are returned."
    ),
    output_schema=object_schema({**OUTCOME_FIELDS, "options": {"type": "string"}}, required=[]),
    arguments=EmulateArguments,
    handler=emulate,
    group="debug",
    annotations=LOOKS,
)

TOOLS = (EMULATE,)
