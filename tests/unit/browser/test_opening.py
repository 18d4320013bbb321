"""`open_browser` with a shell script in place of a browser: profile, port and proxy."""

import os
import socket
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import attrs
import pytest

from tabwright.browser.launch import (
    ChromiumLauncher,
    chosen_browser,
    eligible_browsers,
    kept_profile,
    open_browser,
)
from tabwright.browser.running import LaunchOptions
from tabwright.cdp.chromium.directory import claimed
from tabwright.config.loader import override, settings_from
from tabwright.http.net import NetworkBackend
from tabwright.http.proxy_discovery import ProxyFinder
from tabwright.protocol.errors import BrowserUnavailable

FakeBrowser = Callable[[str], Path]

PROXY = "http://proxy.example:8080"


@attrs.frozen
class Start:
    """How a browser was started."""

    arguments: list[str]
    notice: str

    @property
    def profile(self) -> Path:
        (given,) = self.all("--user-data-dir=")
        return Path(given)

    def all(self, switch: str) -> list[str]:
        return [a.removeprefix(switch) for a in self.arguments if a.startswith(switch)]


Started = Callable[..., Awaitable[Start]]


@pytest.fixture
def started(fake_browser: FakeBrowser, tmp_path: Path) -> Started:
    """Return a function that starts a browser and returns the arguments it was given."""

    async def start(
        environment: Mapping[str, str] | None = None, worker: int = 0, **values: object
    ) -> Start:
        reported = tmp_path / "told"
        path = str(fake_browser(f'printf "%s\\n" "$@" > {reported}; cat <&3 >&4'))
        settings = settings_from(override(browser__path=path, **values))
        proxies = ProxyFinder(settings.network.proxy, environment or {}, ())
        async with open_browser(settings, proxies, NetworkBackend(), worker) as opened:
            await opened.link.send(b"{}")
            await opened.link.receive()
            return Start(reported.read_text().splitlines(), opened.notice)

    return start


async def opened(browser: Path, worker: int, port_base: int) -> None:
    """Open a browser that is controlled by WebSocket, and close it at once."""
    values = {"path": str(browser), "profile": None, "port_base": port_base}
    settings = settings_from(override(**{f"browser__{name}": it for name, it in values.items()}))
    async with open_browser(settings, ProxyFinder("none", {}, ()), NetworkBackend(), worker):
        pass


def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


async def test_the_profile_is_kept_in_the_data_directory_of_the_user(
    started: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    start = await started()
    assert start.profile == tmp_path / "data" / "tabwright" / "profiles" / "tabwright-00"
    assert start.profile.stat().st_mode & 0o777 == 0o700
    assert start.notice == ""


async def test_each_worker_has_a_profile_of_its_own(started: Started, tmp_path: Path) -> None:
    named = {"browser__profile": str(tmp_path / "kept")}
    first, second = await started(**named), await started(worker=1, **named)
    assert first.profile == tmp_path / "kept" / "tabwright-00"
    assert second.profile == tmp_path / "kept" / "tabwright-01"
    assert second.profile.is_dir()


@pytest.mark.parametrize(
    ("profile", "headless", "first"),
    [(None, True, "headless-shell"), ("auto", True, "edge"), (None, False, "edge")],
)
def test_headless_shell_is_preferred_without_window_and_profile(
    profile: str | None, headless: bool, first: str
) -> None:
    options = override(browser__profile=profile, browser__headless=headless)
    assert eligible_browsers(settings_from(options).browser)[0] == first


def test_headless_shell_given_by_path_is_refused_with_a_profile() -> None:
    path = "/opt/chrome-headless-shell"
    with pytest.raises(BrowserUnavailable, match="is a headless shell"):
        chosen_browser(settings_from(override(browser__path=path)).browser)
    with pytest.raises(BrowserUnavailable, match="not an executable file"):
        chosen_browser(settings_from(override(browser__path=path, browser__profile=None)).browser)


def test_headed_browser_without_a_screen_is_refused() -> None:
    launcher = ChromiumLauncher(
        settings_from(override(browser__headless=False)), NetworkBackend(), {}
    )
    with pytest.raises(BrowserUnavailable, match="neither DISPLAY nor WAYLAND_DISPLAY"):
        launcher.open(LaunchOptions(visible=False, worker=0))


def test_headless_shell_alone_is_refused_when_profile_is_needed() -> None:
    shell = settings_from(override(browser__path="headless-shell"))
    with pytest.raises(BrowserUnavailable, match="neither profiles nor windows"):
        chosen_browser(shell.browser)


def test_named_browser_is_the_only_one_looked_for() -> None:
    options = override(browser__path="chromium", browser__profile=None)
    assert eligible_browsers(settings_from(options).browser) == ("chromium",)


async def test_browser_without_a_profile_gets_a_private_one_each_time(started: Started) -> None:
    first, second = await started(browser__profile=None), await started(browser__profile=None)
    assert first.profile != second.profile
    assert not first.profile.exists()
    assert first.notice == ""


def test_profile_path_expands_the_home_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    settings = settings_from(override(browser__profile="~/profile"))
    assert kept_profile(settings.browser, 0) == Path("/home/someone/profile/tabwright-00")


@pytest.mark.parametrize("profile", ["auto", "named"])
async def test_browser_starts_without_profile_in_use_and_gives_notice(
    started: Started,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    profile: str,
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    name = "auto" if profile == "auto" else str(tmp_path / "named")
    kept = kept_profile(settings_from(override(browser__profile=name)).browser, 0)
    assert kept is not None
    with claimed(kept):
        start = await started(browser__profile=name)
        other = await started(browser__profile=name, worker=1)
    assert start.profile != kept
    assert start.notice == (
        f"The profile {kept} is in use by process {os.getpid()}."
        " Cookies and log-ins are not kept this time."
    )
    assert start.notice in caplog.text
    assert (other.profile, other.notice) == (kept.with_name("tabwright-01"), "")
    after = await started(browser__profile=name)
    assert (after.profile, after.notice) == (kept, "")


@pytest.mark.parametrize("taken", ["kept", "kept/tabwright-00"])
async def test_unusable_profile_is_an_error_with_advice(
    started: Started, tmp_path: Path, taken: str
) -> None:
    path = tmp_path / taken
    path.parent.mkdir(exist_ok=True)
    path.write_text("")
    with pytest.raises(BrowserUnavailable, match=r"(?i)not a directory") as caught:
        await started(browser__profile=str(tmp_path / "kept"))
    assert "Use a local directory that tabwright can write to" in str(caught.value)


@pytest.mark.parametrize("worker", [0, 3])
async def test_each_worker_listens_on_its_own_port(
    fake_browser: FakeBrowser, tmp_path: Path, worker: int
) -> None:
    reported = tmp_path / "told"
    browser = fake_browser(f'printf "%s\\n" "$@" > {reported}; exit 7')  # it has been told enough
    port = unused_port()
    with pytest.raises(BrowserUnavailable, match="exited with code 7"):
        await opened(browser, worker, port - worker)
    assert f"--remote-debugging-port={port}" in reported.read_text().splitlines()


async def test_port_in_use_is_an_error_with_advice(
    fake_browser: FakeBrowser, taken_port: int
) -> None:
    with pytest.raises(BrowserUnavailable) as caught:
        await opened(fake_browser("touch $0.ran"), worker=1, port_base=taken_port - 1)
    assert str(caught.value) == (
        f"Port {taken_port} is in use by another program."
        " Choose other ports, or let the browser choose."
    )
    assert not caught.value.retryable


@pytest.mark.parametrize(
    ("proxy", "environment", "server", "bypass"),
    [
        ("auto", {}, [], []),
        ("auto", {"NO_PROXY": "a.example"}, [], []),
        ("auto", {"https_proxy": PROXY}, [PROXY], []),
        ("auto", {"ALL_PROXY": PROXY, "NO_PROXY": ".a,.b"}, [PROXY], [".a;.b"]),
        ("none", {"HTTPS_PROXY": PROXY}, ["direct://"], []),
        ("socks5h://[::1]", {"HTTPS_PROXY": PROXY}, ["socks5://[::1]:1080"], []),
    ],
)
async def test_proxy_and_bypass_list_are_passed_to_the_browser(
    started: Started,
    proxy: str,
    environment: dict[str, str],
    server: list[str],
    bypass: list[str],
) -> None:
    start = await started(
        environment, browser__profile=None, network__proxy=proxy, network__allow_private=True
    )
    assert start.all("--proxy-server=") == server
    assert start.all("--proxy-bypass-list=") == bypass


@pytest.mark.parametrize("proxy", ["none", "auto"])
async def test_browser_uses_egress_proxy_unless_private_addresses_are_allowed(
    started: Started, proxy: str
) -> None:
    start = await started(browser__profile=None, network__proxy=proxy)
    (server,) = start.all("--proxy-server=")
    assert server.startswith("socks5://127.0.0.1:")
    assert start.all("--proxy-bypass-list=") == ["<-loopback>"]
    for switch in ("--force-webrtc-ip-handling-policy", "--webrtc-ip-handling-policy"):
        assert f"{switch}=disable_non_proxied_udp" in start.arguments


@pytest.mark.parametrize(
    ("environment", "settings"),
    [
        ({"https_proxy": PROXY}, {}),
        ({}, {"network__guard": False}),
        ({}, {"browser__extra_args": ["--host-resolver-rules=MAP * 127.0.0.1:1"]}),
    ],
    ids=["proxy", "setting", "rules"],
)
async def test_egress_guard_is_not_used_with_custom_proxy_rules_or_setting(
    started: Started, environment: dict[str, str], settings: dict[str, object]
) -> None:
    start = await started(environment, browser__profile=None, **settings)
    assert [one for one in start.all("--proxy-server=") if "127.0.0.1" in one] == []
    assert start.all("--proxy-bypass-list=") == []


async def test_proxy_with_credentials_prevents_browser_start(
    started: Started, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    with pytest.raises(BrowserUnavailable) as caught:
        await started({"HTTPS_PROXY": "http://me:hunter2@proxy.example:8080"})
    assert str(caught.value).startswith("HTTPS_PROXY has a user name or password")
    assert "Run a local forwarder" in caught.value.advice
    assert not (tmp_path / "told").exists()
    assert "hunter2" not in caplog.text
