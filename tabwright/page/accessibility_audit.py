"""Auditing the accessibility of a page with axe-core."""

from importlib.resources import files

import attrs
import trio

from tabwright.cdp.domains import runtime
from tabwright.page.action_runner import ActionRunner, answers
from tabwright.page.errors import script_failed
from tabwright.page.scripts import read_answer
from tabwright.protocol.audits import (
    AccessibilityProblem,
    AccessibilityReport,
    AuditAccessibility,
)

AUDIT_S = 60.0
"""Seconds for axe-core to check a page; large pages need several."""

IMPACTS = ("critical", "serious", "moderate", "minor")

_RUN = files(__package__ or "").joinpath("js", "audit_accessibility.js").read_text(encoding="utf-8")


@answers(AuditAccessibility)
async def audit_accessibility(
    runner: ActionRunner, request: AuditAccessibility
) -> AccessibilityReport:
    """See `AuditAccessibility`."""
    document = await runner.documents.main()
    tags = "[" + ",".join(f'"{tag}"' for tag in request.tags) + "]"
    here, session = document.context_id, document.session
    with trio.fail_after(AUDIT_S):
        known = await session.execute(runtime.evaluate("typeof axe", here))
        if known.result.value != "object":
            evaluated = await session.execute(runtime.evaluate(f"{request.script}\n;0", here))
            if thrown := evaluated.exception_details:
                raise script_failed(thrown)
        command = runtime.call_function_on(_RUN, here, values=(tags,))
        evaluated = await session.execute(command)
    if thrown := evaluated.exception_details:
        raise script_failed(thrown)
    report = read_answer(str(evaluated.result.value), AccessibilityReport)
    return attrs.evolve(report, problems=tuple(sorted(report.problems, key=_severity)))


def _severity(problem: AccessibilityProblem) -> int:
    return IMPACTS.index(problem.impact) if problem.impact in IMPACTS else len(IMPACTS)
