"""Faulty endpoints in place of a running browser: each fault has its own message."""

from functools import partial

import pytest
import trio
from trio_websocket import ConnectionClosed, WebSocketRequest, serve_websocket

from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.protocol.errors import BrowserUnavailable

REFUSING = '{"id": 1, "error": {"code": -32000, "message": "Not allowed"}}'


async def say(request: WebSocketRequest, *, lines: tuple[str, ...], ends: bool) -> None:
    """Receive one command, then send the given lines."""
    socket = await request.accept()
    try:
        await socket.get_message()
        for line in lines:
            await socket.send_message(line)
        if ends:
            await socket.aclose()
        await trio.sleep_forever()
    except ConnectionClosed:
        pass


async def failure_of(lines: tuple[str, ...], *, ends: bool) -> BrowserUnavailable:
    async with trio.open_nursery() as nursery:
        serve = partial(serve_websocket, partial(say, lines=lines, ends=ends), "127.0.0.1", 0)
        server = await nursery.start(partial(serve, ssl_context=None))
        settings = settings_from(
            override(
                browser__cdp_endpoint=f"ws://127.0.0.1:{server.port}/devtools/browser/x",
                browser__start_timeout_s=0.5,
                engines__counts=None,
            )
        )
        with pytest.raises(BrowserUnavailable) as caught:
            async with open_tabwright(settings) as tabwright:
                await tabwright.start_browser()
        nursery.cancel_scope.cancel()
    return caught.value


CASES = {
    "silence": ((), False, True),
    "no JSON": (("{", "garbage"), False, False),
    "other ids": (('{"id": 99, "result": {}}',), False, False),
    "no version": (('{"id": 1, "result": {}}',), False, False),
    "an error": ((REFUSING,), False, False),
    "the end": ((), True, True),
}


async def test_each_endpoint_fault_has_its_own_message() -> None:
    reported: dict[str, str] = {}
    for name, (lines, ends, retryable) in CASES.items():
        failure = await failure_of(lines, ends=ends)
        assert failure.retryable is retryable, name
        reported[name] = failure.message
    assert reported.pop("no JSON") == reported.pop("other ids")
    assert len(set(reported.values())) == len(reported)
