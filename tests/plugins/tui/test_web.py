"""The small web responds as the tests of the terminal browser need."""

import httpx2
import pytest
import trio

CODES = ("\x1b[2J", "\x1b]52;", "\x1bP", "\x9b2J", "\u202e", "&#27;[2J", "&#155;2J", "[bold]")


async def test_every_page_of_test_site_is_served(web) -> None:
    async with httpx2.AsyncClient(trust_env=False) as client:
        for path in web.pages:
            assert (await client.get(web.url(path), follow_redirects=True)).status_code == 200
        assert (await client.get(web.url("/nowhere"))).status_code == 404
        assert "<h1>Nurseries</h1>" in (await client.get(web.url("/topic/nurseries"))).text
    assert web.asked("/nowhere") == 1


async def test_form_pages_echo_submitted_values(web) -> None:
    async with httpx2.AsyncClient(trust_env=False) as client:
        found = await client.get(web.url("/found"), params={"q": "<漢>"})
        sent = await client.post(web.url("/sent"), data={"name": "Ada", "note": "a\nb"})
    assert "q is &lt;漢&gt;" in found.text
    assert "name is Ada" in sent.text
    assert web.sent == [{"name": "Ada", "note": "a\nb"}]


async def test_slow_page_is_served_once_released(web) -> None:
    async with httpx2.AsyncClient(trust_env=False) as client:
        async with trio.open_nursery() as nursery:

            async def wait() -> None:
                assert "Slow" in (await client.get(web.url("/slow"), timeout=60)).text

            nursery.start_soon(wait)
            while not web.asked("/slow"):
                await trio.sleep(0.01)
            web.released.set()


@pytest.mark.parametrize("code", CODES)
async def test_hostile_page_contains_every_control_code(web, code) -> None:
    async with httpx2.AsyncClient(trust_env=False) as client:
        assert code in (await client.get(web.url("/hostile"))).text
