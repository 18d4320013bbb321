"""..."""

from tabwright.protocol.ai_search import OnProgress, WaitProgress
from tabwright.protocol.browser_pool import (
    TabWait,
)
from tabwright.protocol.rate_limit import SiteWait


def report_wait(progress: OnProgress, wait: SiteWait | TabWait, *, who: str = "") -> None:
    """Tells of a wait, for a tab or for a site; `who` is one of several that wait."""
    progress(WaitProgress(str(wait), who))
