"""Tasks whose request is a value."""

from tabwright import Tabwright
from tabwright.protocol.tasks import RunTask, TaskResult


async def run_task(tabwright: Tabwright, request: RunTask) -> TaskResult:
    """Run a task in its session."""
    return await tabwright.session(request.session).run_task(
        request.task,
        model=request.model,
        limits=request.limits,
        follow_up=request.follow_up,
        report=request.report,
    )
