"""How it stands with a server's browsers, tabs and sites, as tables for a terminal."""

from collections.abc import Iterator, Sequence

from tabwright.actors.shell.tables import cut, span, table
from tabwright.control.transport import Standing
from tabwright.protocol.browser_pool import PoolState, TabState, TabUse, WorkerState
from tabwright.protocol.rate_limit import SiteRate

SITE_MAX = 24

BROWSERS = ("Browser", "Product", "Window", "> Tabs", "> Memory")


def pool_text(standing: Standing, columns: int) -> str:
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
