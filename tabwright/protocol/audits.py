"""Audits of a page: web vitals, the styles of an element, accessibility."""

import attrs

from tabwright.protocol.inspection import Inspection


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


@attrs.frozen
class TakeHeapSnapshot(Inspection[bytes]):
    """Return a snapshot of the page's JavaScript heap, as JSON for Chromium's DevTools.

    Refused with `PageFailed` if it is too large.
    """


@attrs.frozen
class BrowserIssue:
    """A problem that the browser has found with the page, as DevTools lists it.

    Attributes:
        code: its kind, for example ``Cookie``, ``MixedContent`` or ``ContentSecurityPolicy``.
        details: names and values, for example the reason and the URL.
        count: how often it was found.
    """

    code: str
    details: tuple[tuple[str, str], ...]
    count: int = 1


@attrs.frozen
class ReadBrowserIssues(Inspection[tuple[BrowserIssue, ...]]):
    """Return the problems that the browser has found since the page was loaded.

    Attributes:
        reload: whether to reload the page first.
    """

    reload: bool = False


@attrs.frozen
class MatchedRule:
    """A CSS rule that applies to an element.

    Attributes:
        selector: its selector; empty for the ``style`` attribute.
        declarations: names and values as written.
        place: the style sheet and the line; empty if unknown.
        media: the conditions around it.
    """

    selector: str
    declarations: tuple[tuple[str, str], ...]
    place: str = ""
    media: tuple[str, ...] = ()


@attrs.frozen
class ElementStyles:
    """The styles of an element.

    Attributes:
        computed: the requested properties with their computed values.
        rules: those that match, the strongest first; browser defaults are left out.
    """

    computed: tuple[tuple[str, str], ...]
    rules: tuple[MatchedRule, ...]


@attrs.frozen
class ReadStyles(Inspection[ElementStyles]):
    """Return the styles of an element; refused with `BadInput` if there is no such element.

    Attributes:
        ref: of the element.
        properties: the computed properties to return.
    """

    ref: str
    properties: tuple[str, ...] = ()


@attrs.frozen
class AccessibilityProblem:
    """A violated rule of accessibility.

    Attributes:
        rule: its name in axe-core.
        impact: ``minor``, ``moderate``, ``serious`` or ``critical``.
        help: what to do.
        help_url: more about it.
        elements: CSS selectors of the elements, as far as listed.
        count: the number of all of them.
    """

    rule: str
    impact: str
    help: str
    help_url: str
    elements: tuple[str, ...]
    count: int


@attrs.frozen
class AccessibilityReport:
    """The result of an accessibility audit with axe-core.

    Attributes:
        version: of axe-core.
        problems: the most severe first.
        passes: the number of rules that hold.
        incomplete: the number of rules that a person has to check.
    """

    version: str
    problems: tuple[AccessibilityProblem, ...]
    passes: int
    incomplete: int


@attrs.frozen
class AuditAccessibility(Inspection[AccessibilityReport]):
    """Return the violations of accessibility rules on the page, without its frames.

    Attributes:
        script: the source of axe-core.
        tags: only rules with one of these tags, for example ``wcag2aa``; empty for all.
    """

    script: str = attrs.field(repr=False)
    tags: tuple[str, ...] = ()
