"""The live view as an MCP App: a real client, and its page sandboxed in real Chromium."""

import json
import re
from functools import partial

import mcp_types as mcp
import pytest
import trio
from mcp.client.extension import advertise

from tabwright.concurrency.nursery import background_nursery
from tabwright.mcp.apps import APP_TYPE, APP_URI, APPS
from tabwright.protocol.inspection import OutlineView, TakeOutline
from tabwright.testing.replica import Scenario, open_replica
from tabwright.testing.replica.server import Exchange, html, open_server

pytestmark = pytest.mark.chromium

ABLE = [advertise(APPS, {"mimeTypes": [APP_TYPE]})]

LINK = re.compile(r"http://127\.0\.0\.1:\d+/view#[\w-]{40,}")

TITLE = "&lt;img src=x onerror=parent.postMessage('reached','*')&gt;"
SHOP = f"<title>{TITLE}</title><body style='margin:0;background:rgb(250,0,0)'>"

HOST = """<!doctype html><title>Client</title>
<iframe id="app" sandbox="allow-scripts" style="width:700px;height:700px"></iframe><script>
  const page = PAGE;
  const app = document.getElementById('app');
  const asked = [];
  let said = [];
  const send = (message) => app.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
  addEventListener('message', ({ source, data }) => {
    if (source !== app.contentWindow) return;
    said.push(data.method ?? data);
    if (data.method === 'ui/initialize') {
      send({ id: data.id, result: {
        protocolVersion: '2026-01-26', hostInfo: { name: 'client', version: '1' },
        hostCapabilities: { openLinks: {}, serverTools: {} }, hostContext: { theme: 'light' },
      } });
    } else if (data.id !== undefined && data.method) {
      asked.push(data);
    }
  });
  app.srcdoc = page;
</script>"""


class Host:
    """The MCP client's side of the page: calls tools, and records links to open."""

    def __init__(self, person, client):
        self.person = person
        self.client = client
        self.links: list[str] = []
        self.pictures: list[str] = []

    async def run(self):
        while True:
            for asked in await self.person.read("asked.splice(0)"):
                result = await self.answer(asked["method"], asked["params"])
                reply = json.dumps({"id": asked["id"], "result": result})
                await self.person.read(f"send({reply}) ?? null")
            await trio.sleep(0.05)

    async def answer(self, method, params):
        if method == "ui/open-link":
            self.links.append(params["url"])
            return {}
        assert method == "tools/call"
        result = await self.client.call_tool(params["name"], params["arguments"])
        self.pictures += [one.data for one in result.content if one.type == "image"]
        return result.model_dump(mode="json", by_alias=True, exclude_none=True)

    async def outline(self, text):
        """Wait until the page shows a text; return its outline."""
        look = TakeOutline(OutlineView(4000))
        with trio.fail_after(60):
            while True:
                shown = await self.person.tabwright.session(self.person.name).inspect(look)
                if text in shown.text:
                    return shown
                await trio.sleep(0.1)


async def answer(text: str, exchange: Exchange) -> None:
    await exchange.answer(html(text))


async def test_client_without_mcp_apps_is_offered_no_app_page(write_config, open_client):
    async with open_client(write_config()) as client:
        assert all(not tool.meta for tool in (await client.list_tools()).tools)
        assert all(one.uri != APP_URI for one in (await client.list_resources()).resources)


async def test_app_page_shows_and_follows_tab_and_opens_live_view(
    person, write_config, open_client
):
    async with (
        open_server(partial(answer, SHOP), []) as shop,
        open_client(write_config(), "legacy", extensions=ABLE) as client,
    ):
        listed = {tool.name: tool.meta for tool in (await client.list_tools()).tools if tool.meta}
        assert listed["screenshot"] == {"ui": {"resourceUri": APP_URI}}
        assert listed["view_tabs"] == {"ui": {"visibility": ["app"]}}
        assert APP_URI in {str(one.uri) for one in (await client.list_resources()).resources}
        (page,) = (await client.read_resource(APP_URI)).contents
        assert isinstance(page, mcp.TextResourceContents)
        assert page.mime_type == APP_TYPE

        await client.call_tool(
            "navigate", {"url": f"http://127.0.0.1:{shop}/", "format": "outline"}
        )
        host_page = HOST.replace("PAGE", json.dumps(page.text).replace("</", "<\\/"))
        async with (
            open_server(partial(answer, host_page), []) as port,
            background_nursery() as nursery,
        ):
            await person.tabwright.session(person.name).enter(f"http://127.0.0.1:{port}/")
            host = Host(person, client)
            nursery.start_soon(host.run)
            await host.outline(f"127.0.0.1:{shop}")
            await host.outline("<img src=x onerror")  # the title, as text
            await person.press_button("Watch")
            with trio.fail_after(60):
                while len(host.pictures) < 3:
                    await trio.sleep(0.1)
            await person.press_button("Open live view")
            with trio.fail_after(45):
                while not host.links:
                    await trio.sleep(0.1)
            assert "reached" not in str(await person.read("said"))
        (link,) = host.links
        assert LINK.fullmatch(link)
        await person.open(link)
        await person.sees("document.querySelectorAll('#cards button').length === 1")
        await person.click("#cards button")
        await person.take_over()
        pixel = "document.getElementById('canvas').getContext('2d').getImageData(300, 300, 1, 1)"
        await person.sees(f"{pixel}.data[0] > 200")


async def test_captcha_is_solved_by_the_link_that_the_page_opens(
    person, write_config, open_client, monkeypatch
):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)

    async def solve():
        """Wait until the search needs help, then solve the CAPTCHA by the link."""
        with trio.fail_after(60):
            while True:
                seen = await client.call_tool("view_tabs", {})
                tabs = seen.structured_content["tabs"]
                if any(
                    tab["help"] and tab["number"] == seen.structured_content["shown"]
                    for tab in tabs
                ):
                    break
                await trio.sleep(0.2)
        assert any(one.type == "image" for one in seen.content)
        opened = await client.call_tool("view_tabs", {"link": True})
        await person.open(opened.structured_content["link"])
        await person.take_over()
        await person.click_at(36, 56)

    async with open_replica(Scenario(captcha=True)) as replica:
        config = write_config(replica)
        async with (
            open_client(config, "legacy", extensions=ABLE) as client,
            background_nursery() as nursery,
        ):
            nursery.start_soon(solve)
            search = {"query": "Q?", "language": "en-US"}
            result = await client.call_tool("google_ai_search", search)
    assert not result.is_error
