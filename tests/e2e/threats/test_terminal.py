"""Text of a page controls neither the terminal nor the client that displays it."""

import unicodedata
from collections.abc import Awaitable, Callable

import pytest
import trio

from tabwright.testing.demo import text_of
from tabwright.testing.replica.server import ServerResponse, html

pytestmark = pytest.mark.chromium

CODES = "\x1b[2J\x1b]0;owned\x07\x1b]8;;http://evil.example\x1b\\\x9b31m\x08\x7f\u202e\u2066\u200b"

PAGE = f"""<!doctype html><title>T{CODES}</title><meta name=description content='D{CODES}'>
<h1 id='i{CODES}'>H{CODES}</h1><p title='x{CODES}'>P{CODES}</p><pre>C{CODES}</pre>
<a href='/'>L{CODES}</a><img alt='A{CODES}' src='/i'><button aria-label='B{CODES}'>b</button>
<table><td>{CODES}</table>"""

FORMATS = ("markdown", "text", "json")


def steering(text: str) -> list[str]:
    """Return the invisible characters of a text, except line ends."""
    return [c for c in text if c != "\n" and unicodedata.category(c) in {"Cc", "Cf"}]


@pytest.fixture
def printed(quick_tabwright: list[str]) -> Callable[..., Awaitable[str]]:
    """Return a function that runs a command and returns its output and errors."""

    async def run(*arguments: object) -> str:
        command = [*quick_tabwright, *map(str, arguments)]
        with trio.fail_after(60):
            done = await trio.run_process(
                command, capture_stdout=True, capture_stderr=True, check=False
            )
        return done.stdout.decode() + done.stderr.decode()

    return run


@pytest.mark.parametrize("tier", [1, 2])
async def test_browse_output_has_no_terminal_escapes_in_any_format(
    tier, web, write_config, printed
):
    web.pages["/"] = html(PAGE)
    options = ("read", "--config", write_config(), "--tier", tier, web.url("/"))
    for name in FORMATS:
        output = await printed(*options, "--format", name)
        assert "owned" in output
        assert steering(output) == []


async def test_browse_output_of_data_and_errors_has_no_terminal_escapes(web, write_config, printed):
    web.pages["/data"] = ServerResponse(f"a,b\n{CODES},1\n".encode(), content_type="text/csv")
    web.pages["/plain"] = ServerResponse(CODES.encode(), content_type="text/plain; charset=utf-8")
    web.pages["/gone"] = html(PAGE, status=404)
    web.pages["/kind"] = ServerResponse(b"\0\1", content_type="application/x-owned\x1b")
    config = write_config()
    for path in ("/data", "/plain", "/gone", f"/none{CODES}"):
        output = await printed("read", "--config", config, web.url(path))
        assert output
        assert steering(output) == []


async def test_navigate_results_have_no_terminal_escapes(web, write_config, open_client):
    web.pages["/"] = html(PAGE)
    calls = [{"format": name, "session": "s"} for name in (*FORMATS, "outline")]
    async with open_client(write_config()) as client:
        for arguments in calls:
            result = await client.call_tool("navigate", {"url": web.url("/"), **arguments})
            assert not result.is_error
            assert "owned" in text_of(result)
            assert steering(text_of(result)) == []


async def test_link_and_image_urls_are_printed_without_terminal_escapes(
    web, write_config, quick_tabwright
):
    web.pages["/"] = html(
        f"<h1>Here</h1><p><a href='/x{CODES}'>Link</a><img alt=A src='/i{CODES}'>"
    )
    command = [*quick_tabwright, "read", "--config", str(write_config())]
    with trio.fail_after(60):
        done = await trio.run_process([*command, web.url("/")], capture_stdout=True)
    output = done.stdout.decode()
    assert "Link" in output
    assert [c for c in output if c != "\n" and unicodedata.category(c) in {"Cc", "Cf"}] == []


async def test_a11y_output_has_no_terminal_escapes(web, write_config, quick_tabwright):
    web.pages["/"] = html(f"<h1>Here</h1><button aria-label='B{CODES}'>b</button>")
    command = [*quick_tabwright, "read", "--config", str(write_config())]
    request = ["--tier", "2", "--format", "a11y", web.url("/")]
    with trio.fail_after(60):
        done = await trio.run_process([*command, *request], capture_stdout=True)
    output = done.stdout.decode()
    assert "Here" in output
    assert [c for c in output if c != "\n" and unicodedata.category(c) in {"Cc", "Cf"}] == []
