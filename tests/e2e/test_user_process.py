"""Shell commands that share the process of a user, as typed by people and agents."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs
import pytest
import trio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from tabwright.cli.user_client import connect, exchange
from tabwright.testing.demo import text_of
from tests.support.hanging_site import HangingSite

pytestmark = pytest.mark.chromium

END_S = 30


@attrs.frozen
class Shell:
    """Runs `tabwright` commands with folders and an environment of the test's own."""

    folder: Path
    environment: dict[str, str]
    tabwright: list[str]

    def start(self, *words: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [*self.tabwright, *words],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str, given: str = "") -> "subprocess.CompletedProcess[str]":
        with self.start(*words) as process:
            out, err = process.communicate(given, timeout=60)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def output(self, *words: str, given: str = "") -> str:
        ended = self.run(*words, given=given)
        assert (ended.returncode, ended.stderr) == (0, "")
        return ended.stdout

    @property
    def process_id(self) -> int:
        return int(self.output("daemon", "status").partition("process ")[2].partition(",")[0])


@pytest.fixture
def shell(tmp_path: Path, quick_tabwright: list[str]) -> Iterator[Shell]:
    with TemporaryDirectory() as short:  # the path of a socket has at most 108 bytes
        own = {"XDG_RUNTIME_DIR": short, "TABWRIGHT_NETWORK__ALLOW_PRIVATE": "true"}
        quiet = {"TABWRIGHT_BROWSER__PROFILE": "null", "TABWRIGHT_NETWORK__PROXY": "none"}
        allowed = {"TABWRIGHT_ACTING__SCRIPTS": "true"}
        one = Shell(tmp_path, {**os.environ, **own, **quiet, **allowed}, quick_tabwright)
        try:
            yield one
        finally:
            one.run("daemon", "stop")
        assert not list(Path(short).rglob("*.sock"))


@pytest.fixture
def page(tmp_path: Path) -> Iterator[str]:
    """The URL of a page on loopback with a text field and a button."""
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "index.html").write_text(
        "<title>Shop</title><label>Email <input></label>"
        "<button onclick=\"document.title = 'Bought'\">Buy</button>"
    )
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]
    with subprocess.Popen(
        command, cwd=tmp_path / "web", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        line = server.stdout.readline()
        yield line.partition("(")[2].partition(")")[0]
        server.terminate()


def wait_for_end(process_id: int) -> None:
    deadline = time.monotonic() + END_S
    while Path(f"/proc/{process_id}").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_commands_share_a_session_and_end_with_down(shell, page):
    outline = shell.output("open", page)
    assert 'textbox "Email"' in outline
    ref = outline.partition('] button "Buy"')[0].rpartition("[")[2]
    shell.output("type", "label=Email", "ann@example.org")
    assert "ann@example.org" in shell.output("snapshot")
    shell.output("click", ref)
    assert json.loads(shell.output("snapshot", "--json"))["title"] == "Bought"
    assert "Bought" in shell.output("debug", "evaluate", "-", given="document.title")
    shell.output("screenshot", "--output", "page.png")
    assert (shell.folder / "page.png").read_bytes().startswith(b"\x89PNG")
    assert "default" in shell.output("daemon", "status")
    assert shell.run("open", page, "--session", "other").returncode == 0
    assert "other" in shell.output("session", "list")
    process_id = shell.process_id
    shell.output("daemon", "stop")
    assert shell.run("daemon", "status").returncode == 1
    wait_for_end(process_id)


def test_a_command_while_the_process_ends_starts_a_new_one(shell, page, monkeypatch):
    shell.output("open", page)
    process_id = shell.process_id
    monkeypatch.setenv("XDG_RUNTIME_DIR", shell.environment["XDG_RUNTIME_DIR"])
    assert exchange(connect(), ["daemon", "stop"]) == 0  # it answers, and closes its browser then
    assert "Shop" in shell.output("open", page)
    assert shell.process_id != process_id


def test_command_errors_have_exit_codes_and_messages_on_stderr(shell, page):
    shell.output("open", page)
    wrong = [("click", "text=Nothing"), ("click",), ("snapshot", "--foo"), ("type", "1.1")]
    for words in wrong:
        ended = shell.run(*words)
        assert ended.returncode == 2
        assert ended.stderr
        assert ended.stdout == ""
    output = json.loads(shell.run("click", "text=Nothing", "--json").stdout)
    assert output["error"]["kind"] == "bad_input"


def test_two_commands_at_once_start_one_process(shell, page):
    started = [shell.start("open", page, "--session", name) for name in ("a", "b", "c")]
    for one in started:
        out, err = one.communicate(timeout=60)
        assert (one.returncode, err) == (0, "")
        assert "Shop" in out
    assert {"a", "b", "c"} <= set(shell.output("daemon", "status").replace(",", "").split())


def test_a_second_process_is_refused(shell):
    shell.output("daemon", "start")
    assert shell.output("daemon", "start") == "The user process is already running.\n"
    ended = shell.run("daemon", "start", "--foreground")
    assert ended.returncode == 2
    assert "already running" in ended.stderr
    ended = shell.run(
        "daemon", "start", "--set", "acting.scripts=false"
    )  # which would have no effect
    assert ended.returncode == 2
    assert "tabwright daemon stop" in ended.stderr


def test_pdf_command_saves_to_the_output_path(shell, page):
    shell.output("open", page)
    shell.output("screenshot", "--output", "page.pdf")
    assert (shell.folder / "page.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.nightly
def test_after_a_kill_the_next_command_starts_a_new_process(shell, page):
    shell.output("open", page)
    killed = shell.process_id
    os.kill(killed, signal.SIGKILL)
    wait_for_end(killed)  # until then it can accept the next command, which ends with it
    assert "Shop" in shell.output("open", page)
    assert shell.process_id != killed


def test_user_process_ends_when_idle(shell):
    shell.output("daemon", "start", "--set", "daemon.idle_s=1")
    deadline = time.monotonic() + END_S
    while shell.run("daemon", "status").returncode == 0:  # each look keeps it for another second
        assert time.monotonic() < deadline
        time.sleep(1.5)


def test_settings_of_up_hold_for_its_commands(shell, page):
    shell.output("daemon", "start", "--set", "acting.scripts=false")
    shell.output("open", page)
    assert "acting.scripts" in shell.run("debug", "evaluate", "1").stderr


async def test_an_interrupted_command_is_cancelled(shell):
    async with HangingSite() as site:
        shell.output("daemon", "start")
        process = shell.start("open", site.url)
        await site.asked.wait()
        process.send_signal(signal.SIGINT)
        _, err = await trio.to_thread.run_sync(process.communicate)
        assert process.returncode == 130
        assert "Traceback" not in err
        with trio.fail_after(END_S):
            while "default" in await trio.to_thread.run_sync(shell.output, "daemon", "status"):
                site.answers.set()
                await trio.to_thread.run_sync(shell.output, "session", "close")


async def test_a_client_of_mcp_can_share_the_process(shell, page):
    await trio.to_thread.run_sync(shell.output, "open", page)
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "tabwright", "serve", "--shared"],
        env=shell.environment,
    )
    async with Client(server) as client, Client(server, mode="legacy") as second:
        for one in (client, second):
            shown = await one.call_tool("snapshot", {"format": "outline"})
            assert "Shop" in text_of(shown)
        await client.call_tool("click", {"ref": "text=Buy"})
    assert "Bought" in await trio.to_thread.run_sync(shell.output, "snapshot")


def test_browse_uses_the_user_process_unless_settings_differ(shell, page):
    alone = shell.output("read", "--session", "first", page)
    assert "Buy" in alone
    assert shell.run("daemon", "status").returncode == 1
    shell.output("daemon", "start")
    assert shell.output("read", "--session", "shared", page) == alone
    assert (
        shell.output("read", "--session", "lone", "--set", "reading.pictures_max=3", page) == alone
    )
    assert "sessions: shared\n" in shell.output("daemon", "status")
    extracted = shell.run("extract", page)  # it says on standard error that there is no record
    assert (extracted.returncode, json.loads(extracted.stdout)["title"]) == (0, "Shop")
    failed = shell.run("read", "--json", "127.0.0.1:9")
    assert (failed.returncode, json.loads(failed.stdout)["success"]) == (10, False)
    assert shell.run("read", "--format", "poem", page).returncode == 2


def test_browse_autostarts_the_process_unless_settings_differ(shell, page):
    shell.environment["TABWRIGHT_DAEMON__AUTOSTART"] = "true"
    by_itself = [
        ("read", "--set", "reading.pictures_max=3", page),
        ("read", "-v", page),
        ("read", page, page),
        ("read", "--format", "poem", page),
    ]
    for words in by_itself:
        shell.run(*words)
        assert shell.run("daemon", "status").returncode == 1
    assert "Buy" in shell.output("read", "-q", page)
    first = shell.process_id
    assert json.loads(shell.run("extract", page).stdout)["title"] == "Shop"
    shell.environment["TABWRIGHT_DAEMON__AUTOSTART"] = "false"  # starts none, and uses what runs
    assert "Buy" in shell.output("read", "--session", "kept", page)
    assert "sessions: kept\n" in shell.output("daemon", "status")
    assert shell.process_id == first


def test_browse_runs_standalone_if_no_process_can_start(shell, page):
    shell.environment["TABWRIGHT_DAEMON__AUTOSTART"] = "true"
    own = shell.environment.pop("XDG_RUNTIME_DIR")
    shell.environment["XDG_STATE_HOME"] = f"{shell.folder}/{'long' * 30}"  # the socket's path
    assert "Buy" in shell.output("read", page)
    shell.environment["XDG_RUNTIME_DIR"] = own


def test_browse_runs_standalone_if_proxy_or_settings_changed(shell, page, tmp_path):
    own = {"TABWRIGHT_DAEMON__AUTOSTART": "true", "XDG_CONFIG_HOME": str(tmp_path)}
    shell.environment.update(own)
    del shell.environment["TABWRIGHT_NETWORK__PROXY"], shell.environment["NO_PROXY"]
    assert "Buy" in shell.output("read", page)
    shell.environment["HTTP_PROXY"] = "http://127.0.0.1:9"
    ended = shell.run("read", "--json", "http://proxied.example.invalid/")
    assert (ended.returncode, json.loads(ended.stdout)["kind"]) == (10, "navigation_failed")
    del shell.environment["HTTP_PROXY"]
    assert "Buy" in shell.output("read", page)
    (tmp_path / "tabwright").mkdir()
    (tmp_path / "tabwright" / "config.yaml").write_text(f"network: {{deny_urls: ['{page}*']}}")
    assert shell.run("read", page).returncode == 2


def test_settings_error_during_autostart_is_reported_by_browse(shell, page):
    shell.environment["TABWRIGHT_DAEMON__AUTOSTART"] = "true"
    shell.environment["TABWRIGHT_NETWORK__CA_FILE"] = "/nowhere.pem"
    ended = shell.run("read", page)
    assert ended.returncode == 2
    assert "network.ca_file" in ended.stderr


def test_interrupt_during_autostart_ends_browse_without_a_traceback(shell, page):
    shell.environment["TABWRIGHT_DAEMON__AUTOSTART"] = "true"
    process = shell.start("read", page)
    while not list(Path(shell.environment["XDG_RUNTIME_DIR"]).rglob("*.lock")):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    shell.output("open", page)  # the process is there, so that it can be ended
