"""Serving an ASGI application on trio."""

import logging

import trio
from hypercorn.config import Config
from hypercorn.trio import serve
from starlette.types import ASGIApp

from tabwright.concurrency.nursery import sole_error

_log = logging.getLogger("tabwright.http")


async def serve_application(
    app: ASGIApp,
    bind: str,
    closed: trio.Event,
    *,
    close_s: float,
    task_status: trio.TaskStatus[list[str]],
) -> None:
    """Serve an application until `closed` is set, or until cancelled.

    Args:
        app: the application.
        bind: the ``HOST:PORT`` to serve at; the port 0 chooses a free one.
        closed: ends the listener; open connections then have `close_s` seconds to close.
        close_s: see `closed`.
        task_status: is given the URLs of the server.

    Raises:
        OSError: the address cannot be used.
    """
    config = Config.from_mapping(
        bind=[bind], errorlog=_log, graceful_timeout=close_s, include_server_header=False
    )
    failure: BaseException | None = None
    try:
        await serve(app, config, shutdown_trigger=closed.wait, mode="asgi", task_status=task_status)
    except BaseExceptionGroup as group:  # the server binds in nurseries of its own
        unusable, _cancelled = group.split(OSError)
        failure = sole_error(unusable or group)
    if failure is not None:
        raise failure
