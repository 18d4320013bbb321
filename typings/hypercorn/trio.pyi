from collections.abc import Awaitable, Callable
from typing import Literal

import trio
from hypercorn.config import Config
from starlette.types import ASGIApp

async def serve(
    app: ASGIApp,
    config: Config,
    *,
    shutdown_trigger: Callable[[], Awaitable[None]],
    mode: Literal["asgi"],
    task_status: trio.TaskStatus[list[str]] = ...,
) -> None: ...
