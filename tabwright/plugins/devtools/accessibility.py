"""Audits of the accessibility of a page, by axe-core."""

import attrs
import trio

from tabwright.cdp.domains import runtime
from tabwright.page.action_runner import ActionRunner, answers
from tabwright.page.errors import script_failed
from tabwright.page.frames import call_in_document
from tabwright.page.scripts import load_script, read_answer
from tabwright.protocol.inspection import Inspection

AUDIT_S = 60.0
"""Seconds for axe-core to check a page; large pages need several."""

IMPACTS = ("critical", "serious", "moderate", "minor")

_RUN = load_script("audit_accessibility", "tabwright.plugins.devtools")


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


@answers(AuditAccessibility)
async def audit_accessibility(
    runner: ActionRunner, request: AuditAccessibility
) -> AccessibilityReport:
    """Run axe in the page, and return what it reports."""
    document = await runner.documents.main()
    tags = "[" + ",".join(f'"{tag}"' for tag in request.tags) + "]"
    here, session = document.context_id, document.session
    with trio.fail_after(AUDIT_S):
        known = await session.execute(runtime.evaluate("typeof globalThis.axe?.run", here))
        if known.result.value != "function":  # an element may have the id "axe"
            evaluated = await session.execute(runtime.evaluate(f"{request.script}\n;0", here))
            if thrown := evaluated.exception_details:
                raise script_failed(thrown)
        answer = await call_in_document(document, _RUN, tags)
    report = read_answer(answer, AccessibilityReport)
    return attrs.evolve(report, problems=tuple(sorted(report.problems, key=_severity)))


def _severity(problem: AccessibilityProblem) -> int:
    return IMPACTS.index(problem.impact) if problem.impact in IMPACTS else len(IMPACTS)
