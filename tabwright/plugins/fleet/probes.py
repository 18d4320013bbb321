"""HTTP endpoints of a worker for the system that starts and watches it.

========  ==============================================
path      response
========  ==============================================
/health   the health check: 200 while the process works
/ready    200 while it takes jobs, 503 once it is stopping
/metrics  figures of the worker for Prometheus
========  ==============================================

None of it is secret, so no token is needed.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

import trio
from prometheus_client import CollectorRegistry, Gauge, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tabwright.concurrency.nursery import background_nursery
from tabwright.http.asgi import serve_application
from tabwright.plugins.fleet.worker import JobWorker
from tabwright.protocol.errors import SettingsError
from tabwright.protocol.jobs import WorkerReport


@asynccontextmanager
async def open_probes(bind: str, worker: JobWorker) -> AsyncGenerator[str]:
    """Answer at an address for the block, and yield the URL there.

    Args:
        bind: ``HOST:PORT``; the port 0 chooses a free one.
        worker: the worker whose state is reported.

    Raises:
        SettingsError: the address cannot be used.
    """

    async def health(_request: Request) -> Response:
        """Report that the process works."""
        return JSONResponse({"status": "ok"})

    async def ready(_request: Request) -> Response:
        """Report whether the worker accepts jobs."""
        is_ready = not (await worker.report()).is_draining
        return JSONResponse({"ready": is_ready}, 200 if is_ready else 503)

    async def metrics(_request: Request) -> Response:
        """Return the figures of the worker."""
        return Response(_figures(await worker.report()), media_type=CONTENT_TYPE_LATEST)

    routes = [Route("/health", health), Route("/ready", ready), Route("/metrics", metrics)]
    closed = trio.Event()
    app = Starlette(routes=routes)
    listen = partial(serve_application, app, bind, closed)
    async with background_nursery() as nursery:
        try:
            addresses: list[str] = await nursery.start(listen)
        except OSError as error:
            raise SettingsError(f"--health: {bind}: {error.strerror or error}") from error
        try:
            yield addresses[0]
        finally:
            closed.set()


def _figures(report: WorkerReport) -> bytes:
    registry = CollectorRegistry()
    for name, text, value in (
        ("capacity", "Jobs that the worker does at the same time.", report.capacity),
        ("jobs_in_work", "Jobs that it is doing.", report.in_work),
        ("jobs_done", "Jobs that it has done since its start.", report.done),
        ("jobs_failed", "Attempts of jobs that failed since its start.", report.failed),
        ("utilisation", "Jobs in work, as a share of the capacity.", report.utilisation),
        ("memory_bytes", "Memory of the worker and its browsers.", report.memory_bytes),
        ("browsers", "Its running browsers.", report.browsers),
    ):
        Gauge(f"tabwright_worker_{name}", text, registry=registry).set(value)
    return generate_latest(registry)
