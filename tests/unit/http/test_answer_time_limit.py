"""The time limit for a client to read a part of its answer."""

import pytest
import trio

from tabwright.http import asgi
from tabwright.http.asgi import POLL_S, STALL_S, AnswerTimeLimit

CLIENT = ("192.0.2.1", 4711)


async def answer_in_two_parts(scope, _receive, send):
    """Act as an application that answers in two parts and never ends its lifespan."""
    if scope["type"] == "lifespan":
        await trio.sleep_forever()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.mark.parametrize(
    ("part_s", "ended"),
    [
        (0, []),
        (STALL_S * 0.9, []),
        (STALL_S + 2 * POLL_S, [CLIENT, CLIENT]),
        (STALL_S * 10, [CLIENT] * 2),
    ],
)
async def test_client_too_slow_for_one_part_is_disconnected(
    part_s, ended, autojump_clock, monkeypatch
):
    connections_ended = list[tuple[str, int]]()

    def end(*, client):
        connections_ended.append(client)

    async def send(_message):
        await trio.sleep(part_s)

    async def receive():
        raise AssertionError

    monkeypatch.setattr(asgi, "end_connections", end)
    application = AnswerTimeLimit(answer_in_two_parts)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(application, {"type": "lifespan"}, receive, send)
        await application({"type": "http", "client": CLIENT}, receive, send)
        nursery.cancel_scope.cancel()
    assert connections_ended == ended
