"""The time limit for a client to send a request."""

import pytest
import trio

from tabwright.concurrency.timers import STALL_S
from tabwright.plugins.server.guard import BodyTimeLimit


async def read_body(_scope, receive, send):
    """Act as an application that reads the body, works for 1000 s and answers."""
    while (await receive()).get("more_body"):
        pass
    await trio.sleep(1000)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.mark.parametrize(
    ("delay_s", "status"), [(0, 200), (STALL_S * 0.4, 200), (STALL_S * 0.6, 408), (1e6, 408)]
)
async def test_body_in_two_parts_over_the_time_limit_gets_408(delay_s, status, autojump_clock):
    sent = list[dict[str, object]]()
    parts = iter((True, False))

    async def receive():
        await trio.sleep(delay_s)
        return {"type": "http.request", "body": b" ", "more_body": next(parts)}

    async def send(message):
        sent.append(message)

    await BodyTimeLimit(read_body)({"type": "http"}, receive, send)
    assert sent[0]["status"] == status
