"""Properties of the design documents: each has a Hypothesis test with examples."""

import re
from pathlib import Path

from hypothesis import settings

SEEDS = Path(__file__).resolve().parents[1] / "seeds"
TAGGED = re.compile(r"^# Feature: ([\w-]+), Property (\d+): .+\n@given\(", re.MULTILINE)
EXAMPLES_MIN = 100

SOURCES = {path.name: path.read_text() for path in SEEDS.glob("test_*.py")}


def test_each_property_of_the_search_has_a_tagged_test() -> None:
    found = [tag for source in SOURCES.values() for tag in TAGGED.findall(source)]
    migration = {int(number) for feature, number in found if feature == "nodriver-migration"}
    assert migration == set(range(1, 12))


def test_properties_are_tested_with_enough_examples() -> None:
    assert settings.default is not None
    assert settings.default.max_examples >= EXAMPLES_MIN
    assert [name for name, source in SOURCES.items() if "max_examples" in source] == []
