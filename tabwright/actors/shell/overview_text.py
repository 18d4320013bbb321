"""All that can be seen of a server, as tables for a terminal."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from tabwright.actors.shell.tables import cut, span, table
from tabwright.cli.status_tables import pool_text
from tabwright.control.transport import Overview, PastError
from tabwright.mcp.tools.interventions import queue_text
from tabwright.protocol.sessions import SessionState
from tabwright.protocol.tasks import TaskState
from tabwright.text.lines import visible

SESSIONS = ("Session", "> Pages", "> Idle", "Tier", "Page")
TASKS = ("Task", "> Step", "Session", "", "What")
ERRORS_MAX = 8


def overview_text(seen: Overview, columns: int) -> str:
    """All of it, in lines of at most so many columns; the first goes on where a name stands."""
    head = f"up {span(seen.up_s)}, {seen.memory_bytes / 1e6:.0f} MB"
    waiting = [one for one in seen.queue if one.state.is_open]
    parts = [
        queue_text(waiting).splitlines() if waiting else [],
        table(TASKS, [_task(one) for one in seen.tasks]),
        table(SESSIONS, [_session(one) for one in seen.sessions]),
        list(_errors(seen.errors)),
    ]
    below = "\n\n".join("\n".join(cut(line, columns) for line in part) for part in parts if part)
    return "\n\n".join(filter(None, (head, pool_text(seen.standing, columns), below)))


def _task(task: TaskState) -> Sequence[str]:
    paused = "paused" if task.paused else ""
    return task.id, f"{task.step}/{task.steps_max}", task.session, paused, visible(task.task)


def _session(session: SessionState) -> Sequence[str]:
    tier = str(session.tier or "")
    page = visible(session.title) or visible(session.url)
    return session.name, str(session.pages), span(session.idle_s), tier, page


def _errors(errors: Sequence[PastError]) -> Iterator[str]:
    if errors:
        yield "Last errors"
    for one in errors[-ERRORS_MAX:]:
        at = datetime.fromtimestamp(one.at).astimezone()
        yield f"{at:%H:%M:%S}  {one.source}  {visible(' '.join(one.text.split()))}"
