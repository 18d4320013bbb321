"""Seven search engines as the replica plays them: their result pages, their rules, their blocks.

The marks by which a page is read are those of the real pages; what they list is ours, and
`truth` tells it.
"""

from tabwright.testing.replica.engines.engines import ReplicaEngines
from tabwright.testing.replica.engines.results import (
    ENGINES,
    PAGES,
    Engine,
    EngineScenario,
    Result,
    truth,
)
from tabwright.testing.replica.engines.site import EngineRequest

__all__ = [
    "ENGINES",
    "PAGES",
    "Engine",
    "EngineRequest",
    "EngineScenario",
    "ReplicaEngines",
    "Result",
    "truth",
]
