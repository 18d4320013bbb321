from pathlib import Path

import pytest

from tabwright.cdp.chromium.errors import BrowserNotFound
from tabwright.cdp.chromium.finding import (
    BrowserExecutable,
    BrowserName,
    find_browser,
    is_executable,
    require_executable,
)


def nowhere(_name: str) -> None:
    return None


@pytest.mark.parametrize(
    ("platform", "path", "name"),
    [
        ("linux", "/usr/bin/chromium", "chromium"),
        ("linux", "/usr/bin/google-chrome-stable", "chrome"),
        ("linux", "/usr/bin/microsoft-edge", "edge"),
        ("darwin", "/Applications/Chromium.app/Contents/MacOS/Chromium", "chromium"),
        ("darwin", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "chrome"),
        ("win32", r"C:\Program Files\Microsoft\Edge\Application\msedge.exe", "edge"),
    ],
)
def test_finds_the_only_browser(platform: str, path: str, name: BrowserName) -> None:
    found = find_browser(platform=platform, exists=path.__eq__, which=nowhere)

    assert found == BrowserExecutable(Path(path), name)


def test_order_decides_between_those_that_are_there() -> None:
    found = find_browser(
        ("headless-shell", "chromium"),
        platform="linux",
        exists=lambda path: "chromium" in path,
        which=nowhere,
    )

    assert found.name == "headless-shell"


def test_home_is_searched_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/Users/ann")
    path = "/Users/ann/Applications/Chromium.app/Contents/MacOS/Chromium"

    assert find_browser(platform="darwin", exists=path.__eq__, which=nowhere).path == Path(path)


def test_names_on_path_count_when_the_usual_places_are_empty() -> None:
    found = find_browser(
        platform="linux",
        exists="/opt/bin/chromium".__eq__,
        which={"chromium": "/opt/bin/chromium"}.get,
    )

    assert found == BrowserExecutable(Path("/opt/bin/chromium"), "chromium")


def test_unknown_unix_is_searched_like_linux() -> None:
    found = find_browser(platform="freebsd14", exists="/usr/bin/chromium".__eq__, which=nowhere)

    assert found.name == "chromium"


def test_none_is_an_error_that_says_what_was_looked_for() -> None:
    with pytest.raises(BrowserNotFound, match="edge, chrome, chromium") as caught:
        find_browser(platform="linux", exists=lambda _path: False, which=nowhere)

    assert not caught.value.retryable


def test_explicit_path_wins() -> None:
    found = find_browser(explicit=Path("/my/own"), platform="linux", exists=lambda _path: True)

    assert found == BrowserExecutable(Path("/my/own"), None)


def test_explicit_path_that_is_not_there_is_not_replaced_by_another() -> None:
    with pytest.raises(BrowserNotFound, match="/my/own is not an executable file"):
        find_browser(explicit=Path("/my/own"), platform="linux", exists="/usr/bin/chromium".__eq__)


def test_directory_missing_file_and_plain_file_are_not_executable(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("")

    assert not is_executable(str(tmp_path))
    assert not is_executable(str(tmp_path / "missing"))
    assert not is_executable(str(plain))
    plain.chmod(0o755)
    assert is_executable(str(plain))
    require_executable(plain)
