"""The pytest plugin: fixtures for tests of programs that embed tabwright.

pytest loads it in every project that has tabwright installed, so it imports nothing else until a
fixture is used.
"""

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tabwright.testing.cassette import Cassette
    from tabwright.testing.determinism import SimulatedTabwright
    from tabwright.testing.fake import FakeSite


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that records cassettes again."""
    parser.getgroup("tabwright").addoption(
        "--cassette-record",
        action="store_true",
        help="Record the cassettes of the selected tests again, with a real browser.",
    )


@pytest.fixture
def fake_site() -> "FakeSite":
    """Return the web of the fake browsers of a test: empty, so that each test adds its pages."""
    from tabwright.testing.fake import FakeSite  # noqa: PLC0415  (see the docstring of the module)

    return FakeSite()


@pytest.fixture
def tabwright_world(fake_site: "FakeSite") -> "SimulatedTabwright":
    """Return a tabwright on fake browsers that see `fake_site`, in virtual time."""
    from tabwright.testing.determinism import SimulatedTabwright  # noqa: PLC0415

    return SimulatedTabwright(fake_site)


@pytest.fixture
def cassette(request: pytest.FixtureRequest) -> "Cassette":
    """Return the cassette of a test: a file in the folder `cassettes` beside the test's module."""
    from tabwright.testing.cassette import Cassette  # noqa: PLC0415

    module, name = request.node.path, re.sub(r"[^\w.-]+", "_", request.node.name).strip("_")
    path = module.parent / "cassettes" / f"{module.stem}.{name}.jsonl"
    return Cassette(path=path, record=bool(request.config.getoption("--cassette-record")))
