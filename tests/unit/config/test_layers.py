from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.config.loader import (
    Layer,
    LayerEntry,
    LayerRank,
    core_keys,
    default_layer,
    override,
    resolve,
    settings_from,
)
from tabwright.config.settings import Settings
from tabwright.protocol.errors import SettingsError

WORDS = st.text(min_size=1)
SECONDS = st.floats(min_value=0, exclude_min=True)
BLOCKED = st.sampled_from(["image", "font", "media", "ads"])
VALUES: Mapping[str, st.SearchStrategy[object]] = {
    "browser.path": st.none() | WORDS,
    "search.block": st.lists(BLOCKED).map(tuple),
    "browser.headless": st.booleans(),
    "browser.identity": st.sampled_from(["honest", "ordinary"]),
    "pool.max_tabs": st.integers(min_value=1),
    "pool.workers": st.integers(1, 100),
    "network.page_timeout_s": SECONDS,
    "search.language": WORDS,
    "search.timeout_s": SECONDS,
    "log.queries": st.booleans(),
}
DEFAULTS = settings_from()
ABOVE_DEFAULTS = [rank for rank in LayerRank if rank is not LayerRank.DEFAULTS]


@st.composite
def layers(draw: st.DrawFn) -> list[Layer]:
    """Generate layers in any order: at most one of each rank, with some keys each."""
    ranks = draw(st.permutations(ABOVE_DEFAULTS))[: draw(st.integers(0, len(ABOVE_DEFAULTS)))]
    given_values = st.fixed_dictionaries({}, optional=VALUES)
    return [
        Layer(
            rank,
            {
                key: LayerEntry(value, f"{rank.name}: {key}")
                for key, value in draw(given_values).items()
            },
        )
        for rank in ranks
    ]


def value_of(settings: Settings, key: str) -> object:
    group, name = key.split(".")
    return getattr(getattr(settings, group), name)


# Feature: agent-browser, Property: configuration precedence
@given(layers=layers(), defaults_first=st.booleans())
def test_the_topmost_layer_that_has_a_key_wins(layers: list[Layer], defaults_first: bool) -> None:
    defaults = default_layer()
    settings = resolve(defaults, *layers) if defaults_first else resolve(*layers, defaults)
    for key in VALUES:
        having = [layer for layer in layers if key in layer.entries]
        topmost = min(having, key=lambda layer: layer.rank, default=None)
        expected = topmost.entries[key].value if topmost else value_of(DEFAULTS, key)
        assert value_of(settings, key) == expected


@given(given_keys=st.sets(st.sampled_from(sorted(core_keys()))))
def test_layer_does_not_affect_keys_it_lacks(given_keys: set[str]) -> None:
    defaults = default_layer()
    same = Layer(LayerRank.FLAGS, {key: defaults.entries[key] for key in given_keys})
    assert settings_from(same) == settings_from()


@pytest.mark.parametrize(
    ("key", "wrong", "reported"),
    [
        ("browser.headless", "yes", "Expected `bool`, got `str`"),
        ("pool.max_tabs", 0, ">= 1"),
        ("pool.max_tabs", 1.5, "Expected `int`"),
        ("pool.max_tabs", True, "Expected `int`, got `bool`"),
        ("pool.workers", 101, "<= 100"),
        ("browser.port_base", -1, ">= 0"),
        ("search.block", ["ponies"], "ponies"),
        ("browser.path", "", "length >= 1"),
        ("network.page_timeout_s", -1, "> 0"),
        ("network.page_timeout_s", float("nan"), "> 0"),
        ("search.timeout_s", None, "got `null`"),
        ("network.languages", [], "length >= 1"),
        ("log.level", "loud", "loud"),
    ],
)
def test_a_value_of_the_wrong_type_is_reported_with_its_key(
    key: str, wrong: object, reported: str
) -> None:
    layer = Layer(LayerRank.REQUEST, {key: LayerEntry(wrong, "here")})
    with pytest.raises(SettingsError) as caught:
        settings_from(layer)
    (mistake,) = caught.value.message.splitlines()[1:]
    assert mistake.startswith(f"  here: {key}: ")
    assert reported in mistake


@pytest.mark.parametrize("proxy", ["auto", "none", "http://127.0.0.1:8080", "socks5://[::1]:1080"])
def test_proxy_setting_accepts_keyword_or_url(proxy: str) -> None:
    assert settings_from(override(network__proxy=proxy)).network.proxy == proxy


@pytest.mark.parametrize(
    ("proxy", "reported"),
    [
        ("http://me:hunter2@proxy.example:8080", "has a user name or password"),
        ("hunter2@proxy.example", "has a user name or password"),
        ("gopher://hunter2.example", "is not a valid proxy"),
    ],
)
def test_invalid_proxy_is_reported_without_its_value(proxy: str, reported: str) -> None:
    layer = Layer(LayerRank.USER_FILE, {"network.proxy": LayerEntry(proxy, "my.yaml:2")})
    with pytest.raises(SettingsError) as caught:
        settings_from(layer)
    assert f"my.yaml:2: network.proxy {reported}" in caught.value.message
    assert "hunter2" not in str(caught.value)
    assert caught.value.message.count("\n") == 1


def test_errors_of_custom_checks_are_reported_with_all_others() -> None:
    layer = Layer(
        LayerRank.USER_FILE,
        {
            "network.proxy": LayerEntry("gopher://x", "my.yaml:2"),
            "models.base_url": LayerEntry("nowhere", "my.yaml:3"),
            "pool.max_tabs": LayerEntry(0, "my.yaml:5"),
        },
    )
    with pytest.raises(SettingsError) as caught:
        settings_from(layer)
    _, *lines = caught.value.message.splitlines()
    assert {line.split()[0] for line in lines} == {"my.yaml:2:", "my.yaml:3:", "my.yaml:5:"}


def test_invalid_value_overridden_by_higher_layer_is_ignored() -> None:
    layer = Layer(LayerRank.USER_FILE, {"network.proxy": LayerEntry("gopher://x", "my.yaml:2")})
    assert settings_from(layer, override(network__proxy="none")).network.proxy == "none"


def test_the_mistakes_of_all_layers_are_reported_at_once() -> None:
    flags = Layer(LayerRank.FLAGS, {"browser.headless": LayerEntry("no", "--headed")})
    file = Layer(
        LayerRank.USER_FILE,
        {
            "pool.max_tab": LayerEntry(3, "my.yaml:2"),
            "search.timeout_s": LayerEntry("long", "my.yaml:4"),
        },
    )
    with pytest.raises(SettingsError) as caught:
        settings_from(flags, file)
    assert caught.value.message.splitlines() == [
        "The settings cannot be used:",
        "  --headed: browser.headless: Expected `bool`, got `str`",
        "  my.yaml:2: unknown setting 'pool.max_tab'. Did you mean 'pool.max_tabs'?",
        "  my.yaml:4: search.timeout_s: Expected `float`, got `str`",
    ]


def test_mistake_in_overridden_layer_is_still_reported() -> None:
    file = Layer(LayerRank.USER_FILE, {"browser.headless": LayerEntry("no", "my.yaml:2")})
    with pytest.raises(SettingsError, match=r"my\.yaml:2"):
        settings_from(override(browser__headless=False), file)


def test_unknown_setting_without_close_match_gets_no_suggestion() -> None:
    layer = Layer(LayerRank.SESSION, {"zzz": LayerEntry(1, "here")})
    with pytest.raises(SettingsError) as caught:
        settings_from(layer)
    assert caught.value.message.endswith("here: unknown setting 'zzz'.")


def test_a_setting_that_no_layer_sets_is_reported() -> None:
    with pytest.raises(SettingsError) as caught:
        resolve(Layer(LayerRank.DEFAULTS, {}))
    assert caught.value.message.splitlines()[1:] == [
        f"  {key}: not set in any layer" for key in core_keys()
    ]


def test_override_takes_precedence_over_request_layer() -> None:
    settings = settings_from(
        Layer(LayerRank.REQUEST, {"browser.start_timeout_s": LayerEntry(1.0, "here")}),
        override(browser__start_timeout_s=2.0),
    )
    assert settings.browser.start_timeout_s == 2.0


def test_unknown_override_is_reported_as_written_in_code() -> None:
    with pytest.raises(SettingsError, match=r"pool__max_tab=…: unknown setting"):
        settings_from(override(pool__max_tab=2))
