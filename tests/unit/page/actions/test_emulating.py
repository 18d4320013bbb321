"""Device emulation: the commands, and the text that describes the change."""

import pytest

from tabwright.page.actions.viewport import emulation_commands, emulation_text
from tabwright.protocol.actions import Emulate


def commands(change):
    return {one.method.partition(".")[2]: one.params for one in emulation_commands(change)}


def test_empty_emulation_changes_nothing():
    assert commands(Emulate()) == {}
    assert emulation_text(Emulate()) == "Now emulated: no change."


def test_mobile_viewport_sets_device_metrics_and_touch():
    done = commands(Emulate(viewport=(390, 844), scale=3.0, mobile=True))
    assert done["setDeviceMetricsOverride"] == {
        "width": 390,
        "height": 844,
        "screenWidth": 390,
        "screenHeight": 844,
        "deviceScaleFactor": 3.0,
        "mobile": True,
    }
    assert done["setTouchEmulationEnabled"] == {"enabled": True}


def test_zero_viewport_restores_the_browser_size():
    done = commands(Emulate(viewport=(0, 0)))
    assert done["setTouchEmulationEnabled"] == {"enabled": False}
    assert "clearDeviceMetricsOverride" in done


@pytest.mark.parametrize(
    ("change", "method", "params", "words"),
    [
        (Emulate(locale="de-DE"), "setLocaleOverride", {"locale": "de_DE"}, "locale de-DE"),
        (Emulate(locale=""), "setLocaleOverride", {}, "locale as before"),
        (
            Emulate(timezone="Europe/Berlin"),
            "setTimezoneOverride",
            {"timezoneId": "Europe/Berlin"},
            "time zone Europe/Berlin",
        ),
        (Emulate(timezone=""), "setTimezoneOverride", {"timezoneId": ""}, "time zone as before"),
    ],
)
def test_locale_and_time_zone_are_set_and_reset(change, method, params, words):
    assert commands(change) == {method: params}
    assert words in emulation_text(change)


@pytest.mark.parametrize("dark", [True, False])
def test_dark_option_emulates_the_preferred_color_scheme(dark):
    (feature,) = commands(Emulate(dark=dark))["setEmulatedMedia"]["features"]
    assert feature == {"name": "prefers-color-scheme", "value": "dark" if dark else ""}
    assert emulation_text(Emulate(dark=dark)).endswith("dark." if dark else "light.")


@pytest.mark.parametrize("offline", [True, False])
def test_offline_option_disconnects_and_reconnects_the_network(offline):
    (params,) = commands(Emulate(offline=offline)).values()
    assert params["offline"] is offline
    assert emulation_text(Emulate(offline=offline)).endswith("offline." if offline else "online.")


def test_emulation_text_lists_every_change():
    change = Emulate(viewport=(390, 844), mobile=True, locale="ja-JP", offline=False)
    assert emulation_text(change) == "Now emulated: 390x844 on a telephone, locale ja-JP, online."
