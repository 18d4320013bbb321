import os
import re
import shutil
import socket
from collections.abc import Mapping
from pathlib import Path

import pytest
import trio

from tabwright.cli.doctor import Finding, examine, machine_checks
from tabwright.config.loader import override, settings_from
from tabwright.http.signing_keys import create_key, key_id
from tabwright.sessions.store import Saved, SessionFiles
from tests.support.redis_server import RedisServer

NO_BROWSER = "/nonexistent/browser"


async def found(subject: str, environment: Mapping[str, str], **values: object) -> Finding:
    """Return the finding about `subject` on a machine without a browser."""
    settings = settings_from(override(browser__path=NO_BROWSER, **values))
    (finding,) = [
        finding for finding in await examine(settings, environment) if finding.subject == subject
    ]
    return finding


@pytest.mark.parametrize(
    ("proxy", "environment", "text"),
    [
        ("none", {}, "none (network.proxy)"),
        ("http://a.example:1", {}, "http://a.example:1 (network.proxy)"),
        (
            "auto",
            {"https_proxy": "socks5://a.example", "no_proxy": ".b"},
            "socks5://a.example:1080 (https_proxy), not for .b",
        ),
    ],
)
async def test_proxy_is_reported_with_its_source(
    proxy: str, environment: dict[str, str], text: str
) -> None:
    assert await found("proxy", environment, network__proxy=proxy) == Finding("proxy", True, text)


async def test_unresponsive_local_proxy_is_a_fault() -> None:
    with trio.socket.socket() as ignored:
        await ignored.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{ignored.getsockname()[1]}"
        finding = await found("proxy", {"HTTP_PROXY": url})
    assert not finding.ok
    assert finding.text == (
        f"{url} (HTTP_PROXY): The proxy at {url.removeprefix('http://')} no longer responds;"
        " restart it, or change HTTP_PROXY."
    )


async def test_proxy_with_password_is_a_fault_and_password_is_hidden() -> None:
    finding = await found("proxy", {"HTTPS_PROXY": "http://me:hunter2@a.example:1"})
    assert not finding.ok
    assert "HTTPS_PROXY has a user name or password" in finding.text
    assert "hunter2" not in finding.text


async def test_proxy_profile_and_sandbox_are_set_by_running_browser() -> None:
    values = {"browser__cdp_endpoint": "http://127.0.0.1:1"}
    for subject in ("proxy", "profile", "sandbox"):
        finding = await found(subject, {"HTTPS_PROXY": "http://a.example:1"}, **values)
        assert finding == Finding(subject, True, "set by the running browser")


async def test_a_token_of_a_running_browser_is_not_shown() -> None:
    finding = await found(
        "browser", {}, browser__cdp_endpoint="ws://me@127.0.0.1:1/a?token=hunter2"
    )
    assert finding == Finding("browser", True, "running browser at 127.0.0.1:1")


async def test_fleet_is_not_checked_without_redis() -> None:
    findings = await examine(settings_from(override(browser__path=NO_BROWSER)), {})
    assert "fleet" not in {one.subject for one in findings}


async def test_redis_without_persistence_is_off_and_recommends_appendonly(
    redis_server: RedisServer,
) -> None:
    finding = await found("fleet", {}, fleet__redis=redis_server.url)
    assert (finding.ok, finding.off) == (True, True)
    assert re.match(r"Redis \d+\.\d+\.\d+ at unix://\S+ answers in \d+ ms; ", finding.text)
    assert "appendonly yes" in finding.text


async def test_redis_with_a_file_is_ok(own_redis_server: RedisServer) -> None:
    finding = await found("fleet", {}, fleet__redis=own_redis_server.url)
    assert (finding.ok, finding.off) == (True, False)
    assert "append-only file" in finding.text


async def test_unreachable_redis_is_a_fault_and_password_is_hidden() -> None:
    finding = await found("fleet", {}, fleet__redis="redis://me:hunter2@127.0.0.1:9/3")
    assert not finding.ok
    assert "redis://127.0.0.1:9/3" in finding.text
    assert "hunter2" not in finding.text


@pytest.mark.parametrize("user", [0, 7])
async def test_sandbox_is_off_for_root_only(user: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    finding = await found("sandbox", {})
    assert (finding.ok, finding.off) == (True, user == 0)


@pytest.mark.parametrize(
    ("profile", "text"),
    [
        ("/a/profile", "/a/profile/tabwright-00 (kept)"),
        (None, "temporary, removed at the end"),
    ],
)
async def test_profile_is_reported_with_path_or_as_temporary(
    profile: str | None, text: str
) -> None:
    finding = await found("profile", {}, browser__profile=profile)
    assert finding.ok
    assert finding.text.startswith(text)
    assert finding.off is (profile is None)


async def test_the_profile_is_kept_in_the_data_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    finding = await found("profile", {})
    assert finding.text == "/data/tabwright/profiles/tabwright-00 (kept)"


async def test_files_that_settings_name_are_read(tmp_path: Path) -> None:
    secrets = tmp_path / "secrets.env"
    finding = await found("settings", {}, acting__secrets=str(secrets))
    assert not finding.ok
    assert f"acting.secrets: The file {secrets} does not exist." in finding.text
    secrets.write_text("KEY=hunter2")
    finding = await found("settings", {}, acting__secrets=str(secrets))
    assert finding.ok
    assert str(secrets) in finding.text


async def test_sources_of_settings_are_listed(tmp_path: Path) -> None:
    settings, file = settings_from(override(browser__path=NO_BROWSER)), tmp_path / "my.yaml"

    async def text() -> str:
        findings = await examine(settings, {"TABWRIGHT_LOG__LEVEL": "info"}, file)
        return next(one.text for one in findings if one.subject == "settings")

    assert str(file) not in await text()
    file.write_text("log: {level: info}")
    assert await text() == f"valid; read from {file}, TABWRIGHT_LOG__LEVEL"


async def test_missing_settings_file_is_ok_and_reported(tmp_path: Path) -> None:
    settings = settings_from(override(browser__path=NO_BROWSER))
    findings = await examine(settings, {}, tmp_path / "none.yaml")
    (finding,) = (one for one in findings if one.subject == "settings")
    assert finding.ok
    assert f"{tmp_path / 'none.yaml'} does not exist" in finding.text


@pytest.mark.parametrize("name", ["policy", "parsers"])
async def test_invalid_engines_file_is_a_fault(name: str, tmp_path: Path) -> None:
    wrong = tmp_path / "engines.yaml"
    wrong.write_text("google: 7")
    finding = await found("settings", {}, **{f"engines__{name}": str(wrong)})
    assert not finding.ok
    assert str(wrong) in finding.text


async def test_invalid_search_language_is_a_fault() -> None:
    finding = await found("settings", {}, search__language="deutsch, bitte")
    assert not finding.ok
    assert "Use a code such as" in finding.text


async def test_display_that_does_not_respond_is_off(tmp_path: Path) -> None:
    for environment in ({}, {"DISPLAY": ":987"}, {"WAYLAND_DISPLAY": "wayland-9"}):
        finding = await found("display", environment)
        assert (finding.ok, finding.off) == (True, True)
    assert ":987 does not respond" in (await found("display", {"DISPLAY": ":987"})).text


async def test_display_that_responds_is_ok(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as display:
        display.bind(str(tmp_path / "wayland-0"))
        display.listen()
        environment = {"WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": str(tmp_path)}
        assert await found("display", environment) == Finding("display", True, "wayland-0")


async def test_keys_of_models_are_named_and_not_shown() -> None:
    finding = await found("models", {"ANTHROPIC_API_KEY": "hunter2"})
    assert finding == Finding("models", True, "ANTHROPIC_API_KEY")
    assert (await found("models", {})).off


async def test_ffmpeg_that_is_not_there_is_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    program = tmp_path / "ffmpeg"
    assert (await found("ffmpeg", {})).off
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    finding = await found("ffmpeg", {})
    assert finding == Finding("ffmpeg", True, str(program))


@pytest.mark.parametrize(
    ("languages", "available", "text"),
    [
        (frozenset({"en", "zh", "ja", "ko", "ar", "hi"}), True, "Latin, Chinese"),
        (frozenset({"en", "ar", "hi"}), False, "none for Chinese, Japanese, Korean"),
        (None, True, "unknown"),
    ],
)
def test_writing_systems_without_a_font_are_named(
    languages: frozenset[str] | None, available: bool, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tabwright.cli.doctor._languages_of_fonts", lambda: languages)
    [fonts] = [one for one in machine_checks(settings_from(), {}) if one.subject == "fonts"]
    assert fonts.off is not available
    assert fonts.text.startswith(text)


def test_full_disk_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage("/")._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    [disk] = [one for one in machine_checks(settings_from(), {}) if one.subject == "disk"]
    assert not disk.ok


async def test_saved_sessions_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    assert (await found("sessions", {}, session__dir=str(folder))).text == "none saved"
    for number in range(11):
        SessionFiles(folder).write(f"shop{number:02}", Saved())
    (folder / "asleep").mkdir()
    finding = await found("sessions", {}, session__dir=str(folder))
    assert finding.ok
    assert finding.text.startswith(f"saved in {folder}: shop00, shop01, ")
    assert finding.text.endswith("shop09 and 1 more")


async def test_folder_of_sessions_that_cannot_be_read_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    finding = await found("sessions", {}, session__dir=str(tmp_path / "file"))
    assert not finding.ok


async def test_signing_key_is_reported_with_id_and_signature_agent(tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    key = key_id(create_key(file))
    finding = await found(
        "signing",
        {},
        network__signing={"key": str(file), "agent": "https://bot.example"},
    )
    assert finding == Finding("signing", True, f"key {key}, found at https://bot.example")
    assert (await found("signing", {}, network__signing={"key": str(file)})).off


async def test_doctor_reports_a_signing_key_that_cannot_be_read(tmp_path: Path) -> None:
    assert not (await found("signing", {}, network__signing={"key": str(tmp_path / "none")})).ok
