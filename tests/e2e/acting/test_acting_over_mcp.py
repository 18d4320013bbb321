"""Act on pages with a real MCP client of `tabwright serve`."""

import itertools

import pytest

from tabwright.testing.demo import text_of
from tabwright.testing.replica.server import ServerResponse

pytestmark = pytest.mark.chromium


@pytest.fixture
def config(write_config, tmp_path):
    return write_config(
        browser={"path": "chromium"},
        acting={"downloads": str(tmp_path / "downloads")},
        session={"dir": str(tmp_path / "sessions")},
        log={"dir": None},
    )


class Caller:
    """Calls tools and returns their text; finds refs in the last text."""

    def __init__(self, client):
        self._client = client
        self.said = ""

    async def __call__(self, tool: str, **arguments: object) -> str:
        result = await self._client.call_tool(tool, arguments)
        self.said = text_of(result)
        assert not result.is_error, self.said
        return self.said

    async def refused(self, tool: str, **arguments: object) -> str:
        result = await self._client.call_tool(tool, arguments)
        assert result.is_error, text_of(result)
        return text_of(result)

    def ref(self, name: str) -> str:
        """Return the ref that precedes a name in the last text."""
        before = self.said.partition(name)[0]
        return before.rpartition("[")[2].partition("]")[0].removeprefix("*")


async def test_shopping_flow_reports_each_step_in_its_answer(stand, config, open_client, tmp_path):
    stand.put(
        "/",
        "<div id=wall role=dialog aria-label=Cookies style='position:fixed;inset:0;background:#fff'"
        "><button onclick=wall.remove()>Reject</button></div><h1>Shop</h1>"
        '<label>Query <input id=query></label><button onclick="setTimeout(() => {'
        ' list.innerHTML = `<li>Lamp <a href=/lamp>Look</a>` }, 60)">Search</button><ul id=list>'
        "</ul>",
        title="Shop",
    )
    stand.put(
        "/lamp",
        "<h1>Lamp</h1><label>Colour <select><option>Red<option>Blue</select></label>"
        "<button onclick=\"if (confirm('Buy it?')) window.open('/thanks')\">Buy</button>",
        title="Lamp",
    )
    stand.put("/thanks", "<h1>Thanks</h1>", title="Thanks")
    async with open_client(config) as client:
        call = Caller(client)
        await call("navigate", url=stand.url("/"), format="outline")
        search = call.ref('button "Search"')
        covered = await call.refused("click", ref=search)
        await call("click", ref=call.ref('button "Reject"'))
        await call("snapshot", format="outline", query="query")
        await call("type", ref=call.ref('textbox "Query"'), text="lamp")
        found = await call("click", ref=search)
        lamp = await call("click", ref=call.ref('link "Look"'))
        buy, colour = call.ref('button "Buy"'), call.ref('combobox "Colour"')
        chosen = await call("select", ref=colour, values=["blue"])
        options = await call("select", ref=colour)
        asked = await call("click", ref=buy)
        blocked = await call.refused("snapshot", format="outline")
        thanks = await call("dialog", accept=True)
        tabs = await call("tabs")
        stale = await call.refused("click", ref=search, tab=1)
        scripts = await call.refused("evaluate", script="1 + 1")
        upload = await call.refused("upload", ref=colour, paths=["/etc/hostname"], tab=1)
        console = await call("console", tab=1, level="debug", earlier=True)
        network = await call("network", tab=1, kind="document")
    assert 'covered by dialog "Cookies"' in covered
    assert 'button "Reject"' in covered
    assert "Lamp" in found
    assert f"Now at {stand.url('/lamp')}" in lamp
    assert '= "Blue"' in chosen
    assert "* Blue" in options
    assert 'confirm "Buy it?"' in asked
    assert "Answer it with dialog" in blocked
    assert "Opened tab 2" in thanks
    assert "Thanks" in thanks
    assert [line[:4] for line in tabs.splitlines()] == ["- 1 ", "* 2 "]
    assert stand.url("/lamp") in stale
    assert "acting.scripts" in scripts
    assert "acting.upload_roots" in upload
    assert "favicon.ico" in console
    assert "/lamp Document 200" in network


async def test_wait_for_takes_a_list_of_texts_and_refuses_empty_arguments(
    stand, config, open_client
):
    stand.put("/", "<p>Second</p>")
    async with open_client(config) as client:
        await client.call_tool("navigate", {"url": stand.url("/")})
        nothing = await client.call_tool("wait_for", {})
        several = await client.call_tool("wait_for", {"text": ["First", "Second"]})
        one = await client.call_tool("wait_for", {"text": "Second"})
        pause = await client.call_tool("wait_for", {"seconds": 0.1})
    assert nothing.is_error
    assert "bad_input" in str(nothing)
    assert not several.is_error
    assert not one.is_error
    assert not pause.is_error


async def test_navigate_to_an_error_page_shows_it_with_its_status(stand, config, open_client):
    stand.put("/on", "<p>Further")
    async with open_client(config) as client:
        call = Caller(client)
        for status, form in itertools.product((402, 404, 500), ("outline", "markdown")):
            path = f"/{status}-{form}"
            body = "<h1>No luck</h1><a href=/on>Go on</a>"
            stand.put(path, f"{body}<p>{'Words of it. ' * 30}", status=status)
            shown = await call("navigate", url=stand.url(path), format=form)
            assert "No luck" in shown
            assert f"HTTP status {status}" in shown
            if form == "outline":
                assert "Further" in await call("click", ref=call.ref('"Go on"'))
            read = await client.call_tool("browse", {"url": stand.url(path)})
            assert read.is_error
            assert "No luck" in text_of(read)
            assert stand.asked(path) <= 3


async def test_navigate_to_a_file_downloads_it(stand, config, open_client, tmp_path):
    stand.pages["/a.zip"] = ServerResponse(b"PK zip", content_type="application/zip")
    stand.put("/", "<p>Page")
    async with open_client(config) as client:
        call = Caller(client)
        alone = await call("navigate", url=stand.url("/a.zip"), format="outline")
        listed = await call("download")
        await call("navigate", url=stand.url("/"), format="outline")
        again = await call("navigate", url=stand.url("/a.zip"), format="outline")
        stays = await call("snapshot", format="outline")
    files = sorted((tmp_path / "downloads").iterdir())
    assert [file.read_bytes() for file in files] == [b"PK zip"] * 2
    assert str(tmp_path / "downloads" / "a.zip") in alone
    assert "a.zip" in listed
    assert "complete" in again
    assert "Page" in stays


async def test_tab_opens_without_url_and_lists_show_the_session_url(stand, config, open_client):
    stand.pages["/"] = ServerResponse(b"<title>One</title><h1>The first page</h1><a href=/x>X</a>")
    async with open_client(config) as client:
        call = Caller(client)
        await call("navigate", url=stand.url("/"), format="outline")
        assert "(blank)" in await call("tabs", action="open")
        assert "The first page" in await call("snapshot", tab=1)
        assert stand.url("/x") in await call("snapshot", tab=1, format="links")
        refused = await client.call_tool("snapshot", {})
        assert refused.is_error
        assert refused.meta["tabwright/error"]["effect"] == "none"
        await call("tabs", action="switch", tab=1)
        assert stand.url("/") in await call("session_list")
        assert stand.url("/") in await call("tabs")


async def test_mouse_draws_along_points_taken_from_outline_boxes(stand, config, open_client):
    stand.put(
        "/",
        "<canvas id=pad width=200 height=100 onclick='0' style='border:1px solid'></canvas>"
        "<output id=drawn>0</output><script>let held = false, seen = [];"
        "pad.onmousedown = () => { held = true; seen = [] };"
        "pad.onmousemove = move => { if (held) seen.push(move.offsetX) };"
        "pad.onmouseup = () => { held = false;"
        " drawn.value = `${Math.max(...seen)} ${seen.at(-1)}` }"
        "</script>",
        title="Pad",
    )
    async with open_client(config) as client:
        call = Caller(client)
        await call("navigate", url=stand.url("/"), format="outline")
        boxes = (await call("snapshot", format="outline", boxes=True)).partition("box=")[2]
        left, top, width, height = (int(number) for number in boxes.split("\n")[0].split(","))
        assert (width, height) == (202, 102)
        path = [[left + x, top + 50] for x in (20, 150, 60)]
        drawn = await call("pointer", action="mouse", event="drag", path=path)
        assert "149 59" in drawn
        again = [
            {"do": "mouse", "event": "drag", "path": [[left + 20, top + 9], [left + 90, top + 9]]}
        ]
        assert "89 89" in await call("run", steps=again)
        await call.refused("pointer", action="mouse", event="drag", path=path[:1])
