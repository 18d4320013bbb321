"""``tabwright tui`` in pipes: pages as text, and URLs from standard input."""

import subprocess
import sys

import pytest
import trio

from tests.support.terminal import open_terminal

pytestmark = pytest.mark.chromium

WITHIN_S = 60

GREETS_THEN_DIES = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "initialize":
        greeting = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
        greeting["serverInfo"] = {"name": "short-lived", "version": "1"}
        answer = {"result": greeting}
    elif asked["method"] == "tools/call":
        sys.exit("a line before\\nthe last words")
    else:
        answer = {"error": {"code": -32601, "message": "unknown"}}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)
"""

SHADOWED = ("mcp", "msgspec", "trio", "yaml", "tabwright")
"""Modules that the server imports: files of these names may lie in any directory."""


@pytest.fixture
def dump(write_config, quick_tui):
    """Return a function that runs the terminal browser without a terminal.

    If `line` is given, a shell runs that line, with the command as its arguments.
    """
    command = quick_tui(write_config())

    async def run(*arguments: str, given: str = "", line: str = "") -> subprocess.CompletedProcess:
        whole = ["sh", "-c", line, "sh", *command] if line else command
        with trio.fail_after(WITHIN_S):
            return await trio.run_process(
                [*whole, *arguments],
                stdin=given.encode(),
                capture_stdout=True,
                capture_stderr=True,
                check=False,
            )

    return run


@pytest.mark.smoke
async def test_a_page_is_printed_with_its_links(web, dump) -> None:
    printed = await dump("--dump", web.url("/article"))
    text = printed.stdout.decode()
    assert (printed.returncode, printed.stderr) == (0, b"")
    assert text.startswith("Structured concurrency\n")
    assert "\nstory[1], or" in text
    assert f"\nLinks\n[1] {web.url('/long')}\n[2] {web.url('/form')}\n" in text
    assert "\x1b" not in text


async def test_dump_prints_error_page_and_fails_with_its_status(web, dump) -> None:
    printed = await dump("--dump", web.url("/nowhere"))
    assert printed.returncode == 1
    assert printed.stdout.startswith(b"Not here\n")
    assert b"404" in printed.stderr
    assert b"Traceback" not in printed.stderr


async def test_dump_prints_all_piped_urls_even_if_one_fails(web, dump) -> None:
    urls = f"# mine\n{web.url('/article')}\n\nhttp://127.0.0.1:1/\n{web.url('/emoji')}\n"
    printed = await dump(given=urls)
    text = printed.stdout.decode()
    assert printed.returncode == 1
    assert text.index("Structured concurrency") < text.index("Signs of several parts")
    assert b"http://127.0.0.1:1/" in printed.stderr


async def test_dump_without_url_is_a_usage_error(dump) -> None:
    printed = await dump("--dump")
    assert (printed.returncode, printed.stdout) == (2, b"")
    assert b"No URL is given" in printed.stderr


async def test_dump_ends_quietly_when_its_pipe_is_closed_early(web, dump) -> None:
    both = f"{web.url('/long')}\n{web.url('/article')}\n"
    printed = await dump("--dump", given=both, line='"$@" | head -n 1')
    assert printed.stdout == b"A long story\n"
    assert printed.stderr == b""


async def test_tui_reads_urls_from_pipe_and_keys_from_terminal(web, write_config) -> None:
    urls = f"{web.url('/article')}\\n{web.url('/emoji')}\\n"
    line = f'printf "{urls}" | exec "$@"'
    program = [sys.executable, "-m", "tabwright", "tui", "--config", str(write_config())]
    async with open_terminal(["sh", "-c", line, "sh", *program]) as t:
        await t.until("story[1]")
        t.keys("]")
        await t.until("Signs of several parts")
        t.keys("q")
        assert await t.ended() == 0


async def test_server_started_in_hostile_directory_imports_no_file_of_it(
    web, write_config, tmp_path
):
    for name in SHADOWED:
        (tmp_path / f"{name}.py").write_text(
            f"open({str(tmp_path / 'ran')!r}, 'a').write(__name__)"
        )
    program = [sys.executable, "-P", "-m", "tabwright", "tui", "--config", str(write_config())]
    with trio.fail_after(WITHIN_S):
        printed = await trio.run_process(
            [*program, "--dump", web.url("/article")], capture_stdout=True, cwd=tmp_path
        )
    assert printed.stdout.startswith(b"Structured concurrency\n")
    assert not (tmp_path / "ran").exists()


async def test_dump_quotes_last_words_of_server_that_dies_after_greeting(
    dump, web, tmp_path
) -> None:
    greets_then_dies = tmp_path / "server.py"
    greets_then_dies.write_text(GREETS_THEN_DIES)
    server = f"{sys.executable} {greets_then_dies}"
    printed = await dump("--server", server, "--dump", web.url("/article"))
    assert printed.returncode == 1
    assert b": the last words " in printed.stderr
    assert b"a line before" not in printed.stderr
