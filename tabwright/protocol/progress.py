"""..."""

from tabwright.protocol.ai_search import Progress, Waiting
from tabwright.protocol.browser_pool import (
    TabWait,
)
from tabwright.protocol.rate_limit import SiteWait


def tell_wait(progress: Progress, wait: SiteWait | TabWait, *, who: str = "") -> None:
    """Tells of a wait, for a tab or for a site; `who` is one of several that wait."""
    progress(Waiting(str(wait), who))
