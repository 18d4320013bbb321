"""The performance of a page: web vitals, what they mean in plain English, and traces."""

from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress

import attrs
import trio

from tabwright.cdp.domains import page, tracing
from tabwright.cdp.errors import CDPError, CommandFailed
from tabwright.page.action_runner import ActionPlan, ActionRunner, answers
from tabwright.page.frames import ANSWER_S, call_in_document
from tabwright.page.scripts import load_script, read_answer
from tabwright.protocol.errors import BadInput, PageFailed
from tabwright.protocol.inspection import Inspection
from tabwright.protocol.untrusted_text import quoting

# Web vitals.

_MEASURE = load_script("web_vitals", "tabwright.plugins.devtools")

GOOD_AND_POOR = {
    "LCP": (2500, 4000),
    "FCP": (1800, 3000),
    "TTFB": (800, 1800),
    "INP": (200, 500),
    "CLS": (0.1, 0.25),
}
"""Up to the first value a vital is good, above the second poor (web.dev/vitals)."""

BLOCKED_MS = 200
"""Milliseconds of blocked main thread that should be reviewed (Lighthouse, total blocking time)."""

LARGE_BYTES = 500_000
"""The size of a resource that should be reviewed."""

SLOW_MS = 1000
"""The duration of a request that should be reviewed."""


@attrs.frozen
class LoadedResource:
    """A resource of the page.

    Attributes:
        url: of the resource.
        kind: what requested it, for example ``script`` or ``img``.
        ms: the duration of its request.
        size_bytes: the bytes that were transferred; 0 from a cache or if unknown.
        blocks: whether it blocked rendering.
    """

    url: str
    kind: str
    ms: float
    size_bytes: int
    blocks: bool = False


@attrs.frozen
class LongScript:
    """A script that blocked the main thread.

    Attributes:
        place: its URL, or what called it, and the function.
        ms: how long it ran.
    """

    place: str
    ms: float


@attrs.frozen
class WebVitals:
    """How the page loaded and responded (web.dev/vitals), in milliseconds.

    Attributes:
        ttfb_ms: until the first byte of the document; None if unknown, as for the next ones.
        fcp_ms: until the first content was painted.
        lcp_ms: until the largest element was painted.
        cls: the sum of the layout shifts of the worst five seconds.
        inp_ms: the slowest response to an action; None without actions of at least 16 ms.
        blocked_ms: the time above 50 ms of tasks that blocked the main thread.
        lcp_element: the largest element.
        lcp_url: of its image; empty for text.
        lcp_requested_ms: when its image was requested; None for text.
        lcp_received_ms: when its image had been received; None for text.
        scripts: the longest scripts in frames of more than 50 ms.
        shifted: the elements that shifted most.
        resources: the slowest, the largest and the blocking resources.
        requests: the number of all resources.
        size_bytes: the bytes that were transferred for all resources.
    """

    ttfb_ms: float | None = None
    fcp_ms: float | None = None
    lcp_ms: float | None = None
    cls: float | None = None
    inp_ms: float | None = None
    blocked_ms: float = 0
    lcp_element: str = ""
    lcp_url: str = ""
    lcp_requested_ms: float | None = None
    lcp_received_ms: float | None = None
    scripts: tuple[LongScript, ...] = ()
    shifted: tuple[str, ...] = ()
    resources: tuple[LoadedResource, ...] = ()
    requests: int = 0
    size_bytes: int = 0


@attrs.frozen
class MeasureWebVitals(Inspection[WebVitals]):
    """Return the web vitals of the page since it was loaded.

    Attributes:
        reload: whether to reload the page first.
    """

    reload: bool = False


@answers(MeasureWebVitals)
async def measure_web_vitals(runner: ActionRunner, request: MeasureWebVitals) -> WebVitals:
    if request.reload:
        await reload_page(runner)
    document = await runner.documents.main()
    with trio.fail_after(ANSWER_S):
        answer = await call_in_document(document, _MEASURE)
    return read_answer(answer, WebVitals)


async def reload_page(runner: ActionRunner) -> None:
    """Reload the page, and wait until it has settled.

    Raises:
        NavigationFailed, PageFailed: it could not be loaded.
    """

    async def reload() -> None:
        """Send the command (`Page.reload`)."""
        await runner.session.execute(page.reload())

    await runner.act(ActionPlan("Reloaded the page.", reload, is_plain=True))


def rating(name: str, value: float) -> str:
    """Return ``good``, ``needs improvement`` or ``poor``."""
    good, poor = GOOD_AND_POOR[name]
    return "good" if value <= good else "poor" if value > poor else "needs improvement"


def vital_lines(vitals: WebVitals) -> Iterator[str]:
    """Yield a line for each vital that is known."""
    values = {
        "LCP": vitals.lcp_ms,
        "FCP": vitals.fcp_ms,
        "TTFB": vitals.ttfb_ms,
        "INP": vitals.inp_ms,
    }
    for name, value in values.items():
        if value is not None:
            yield f"{name} {value:.0f} ms ({rating(name, value)})"
    if vitals.cls is not None:
        yield f"CLS {vitals.cls:.3f} ({rating('CLS', vitals.cls)})"
    yield f"{vitals.requests} requests, {vitals.size_bytes / 1000:.0f} kB transferred"


def lcp_phases(vitals: WebVitals) -> Iterator[tuple[str, float]]:
    """Yield the phases until the largest element was painted (web.dev/optimize-lcp)."""
    ends = {
        "first byte": vitals.ttfb_ms,
        "before its image is requested": vitals.lcp_requested_ms,
        "loading its image": vitals.lcp_received_ms,
        "rendering": vitals.lcp_ms,
    }
    before = 0.0
    for name, end in ends.items():
        if end is not None:
            yield name, max(0.0, end - before)
            before = max(before, end)


def insights(vitals: WebVitals) -> Iterator[str]:
    """Yield what should be reviewed, a sentence each; they contain text of the page."""
    if vitals.lcp_ms is not None and vitals.lcp_element:
        source = f", the image {vitals.lcp_url}" if vitals.lcp_url else ""
        yield f"The largest element is {vitals.lcp_element}{source}."
        phases = ", ".join(f"{name} {ms:.0f} ms" for name, ms in lcp_phases(vitals))
        yield f"The time until it is painted: {phases}."
    for one in vitals.resources:
        if one.blocks:
            yield f"{one.url} blocks rendering for {one.ms:.0f} ms."
        elif one.ms >= SLOW_MS:
            yield f"{one.url} takes {one.ms:.0f} ms."
        if one.size_bytes >= LARGE_BYTES:
            yield f"{one.url} is large: {one.size_bytes / 1000:.0f} kB."
    if vitals.blocked_ms >= BLOCKED_MS:
        yield f"Scripts block the main thread for {vitals.blocked_ms:.0f} ms."
    for script in vitals.scripts:
        yield f"{script.place} runs for {script.ms:.0f} ms."
    if vitals.cls is not None and rating("CLS", vitals.cls) != "good" and vitals.shifted:
        yield f"The layout shifts most at {', '.join(vitals.shifted)}."
    if vitals.inp_ms is not None and rating("INP", vitals.inp_ms) != "good":
        yield f"The page takes {vitals.inp_ms:.0f} ms to respond to an action."


# A performance trace, in the form that Chromium's DevTools open.

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

RECORDING_MB_MAX = 200
"""The maximum size of a trace or a heap snapshot, in megabytes."""

RECORDING_S = 120.0
"""Seconds for the browser to write a trace or a heap snapshot; a large one needs many."""

STOP_S = 5.0
"""Seconds to end a recording that was cancelled: otherwise the browser records on."""


@attrs.frozen
class RecordTrace(Inspection[bytes]):
    """Record a performance trace of the browser, and return it as JSON for Chromium's DevTools.

    Refused with `BadInput` if another recording is under way, and with `PageFailed` if the trace
    is too large. Cancellation ends the recording.

    Attributes:
        reload: whether to reload the page at the beginning.
        seconds: how long to record, after the page has settled.
    """

    reload: bool = True
    seconds: float = 2.0


@answers(RecordTrace)
async def record_trace(runner: ActionRunner, request: RecordTrace) -> bytes:
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
        with trio.fail_after(RECORDING_S):
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
            if len(parts) > RECORDING_MB_MAX * 1_000_000:
                raise PageFailed(
                    f"The trace is larger than {RECORDING_MB_MAX} MB.",
                    advice="Record fewer seconds.",
                    retryable=False,
                )
            if chunk.eof:
                return bytes(parts)
    finally:
        with trio.move_on_after(STOP_S, shield=True), suppress(CDPError):
            await runner.session.execute(tracing.close(stream))
