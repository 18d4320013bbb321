"""What a page takes its device for."""

from collections.abc import Iterator

from tabwright.cdp.command import Command
from tabwright.cdp.domains import emulation, network
from tabwright.cdp.wire import JSON, Nothing
from tabwright.protocol.actions import Emulate
from tabwright.protocol.errors import BadInput


def emulating(wish: Emulate) -> Iterator[Command[Nothing]]:
    """The commands that bring a wish about."""
    if wish.viewport == (0, 0):
        yield emulation.clear_device()
        yield emulation.set_touch(enabled=False)
    elif wish.viewport is not None:
        width, height = wish.viewport
        yield emulation.set_device(width, height, scale=wish.scale, mobile=wish.mobile)
        yield emulation.set_touch(enabled=wish.mobile)
    if wish.locale is not None:
        yield emulation.set_locale(wish.locale.replace("-", "_"))
    if wish.timezone is not None:
        yield emulation.set_timezone(wish.timezone)
    if wish.offline is not None:
        yield network.emulate_conditions(offline=wish.offline)
    if wish.dark is not None:
        scheme: JSON = {"name": "prefers-color-scheme", "value": "dark" if wish.dark else ""}
        yield emulation.set_media("", [scheme])


def refused(wish: Emulate, method: str) -> BadInput:
    """What is said of a wish that the browser does not grant.

    Args:
        wish: what was asked for.
        method: the command that it refused.
    """
    if method == emulation.set_timezone("").method:
        return BadInput(
            f"{wish.timezone!r} is not a time zone.", advice="Give one such as Europe/Berlin."
        )
    if method == emulation.set_locale("").method:
        return BadInput(f"{wish.locale!r} is not a locale.", advice="Give one such as de-DE.")
    return BadInput("The browser does not take that.", advice="Change one thing at a time.")


def told(wish: Emulate) -> str:
    """What was changed, in words."""
    parts = [
        _viewport(wish) if wish.viewport is not None else "",
        f"locale {wish.locale or 'as it was'}" if wish.locale is not None else "",
        f"time zone {wish.timezone or 'as it was'}" if wish.timezone is not None else "",
        ("offline" if wish.offline else "online") if wish.offline is not None else "",
        ("dark" if wish.dark else "light") if wish.dark is not None else "",
    ]
    return f"The page now sees: {', '.join(filter(None, parts)) or 'nothing new'}."


def _viewport(wish: Emulate) -> str:
    width, height = wish.viewport or (0, 0)
    if not width:
        return "the browser's own size"
    return f"{width}x{height}" + (" on a telephone" if wish.mobile else "")
