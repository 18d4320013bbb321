"""The location of control sockets, and their permissions."""

import os
import socket
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tabwright.control.transport import (
    ServerSocket,
    control_folders,
    open_listener,
    running_servers,
)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def own(folder: Path) -> Path:
    return folder / f"{os.getpid()}.sock"


@contextmanager
def listening_at(place: Path, backlog: int = 8) -> Generator[socket.socket]:
    place.parent.mkdir(exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(place))
        listening.listen(backlog)
        yield listening


def leave_behind(place: Path) -> None:
    """Leave a socket file behind, as a killed process does."""
    with listening_at(place):
        pass


async def test_control_socket_is_private_and_removed_after_its_block(runtime_folder) -> None:
    folder = runtime_folder / "tabwright"
    with open_listener():
        assert mode(folder) == 0o700
        assert mode(own(folder)) == 0o600
        assert [place.name for place in folder.iterdir()] == [f"{os.getpid()}.sock"]
        assert running_servers() == [ServerSocket(os.getpid(), own(folder))]
    assert list(folder.iterdir()) == []
    assert running_servers() == []


async def test_control_folder_open_to_others_is_made_private(runtime_folder) -> None:
    folder = runtime_folder / "tabwright"
    folder.mkdir()
    folder.chmod(0o777)
    with open_listener():
        assert mode(folder) == 0o700


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
async def test_control_folder_of_another_user_is_not_used(runtime_folder) -> None:
    folder = runtime_folder / "tabwright"
    folder.mkdir()
    os.chown(folder, 12345, 12345)
    with open_listener():
        assert list(folder.iterdir()) == []
        assert [server.place.parent for server in running_servers()] == [control_folders()[1]]


@pytest.mark.parametrize("runtime", [None, "", "run", "/nonexistent"])
async def test_control_socket_without_runtime_folder_is_in_the_state_folder(
    runtime: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    if runtime is not None:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    state = Path(os.environ["XDG_STATE_HOME"]) / "tabwright" / "control"
    with open_listener():
        assert running_servers() == [ServerSocket(os.getpid(), own(state))]
        assert mode(state) == 0o700


async def test_server_without_runtime_folder_is_found_by_client_with_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    with open_listener():
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
        assert [server.pid for server in running_servers()] == [os.getpid()]


@pytest.mark.parametrize("obstacle", ["file", "long"])
async def test_unusable_control_folder_falls_back_to_the_next(
    obstacle: str, runtime_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if obstacle == "file":
        (runtime_folder / "tabwright").touch()
    else:
        folder = runtime_folder / ("x" * 120)
        folder.mkdir()
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    with open_listener():
        assert [server.place.parent for server in running_servers()] == [control_folders()[1]]


async def test_control_socket_accepts_connections_at_any_path_length(
    runtime_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for length in range(20, 120):
        folder = runtime_folder / ("x" * length)
        folder.mkdir()
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
        with open_listener(), socket.socket(socket.AF_UNIX) as client:
            (server,) = running_servers()
            client.connect(str(server.place))
        assert [*folder.glob("tabwright/*")] == []


async def test_unusable_control_folders_are_all_named_in_the_error(
    runtime_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (runtime_folder / "tabwright").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / ("y" * 120)))
    with pytest.raises(OSError, match=r"File exists.*path too long"), open_listener():
        pass


async def test_only_stale_sockets_of_dead_processes_are_removed(runtime_folder: Path) -> None:
    folder = runtime_folder / "tabwright"
    leave_behind(folder / "4711.sock")
    leave_behind(folder / "other.sock")
    (folder / "4712.txt").touch()
    with listening_at(folder / "4713.sock"), open_listener():
        kept = {"other.sock", "4712.txt", "4713.sock", own(folder).name}
        assert {place.name for place in folder.iterdir()} == kept
        leave_behind(folder / "4714.sock")
        assert [server.pid for server in running_servers()] == sorted([4713, os.getpid()])
        assert {place.name for place in folder.iterdir()} == kept


@pytest.mark.parametrize("suffix", [".sock", ".unnamed"])
async def test_stale_socket_with_own_pid_is_replaced(suffix: str, runtime_folder: Path) -> None:
    folder = runtime_folder / "tabwright"
    leave_behind(own(folder).with_suffix(suffix))
    with open_listener():
        assert [server.place for server in running_servers()] == [own(folder)]


async def test_second_listener_of_a_process_uses_another_folder(
    runtime_folder: Path,
) -> None:
    with open_listener():
        with open_listener():
            places = [server.place for server in running_servers()]
            assert places == sorted(own(folder) for folder in control_folders())
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(own(runtime_folder / "tabwright")))


async def test_server_with_a_full_backlog_is_listed_as_running(runtime_folder: Path) -> None:
    place = runtime_folder / "tabwright" / "4711.sock"
    with listening_at(place, backlog=0), socket.socket(socket.AF_UNIX) as client:
        client.connect(str(place))
        for _ in range(3):
            assert running_servers() == [ServerSocket(4711, place)]
