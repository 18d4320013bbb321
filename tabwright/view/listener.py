"""The port of the live view of a process that serves nothing else over HTTP."""

from functools import partial
from urllib.parse import urlsplit

import trio

from tabwright.concurrency.nursery import background_nursery
from tabwright.http.asgi import serve_application
from tabwright.view.connections import AnswerTimeLimit, end_connections
from tabwright.view.routes import view_application
from tabwright.view.service import View

CLOSE_S = 0.5
"""The time for open streams to close at the end, in seconds."""


async def listen(view: View, bind: str, task_status: trio.TaskStatus[str]) -> None:
    """Serve the live view at a ``HOST:PORT`` until cancelled.

    Raises:
        OSError: the address cannot be used.
    """
    app = AnswerTimeLimit(view_application(view, view.settings.hosts))
    async with background_nursery() as nursery:
        serving = partial(serve_application, app, bind, trio.Event(), close_s=CLOSE_S)
        addresses: list[str] = await nursery.start(serving)
        try:
            task_status.started(addresses[0])
            await trio.sleep_forever()
        finally:
            end_connections(port=urlsplit(addresses[0]).port)
