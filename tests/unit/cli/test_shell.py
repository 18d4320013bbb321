"""Page commands of the shell: how their words become tool arguments."""

import io
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tabwright.cli.command_line import all_commands
from tabwright.cli.shell import (
    COMMANDS,
    ShellCall,
    ShellExit,
    arguments_of,
    named_command,
    parsed,
)
from tabwright.cli.user_client import SHELL_COMMANDS, SURROUNDINGS, exchange
from tabwright.http.proxy_discovery import BYPASS_VARIABLES, PROXY_VARIABLES
from tabwright.mcp.registry import PAGE_TOOLS, tools_of
from tabwright.plugin import built_in
from tabwright.protocol.errors import BadInput

TOOLS = {tool.name: tool for tool in (*PAGE_TOOLS, *tools_of(built_in()))}


def read(words, folder=Path("/home/ann"), input_text=""):
    """Return the tool that a command line calls, and its arguments."""
    command, rest = named_command(words)
    options = parsed(command, TOOLS[command.tool], rest)
    given = arguments_of(command, options, ShellCall(folder, input_text))
    TOOLS[command.tool].read_arguments(given)
    return command.tool, given


@pytest.mark.parametrize(
    ("words", "tool", "given"),
    [
        ("click 1.5", "click", {"ref": "1.5"}),
        ("click 1.5 --count 2 --session a", "click", {"ref": "1.5", "count": "2", "session": "a"}),
        ("click -s a 1.5", "click", {"ref": "1.5", "session": "a"}),
        ("type 1.7 trio --submit", "type", {"ref": "1.7", "text": "trio", "submit": True}),
        ("type 1.7 -1 --no-append", "type", {"ref": "1.7", "text": "-1", "append": False}),
        ("fill a=1 b=2=3 c=", "fill_form", {"fields": {"a": "1", "b": "2=3", "c": ""}}),
        ("fill label=Email=a=b", "fill_form", {"fields": {"label=Email": "a=b"}}),
        (
            'fill role=textbox[name="a=b"]=c items[0]=d',
            "fill_form",
            {"fields": {'role=textbox[name="a=b"]': "c", "items[0]": "d"}},
        ),
        ("fill role=x", "fill_form", {"fields": {"role": "x"}}),
        ("act select 1.9 Berlin Paris", "select", {"ref": "1.9", "values": ["Berlin", "Paris"]}),
        ("act select 1.9", "select", {"ref": "1.9"}),
        ("press Control+A", "press", {"keys": "Control+A"}),
        ("press Tab Tab Enter", "press", {"keys": "Tab Tab Enter"}),
        ("snapshot --diff", "snapshot", {"max_tokens": 1000, "diff": True, "format": "outline"}),
        ("snapshot 1.2", "snapshot", {"max_tokens": 1000, "ref": "1.2", "format": "outline"}),
        ("snapshot --max-tokens 9", "snapshot", {"max_tokens": "9", "format": "outline"}),
        ("snapshot --format text -q a", "snapshot", {"query": "a", "format": "text"}),
        ("snapshot --find a", "snapshot", {"max_tokens": 1000, "find": "a", "format": "outline"}),
        ("open back", "navigate", {"max_tokens": 1000, "url": "back", "format": "outline"}),
        ("wait Done", "wait_for", {"text": "Done"}),
        ("wait --idle", "wait_for", {"idle": True}),
        ("act dialog accept yes", "dialog", {"accept": True, "text": "yes"}),
        ("act dialog dismiss", "dialog", {"accept": False}),
        ("files upload 1.5 a.png /b", "upload", {"ref": "1.5", "paths": ["/home/ann/a.png", "/b"]}),
        ("screenshot -o a.png", "screenshot", {"format": "png"}),
        ("screenshot -o a.png --format jpeg", "screenshot", {"format": "jpeg"}),
        ("screenshot --region [1,2,3,4]", "screenshot", {"region": "[1,2,3,4]"}),
        ("screenshot --region 1,2,3,4", "screenshot", {"region": ["1", "2", "3", "4"]}),
        ("click 1.5 --modifiers Alt,Shift", "click", {"ref": "1.5", "modifiers": ["Alt", "Shift"]}),
        ("click 1.5 --at 3,4", "click", {"ref": "1.5", "at": ["3", "4"]}),
        ("screenshot -o a.pdf", "screenshot", {"format": "pdf"}),
        ("tabs open a.example", "tabs", {"action": "open", "url": "a.example"}),
        ("act hover 1.5", "pointer", {"action": "hover", "ref": "1.5"}),
        ("act select-text 1.5", "pointer", {"action": "select_text", "ref": "1.5"}),
        ("tabs switch 2", "tabs", {"action": "switch", "tab": "2"}),
        ("session close", "session_close", {"session": "default"}),
    ],
    ids=str,
)
def test_command_line_words_become_tool_arguments(words, tool, given):
    assert read(words.split()) == (tool, given)


def test_steps_and_scripts_come_from_files_or_standard_input(tmp_path):
    steps = '[{"do": "click", "ref": "1.5"}]'
    (tmp_path / "steps.json").write_text(steps)
    for words in (["run", "steps.json"], ["run", "-"]):
        _, given = read(words, tmp_path, steps)
        assert given["steps"] == [{"do": "click", "ref": "1.5"}]
    assert read(["debug", "evaluate", "-"], input_text="1 + 1")[1]["script"] == "1 + 1"
    assert read(["debug", "evaluate", "2 + 2"])[1]["script"] == "2 + 2"


@pytest.mark.parametrize(
    "words", ["run missing.json", "run bad.json", "fill a", "act dialog maybe", "screenshot a.png"]
)
def test_invalid_arguments_raise_bad_input(words, tmp_path):
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(BadInput):
        read(words.split(), tmp_path)


@pytest.mark.parametrize("words", ["click", "click 1 2", "click 1 --foo", "session list --foo"])
def test_usage_error_points_to_command_help(words):
    with pytest.raises(ShellExit) as reported:
        read(words.split())
    assert reported.value.code == 2
    name = " ".join(words.split()[: 2 if words.startswith("session") else 1])
    assert f"tabwright {name} --help" in str(reported.value)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_each_shell_command_matches_schema_of_its_tool(command):
    known = TOOLS[command.tool].input_schema["properties"]
    placed = [one.name for one in command.positionals]
    assert {*placed, *command.given, *command.defaults} <= set(known)
    required = set(TOOLS[command.tool].input_schema["required"])
    always = {one.name for one in command.positionals if not one.optional}
    assert required <= {*always, *command.given, *command.defaults}


def test_commands_that_are_sent_without_the_parser_are_shell_commands():
    named = {command.name for command in COMMANDS}
    others = {command.name for command in all_commands()} - named
    mixed = {name.split()[0] for name in others}  # groups that have other commands, too
    heads = {name if name.split()[0] in mixed else name.split()[0] for name in named}
    assert sorted(SHELL_COMMANDS) == sorted(heads)


def test_client_start_imports_no_heavy_modules():
    code = "import tabwright.__main__, sys; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert {"trio", "attrs", "msgspec", "argparse", "pathlib", "subprocess"} & set(loaded) == set()


def test_a_connection_that_is_reset_is_reported_without_a_traceback(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    ours, theirs = socket.socketpair()
    theirs.close()
    assert exchange(ours, ["snapshot"]) == 1
    assert "ended before it answered" in capsys.readouterr().err


@pytest.mark.parametrize(("command", "shown"), [("search", "Solve it.\n"), ("snapshot", "")])
def test_search_progress_is_printed_even_without_terminal(command, shown, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    ours, theirs = socket.socketpair()
    with theirs:
        theirs.sendall(
            b'{"step": "Solve it."}\n{"out": "", "err": "", "code": 0, "declined": false}\n'
        )
        assert exchange(ours, [command]) == 0
    assert capsys.readouterr().err == shown


def test_dash_in_search_query_does_not_read_stdin(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    ours, theirs = socket.socketpair()
    with theirs:
        theirs.sendall(b'{"out": "", "err": "", "code": 0, "declined": false}\n')
        assert exchange(ours, ["search", "a", "-", "b"]) == 0


def test_client_environment_includes_every_proxy_variable():
    assert {*PROXY_VARIABLES, *BYPASS_VARIABLES} <= set(SURROUNDINGS)


def test_parser_of_serve_imports_no_tool():
    code = "import sys; from tabwright.cli.command_line import parse; parse(['serve']); "
    code += "print(*(name for name in sys.modules if name.startswith('tabwright.mcp.')))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert loaded == ["tabwright.mcp.arguments"]
