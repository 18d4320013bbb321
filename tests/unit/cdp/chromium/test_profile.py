import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tabwright.cdp.chromium.directory import claimed
from tabwright.cdp.chromium.errors import ProfileLocked, ProfileUnusable

HOST = socket.gethostname()


@contextmanager
def listening(path: Path) -> Iterator[None]:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen(1)
        yield


def singleton(profile: Path, owner: str) -> None:
    (profile / "SingletonLock").symlink_to(owner)


def dead_process() -> int:
    """Return the id of a process that has ended."""
    with subprocess.Popen(["true"]) as process:
        return process.pid


def test_missing_profile_directory_is_created(tmp_path: Path) -> None:
    with claimed(tmp_path / "new" / "profile") as profile:
        assert profile.is_dir()


def test_relative_profile_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with claimed(Path("mine")) as profile:
        assert profile == tmp_path / "mine"


def test_second_profile_claim_fails_with_owner_pid_and_keeps_lock(tmp_path: Path) -> None:
    with claimed(tmp_path):
        with pytest.raises(ProfileLocked) as caught, claimed(tmp_path):
            pass
        with pytest.raises(ProfileLocked), claimed(tmp_path):
            pass

    assert caught.value.pid == os.getpid()


def test_profile_can_be_claimed_again_after_release(tmp_path: Path) -> None:
    with claimed(tmp_path):
        pass
    with claimed(tmp_path):
        pass


def test_file_is_refused_as_profile(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ProfileUnusable, match="it is not a directory"), claimed(tmp_path / "file"):
        pass


def test_profile_that_cannot_be_written_is_unusable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)  # root may write anywhere, so chmod would not do
    with pytest.raises(ProfileUnusable, match="Permission denied"), claimed(tmp_path):
        pass


def test_profile_is_locked_while_singleton_socket_listens(tmp_path: Path) -> None:
    singleton(tmp_path, f"{HOST}-{os.getpid()}")
    with (
        listening(tmp_path / "SingletonSocket"),
        pytest.raises(ProfileLocked) as caught,
        claimed(tmp_path),
    ):
        pass

    assert caught.value.pid == os.getpid()


def test_profile_is_locked_when_singleton_socket_backlog_is_full(tmp_path: Path) -> None:
    singleton(tmp_path, f"{HOST}-{os.getpid()}")
    calls: list[socket.socket] = []
    with listening(tmp_path / "SingletonSocket"):
        for _ in range(3):  # nobody takes these calls, so the queue is full
            call = socket.socket(socket.AF_UNIX)
            call.setblocking(False)
            calls.append(call)
            call.connect_ex(str(tmp_path / "SingletonSocket"))
        with pytest.raises(ProfileLocked), claimed(tmp_path):
            pass
    for call in calls:
        call.close()


@pytest.mark.parametrize("owner", [dead_process, lambda: 10**30])
def test_lock_of_a_dead_process_is_removed(tmp_path: Path, owner: Callable[[], int]) -> None:
    singleton(tmp_path, f"{HOST}-{owner()}")
    (tmp_path / "SingletonSocket").symlink_to(tmp_path / "gone" / "SingletonSocket")
    (tmp_path / "SingletonCookie").symlink_to("4711")
    with claimed(tmp_path):
        assert [path.name for path in tmp_path.iterdir()] == ["tabwright-owner"]


@pytest.mark.parametrize(
    "owner", [f"{HOST}-1", f"{HOST}-{os.getpid()}", "garbage"], ids=["init", "ourselves", "garbage"]
)
def test_lock_without_plausible_owner_is_left_to_chromium(tmp_path: Path, owner: str) -> None:
    singleton(tmp_path, owner)
    (tmp_path / "SingletonSocket").symlink_to(tmp_path / "gone" / "SingletonSocket")
    with claimed(tmp_path):
        pass

    assert (tmp_path / "SingletonLock").readlink() == Path(owner)


def test_lock_that_cannot_be_removed_makes_the_profile_unusable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object, **_options: object) -> None:
        raise PermissionError(13, "Permission denied")

    singleton(tmp_path, f"{HOST}-{dead_process()}")
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(ProfileUnusable, match="SingletonSocket cannot be removed"):
        with claimed(tmp_path):
            pass


def test_socket_without_listener_is_stale(tmp_path: Path) -> None:
    singleton(tmp_path, f"{HOST}-{os.getpid()}")
    with listening(tmp_path / "SingletonSocket"):
        pass
    with claimed(tmp_path):
        pass


def test_lock_of_another_host_is_respected_and_error_names_host(tmp_path: Path) -> None:
    singleton(tmp_path, "far-away-123")
    with pytest.raises(ProfileLocked, match="process 123 on the host far-away") as caught:
        with claimed(tmp_path):
            pass

    assert "if far-away is gone, remove the SingletonLock" in caught.value.advice


def test_lock_of_other_host_is_removed_if_we_claimed_profile_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(socket, "gethostname", lambda: "far-away")
        with claimed(tmp_path):
            singleton(tmp_path, "far-away-123")
    with claimed(tmp_path):
        assert [path.name for path in tmp_path.iterdir()] == ["tabwright-owner"]


def test_lock_of_other_host_is_kept_if_our_last_claim_was_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for host in ("far-away", "further-away"):
        with monkeypatch.context() as elsewhere:
            elsewhere.setattr(socket, "gethostname", lambda host=host: host)
            with claimed(tmp_path):
                pass
    singleton(tmp_path, "far-away-123")
    with pytest.raises(ProfileLocked, match="on the host far-away"), claimed(tmp_path):
        pass
    assert (tmp_path / "SingletonLock").is_symlink()


def test_lock_that_is_a_file_is_unusable(tmp_path: Path) -> None:
    (tmp_path / "SingletonLock").write_text("")
    with (
        pytest.raises(ProfileUnusable, match="SingletonLock is not a symbolic link"),
        claimed(tmp_path),
    ):
        pass


def test_stale_devtools_port_file_is_removed(tmp_path: Path) -> None:
    (tmp_path / "DevToolsActivePort").write_text("1\n/devtools/browser/old")
    with claimed(tmp_path):
        assert not (tmp_path / "DevToolsActivePort").exists()


def test_port_file_that_is_a_directory_is_unusable(tmp_path: Path) -> None:
    (tmp_path / "DevToolsActivePort").mkdir()
    with pytest.raises(ProfileUnusable, match="DevToolsActivePort"), claimed(tmp_path):
        pass
