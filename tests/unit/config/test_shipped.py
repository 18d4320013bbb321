from tabwright.config.engines import GOOGLE_AI_MODE, load_engines
from tabwright.config.loader import LayerRank, core_keys, default_layer, settings_from
from tabwright.config.search_parsers import load_apis, load_parsers
from tabwright.config.yaml_tables import WEB


def test_default_layer_keys_match_settings_schema_in_order() -> None:
    layer = default_layer()
    assert layer.rank is LayerRank.DEFAULTS
    assert list(layer.entries) == [*core_keys()]


def test_default_settings_are_conservative() -> None:
    settings = settings_from()
    assert settings.browser.headless
    assert settings.browser.port_base is None
    assert settings.browser.profile == "auto"
    assert settings.network.proxy == "auto"
    assert not settings.network.allow_private
    assert settings.language == "zh-CN"
    assert (settings.network.page_timeout_s, settings.search.timeout_s) == (30, 120)
    assert settings.session.sleep_after_s == 300
    assert settings.search.consent == "reject"
    assert settings.search.person_timeout_s == 300
    assert settings.log.dir == "auto"
    assert not settings.log.queries


def test_every_rate_policy_matches_an_engine_and_vice_versa() -> None:
    assert set(load_engines().paces) == {*load_parsers(), *load_apis(), GOOGLE_AI_MODE, WEB}, (
        "An engine has an entry in engines.yaml, and in search_parsers.yaml or search_apis.yaml."
    )
    assert not set(load_parsers()) & set(load_apis())


def test_every_engine_except_ai_mode_has_cool_down_after_refusal() -> None:
    paces = load_engines().paces
    assert paces[GOOGLE_AI_MODE].min_interval_s >= 1
    assert {name for name, pace in paces.items() if not pace.cool_down_s} == {GOOGLE_AI_MODE, WEB}
    assert all(60 <= paces[name].cool_down_s <= 3600 for name in load_parsers())
