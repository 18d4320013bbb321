"""The status of servers, their browsers, tabs and sites, as tables for a terminal."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from tabwright.cli.output import cut, span, table
from tabwright.control.transport import Overview, PastError, ServerStatus
from tabwright.mcp.tools.interventions import queue_text
from tabwright.protocol.browser_pool import PoolState, TabState, TabUse, WorkerState
from tabwright.protocol.rate_limit import SiteRate
from tabwright.protocol.sessions import SessionState
from tabwright.protocol.tasks import TaskState
from tabwright.text.lines import strip_invisible

SITE_MAX = 24

BROWSERS = ("Browser", "Product", "Window", "> Tabs", "> Memory")


def pool_text(standing: ServerStatus, columns: int) -> str:
    """All of it, in lines of at most so many columns."""
    pool = standing.pool
    tabs = [_tab(tab, standing.now_s) for tab in pool.tabs]
    sites = [_site(rate) for rate in standing.rates if _is_in_use(rate)]
    parts = [
        list(_limits(pool)),
        table(BROWSERS, [_worker(one) for one in pool.workers]),
        table(["Tab", "Browser", "Use", "> For", "Purpose"], tabs),
        table(["Site", "> In work", "> Waiting", "> Today", "> Next request", "> Paused"], sites),
    ]
    return "\n\n".join("\n".join(cut(line, columns) for line in lines) for lines in parts if lines)


def _limits(pool: PoolState) -> Iterator[str]:
    held = sum(tab.use is TabUse.HELD for tab in pool.tabs)
    yield f"Tabs that may search, per browser: {pool.effective_max_tabs} of {pool.max_tabs}"
    yield f"Tabs held for a person: {held}"
    yield f"Waiting for a tab: {pool.waiting}"
    if pool.effective_max_tabs < pool.max_tabs:
        yield "Sites have refused us. `tabwright pool --reset` lets all tabs search again."


def _worker(worker: WorkerState) -> Sequence[str]:
    window = ("yes" if worker.visible else "no") if worker.product else ""
    memory = f"{worker.memory_bytes / 1e6:.0f} MB" if worker.memory_bytes else ""
    return str(worker.number), worker.product or "not running", window, str(worker.tabs), memory


def _tab(tab: TabState, now_s: float) -> Sequence[str]:
    used_for = span(now_s - tab.since_s)
    return str(tab.number), str(tab.worker), tab.use, used_for, tab.purpose


def _site(rate: SiteRate) -> Sequence[str]:
    limit = "" if rate.daily_limit is None else f"/{rate.daily_limit}"
    return (
        _cut_front(rate.site, SITE_MAX),
        str(rate.in_work),
        str(rate.waiting),
        f"{rate.today}{limit}",
        f"in {span(rate.next_start_in_s)}" if rate.next_start_in_s else "now",
        f"for {span(rate.paused_for_s)}" if rate.paused_for_s else "no",
    )


def _is_in_use(rate: SiteRate) -> bool:
    """Whether a site was turned to today, or is now."""
    return any((rate.in_work, rate.waiting, rate.today, rate.next_start_in_s, rate.paused_for_s))


def _cut_front(text: str, length: int) -> str:
    """Of a host the end says most."""
    return text if len(text) <= length else f"…{text[1 - length :]}"


# The overview of a server.

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
    return (
        task.id,
        f"{task.step}/{task.steps_max}",
        task.session,
        paused,
        strip_invisible(task.task),
    )


def _session(session: SessionState) -> Sequence[str]:
    tier = str(session.tier or "")
    page = strip_invisible(session.title) or strip_invisible(session.url)
    return session.name, str(session.pages), span(session.idle_s), tier, page


def _errors(errors: Sequence[PastError]) -> Iterator[str]:
    if errors:
        yield "Last errors"
    for one in errors[-ERRORS_MAX:]:
        at = datetime.fromtimestamp(one.at).astimezone()
        yield f"{at:%H:%M:%S}  {one.source}  {strip_invisible(' '.join(one.text.split()))}"
