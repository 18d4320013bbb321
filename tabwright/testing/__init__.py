"""The API for tests of programs that embed tabwright: fake browsers, seeded runs, cassettes.

`tabwright.testing.replica` has replicas of search engines, and `tabwright.testing.scripted_model` a
language model by a script.

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

_MODULES = {
    "Cassette": "tabwright.testing.cassette",
    "CassetteMismatch": "tabwright.testing.cassette",
    "FakeAnswer": "tabwright.testing.fake",
    "FakeBarrier": "tabwright.testing.fake",
    "FakeBrowser": "tabwright.testing.fake",
    "FakeControl": "tabwright.testing.fake",
    "FakeDialog": "tabwright.testing.fake",
    "FakePage": "tabwright.testing.fake",
    "FakeSite": "tabwright.testing.fake",
    "Fault": "tabwright.testing.fake",
    "FaultKind": "tabwright.testing.fake",
    "SimulatedTabwright": "tabwright.testing.determinism",
    "fake_launcher": "tabwright.testing.fake",
    "inline": "tabwright.testing.determinism",
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
