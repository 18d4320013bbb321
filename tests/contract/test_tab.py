"""Navigation of a tab by forms and links, on Chromium and mostly on the fake browser."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Protocol

import attrs
import pytest
import trio
import trio.testing

from tabwright.actors.tab_actor import TabActor
from tabwright.cdp.domains.network import RequestWillBeSent
from tabwright.cdp.domains.page import LifecycleEvent
from tabwright.cdp.session import Subscription
from tabwright.concurrency.timers import IdleTimer
from tabwright.config.loader import override, settings_from
from tabwright.page.open_page import AttachedPage, TabDependencies
from tabwright.protocol.errors import BadInput, NavigationFailed, PageFailed
from tabwright.protocol.snapshot import LoadedPage
from tabwright.protocol.tab import ReadSource
from tabwright.search.serp.page_requests import submit_function
from tabwright.testing.replica.server import Exchange, ServerResponse, html, open_server, redirect

from .conftest import CHROMIUM, SHELL

ALL = pytest.mark.parametrize("way", ["fake", CHROMIUM, SHELL], indirect=True)
REAL = pytest.mark.parametrize("way", [CHROMIUM, SHELL], indirect=True)

SOME_TIME_S = 0.5
"""For what must not happen."""

FORMS = """<!doctype html><title>Forms</title>
<form id="get" action="/told">
  <input name="q" value="old"><input type="hidden" name="token" value="abc">
  <select name="when"><option value="">any time<option value="w">week</select>
</form>
<form id="post" method="post" action="/told">
  <input name="q"><input type="hidden" name="token" value="abc">
</form>
<form id="redirected" action="/elsewhere"></form>
<form id="held" action="/told" onsubmit="event.preventDefault()"></form>
<form id="invalid" action="/told"><input name="q" required></form>
<form id="nowhere" action="/204"></form>
<form id="cut" action="/cut"></form>
<div id="none"></div>
"""

LEADING = """<!doctype html><title>Leads on</title>
<a id="link" href="/slow">on</a> <a id="redirected" href="/elsewhere">on</a>
<a id="frame" href="/told" target="inside">inside</a> <iframe name="inside"></iframe>
"""

CLICK = """function click(selector) {
  setTimeout(() => document.querySelector(selector).click());
  return "";
}"""

GIVE_UP_IMAGE = """function giveUp() { document.images[0].src = "data:,"; return ""; }"""


class Peer(Protocol):
    """The parts of the `peer` fixture that are used here."""

    def url(self, path: str) -> str: ...
    def page(self) -> AbstractAsyncContextManager[AttachedPage]: ...


def tab_of(opened: AttachedPage, *, allow_private: bool = True) -> TabActor:
    settings = settings_from(override(network__allow_private=allow_private))
    return TabActor(opened, TabDependencies(settings), IdleTimer())


async def submit(tab: TabActor, form: str, **fields: str) -> LoadedPage | None:
    return await tab.submit(submit_function(), (form, json.dumps(fields)))


async def url_of(tab: TabActor) -> str:
    return (await tab.read_source(ReadSource())).page.url


async def load(opened: AttachedPage, tab: TabActor, url: str) -> None:
    """Navigate to a page and wait for its load event."""
    with opened.session.subscribe(LifecycleEvent) as lifecycle:
        await tab.navigate(url)
        await until_loaded(lifecycle, opened.frame_id)


async def until_loaded(lifecycle: Subscription[LifecycleEvent], frame_id: str) -> None:
    async for event in lifecycle:
        if (event.name, event.frame_id) == ("load", frame_id):
            return


@attrs.frozen
class Site:
    """A site of pages with forms, and pages that lead to others.

    Attributes:
        asked: the fields that came with each request for ``/told``, and its method.
    """

    address: str
    asked: list[Mapping[str, str]]

    def url(self, path: str) -> str:
        return f"{self.address}{path}"


async def answer(asked: list[Mapping[str, str]], exchange: Exchange) -> None:
    match exchange.path:
        case "/forms":
            await exchange.answer(html(FORMS))
        case "/leading":
            await exchange.answer(html(LEADING))
        case "/elsewhere":
            await exchange.answer(redirect("/told?by=redirect"))
        case "/slow":
            await exchange.answer(html("<title>Slow</title><img src='/never'>"))
        case "/never":
            await trio.sleep_forever()
        case "/204":
            await exchange.answer(ServerResponse(status=204))
        case "/cut":
            await exchange.hang_up()
        case "/told":
            asked.append({"method": exchange.seen.method, **exchange.query, **exchange.form})
            await exchange.answer(html("<title>Told</title>"))
        case _:
            await exchange.answer(ServerResponse(status=404))


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    asked: list[Mapping[str, str]] = []
    async with open_server(partial(answer, asked), []) as port:
        yield Site(f"http://127.0.0.1:{port}", asked)


@asynccontextmanager
async def awaiting(tab: TabActor) -> AsyncGenerator[trio.Event]:
    """Wait for a document in the background; set the event when it is there."""
    there = trio.Event()

    async def wait() -> None:
        await tab.document()
        there.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        yield there
        nursery.cancel_scope.cancel()


@ALL
async def test_form_submission_loads_next_document(peer: Peer) -> None:
    async with peer.page() as opened:
        tab = tab_of(opened)
        await tab.navigate(peer.url("/form"))
        page = await submit(tab, "#search", q="bread")
        assert page == LoadedPage(peer.url("/article?q=bread"), 200, "text/html")
        assert await url_of(tab) == page.url


@ALL
async def test_submitting_a_missing_form_leaves_the_page_unchanged(peer: Peer) -> None:
    async with peer.page() as opened:
        tab = tab_of(opened)
        await tab.navigate(peer.url("/form"))
        assert await submit(tab, "#other", q="bread") is None
        assert await url_of(tab) == peer.url("/form")


@ALL
async def test_document_reached_by_page_script_is_awaited(peer: Peer) -> None:
    async with peer.page() as opened:
        tab = tab_of(opened)
        await load(opened, tab, peer.url("/form"))
        async with awaiting(tab) as there:
            assert not there.is_set()
            await tab.run_script(submit_function(), values=("#search", '{"q": "bread"}'))
            await there.wait()
        assert await url_of(tab) == peer.url("/article?q=bread")


@ALL
async def test_tab_can_be_shown_only_while_its_page_is_open(peer: Peer) -> None:
    async with peer.page() as first, peer.page() as second:
        for opened in (first, second, first):
            await tab_of(opened).show()
        await tab_of(first).navigate(peer.url("/article"))
    with pytest.raises(PageFailed):
        await tab_of(first).show()


@REAL
@pytest.mark.parametrize(("form", "method"), [("#get", "GET"), ("#post", "POST")])
async def test_form_fields_are_filled_or_added_and_hidden_ones_kept(
    peer: Peer, site: Site, form: str, method: str
) -> None:
    async with peer.page() as opened:
        tab = tab_of(opened)
        await tab.navigate(site.url("/forms"))
        page = await submit(tab, form, q="Müll & Co", when="w", kl="de-de")
        assert page is not None
        assert page.status == 200
    assert site.asked[-1] == {
        "method": method,
        "q": "Müll & Co",
        "token": "abc",
        "when": "w",
        "kl": "de-de",
    }


@REAL
async def test_form_fields_without_given_value_keep_their_own(peer: Peer, site: Site) -> None:
    async with peer.page() as opened:
        tab = tab_of(opened)
        await tab.navigate(site.url("/forms"))
        page = await submit(tab, "#get")
    assert page == LoadedPage(site.url("/told?q=old&token=abc&when="), 200, "text/html")


@REAL
async def test_submitting_nonexistent_form_returns_none(peer: Peer, site: Site) -> None:
    async with peer.page() as opened:
        tab = tab_of(opened)
        await tab.navigate(site.url("/forms"))
        assert await submit(tab, "#none", q="bread") is None


@REAL
async def test_form_submission_follows_redirect_to_its_final_page(peer: Peer, site: Site) -> None:
    async with peer.page() as opened:
        tab = tab_of(opened)
        await tab.navigate(site.url("/forms"))
        page = await submit(tab, "#redirected")
    assert page == LoadedPage(site.url("/told?by=redirect"), 200, "text/html")


@REAL
async def test_form_answered_without_content_stays_on_its_page(peer: Peer, site: Site) -> None:
    async with peer.page() as opened:
        tab = tab_of(opened)
        there = await tab.navigate(site.url("/forms"))
        assert await submit(tab, "#nowhere") == there
        assert await url_of(tab) == site.url("/forms")


@REAL
@pytest.mark.parametrize("form", ["#held", "#invalid"])
async def test_form_that_is_never_sent_is_awaited_until_cancelled(
    peer: Peer, site: Site, form: str
) -> None:
    """Cover a page that prevents the submission, and an empty required field."""
    async with peer.page() as opened:
        tab = tab_of(opened)
        await tab.navigate(site.url("/forms"))
        with trio.move_on_after(SOME_TIME_S) as waiting:
            await submit(tab, form)
        assert waiting.cancelled_caught
        assert await url_of(tab) == site.url("/forms")
        page = await submit(tab, "#redirected")
        assert page is not None
        assert page.status == 200


@REAL
async def test_form_to_private_address_is_refused(peer: Peer, site: Site) -> None:
    async with peer.page() as opened:
        await tab_of(opened).navigate(site.url("/forms"))
        with pytest.raises(BadInput, match="private address"):
            await submit(tab_of(opened, allow_private=False), "#get")


@REAL
async def test_form_without_response_fails_navigation(peer: Peer, site: Site) -> None:
    async with peer.page() as opened:
        tab = tab_of(opened)
        await tab.navigate(site.url("/forms"))
        with pytest.raises(NavigationFailed, match="ERR_EMPTY_RESPONSE"):
            await submit(tab, "#cut")


@REAL
async def test_page_can_be_read_after_a_cancelled_navigation(peer: Peer, site: Site) -> None:
    async with peer.page() as opened:
        tab = tab_of(opened)
        await load(opened, tab, site.url("/forms"))
        async with trio.open_nursery() as nursery:
            with opened.session.subscribe(RequestWillBeSent) as requests:
                nursery.start_soon(tab.navigate, site.url("/never"))
                async for sent in requests:  # an earlier one may be for the page's icon
                    if sent.request.url == site.url("/never"):
                        break
            nursery.cancel_scope.cancel()
        settled = await tab.read_source(ReadSource(as_is=True))
        assert settled.page.url == site.url("/forms")
        with pytest.raises(PageFailed):  # to whoever waits for the new page
            await url_of(tab)
        await tab.navigate(site.url("/leading"))
        assert await url_of(tab) == site.url("/leading")


@REAL
async def test_page_cannot_be_read_after_a_failed_navigation(peer: Peer, site: Site) -> None:
    async with peer.page() as opened:
        tab = tab_of(opened)
        await load(opened, tab, site.url("/forms"))
        with pytest.raises(NavigationFailed):
            await tab.navigate(site.url("/cut"))
        with pytest.raises(PageFailed):
            await url_of(tab)


@REAL
async def test_document_is_awaited_until_parsed_and_then_until_fully_loaded(
    peer: Peer, site: Site
) -> None:
    async with peer.page() as opened:
        tab = tab_of(opened)
        await load(opened, tab, site.url("/leading"))
        async with awaiting(tab) as parsed:
            await tab.run_script(CLICK, values=("#link",))
            await parsed.wait()
        assert await url_of(tab) == site.url("/slow")
        async with awaiting(tab) as whole:
            assert not whole.is_set()  # its image does not come
            await tab.run_script(GIVE_UP_IMAGE)
            await whole.wait()
        assert await url_of(tab) == site.url("/slow")


@REAL
async def test_a_document_behind_a_redirect_is_awaited(peer: Peer, site: Site) -> None:
    async with peer.page() as opened:
        tab = tab_of(opened)
        await load(opened, tab, site.url("/leading"))
        async with awaiting(tab) as there:
            await tab.run_script(CLICK, values=("#redirected",))
            await there.wait()
        assert await url_of(tab) == site.url("/told?by=redirect")


@REAL
async def test_frame_document_does_not_end_the_wait_for_the_page(peer: Peer, site: Site) -> None:
    async with peer.page() as opened:
        tab = tab_of(opened)
        await load(opened, tab, site.url("/leading"))
        with opened.session.subscribe(LifecycleEvent) as lifecycle:
            async with awaiting(tab) as there:
                await tab.run_script(CLICK, values=("#frame",))
                frames = {opened.frame_id}
                while frames == {opened.frame_id}:
                    event = await anext(lifecycle)
                    if event.name == "load":
                        frames.add(event.frame_id)
                await trio.testing.wait_all_tasks_blocked()
                assert not there.is_set()
