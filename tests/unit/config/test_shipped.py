from tabwright.config.engines import GOOGLE_AI_MODE, WEB, load_paces
from tabwright.config.file import default_layer, load_settings
from tabwright.config.layers import SCHEMA, Rank


def test_the_defaults_have_exactly_the_keys_of_the_settings_in_their_order() -> None:
    layer = default_layer()
    assert layer.rank is Rank.DEFAULTS
    assert list(layer.entries) == list(SCHEMA)


def test_the_defaults_are_the_careful_ones() -> None:
    settings = load_settings()
    assert settings.browser.headless
    assert settings.browser.link == "pipe"
    assert settings.browser.profile == "auto"
    assert settings.network.proxy == "auto"
    assert not settings.network.allow_private
    assert settings.search.language == "zh-CN"
    assert (settings.network.page_timeout_s, settings.search.timeout_s) == (30, 120)
    assert settings.session.idle_timeout_s == 300
    assert settings.search.consent == "reject"
    assert settings.search.person_timeout_s == 300
    assert settings.log.dir == "auto"
    assert not settings.log.queries


def test_the_paces_know_the_engine_and_every_other_host() -> None:
    paces = load_paces()
    assert set(paces) == {GOOGLE_AI_MODE, WEB}
    assert paces[GOOGLE_AI_MODE].min_interval_s >= 1
    assert all(pace.concurrency >= 1 for pace in paces.values())
