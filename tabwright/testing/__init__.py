"""The API for tests of programs that embed tabwright: fake browsers, replicas, scripted models.

Everything that is not in `__all__` can change without notice. A name is imported when it is first
used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tabwright.testing.cassette import Cassette as Cassette
    from tabwright.testing.cassette import CassetteMismatch as CassetteMismatch
    from tabwright.testing.determinism import SimulatedTabwright as SimulatedTabwright
    from tabwright.testing.determinism import inline as inline
    from tabwright.testing.determinism import run_seeded as run_seeded
    from tabwright.testing.determinism import simulated_environment as simulated_environment
    from tabwright.testing.determinism import wall_clock as wall_clock
    from tabwright.testing.fake import FakeAnswer as FakeAnswer
    from tabwright.testing.fake import FakeBarrier as FakeBarrier
    from tabwright.testing.fake import FakeBrowser as FakeBrowser
    from tabwright.testing.fake import FakeControl as FakeControl
    from tabwright.testing.fake import FakeDialog as FakeDialog
    from tabwright.testing.fake import FakePage as FakePage
    from tabwright.testing.fake import FakeSite as FakeSite
    from tabwright.testing.fake import Fault as Fault
    from tabwright.testing.fake import FaultKind as FaultKind
    from tabwright.testing.fake import fake_launcher as fake_launcher
    from tabwright.testing.replica import ENGINES as ENGINES
    from tabwright.testing.replica import LANGUAGES as LANGUAGES
    from tabwright.testing.replica import Consent as Consent
    from tabwright.testing.replica import Engine as Engine
    from tabwright.testing.replica import EngineRequest as EngineRequest
    from tabwright.testing.replica import EngineScenario as EngineScenario
    from tabwright.testing.replica import Language as Language
    from tabwright.testing.replica import Replica as Replica
    from tabwright.testing.replica import ReplicaEngines as ReplicaEngines
    from tabwright.testing.replica import Result as Result
    from tabwright.testing.replica import Scenario as Scenario
    from tabwright.testing.replica import Seen as Seen
    from tabwright.testing.replica import Signal as Signal
    from tabwright.testing.replica import Site as Site
    from tabwright.testing.replica import Truth as Truth
    from tabwright.testing.replica import open_replica as open_replica
    from tabwright.testing.replica import open_site as open_site
    from tabwright.testing.scripted_model import Fails as Fails
    from tabwright.testing.scripted_model import Refuses as Refuses
    from tabwright.testing.scripted_model import Replies as Replies
    from tabwright.testing.scripted_model import ScriptedModel as ScriptedModel
    from tabwright.testing.scripted_model import Sends as Sends
    from tabwright.testing.scripted_model import open_scripted_model as open_scripted_model
    from tabwright.testing.scripted_model_wire import ReceivedRequest as ReceivedRequest

_MODULES = {
    "Cassette": "tabwright.testing.cassette",
    "CassetteMismatch": "tabwright.testing.cassette",
    "Consent": "tabwright.testing.replica",
    "ENGINES": "tabwright.testing.replica",
    "Engine": "tabwright.testing.replica",
    "EngineRequest": "tabwright.testing.replica",
    "EngineScenario": "tabwright.testing.replica",
    "Fails": "tabwright.testing.scripted_model",
    "FakeAnswer": "tabwright.testing.fake",
    "FakeBarrier": "tabwright.testing.fake",
    "FakeBrowser": "tabwright.testing.fake",
    "FakeControl": "tabwright.testing.fake",
    "FakeDialog": "tabwright.testing.fake",
    "FakePage": "tabwright.testing.fake",
    "FakeSite": "tabwright.testing.fake",
    "Fault": "tabwright.testing.fake",
    "FaultKind": "tabwright.testing.fake",
    "LANGUAGES": "tabwright.testing.replica",
    "Language": "tabwright.testing.replica",
    "ReceivedRequest": "tabwright.testing.scripted_model_wire",
    "Refuses": "tabwright.testing.scripted_model",
    "Replica": "tabwright.testing.replica",
    "ReplicaEngines": "tabwright.testing.replica",
    "Replies": "tabwright.testing.scripted_model",
    "Result": "tabwright.testing.replica",
    "Scenario": "tabwright.testing.replica",
    "ScriptedModel": "tabwright.testing.scripted_model",
    "Seen": "tabwright.testing.replica",
    "Sends": "tabwright.testing.scripted_model",
    "Signal": "tabwright.testing.replica",
    "SimulatedTabwright": "tabwright.testing.determinism",
    "Site": "tabwright.testing.replica",
    "Truth": "tabwright.testing.replica",
    "fake_launcher": "tabwright.testing.fake",
    "inline": "tabwright.testing.determinism",
    "open_replica": "tabwright.testing.replica",
    "open_scripted_model": "tabwright.testing.scripted_model",
    "open_site": "tabwright.testing.replica",
    "run_seeded": "tabwright.testing.determinism",
    "simulated_environment": "tabwright.testing.determinism",
    "wall_clock": "tabwright.testing.determinism",
}
"""The module of each public name: a name is exported here and under `TYPE_CHECKING`."""

if not TYPE_CHECKING:  # type checkers see the imports above
    __all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
