"""Frames of other sites that are late, nested, blank or not allowed, in Chromium."""

from itertools import product

import pytest
import trio

from tabwright.protocol.extraction import ReadOptions
from tabwright.testing.replica.server import ServerResponse, open_server, redirect
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

SENTENCE = "Every task has a parent that waits for it, and no error is lost."
PROSE = f"<p>{SENTENCE * 4}</p>" * 3
OTHER = "<p>The page shows enough text of its own beside its frames.</p>" * 9

IN_TAB = ReadOptions(min_tier=2, max_tier=2)

LARGE = "width=600 height=500"
SMALL = "width=300 height=250"

AD_HOST = "doubleclick.net"

WAIT_MAX_S = 8.0
"""Less than the wait for a frame whose request is thought to be under way."""


def frame(path, host="localhost", attributes=SMALL):
    """Return a script that writes a frame of another host, with the page's port."""
    return (
        f"<script>document.write(`<iframe {attributes} src=//{host}:${{location.port}}{path}>"
        "</iframe>`)</script>"
    )


def filled(seconds):
    return (
        f"<nav>Home</nav><div id=app></div><script>setTimeout(() => {{ app.innerHTML = "
        f"`{PROSE}` }}, {seconds * 1000})</script>"
    )


PAGES = {
    "/prose": PROSE,
    "/late": PROSE,
    "/empty": "<div id=app></div>",
    "/loading": "<p>Loading…</p>",
    "/filled/1": filled(1),
    "/filled/4": filled(4),
    "/in-two-steps": "<div id=app></div><script>(async () => { await fetch('/late'); "
    "app.innerHTML = '<p>The first of two parts is here.</p>'; await fetch('/late'); "
    f"app.innerHTML += `{PROSE}` }})()</script>",
    "/nested/1": frame("/prose", "127.0.0.1"),
    "/nested/2": frame("/nested/1", attributes=LARGE),
    "/nested/late": frame("/filled/1", "127.0.0.1"),
    "/in-blank": "<iframe id=made></iframe><script>made.contentDocument.body.innerHTML = "
    "`<iframe src=//localhost:${location.port}/prose></iframe>`</script>",
    "/in-shadow": "<p id=host></p><script>host.attachShadow({mode: 'open'}).innerHTML = "
    "`<iframe src=//localhost:${location.port}/prose></iframe>`</script>",
    "/data": f"{OTHER}<iframe {LARGE} src='data:text/html,{PROSE}'></iframe>",
    "/sandbox": "<h1>Frames</h1><iframe sandbox src=/prose></iframe>",
    "/made": f"{OTHER}<iframe {LARGE}></iframe><iframe {LARGE} src=about:blank></iframe>",
    "/many": OTHER + "".join(frame(f"/prose?{n}") for n in range(25)),
}


AROUND = {
    "alone": lambda inner: "<h1>Frames</h1>" + frame(inner),
    "beside": lambda inner: OTHER + frame(inner, attributes=LARGE),
    "small": lambda inner: OTHER + frame(inner),
    "lazy": lambda inner: OTHER * 90 + frame(inner, attributes=f"{LARGE} loading=lazy"),
    "advertisement": lambda inner: OTHER + frame(inner, f"ads.{AD_HOST}", LARGE),
}
"""The pages at `/alone/…` and others, with the rest of their path in a frame."""

ANSWERS = {
    "/nothing": ServerResponse(status=204),
    "/away": redirect("/denied"),
    "/refused": ServerResponse(PROSE.encode(), headers=(("X-Frame-Options", "DENY"),)),
    "/sandboxed": ServerResponse(PROSE.encode(), headers=(("Content-Security-Policy", "sandbox"),)),
}


async def answer(exchange):
    """Answer at once, after two seconds or never."""
    path = exchange.path.partition("?")[0]
    if path == "/late":
        await trio.sleep(2)
    elif path == "/hang":
        await trio.sleep_forever()
    _, kind, *rest = path.split("/")
    body = AROUND[kind]("/" + "/".join(rest)) if kind in AROUND else PAGES.get(path, "")
    html = f"<!doctype html><title>Frames</title><body>{body}"
    await exchange.answer(ANSWERS.get(path) or ServerResponse(html.encode()))


@pytest.fixture
async def site():
    async with open_server(answer, []) as port:
        yield f"http://127.0.0.1:{port}"


@cases(
    ("around", "path"),
    [
        *product(["/alone", "/beside"], ["/filled/1", "/late", "/nested/1"]),
        ("/beside", "/filled/4"),
        ("/alone", "/in-two-steps"),
        ("/beside", "/nested/2"),
        ("/alone", "/nested/late"),
        ("/beside", "/in-blank"),
        ("/alone", "/in-shadow"),
        ("/beside", "/sandbox"),
    ],
)
async def test_late_nested_or_sandboxed_frame_is_read(site, tabwright, around, path):
    page = await tabwright.read(f"{site}{around}{path}", IN_TAB)
    assert SENTENCE in page.text
    assert page.notice == ""


async def test_frame_sandboxed_by_its_response_header_is_read(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(f"{site}/beside/sandboxed", IN_TAB)
    assert SENTENCE in page.text
    assert "/sandboxed" in page.notice  # whether it still loads is not known


@cases("path", ["/nested/2", "/in-blank", "/in-shadow", "/sandbox", "/data"])
async def test_frame_text_is_read_in_place(site, tabwright, path):
    page = await tabwright.read(f"{site}{path}", IN_TAB)
    assert SENTENCE in page.text
    assert page.notice == ""


@cases(
    "path",
    [
        "/alone/empty",
        "/alone/loading",
        "/beside/empty",
        "/beside/loading",
        "/beside/hang",
        "/beside/refused",
        "/beside/nothing",
        "/beside/nested/empty",
        "/lazy/prose",
    ],
)
async def test_frame_that_shows_nothing_is_linked_and_named(site, tabwright, path):
    page = await tabwright.read(f"{site}{path}", IN_TAB)
    _, _, inner = path.removeprefix("/").partition("/")
    assert f"/{inner}" in page.text or "Loading" in page.text
    assert f"/{inner}" in page.notice


async def test_frames_beyond_the_maximum_are_linked_and_named(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(f"{site}/many", IN_TAB)
    assert "/prose?24" in page.text
    assert "/prose?24" in page.notice
    assert "/prose?19" not in page.notice


@pytest.mark.parametrize("path", ["/small/empty", "/advertisement/empty", "/made"])
async def test_blank_slot_makes_no_notice(site, open_reading_client, path):
    arguments = [f"--host-resolver-rules=MAP *.{AD_HOST} 127.0.0.1"]
    async with open_reading_client(browser__extra_args=arguments) as tabwright:
        page = await tabwright.read(f"{site}{path}", IN_TAB)
    assert "enough text" in page.text
    assert page.notice == ""


async def test_blank_advertisement_is_not_linked(site, open_reading_client):
    arguments = [f"--host-resolver-rules=MAP *.{AD_HOST} 127.0.0.1"]
    async with open_reading_client(browser__extra_args=arguments) as tabwright:
        page = await tabwright.read(f"{site}/advertisement/empty", IN_TAB)
    assert "enough text" in page.text
    assert AD_HOST not in page.text


async def test_frame_in_a_small_frame_is_linked(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(f"{site}/small/nested/1", IN_TAB)
    assert "/prose" in page.text
    assert page.notice == ""


@pytest.mark.parametrize("inner", ["/denied", "/away"])
async def test_frame_that_is_not_allowed_is_named_and_not_waited_for(
    site, open_reading_client, inner
):
    async with open_reading_client(network__deny_urls=["*://localhost:*/denied"]) as tabwright:
        await tabwright.read(f"{site}/made", IN_TAB)  # now the browser runs
        with trio.fail_after(WAIT_MAX_S):
            page = await tabwright.read(f"{site}/beside{inner}", IN_TAB)
    assert inner in page.text
    assert inner in page.notice


async def test_small_frame_that_is_not_allowed_makes_no_notice(site, open_reading_client):
    async with open_reading_client(network__deny_urls=["*://localhost:*/denied"]) as tabwright:
        page = await tabwright.read(f"{site}/small/denied", IN_TAB)
    assert "/denied" in page.text
    assert page.notice == ""
