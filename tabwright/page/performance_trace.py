"""Recording a performance trace, in the form that Chromium's DevTools open."""

from base64 import b64decode
from contextlib import suppress

import trio

from tabwright.cdp.domains import tracing
from tabwright.cdp.errors import CDPError, CommandFailed
from tabwright.page.action_runner import ActionRunner, answers
from tabwright.page.web_vitals import reload_page
from tabwright.protocol.audits import RecordTrace
from tabwright.protocol.errors import BadInput, PageFailed
from tabwright.protocol.untrusted_text import quoting

CATEGORIES = (
    "devtools.timeline",
    "v8.execute",
    "blink.console",
    "blink.user_timing",
    "loading",
    "latencyInfo",
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.timeline.frame",
    "disabled-by-default-v8.cpu_profiler",
)
"""The categories that the performance panel shows."""

TRACE_MB_MAX = 100
"""The maximum size of a trace, in megabytes."""

END_S = 30.0
"""Seconds for the browser to write a trace."""

STOP_S = 5.0
"""Seconds to end a recording that was cancelled: otherwise the browser records on."""


@answers(RecordTrace)
async def record_trace(runner: ActionRunner, request: RecordTrace) -> bytes:
    """See `RecordTrace`."""
    with runner.session.subscribe(tracing.TracingComplete) as completed:
        try:
            await runner.session.execute(tracing.start(CATEGORIES))
        except CommandFailed as error:
            raise BadInput(
                quoting("The browser does not record a trace: {reason}.", reason=error.text),
                advice="Try again when no other recording is under way.",
            ) from error
        try:
            if request.reload:
                await reload_page(runner)
            await trio.sleep(request.seconds)
        finally:
            with trio.move_on_after(STOP_S, shield=True), suppress(CDPError):
                await runner.session.execute(tracing.end())
        with trio.fail_after(END_S):
            return await _whole(runner, (await anext(completed)).stream)


async def _whole(runner: ActionRunner, stream: str) -> bytes:
    """Return a stream, and close it.

    Raises:
        PageFailed: it is too large.
    """
    parts = bytearray()
    try:
        while True:
            chunk = await runner.session.execute(tracing.read(stream))
            parts += b64decode(chunk.data) if chunk.base64_encoded else chunk.data.encode()
            if len(parts) > TRACE_MB_MAX * 1_000_000:
                raise PageFailed(
                    f"The trace is larger than {TRACE_MB_MAX} MB.",
                    advice="Record fewer seconds.",
                    retryable=False,
                )
            if chunk.eof:
                return bytes(parts)
    finally:
        with trio.move_on_after(STOP_S, shield=True), suppress(CDPError):
            await runner.session.execute(tracing.close(stream))
