"""The API for tests of programs that embed tabwright: fake browsers, replicas, scripted models.

Everything that is not in `__all__` can change without notice. A name is imported when it is first
used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tabwright.testing.cassette import Cassette, CassetteMismatch
    from tabwright.testing.determinism import (
        SimulatedTabwright,
        inline,
        run_seeded,
        simulated_environment,
        wall_clock,
    )
    from tabwright.testing.fake import (
        FakeAnswer,
        FakeBarrier,
        FakeBrowser,
        FakeControl,
        FakeDialog,
        FakePage,
        FakeSite,
        Fault,
        FaultKind,
        fake_launcher,
    )
    from tabwright.testing.replica import (
        ENGINES,
        LANGUAGES,
        Consent,
        Engine,
        EngineRequest,
        EngineScenario,
        Language,
        Replica,
        ReplicaEngines,
        Result,
        Scenario,
        Seen,
        Signal,
        Site,
        Truth,
        open_replica,
        open_site,
    )
    from tabwright.testing.scripted_model import (
        Fails,
        Refuses,
        Replies,
        ScriptedModel,
        Sends,
        open_scripted_model,
    )
    from tabwright.testing.scripted_model_wire import ReceivedRequest

__all__ = [
    "ENGINES",
    "LANGUAGES",
    "Cassette",
    "CassetteMismatch",
    "Consent",
    "Engine",
    "EngineRequest",
    "EngineScenario",
    "Fails",
    "FakeAnswer",
    "FakeBarrier",
    "FakeBrowser",
    "FakeControl",
    "FakeDialog",
    "FakePage",
    "FakeSite",
    "Fault",
    "FaultKind",
    "Language",
    "ReceivedRequest",
    "Refuses",
    "Replica",
    "ReplicaEngines",
    "Replies",
    "Result",
    "Scenario",
    "ScriptedModel",
    "Seen",
    "Sends",
    "Signal",
    "SimulatedTabwright",
    "Site",
    "Truth",
    "fake_launcher",
    "inline",
    "open_replica",
    "open_scripted_model",
    "open_site",
    "run_seeded",
    "simulated_environment",
    "wall_clock",
]

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


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
