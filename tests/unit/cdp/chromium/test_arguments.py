from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.cdp.chromium.arguments import LaunchPlan, arguments
from tabwright.cdp.chromium.errors import ArgumentRefused

BROWSER = Path("/usr/bin/chromium")
PROFILE = Path("/p")
FEATURES = (
    "--disable-features=AutofillServerCommunication"
    ",WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"
)

MOUSE = (
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2"
    ",primaryPointerType=4,availablePointerTypes=4"
)


def line(plan: LaunchPlan, *, root: bool = False, small_memory_disk: bool = False) -> list[str]:
    return arguments(plan, PROFILE, root=root, small_memory_disk=small_memory_disk)


def test_headless_browser_on_a_pipe_has_expected_arguments() -> None:
    assert line(LaunchPlan(path=BROWSER)) == [
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-quic",
        "--disable-gpu-shader-disk-cache",
        "--remote-debugging-pipe",
        "--user-data-dir=/p",
        "--disk-cache-size=67108864",
        "--js-flags=--max-old-space-size=1024",
        "--no-startup-window",
        "--site-per-process",
        "--headless=new",
        "--disable-gpu",
        MOUSE,
        FEATURES,
    ]


def test_small_dev_shm_disables_its_use() -> None:
    plan = LaunchPlan(path=BROWSER)
    more = {*line(plan, small_memory_disk=True)} - {*line(plan)}
    assert more == {"--disable-dev-shm-usage"}


def test_headed_browser_has_no_headless_or_disable_gpu_switch() -> None:
    switches = line(LaunchPlan(path=BROWSER, headless=False))

    assert "--headless=new" not in switches
    assert "--disable-gpu" not in switches


@pytest.mark.parametrize("port", [0, 9223])
def test_websocket_browser_gets_the_debugging_port(port: int) -> None:
    switches = line(LaunchPlan(path=BROWSER, link="websocket", port=port))

    assert [s for s in switches if s.startswith("--remote-")] == [f"--remote-debugging-port={port}"]


def test_browser_on_a_pipe_has_no_port() -> None:
    assert line(LaunchPlan(path=BROWSER, port=9223)) == line(LaunchPlan(path=BROWSER))


def test_sandbox_is_off_for_root_only() -> None:
    assert "--no-sandbox" in line(LaunchPlan(path=BROWSER), root=True)
    assert "--no-sandbox" not in line(LaunchPlan(path=BROWSER), root=False)


@pytest.mark.parametrize(("language", "accepted"), [("de-DE", "de-DE,de"), ("ja", "ja")])
def test_language_sets_interface_and_accepted_languages(language: str, accepted: str) -> None:
    switches = line(LaunchPlan(path=BROWSER, language=language))

    assert f"--lang={language}" in switches
    assert f"--accept-lang={accepted}" in switches


def test_proxy_and_bypass_list_become_switches() -> None:
    plan = LaunchPlan(path=BROWSER, proxy="socks5://[::1]:1080", proxy_bypass=("a.example", "*.b"))
    switches = line(plan)

    assert "--proxy-server=socks5://[::1]:1080" in switches
    assert "--proxy-bypass-list=a.example;*.b" in switches


def test_value_of_a_refused_argument_is_not_repeated() -> None:
    with pytest.raises(ArgumentRefused) as caught:
        line(LaunchPlan(path=BROWSER, extra_args=("--proxy-server=http://me:secret@a.example",)))

    assert "'--proxy-server' is refused" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_arguments_do_not_change_the_browser_identity() -> None:
    switches = line(LaunchPlan(path=BROWSER, language="zh-CN"), root=True)

    assert not [s for s in switches if "user-agent" in s or "AutomationControlled" in s]


def test_extra_arguments_come_last_so_that_they_win() -> None:
    extra = ("--window-size=800,600", "--disk-cache-size=1")

    assert tuple(line(LaunchPlan(path=BROWSER, extra_args=extra))[-2:]) == extra


def test_disabled_features_are_merged_into_one_switch() -> None:
    extra = ("--disable-features=A", "--window-size=800,600", "--disable-features=B,C")
    switches = line(LaunchPlan(path=BROWSER, extra_args=extra))

    assert switches[-2:] == [f"{FEATURES},A,B,C", "--window-size=800,600"]
    assert sum(switch.startswith("--disable-features") for switch in switches) == 1


@pytest.mark.parametrize(
    "argument",
    [
        "--remote-debugging-port=9222",
        "--remote-allow-origins=*",
        "--user-data-dir=/elsewhere",
        "--USER-DATA-DIR=/elsewhere",
        "--headless=old",
        "--no-sandbox",
        "--single-process",
        "--load-extension=/x",
        "--renderer-cmd-prefix=xterm -e",
        "--proxy-server=http://127.0.0.1:8080",
        "--proxy-pac-url=http://a.example",
        "--no-proxy-server",
        "-user-data-dir=/elsewhere",
        "https://example.com",
        "--",
        "",
    ],
)
def test_conflicting_extra_argument_is_refused_by_name(argument: str) -> None:
    with pytest.raises(ArgumentRefused) as caught:
        line(LaunchPlan(path=BROWSER, extra_args=("--mute-audio", argument)))

    assert repr(argument.partition("=")[0]) in str(caught.value)


@pytest.mark.parametrize("agreed", ["--headless", "--headless=new", "--remote-debugging-pipe"])
def test_extra_argument_equal_to_our_own_is_left_out(agreed: str) -> None:
    assert line(LaunchPlan(path=BROWSER, extra_args=(agreed,))) == line(LaunchPlan(path=BROWSER))


@given(extra=st.text())
def test_extra_argument_never_opens_a_page_or_changes_the_profile(extra: str) -> None:
    try:
        switches = line(LaunchPlan(path=BROWSER, extra_args=(extra,)))
    except ArgumentRefused:
        return
    ours = line(LaunchPlan(path=BROWSER))
    if extra in ours or extra == "--headless":
        assert switches == ours
        return
    assert switches[-1] == extra
    assert extra.startswith("--")
    assert not extra[2:].lower().startswith(("remote-", "user-data-dir", "no-sandbox"))


@pytest.mark.parametrize("headless", [True, False])
def test_browser_is_started_without_a_page(headless: bool) -> None:
    ours = line(LaunchPlan(path=BROWSER, headless=headless))
    assert "--no-startup-window" in ours
    assert not any("about:blank" in argument for argument in ours)
