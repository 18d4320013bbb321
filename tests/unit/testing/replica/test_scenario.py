import attrs
import msgspec
import pytest

from tabwright.testing.replica import Scenario

ALL = Scenario(
    language="ja-JP",
    clock="stepped",
    step_s=1.5,
    hang_at=3,
    rebuild=2,
    classes=7,
    attributes="bare",
    shadow="closed",
    drop_signals=frozenset({"complete", "stream_end"}),
    live_region="unchanged",
    composer="closed_root",
    thread=40,
    repeat="quote",
    captcha_after=1,
)


@pytest.mark.parametrize(
    ("knob", "value"),
    [
        ("language", "tr-TR"),
        ("clock", "sundial"),
        ("step_s", -1.0),
        ("stall_at", -1),
        ("stall_s", -0.1),
        ("late_s", float("nan")),
        *((f"{ending}_at", -1) for ending in ("cut", "hang", "crash", "reload")),
        ("rebuild", 0),
        ("attributes", "some"),
        ("shadow", "half"),
        ("links", "bitly"),
        ("source_count", -1),
        ("source_count", 41),
        ("drop_signals", frozenset({"bell"})),
        ("live_region", "dead"),
        ("composer", "hidden"),
        ("thread", -1),
        ("thread", 41),
        ("repeat", "never"),
        ("captcha_after", 0),
    ],
)
def test_invalid_scenario_value_is_rejected(knob: str, value: object) -> None:
    with pytest.raises((ValueError, TypeError), match=knob):
        attrs.evolve(Scenario(), **{knob: value})


def test_scenario_with_two_early_endings_is_refused() -> None:
    with pytest.raises(ValueError, match="only one"):
        Scenario(cut_at=1, reload_at=2)


def test_unavailable_scenario_with_a_thread_is_refused() -> None:
    with pytest.raises(ValueError, match="no thread"):
        Scenario(unavailable=True, thread=1)


@pytest.mark.parametrize("ending", ["cut", "hang", "crash", "reload"])
def test_scenario_ending_applies_at_its_frame(ending: str) -> None:
    scenario = attrs.evolve(Scenario(), **{f"{ending}_at": 2})
    assert [scenario.ending_at(frame) for frame in range(4)] == [None, None, ending, None]


def test_scenario_round_trips_through_json() -> None:
    assert msgspec.json.decode(msgspec.json.encode(ALL), type=Scenario) == ALL
