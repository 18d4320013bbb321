"""A replica of Google's AI Mode, of seven search engines, and of the pages they link to.

The markup, the order of events and the interstitials are those of the pages of August 2026; the
answers are our own. Only the server knows the structure of an answer: the browser gets pieces of
HTML.
"""

from tabwright.testing.replica.answers import LANGUAGES, Language, Truth
from tabwright.testing.replica.engines.engines import ReplicaEngines
from tabwright.testing.replica.engines.results import ENGINES, Engine, EngineScenario, Result
from tabwright.testing.replica.engines.site import EngineRequest
from tabwright.testing.replica.google import Consent
from tabwright.testing.replica.replica import Replica, open_replica
from tabwright.testing.replica.scenario import Scenario, Signal
from tabwright.testing.replica.server import Seen
from tabwright.testing.replica.site import Site, open_site

__all__ = [
    "ENGINES",
    "LANGUAGES",
    "Consent",
    "Engine",
    "EngineRequest",
    "EngineScenario",
    "Language",
    "Replica",
    "ReplicaEngines",
    "Result",
    "Scenario",
    "Seen",
    "Signal",
    "Site",
    "Truth",
    "open_replica",
    "open_site",
]
