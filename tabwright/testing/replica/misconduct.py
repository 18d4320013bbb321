"""What servers do wrong: every path here breaks a promise of HTTP or of good manners."""

from collections.abc import Awaitable, Callable, Mapping
from itertools import count
from types import MappingProxyType
from typing import TypeAlias

import trio

from tabwright.testing.replica.server import Exchange, redirect

Route: TypeAlias = Callable[[Exchange], Awaitable[None]]

_HTML = ("Content-Type", "text/html; charset=utf-8")
_HEAD = b"<!doctype html><html lang=en><title>Unfinished</title><main><h1>Unfinished</h1>\n"
_LINE = b"<p>One of many paragraphs, each as good as the next and none of them the last.</p>\n"
_MIB = 1 << 20
_PIECE = _LINE * (65536 // len(_LINE))


async def _never(_: Exchange) -> None:
    """Takes the request and says nothing."""
    await trio.sleep_forever()


async def _big(exchange: Exchange) -> None:
    """Sends ``mb`` MiB, without end when it is left out; ``length=1`` announces them."""
    size = int(exchange.query["mb"]) * _MIB if "mb" in exchange.query else None
    announced = size is not None and exchange.query.get("length") == "1"
    length = (("Content-Length", str(size)),) if announced else ()
    await exchange.begin(200, (_HTML, *length))
    left = size
    while left is None or left > 0:
        piece = _PIECE if left is None else _PIECE[:left]
        await exchange.send(piece)
        left = None if left is None else left - len(piece)
    await exchange.end()


async def _drip(exchange: Exchange) -> None:
    """Sends a line every ``step_s`` seconds, ``count`` of them or without end."""
    step_s = float(exchange.query.get("step_s", "0.5"))
    lines = range(int(exchange.query["count"])) if "count" in exchange.query else count()
    await exchange.begin(200, (_HTML,))
    await exchange.send(_HEAD)
    for _ in lines:
        await trio.sleep(step_s)
        await exchange.send(_LINE)
    await exchange.end()


async def _half(exchange: Exchange) -> None:
    """Announces a page, sends half of it, and falls silent."""
    await _send_half(exchange)
    await trio.sleep_forever()


async def _half_close(exchange: Exchange) -> None:
    """Announces a page, sends half of it, and hangs up."""
    await _send_half(exchange)
    await exchange.hang_up()


async def _send_half(exchange: Exchange) -> None:
    half = _HEAD + _LINE
    await exchange.begin(200, (_HTML, ("Content-Length", str(2 * len(half)))))
    await exchange.send(half)


async def _close(exchange: Exchange) -> None:
    """Hangs up in place of an answer."""
    await exchange.hang_up()


async def _reset(exchange: Exchange) -> None:
    """Resets the connection in place of an answer."""
    await exchange.reset()


async def _garbage(exchange: Exchange) -> None:
    """Answers with something that is not HTTP."""
    await exchange.stream.send_all(b"\x00\xff\x00 this is not HTTP \xfe\r\n\r\n" * 40)


async def _header(exchange: Exchange) -> None:
    """Sends a header line of ``kb`` KiB."""
    size = int(exchange.query.get("kb", "1024")) << 10
    await exchange.begin(200, (_HTML, ("X-Long", "x" * size)))
    await exchange.send(_HEAD)
    await exchange.end()


async def _redirects(exchange: Exchange) -> None:
    """Sends the client on ``n`` times, then to the article."""
    left = int(exchange.query.get("n", "3"))
    await exchange.answer(redirect(f"/redirects?n={left - 1}" if left > 1 else "/article"))


async def _redirect_loop(exchange: Exchange) -> None:
    """Sends the client in a circle."""
    await exchange.answer(redirect("/redirect-loop"))


MISCONDUCT: Mapping[str, Route] = MappingProxyType(
    {
        "/never": _never,
        "/big": _big,
        "/drip": _drip,
        "/half": _half,
        "/half-close": _half_close,
        "/close": _close,
        "/reset": _reset,
        "/garbage": _garbage,
        "/header": _header,
        "/redirects": _redirects,
        "/redirect-loop": _redirect_loop,
    }
)
