"""``tabwright session login`` without a screen: the person logs in through the printed link."""

import re
import subprocess
from functools import partial

import pytest
import trio

from tabwright.cli.exit_codes import ExitCode
from tabwright.testing.replica.server import Exchange, html, open_server

pytestmark = pytest.mark.chromium

LINK = re.compile(rb"http://127\.0\.0\.1:\d+/view#[\w-]{40,}")
FORM = '<form method="post"><input name="who" autofocus style="font-size: 40px"></form>'


async def site(exchange: Exchange) -> None:
    """Log a user in by name, and greet them by their cookie."""
    if who := exchange.form.get("who"):
        await exchange.answer(html("<h1>Welcome</h1>", cookie=f"who={who}; Max-Age=3600"))
    elif who := exchange.cookies.get("who"):
        await exchange.answer(html(f"<h1>Hello {who}</h1>"))
    else:
        await exchange.answer(html(FORM))


async def test_login_without_a_screen_is_done_by_link(
    person, open_local, tmp_path, monkeypatch, quick_tabwright
):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    async with open_server(site, []) as port, trio.open_nursery() as nursery:
        url = f"http://127.0.0.1:{port}/"
        settings = {
            "network.allow_private": "true",
            "network.proxy": "none",
            "browser.profile": "null",
            "session.dir": str(tmp_path / "later"),
        }
        chosen = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
        command = [*quick_tabwright, "session", "login", url, "--session", "shop", *chosen]
        run = partial(
            trio.run_process,
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        process: trio.Process = await nursery.start(run)
        assert process.stderr is not None
        assert process.stdin is not None
        text = b""
        while (found := LINK.search(text)) is None:
            text += await process.stderr.receive_some()
        await person.open(found[0].decode())
        await person.click("#cards button")
        await person.take_over()
        await person.press("a n n Enter")
        await person.sees("document.getElementById('outline').textContent.includes('Welcome')")
        await process.stdin.send_all(b"\n")
        assert await process.wait() == ExitCode.OK
        async with open_local("later") as agent:
            assert "Hello ann" in (await agent.read(url, session="shop")).text
