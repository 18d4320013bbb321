"""Threats against which there is nothing yet: not collected, until there is.

Each fails for the reason that stands in its docstring; then it moves to its module.
"""

import sys
import unicodedata

import pytest
import trio

from tabwright.cdp.endpoint import EndpointUnreachable, websocket_url
from tabwright.testing.replica.server import html

pytestmark = pytest.mark.chromium

CODES = "\x1b[2J\x9b31m\x7f\u202e\u200b"


async def test_no_address_of_a_link_or_picture_steers_the_terminal(web, write_config):
    """An address is shown as the page spells it; browsers write %1B for the escape."""
    web.pages["/"] = html(
        f"<h1>Here</h1><p><a href='/x{CODES}'>Link</a><img alt=A src='/i{CODES}'>"
    )
    command = [sys.executable, "-m", "tabwright", "browse", "--config", str(write_config())]
    with trio.fail_after(60):
        done = await trio.run_process([*command, web.url("/")], capture_stdout=True)
    said = done.stdout.decode()
    assert "Link" in said
    assert [c for c in said if c != "\n" and unicodedata.category(c) in {"Cc", "Cf"}] == []


async def test_no_tree_of_a_tab_steers_the_terminal(web, write_config):
    """The names in the browser's own tree are shown as they are."""
    web.pages["/"] = html(f"<h1>Here</h1><button aria-label='B{CODES}'>b</button>")
    command = [sys.executable, "-m", "tabwright", "browse", "--config", str(write_config())]
    wish = ["--tier", "2", "--format", "a11y", web.url("/")]
    with trio.fail_after(60):
        done = await trio.run_process([*command, *wish], capture_stdout=True)
    said = done.stdout.decode()
    assert "Here" in said
    assert [c for c in said if c != "\n" and unicodedata.category(c) in {"Cc", "Cf"}] == []


async def test_the_token_of_a_remote_browser_is_in_no_error():
    """The endpoint stands in the error as it was given; so it does in what doctor says."""
    with pytest.raises(EndpointUnreachable) as caught:
        await websocket_url("http://me:CANARY@127.0.0.1:1/?token=CANARY")
    assert "CANARY" not in str(caught.value)
