from pathlib import Path

import pytest

from tabwright.cdp.chromium.errors import (
    BrowserExited,
    BrowserNotFound,
    BrowserSilent,
    LaunchError,
    ProfileLocked,
    SystemRefused,
)


def test_error_text_has_problem_advice_and_last_output() -> None:
    error = BrowserExited(-6, "Socket path too long")

    assert str(error) == (
        "The browser exited with code -6. "
        "Start it manually with the same profile to see why.\n"
        "Its last output:\nSocket path too long"
    )


def test_error_text_without_output_does_not_mention_it() -> None:
    assert "last words" not in str(BrowserSilent(""))


@pytest.mark.parametrize(
    ("platform", "hint"), [("linux", "apt"), ("darwin", "brew"), ("win32", "winget"), ("os9", "")]
)
def test_missing_browser_comes_with_the_install_hint_of_the_system(
    platform: str, hint: str
) -> None:
    error = BrowserNotFound("No browser.", platform=platform)

    assert hint in error.advice
    assert error.advice


def test_locked_profile_names_the_process_if_it_is_known() -> None:
    assert "process 42" in str(ProfileLocked(Path("/p"), 42))
    assert "another browser" in str(ProfileLocked(Path("/p"), None))
    assert "process 42 on the host far-away" in str(ProfileLocked(Path("/p"), 42, host="far-away"))


def test_system_error_names_the_path() -> None:
    error = SystemRefused(OSError(28, "No space left on device", "/somewhere"))

    assert "No space left on device (/somewhere)" in str(error)


@pytest.mark.parametrize(
    "error",
    [
        BrowserExited(1, ""),
        BrowserSilent(""),
        SystemRefused(OSError(24, "Too many open files")),
    ],
)
def test_transient_launch_errors_are_retryable(error: LaunchError) -> None:
    assert error.retryable


@pytest.mark.parametrize(
    "error", [ProfileLocked(Path("/p"), 1), BrowserNotFound("", platform="linux")]
)
def test_launch_errors_that_need_a_person_are_not_retryable(error: LaunchError) -> None:
    assert not error.retryable
