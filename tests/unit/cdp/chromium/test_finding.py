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
def test_only_installed_browser_is_found(platform: str, path: str, name: BrowserName) -> None:
    found = find_browser(platform=platform, exists=path.__eq__, which=nowhere)

    assert found == BrowserExecutable(Path(path), name)


def test_preference_order_decides_between_installed_browsers() -> None:
    found = find_browser(
        ("headless-shell", "chromium"),
        platform="linux",
        exists=lambda path: "chromium" in path,
        which=nowhere,
    )

    assert found.name == "headless-shell"


def test_home_applications_folder_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/Users/ann")
    path = "/Users/ann/Applications/Chromium.app/Contents/MacOS/Chromium"

    assert find_browser(platform="darwin", exists=path.__eq__, which=nowhere).path == Path(path)


def test_path_is_searched_if_usual_locations_are_empty() -> None:
    found = find_browser(
        platform="linux",
        exists="/opt/bin/chromium".__eq__,
        which={"chromium": "/opt/bin/chromium"}.get,
    )

    assert found == BrowserExecutable(Path("/opt/bin/chromium"), "chromium")


def test_unknown_unix_is_searched_like_linux() -> None:
    found = find_browser(platform="freebsd14", exists="/usr/bin/chromium".__eq__, which=nowhere)

    assert found.name == "chromium"


def test_missing_browser_error_lists_the_searched_names() -> None:
    with pytest.raises(BrowserNotFound, match="edge, chrome, chromium") as caught:
        find_browser(platform="linux", exists=lambda _path: False, which=nowhere)

    assert not caught.value.retryable


def test_explicit_path_wins() -> None:
    found = find_browser(explicit=Path("/my/own"), platform="linux", exists=lambda _path: True)

    assert found == BrowserExecutable(Path("/my/own"), None)


def test_missing_explicit_path_is_an_error_without_fallback() -> None:
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
