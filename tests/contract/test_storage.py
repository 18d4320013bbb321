"""Read and restore ``localStorage`` of pages, on Chromium and on the fake browser."""

import pytest

from tabwright.actors.tab_actor import TabActor
from tabwright.concurrency.timers import IdleTimer
from tabwright.config.loader import override, settings_from
from tabwright.page.open_page import TabDependencies
from tabwright.protocol.tab import OriginStorage, ReadSource
from tabwright.testing.replica.server import html, open_server

from .conftest import CHROMIUM, SHELL

ALL = pytest.mark.parametrize("way", ["fake", CHROMIUM, SHELL], indirect=True)
REAL = pytest.mark.parametrize("way", [CHROMIUM, SHELL], indirect=True)

TELLING = """<!doctype html><p></p><iframe srcdoc="<p>A frame</p>"></iframe>
<script>
  document.querySelector("p").textContent = `token: ${localStorage.token}`;
  localStorage.seen = typeof restoreStorage;
</script>"""
GREEDY = "<!doctype html><script>localStorage.big = 'x'.repeat(600_000)</script>"
STRANGE = (("token", "SECRET )(\n\u2028'\""), ("__proto__", "{}"), ("", ""))


def tab_of(opened):
    settings = settings_from(override(network__allow_private=True))
    return TabActor(opened, TabDependencies(settings), IdleTimer())


def origin(url):
    return url.rpartition("/")[0]


@ALL
async def test_stored_items_are_restored_to_their_own_origin_only(peer):
    here = peer.url("/article")
    there = here.replace("127.0.0.1", "localhost")
    kept = OriginStorage(origin(here), STRANGE)
    async with peer.page() as opened:
        tab = tab_of(opened)
        await tab.set_storage((kept,))
        await tab.navigate(here)
        found = await tab.storage()
        assert found is not None
        assert (found.origin, sorted(found.items)) == (kept.origin, sorted(kept.items))
        await tab.navigate(there)
        assert await tab.storage() == OriginStorage(origin(there), ())
    assert "SECRET" not in repr(kept)


@ALL
async def test_restoring_storage_does_not_overwrite_existing_items(peer):
    url = peer.url("/article")
    first, second = (OriginStorage(origin(url), (("token", value),)) for value in "12")
    async with peer.page() as opened:
        tab = tab_of(opened)
        await tab.set_storage((first,))
        await tab.navigate(url)
        await tab.set_storage((second,))
        await tab.navigate(url)
        assert await tab.storage() == first
        await tab.set_storage(())
        await tab.navigate(url)
        assert await tab.storage() == first


@ALL
async def test_storage_cleared_before_navigation_is_not_restored(peer):
    url = peer.url("/article")
    async with peer.page() as opened:
        tab = tab_of(opened)
        await tab.set_storage((OriginStorage(origin(url), (("token", "1"),)),))
        await tab.set_storage(())
        await tab.navigate(url)
        assert await tab.storage() == OriginStorage(origin(url), ())


@REAL
async def test_page_scripts_see_restored_storage_but_no_injected_globals(peer):
    async def answer(exchange):
        await exchange.answer(html(TELLING))

    async with open_server(answer, []) as port, peer.page() as opened:
        tab, url = tab_of(opened), f"http://127.0.0.1:{port}"
        await tab.set_storage((OriginStorage(url, (("token", "1"),)),))
        await tab.navigate(f"{url}/")
        source = await tab.read_source(ReadSource())
        kept = await tab.storage()
    assert "token: 1" in source.html
    assert kept is not None
    assert dict(kept.items) == {"token": "1", "seen": "undefined"}


@REAL
async def test_oversized_storage_is_not_read(peer):
    async def answer(exchange):
        await exchange.answer(html(GREEDY))

    async with open_server(answer, []) as port, peer.page() as opened:
        tab = tab_of(opened)
        await tab.navigate(f"http://127.0.0.1:{port}/")
        assert await tab.storage() is None


@REAL
async def test_page_without_an_origin_has_no_storage(peer):
    async with peer.page() as opened:
        assert await tab_of(opened).storage() is None
