"""Seven search engines as the replica plays them: their result pages, their rules, their blocks.

The marks by which a page is read are those of the real pages; what they list is ours, and
`truth` tells it.
"""

from tabwright.testing.replica.engines.engines import Engines
from tabwright.testing.replica.engines.results import (
    ENGINES,
    PAGES,
    Engine,
    EngineScenario,
    Result,
    truth,
)
from tabwright.testing.replica.engines.site import Asked

__all__ = [
    "ENGINES",
    "PAGES",
    "Asked",
    "Engine",
    "EngineScenario",
    "Engines",
    "Result",
    "truth",
]
