"""Audits of a page: performance, heap, styles and accessibility."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import object_schema
from tabwright.mcp.tool import LOOKS, READS, Tool, ToolContext, ToolResult
from tabwright.mcp.tools.files import save, saved_file
from tabwright.mcp.tools.page_arguments import Ref, TabArguments
from tabwright.protocol.errors import BadInput
from tabwright.protocol.untrusted_text import Parts, quoted
from tabwright.text.token_budget import opening

if TYPE_CHECKING:
    from tabwright.plugins.devtools.styles import ElementStyles

# Performance.

TRACE_FILE = "trace.json"


@attrs.frozen(kw_only=True)
class PerformanceArguments(TabArguments):
    """Arguments of `performance`."""

    reload: Annotated[bool, Meta(description="Reload the page first, to measure it anew.")] = False
    trace_s: Annotated[
        float,
        Meta(ge=0, le=30, description="Seconds to record a trace for, into a file for DevTools."),
    ] = 0.0
    filename: Annotated[str, Meta(description="Name of the trace in the download folder.")] = (
        TRACE_FILE
    )


async def performance(arguments: PerformanceArguments, context: ToolContext) -> ToolResult:
    """Show the web vitals of the page and what should be reviewed, after a trace if requested."""
    from tabwright.plugins.devtools.performance import (
        MeasureWebVitals,
        RecordTrace,
        insights,
        vital_lines,
    )

    tabwright, session, tab = context.tabwright, arguments.session, arguments.tab
    saved: Parts = ()
    path: dict[str, object] = {}
    if arguments.trace_s:
        trace = RecordTrace(arguments.reload, arguments.trace_s)
        data = await tabwright.session(session).inspect(trace, tab=tab)
        text = tabwright.parts.secrets.masked(data.decode(errors="replace"))
        file = await save(tabwright, arguments.filename or TRACE_FILE, text)
        saved, path = (f"Saved the trace to {file} ({len(data)} bytes).",), {"path": str(file)}
    request = MeasureWebVitals(arguments.reload and not arguments.trace_s)
    vitals = await tabwright.session(session).inspect(request, tab=tab)
    found = tuple(insights(vitals))
    parts: Parts = (*saved, "\n".join(vital_lines(vitals)), *quoted("\n".join(found)))
    return ToolResult(parts, {**attrs.asdict(vitals), "insights": list(found), **path})


PERFORMANCE = Tool(
    name="performance",
    description="Return the page's web vitals (LCP, CLS, INP, FCP, TTFB) since it was loaded, and "
    "what makes it slow. INP requires actions on the page.",
    output_schema=object_schema(
        {
            "lcp_ms": {"type": "number"},
            "fcp_ms": {"type": "number"},
            "ttfb_ms": {"type": "number"},
            "inp_ms": {"type": "number"},
            "cls": {"type": "number"},
            "insights": {"type": "array", "items": {"type": "string"}},
            "path": {"type": "string", "description": "Path of the trace."},
        },
        required=["insights"],
    ),
    arguments=PerformanceArguments,
    handler=performance,
    group="performance",
    annotations=LOOKS,
)


# The JavaScript heap.

HEAP_FILE = "page.heapsnapshot"


@attrs.frozen(kw_only=True)
class HeapSnapshotArguments(TabArguments):
    """Arguments of `heap_snapshot`."""

    filename: Annotated[str, Meta(description="Name in the download folder.")] = HEAP_FILE
    compare: Annotated[str, Meta(description="Earlier file, to return only what has changed.")] = ""


async def heap_snapshot(arguments: HeapSnapshotArguments, context: ToolContext) -> ToolResult:
    """Save a snapshot of the heap, and show the largest classes or the largest changes."""
    from trio import to_thread

    from tabwright.plugins.devtools.heap_snapshot import (
        TakeHeapSnapshot,
        class_lines,
        compared,
        heap_classes,
    )

    tabwright = context.tabwright
    before = await saved_file(tabwright, arguments.compare) if arguments.compare else b""
    data = await tabwright.session(arguments.session).inspect(TakeHeapSnapshot(), tab=arguments.tab)

    def masked() -> str:
        """Return the snapshot without secrets, which takes seconds for a large heap."""
        return tabwright.parts.secrets.masked(data.decode(errors="replace"))

    text = await to_thread.run_sync(masked)
    path = await save(tabwright, arguments.filename or HEAP_FILE, text)
    classes = await to_thread.run_sync(heap_classes, text.encode())
    if before:
        classes = compared(await to_thread.run_sync(heap_classes, before), classes)
    lines = list(class_lines(classes, signed=bool(before)))
    record = {"path": str(path), "classes": [attrs.asdict(one) for one in classes[: len(lines)]]}
    parts: Parts = (f"Saved the heap to {path} ({len(text)} bytes).", *quoted("\n".join(lines)))
    return ToolResult(parts, record)


HEAP_SNAPSHOT = Tool(
    name="heap_snapshot",
    description="Save a snapshot of the page's JavaScript heap for DevTools, and return its "
    "largest classes, or with compare what has grown, to find leaks.",
    output_schema=object_schema(
        {"path": {"type": "string"}, "classes": {"type": "array", "items": {"type": "object"}}},
        required=["path", "classes"],
    ),
    arguments=HeapSnapshotArguments,
    handler=heap_snapshot,
    group="performance",
    annotations=LOOKS,
)


# Styles.


@attrs.frozen(kw_only=True)
class InspectArguments(TabArguments):
    """Arguments of `inspect`."""

    ref: Ref
    properties: Annotated[
        tuple[str, ...], Meta(description="Computed properties; default: the most common.")
    ] = ()


async def inspect(arguments: InspectArguments, context: ToolContext) -> ToolResult:
    """Show the computed styles of an element, and the rules that match it."""
    from tabwright.plugins.devtools.styles import ReadStyles

    request = ReadStyles(arguments.ref, arguments.properties)
    found = await context.tabwright.session(arguments.session).inspect(request, tab=arguments.tab)
    budget = (await context.settings(arguments)).reading.outline_tokens_max
    record = {
        "computed": dict(found.computed),
        "rules": [
            {**attrs.asdict(one), "declarations": [*one.declarations]} for one in found.rules
        ],
    }
    return ToolResult(opening(styles_text(found), budget), record)


def styles_text(found: "ElementStyles") -> str:
    """Return the styles of an element as CSS."""
    lines = ["/* Computed */", *(f"{name}: {value};" for name, value in found.computed)]
    for rule in found.rules:
        media = "".join(f"@media {one} " for one in rule.media)
        declarations = " ".join(f"{name}: {value};" for name, value in rule.declarations)
        place = f"  /* {rule.place} */" if rule.place else ""
        lines.append(f"{media}{rule.selector or 'style attribute'} {{ {declarations} }}{place}")
    return "\n".join(lines)


INSPECT = Tool(
    name="inspect",
    description="Return the computed CSS of an element and the rules that match it, the strongest "
    "first, with their files and lines.",
    output_schema=object_schema(
        {"computed": {"type": "object"}, "rules": {"type": "array", "items": {"type": "object"}}},
        required=["computed", "rules"],
    ),
    arguments=InspectArguments,
    handler=inspect,
    group="performance",
    annotations=READS,
)


# Accessibility.

AXE_PACKAGES = ("axe_playwright_python", "axe_core_python")
"""Packages that contain axe-core, the newest first. They are never imported."""

_TAG = re.compile(r"[a-z0-9.-]{1,40}")


def axe_script() -> str:
    """Return the source of axe-core, which an installed package has; it reads a file.

    Raises:
        BadInput: it is not installed.
    """
    for name in AXE_PACKAGES:
        spec = find_spec(name)
        if spec and spec.origin and (path := Path(spec.origin).with_name("axe.min.js")).is_file():
            return path.read_text(encoding="utf-8")
    raise BadInput("axe-core is not installed.", advice="The user can install tabwright[audit].")


@attrs.frozen(kw_only=True)
class AccessibilityAuditArguments(TabArguments):
    """Arguments of `accessibility_audit`."""

    tags: Annotated[
        tuple[str, ...],
        Meta(description="Only rules with these tags of axe-core, e.g. wcag2a, wcag2aa."),
    ] = ()

    def __attrs_post_init__(self) -> None:
        if not all(map(_TAG.fullmatch, self.tags)):
            raise BadInput("tags has an invalid tag.", advice="Use tags such as wcag2aa.")


async def accessibility_audit(
    arguments: AccessibilityAuditArguments, context: ToolContext
) -> ToolResult:
    """Show the violations of accessibility rules."""
    from trio import to_thread

    from tabwright.plugins.devtools.accessibility import AuditAccessibility

    request = AuditAccessibility(await to_thread.run_sync(axe_script), arguments.tags)
    report = await context.tabwright.session(arguments.session).inspect(request, tab=arguments.tab)
    lines = [
        f"{one.impact}: {one.help} ({one.rule}, {one.count}x): {', '.join(one.elements)}"
        for one in report.problems
    ]
    head = (
        f"{len(report.problems)} rules are violated, {report.passes} hold, {report.incomplete} "
        "have to be checked by a person."
    )
    record = {"problems": [attrs.asdict(one) for one in report.problems], "passes": report.passes}
    return ToolResult((head, *quoted("\n".join(lines))), record)


ACCESSIBILITY_AUDIT = Tool(
    name="accessibility_audit",
    description="Check the page against the accessibility rules of axe-core and return those that "
    "are violated, with the elements.",
    output_schema=object_schema(
        {
            "problems": {"type": "array", "items": {"type": "object"}},
            "passes": {"type": "integer"},
        },
        required=["problems", "passes"],
    ),
    arguments=AccessibilityAuditArguments,
    handler=accessibility_audit,
    group="performance",
    annotations=READS,
)

TOOLS = (
    PERFORMANCE,
    HEAP_SNAPSHOT,
    INSPECT,
    ACCESSIBILITY_AUDIT,
)
