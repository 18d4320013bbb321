"""Read difficult pages in a real Chromium; tests combine pages to share a browser."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial

import attrs
import pytest
import trio

from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.page_text import RenderOptions
from tabwright.protocol.snapshot import Selection
from tabwright.reader.tiers import NO_PAGE

pytestmark = pytest.mark.chromium

SENTENCE = "Every task has a parent that waits for it, and no error is lost."
AT_ONCE = 4
DENIED = ["127.0.0.1/frames/inner", "localhost/frames/inner"]


async def read_all(tabwright, requests: Mapping[str, ReadOptions]):
    """Read pages concurrently; return a page or an error for each URL."""
    found = dict.fromkeys(requests)
    limit = trio.CapacityLimiter(AT_ONCE)

    async def read(url, reading):
        async with limit:
            try:
                found[url] = await tabwright.read(url, reading)
            except TabwrightError as error:
                found[url] = error

    async with trio.open_nursery() as nursery:
        for url, reading in requests.items():
            nursery.start_soon(read, url, reading)
    return found


async def test_scripted_pages_are_read_by_lowest_sufficient_tier(site, open_reading_client):
    tiers = {
        "/app": 2,
        "/app/fetching": 2,
        "/app/looking": 2,
        "/app/pictured": 3,
        "/app/styled": 2,
        "/app/captioned": 2,
        "/app/dialog": 2,
        "/app/broken": 2,
        "/shadow": 2,
    }
    async with open_reading_client() as tabwright:
        found = await read_all(tabwright, {site.url(path): ReadOptions() for path in tiers})
    pages = {path: found[site.url(path)] for path in tiers}
    assert [path for path, page in pages.items() if SENTENCE not in page.text] == []
    assert {path: page.tier for path, page in pages.items()} == tiers
    assert not {page.tier_reason for page in pages.values()} & {"", "HTTP returned enough content"}


async def test_same_site_frames_are_read_in_place(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(site.url("/frames"), ReadOptions(min_tier=2))
    assert page.text.index(SENTENCE) < page.text.index("Inside the frame.")
    assert site.url("/frames/deeper") in page.text


async def test_cross_site_frames_are_read_in_place(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(site.url("/frames/elsewhere"), ReadOptions(min_tier=2))
    assert SENTENCE in page.text
    assert "Inside the frame." in page.text
    assert site.url("/frames/deeper", host="localhost") in page.text


async def test_slow_frame_is_awaited_and_one_that_never_loads_is_linked(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(site.url("/frames/slow"), ReadOptions(min_tier=2))
    assert "Late inside the frame." in page.text
    assert "Never there [1]" in page.text
    assert f"[1]: {site.url('/never')}" in page.text


async def test_tier_2_tab_does_not_request_images(site, open_reading_client):
    async with open_reading_client() as tabwright:
        await tabwright.read(site.url("/lazy"), ReadOptions(min_tier=2, max_tier=2))
        light = site.asked("/picture.png")
        await tabwright.read(site.url("/lazy"), ReadOptions(min_tier=3))
    assert (light, site.asked("/picture.png") > 0) == (0, True)


async def test_hanging_pages_are_read_as_far_as_they_loaded(site, open_reading_client):
    requests = {
        site.url("/hanging"): ReadOptions(min_tier=3),
        site.url("/hanging/script"): ReadOptions(min_tier=2),
        site.url("/app/endless"): ReadOptions(),
    }
    async with open_reading_client(network__page_timeout_s=3) as tabwright:
        found = await read_all(tabwright, requests)
    whole, script, endless = found.values()
    assert SENTENCE in whole.text
    assert SENTENCE in script.text
    assert "Behind the script." not in script.text
    assert (whole.tier, whole.truncation.reason) == (3, "time_out")
    assert (script.tier, script.truncation.reason) == (2, "time_out")
    assert SENTENCE in endless.text
    assert (endless.tier, endless.truncation) == (1, None)
    assert "Read without a browser" in endless.notice


async def test_accessibility_trees_from_http_and_browser_agree(site, open_reading_client):
    reading = ReadOptions(selection=Selection(tree=True), view=RenderOptions(format="a11y"))
    async with open_reading_client() as tabwright:
        by_http = await tabwright.read(site.url("/forms"), reading)
        by_browser = await tabwright.read(site.url("/forms"), attrs.evolve(reading, min_tier=2))

    def tree_lines(page):
        lines = [line.strip() for line in page.text.splitlines()]
        return [
            line for line in lines if line.startswith(("- heading", "- form", "- button", "- link"))
        ]

    assert (by_http.tier, by_browser.tier) == (1, 2)
    assert tree_lines(by_http) == tree_lines(by_browser)
    assert len(tree_lines(by_http)) > 8


@pytest.mark.parametrize("path", ["/frames", "/frames/elsewhere"])
async def test_tree_of_a_tab_has_the_frames_that_are_allowed(site, open_reading_client, path):
    reading = ReadOptions(
        selection=Selection(tree=True), view=RenderOptions(format="a11y"), min_tier=2
    )
    async with open_reading_client() as tabwright:
        tree = (await tabwright.read(site.url(path), reading)).text
    lines = tree.splitlines()
    frame = next(at for at, line in enumerate(lines) if line.strip().startswith("- Iframe"))
    inner = [line for line in lines if "Inside the frame." in line]
    assert len(inner) == 1
    assert lines.index(inner[0]) > frame
    assert len(inner[0]) - len(inner[0].lstrip()) > len(lines[frame]) - len(lines[frame].lstrip())
    assert '- link "Deeper"' in tree
    async with open_reading_client(network__deny_urls=DENIED) as tabwright:
        tree = (await tabwright.read(site.url(path), reading)).text
    assert "Inside the frame." not in tree


@pytest.mark.parametrize(
    ("languages", "header"),
    [
        (None, "en-US,en;q=0.9"),
        (("de", "en-GB", "fr-CA"), "de,en-GB;q=0.9,fr-CA;q=0.8,en;q=0.7,fr;q=0.6"),
    ],
)
async def test_accept_language_header_is_the_same_in_every_tier(
    site, open_reading_client, languages, header
):
    settings = {"network__languages": languages} if languages else {}
    async with open_reading_client(**settings) as tabwright:
        for tier in (1, 2, 3):
            await tabwright.read(site.url("/bearing"), ReadOptions(min_tier=tier, max_tier=tier))
    asked = [seen.accept_language for seen in site.log if seen.path == "/bearing"]
    assert asked == [header] * 3


async def test_page_that_redirects_in_a_loop_over_http_is_read_in_a_tab(site, open_reading_client):
    async with open_reading_client() as tabwright:
        found = await tabwright.read(site.url("/circle/browser"))
    assert (found.tier, found.tier_reason) == (2, NO_PAGE)
    assert SENTENCE in found.text


async def test_http_error_keeps_its_code_when_read_in_a_tab(site, open_reading_client):
    requests = {
        site.url(path): ReadOptions(min_tier=2)
        for path in ("/status/404", "/status/500", "/circle")
    }
    async with open_reading_client() as tabwright:
        found = await read_all(tabwright, requests)
    assert [error.code for error in found.values()] == [200, 201, 100]


async def test_a_document_is_read_by_http_even_where_a_tab_is_asked_for(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(site.url("/report.pdf"), ReadOptions(min_tier=2))
    assert "Nurseries hold tasks." in page.text


async def test_a_private_page_is_not_opened_unless_it_is_allowed(site, open_reading_client):
    async with open_reading_client(network__allow_private=False) as tabwright:
        for tier in (1, 2):
            with pytest.raises(TabwrightError) as caught:
                await tabwright.read(site.url("/static"), ReadOptions(min_tier=tier))
            assert caught.value.kind == "bad_input"
    assert site.log == []


async def test_page_whose_server_does_not_keep_to_http_is_read_in_a_tab(open_reading_client):
    head = "HTTP/1.1 200 OK\r\nX-Powered-By : PHP\r\nContent-Type: text/html\r\n\r\n"

    async def answer(stream: trio.SocketStream):
        async with stream:
            with suppress(trio.BrokenResourceError):
                await stream.receive_some()
                await stream.send_all(f"{head}<p>{SENTENCE * 3}".encode())

    async with trio.open_nursery() as nursery:
        serve = partial(trio.serve_tcp, answer, 0, host="127.0.0.1")
        [listener] = await nursery.start(serve)
        _, port = listener.socket.getsockname()
        async with open_reading_client() as tabwright:
            found = await tabwright.read(f"http://127.0.0.1:{port}/")
        nursery.cancel_scope.cancel()
    assert (found.tier, found.tier_reason) == (2, NO_PAGE)
    assert SENTENCE in found.text
