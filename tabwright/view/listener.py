"""The port of the live view of a process that serves nothing else over HTTP."""

import logging
from functools import partial
from urllib.parse import urlsplit

import trio
from hypercorn.config import Config
from hypercorn.trio import serve

from tabwright.concurrency.nursery import background_nursery
from tabwright.view.connections import AnswerTimeLimit, end_connections
from tabwright.view.routes import view_application
from tabwright.view.service import View

CLOSE_S = 0.5
"""The time for open streams to close at the end, in seconds."""

_log = logging.getLogger("tabwright.view")


async def listen(view: View, bind: str, task_status: trio.TaskStatus[str]) -> None:
    """Serve the live view at a ``HOST:PORT`` until cancelled.

    Raises:
        OSError: the address cannot be used.
    """
    config = Config.from_mapping(
        bind=[bind], errorlog=_log, graceful_timeout=CLOSE_S, include_server_header=False
    )
    app = AnswerTimeLimit(view_application(view, view.settings.hosts))
    async with background_nursery() as nursery:
        addresses: list[str] = await nursery.start(partial(serve, app, config, mode="asgi"))
        try:
            task_status.started(addresses[0])
            await trio.sleep_forever()
        finally:
            end_connections(port=urlsplit(addresses[0]).port)
