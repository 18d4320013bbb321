from collections.abc import Mapping

import pytest

from tabwright.config.loader import Layer, LayerEntry, LayerRank, overlay, override, settings_from
from tabwright.config.session_settings import SESSION_KEYS, session_settings
from tabwright.protocol.errors import BadInput, SettingsError

USER = settings_from(override(acting__scripts=True))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("network.page_timeout_s", 90),
        ("network.page_timeout_s", 0.5),
        ("reading.max_tier", 1),
        ("reading.links", "inline"),
        ("reading.max_tokens", 10_000),
        ("acting.scripts", False),
    ],
)
def test_session_can_set_allowed_settings(key: str, value: object) -> None:
    group, name = key.split(".")
    for written in (value, str(value)):
        own = session_settings(USER, {key: written})
        assert getattr(getattr(own, group), name) == value
    assert key in SESSION_KEYS


def test_session_without_settings_has_those_of_the_user() -> None:
    assert session_settings(USER, {}) == USER


@pytest.mark.parametrize(
    ("values", "reported"),
    [
        ({"reading.max_tire": 1}, "unknown setting 'reading.max_tire'. Did you mean"),
        ({"network.languages": ["de"]}, "network.languages cannot be set for a session."),
        ({"network.deny_urls": []}, "network.deny_urls cannot be set for a session."),
        ({"network.allow_private": True}, "network.allow_private cannot be set for a session."),
        ({"reading.max_tier": 4}, "reading.max_tier: "),
        ({"network.page_timeout_s": 0}, "network.page_timeout_s: "),
        ({"reading.max_tokens": 10_001}, "over the limit of 10000 tokens"),
        ({"reading.max_tokens": None}, "over the limit of 10000 tokens"),
    ],
)
def test_session_setting_unknown_forbidden_or_over_limit_is_refused(
    values: Mapping[str, object], reported: str
) -> None:
    with pytest.raises(BadInput) as caught:
        session_settings(USER, values)
    assert reported in caught.value.message


def test_session_cannot_allow_scripts_that_the_user_forbids() -> None:
    with pytest.raises(BadInput) as caught:
        session_settings(settings_from(), {"acting.scripts": True})
    assert "cannot allow scripts" in caught.value.message
    assert session_settings(USER, {"acting.scripts": True}).acting.scripts


def test_overlay_reports_every_mistake() -> None:
    entries = {"a.b": LayerEntry(1, "here"), "pool.workers": LayerEntry(0, "there")}
    with pytest.raises(SettingsError) as caught:
        overlay(USER, Layer(LayerRank.REQUEST, entries))
    assert [line.split(":")[0] for line in caught.value.message.splitlines()[1:]] == [
        "  here",
        "  there",
    ]
