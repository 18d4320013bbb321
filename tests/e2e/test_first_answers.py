"""A server repeats the first answers of its last start, as long as nothing has changed."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PATIENCE_S = 30
OLD = "old.json"
"""A file of answers that nobody uses any more."""

MARK = "(repeated)"
"""Is put into the kept answers, to tell them from those of the server."""


def request(number: int, method: str, **params: object) -> bytes:
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


def initialize(version: str = "2025-06-18", **capabilities: object) -> bytes:
    client = {"name": "test", "version": "1"}
    return request(
        1, "initialize", protocolVersion=version, capabilities=capabilities, clientInfo=client
    )


INITIALIZED = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'
LIST = request(2, "tools/list")
START = (initialize(), INITIALIZED, LIST)

Start = Callable[..., list[bytes]]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the kept answers."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tabwright" / "answers"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "settings.yaml"
    file.write_text("log: {dir: null}\n")
    return file


@pytest.fixture
def command(quick_tabwright: list[str], config: Path) -> list[str]:
    return [*quick_tabwright, "serve", "--config", str(config)]


@pytest.fixture
def start(command: list[str], cache: Path) -> Start:
    """Start a server, send it lines, and return as many lines of it."""

    def run(*lines: bytes, answers: int = 2, learns: bool = False) -> list[bytes]:
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as server:
            assert server.stdin
            assert server.stdout
            for line in lines:
                server.stdin.write(line)
                server.stdin.flush()
            received = [server.stdout.readline() for _ in range(answers)]
            if learns:
                wait_for_file(cache)
            server.stdin.close()
            return [*received, *server.stdout.readlines()]

    return run


def wait_for_file(cache: Path) -> None:
    until_s = time.monotonic() + PATIENCE_S
    while not [file for file in cache.glob("*.json") if file.name != OLD]:
        assert time.monotonic() < until_s
        time.sleep(0.01)


def mark(cache: Path) -> None:
    """Change the kept answers, so that they can be told from others."""
    [file] = cache.iterdir()
    record = json.loads(file.read_text())
    answers = record["answers"].items()
    record["answers"] = {key: text and text.replace("Chromium", MARK) for key, text in answers}
    file.write_text(json.dumps(record))
    assert MARK in file.read_text()


def marked(answers: list[bytes]) -> list[bool]:
    return [MARK.encode() in answer for answer in answers]


def test_second_start_repeats_the_answers_of_the_first(start, cache):
    first = start(*START, learns=True)
    [file] = cache.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert [json.loads(answer)["id"] for answer in first] == [1, 2]
    assert start(*START) == first
    mark(cache)
    assert marked(start(*START)) == [True, False]  # only the instructions have the word


def test_lines_after_the_repeated_ones_are_answered_by_the_server(start, cache):
    start(*START, learns=True)
    mark(cache)
    unknown = request(3, "tools/call", name="fly", arguments={})
    whole = b"".join((*START, unknown, request(4, "ping")))
    answers = start(whole[:100], whole[100:], answers=4)
    assert marked(answers)[0]
    assert sorted(json.loads(answer)["id"] for answer in answers) == [1, 2, 3, 4]


def test_other_lines_are_answered_by_the_server(start, cache):
    start(*START, learns=True)
    mark(cache)
    not_json = b'{"jsonrpc": "2.0", "id": 1,\n'
    for lines, ids in (
        ((initialize("2024-11-05"), INITIALIZED, LIST), [1, 2]),
        ((initialize(sampling={}), INITIALIZED, LIST), [1, 2]),
        ((b"\n", *START), [1, 2]),
        ((not_json, *START), [None, 1, 2]),
    ):
        answers = start(*lines, answers=len(ids))
        assert [json.loads(answer)["id"] for answer in answers] == ids
        assert not any(marked(answers))


def test_changed_settings_are_answered_by_the_server(start, cache, config):
    start(*START, learns=True)
    mark(cache)
    config.write_text("log: {dir: null}\nmcp: {tools: [read]}\n")
    _, listed = start(*START)
    names = {tool["name"] for tool in json.loads(listed)["result"]["tools"]}
    assert "browse" in names
    assert "click" not in names


def test_wrong_settings_are_reported_before_any_answer(start, cache, config):
    start(*START, learns=True)
    config.write_text("browser: {size: 3}\n")
    assert start(*START, answers=0) == []


def test_damaged_file_is_replaced(start, cache):
    first = start(*START, learns=True)
    [file] = cache.iterdir()
    for text in ("{", "{}", "[]", "null", '{"files": {}, "answers": {}}', "[" * 100_000):
        file.write_text(text)
        assert start(*START) == first


@contextmanager
def full_pipe(start: Start, command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Start a server whose kept answers are more than a pipe holds, for a client that is slow."""
    lists = [request(number, "tools/list") for number in range(2, 25)]
    whole = b"".join((initialize(), INITIALIZED, *lists))
    start(whole, answers=24, learns=True)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin
        server.stdin.write(whole)
        server.stdin.flush()
        yield server


def test_client_that_does_not_read_can_end_the_server(start, cache, command):
    with full_pipe(start, command) as server:
        time.sleep(0.5)  # nothing tells that the pipe is full
        server.terminate()
        assert server.wait(PATIENCE_S) is not None


def test_client_that_reads_late_gets_each_answer_once(start, cache, command):
    with full_pipe(start, command) as server:
        time.sleep(2)  # by then the server has ended the thread
        answers = [server.stdout.readline() for _ in range(24)]
        server.stdin.close()
        assert not server.stdout.read()
    assert sorted(json.loads(answer)["id"] for answer in answers) == list(range(1, 25))


def test_old_answers_are_removed(start, cache):
    cache.mkdir(parents=True)
    old = cache / OLD
    old.write_text("{}")
    os.utime(old, (0, 0))
    start(*START, learns=True)
    until_s = time.monotonic() + PATIENCE_S
    while old.exists():
        assert time.monotonic() < until_s
        time.sleep(0.01)


def test_folder_that_cannot_be_written_changes_nothing(start, tmp_path):
    (tmp_path / "cache").write_text("")
    assert len(start(*START)) == 2
    assert (tmp_path / "cache").is_file()


def test_answers_are_shared_by_the_folders_of_projects(start, cache, tmp_path, monkeypatch):
    start(*START, learns=True)
    mark(cache)
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    assert marked(start(*START)) == [True, False]
