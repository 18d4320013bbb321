"""`tabwright serve --compat playwright`: each of its tools, called by a real MCP client."""

from pathlib import Path

import mcp_types as mcp
import pytest

from tabwright.testing.replica.server import Response
from tabwright.testing.tool_texts import text_of

pytestmark = pytest.mark.chromium

NAMES = {
    "browser_click",
    "browser_close",
    "browser_console_messages",
    "browser_drag",
    "browser_drop",
    "browser_emulate_media",
    "browser_evaluate",
    "browser_file_upload",
    "browser_fill_form",
    "browser_find",
    "browser_handle_dialog",
    "browser_hover",
    "browser_navigate",
    "browser_navigate_back",
    "browser_network_request",
    "browser_network_requests",
    "browser_press_key",
    "browser_resize",
    "browser_run_code_unsafe",
    "browser_select_option",
    "browser_snapshot",
    "browser_tabs",
    "browser_take_screenshot",
    "browser_type",
    "browser_wait_for",
}
"""Those of @playwright/mcp 0.0.83."""

PAGE = """<!doctype html><title>Tools</title>
<script>
  console.warn("careful");
  fetch("/data.json?error=1");
  const note = what => { document.title += ' ' + what; };
</script>
<link rel=stylesheet href=/style.css>
<h1>All tools</h1>
<button onclick="note('clicked')" ondblclick="note('twice')">Press</button>
<input aria-label=Name onkeydown="if (event.key === 'Enter') note('name:' + this.value)">
<input aria-label=Age><input type=checkbox aria-label=Old onchange="note('old')">
<select aria-label=Tea onchange="note(this.value)"><option>Green<option>Black</select>
<button onmouseover="note('over')">Over</button>
<button onclick="note('said:' + prompt('Who?'))">Ask</button>
<input type=file aria-label=File onchange="note(this.files[0].name)">
<button draggable=true ondragstart="event.dataTransfer.setData('text/plain', 'x')">Take</button>
<button id=there ondragover="event.preventDefault()"
  ondrop="event.preventDefault(); note('dropped:' + event.dataTransfer.getData('text/plain')
    + [...event.dataTransfer.files].map(one => one.name))">There</button>
<button onclick="setTimeout(() => this.after('It is late'), 50)">Later</button>
<p>The end of the page
<p>A line that is long enough for a bad expression to be at work for years"""


class Caller:
    """Calls tools as a prompt for playwright-mcp would, by refs of its snapshots."""

    def __init__(self, client):
        self._client = client

    async def __call__(self, tool: str, **arguments: object) -> str:
        result = await self._client.call_tool(f"browser_{tool}", arguments)
        assert not result.is_error, text_of(result)
        return text_of(result)

    async def refused(self, tool: str, **arguments: object) -> str:
        result = await self._client.call_tool(f"browser_{tool}", arguments)
        assert result.is_error, text_of(result)
        return text_of(result)

    async def pictures(self, tool: str, **arguments: object) -> list[mcp.ImageContent]:
        result = await self._client.call_tool(f"browser_{tool}", arguments)
        return [part for part in result.content if isinstance(part, mcp.ImageContent)]

    async def ref(self, name: str) -> str:
        for line in (await self("snapshot")).splitlines():
            before, found, _ = line.partition(f'"{name}"')
            if found and "[" in before:
                return before.rpartition("[")[2].partition("]")[0].removeprefix("*")
        raise AssertionError(name)

    async def title(self) -> str:
        return await self("evaluate", function="() => document.title")


@pytest.fixture
def config(write_config, tmp_path: Path):
    return write_config(
        mcp={"compat": "playwright"},
        acting={
            "scripts": True,
            "downloads": str(tmp_path / "downloads"),
            "upload_roots": [str(tmp_path)],
        },
        session={"dir": str(tmp_path / "sessions")},
        log={"dir": None},
    )


@pytest.fixture
def tools_page(stand) -> str:
    stand.pages["/"] = Response(PAGE.encode())
    stand.pages["/two"] = Response(b"<title>Two</title><h1>The second page</h1>")
    stand.pages["/style.css"] = Response(b"h1 { color: red }", content_type="text/css")
    stand.pages["/data.json"] = Response(b'{"tea": "green"}', content_type="application/json")
    return stand.url("/")


async def test_the_tools_have_the_names_that_clients_know(config, open_client):
    async with open_client(config) as client:
        listed = (await client.list_tools()).tools
    assert {tool.name for tool in listed} == NAMES


async def test_what_is_done_on_a_page(tools_page, config, open_client):
    async with open_client(config) as client:
        call = Caller(client)
        assert "All tools" in await call("navigate", url=tools_page)
        await call("click", element="a button", target=await call.ref("Press"))
        await call("click", ref=await call.ref("Press"), doubleClick=True, modifiers=["Shift"])
        await call("type", target=await call.ref("Name"), text="{Ann}", submit=True)
        await call(
            "fill_form",
            fields=[
                {"name": "Age", "type": "textbox", "ref": await call.ref("Age"), "value": "7"},
                {
                    "name": "Old",
                    "type": "checkbox",
                    "target": await call.ref("Old"),
                    "value": "true",
                },
            ],
        )
        await call("select_option", target=await call.ref("Tea"), values=["Black"])
        await call("hover", target=await call.ref("Over"))
        take, there = await call.ref("Take"), await call.ref("There")
        await call("drag", startElement="a", startRef=take, endElement="b", endRef=there)
        title = await call.title()
        age = await call("evaluate", function="e => e.value", target=await call.ref("Age"))
        await call("click", target="#there")
        await call("press_key", key="Tab")
        late = await call.ref("Later")
        focused = await call("evaluate", function="document.activeElement.textContent")
        await call("click", target=late)
        await call("wait_for", text="It is late")
        await call("wait_for", time=0.1)
        nothing = await call.refused("wait_for")
    assert title.strip('"').split()[1:] == [
        "clicked", "clicked", "clicked", "twice", "name:{Ann}", "old", "Black", "over", "dropped:x",
    ]  # fmt: skip
    assert age == '"7"'
    assert focused == '"Later"'
    assert "Give time, text or textGone." in nothing


async def test_dialogs_files_and_what_is_dropped(tools_page, config, open_client, tmp_path):
    given = tmp_path / "given.txt"
    given.write_text("tea")
    async with open_client(config) as client:
        call = Caller(client)
        await call("navigate", url=tools_page)
        early = await call.refused("file_upload", paths=[str(given)])
        asked = await call("click", target=await call.ref("Ask"))
        await call("handle_dialog", accept=True, promptText="Ann")
        await call("click", target=await call.ref("File"))
        await call("file_upload", paths=[str(given)])
        await call("drop", target="#there", data={"text/plain": "x"}, paths=[str(given)])
        outside = await call.refused("drop", target="#there", paths=["/etc/hostname"])
        empty = await call.refused("drop", target="#there")
        title = await call.title()
    assert "Click what asks for them first." in early
    assert 'prompt "Who?"' in asked
    assert "Answer it with browser_handle_dialog." in asked
    assert title.strip('"').split()[1:] == ["said:Ann", "given.txt", "dropped:xgiven.txt"]
    assert "may not be uploaded" in outside
    assert "Give paths or data." in empty


async def test_what_is_seen_of_a_page(tools_page, config, open_client, tmp_path):
    async with open_client(config) as client:
        call = Caller(client)
        await call("navigate", url=tools_page)
        part = await call("snapshot", target=await call.ref("There"))
        by_text = await call("find", text="LATER")
        by_pattern = await call("find", regex="/the END/i")
        wrong = await call.refused("find", regex="(")
        endless = await call.refused("find", regex="^([a-zA-Z ]+)+!$")
        console = await call("console_messages", level="warning")
        requests = await call("network_requests", static=False)
        whole = await call("network_requests", static=True)
        filtered = await call("network_requests", static=False, filter="/data.*error")
        number = int(filtered.split()[0])
        body = await call("network_request", index=number, part="response-body")
        full = await call("network_request", index=number)
        headers = await call.refused("network_request", index=number, part="request-headers")
        pictures = await call.pictures("take_screenshot", type="jpeg", fullPage=True)
        kept = await call("take_screenshot", filename="../seen.jpeg")
        written = await call("snapshot", filename="page.md")
        code = await call.refused("run_code_unsafe", code="async page => 1")
    assert "There" in part
    assert "Press" not in part
    assert "Later" in by_text
    assert "The end of the page" in by_pattern
    assert "no regular expression" in wrong
    assert "takes too long" in endless
    assert "careful" in console
    assert "style.css" in whole
    assert "style.css" not in requests
    assert "data.json" in requests
    assert filtered.count("\n") == 0
    assert body == '{"tea": "green"}'
    assert full.endswith(f"\n\n{body}")
    assert "Ask for response-body." in headers
    assert len(pictures) == 1
    assert kept == f"Written to {tmp_path}/downloads/seen.jpeg."
    assert (tmp_path / "downloads" / "seen.jpeg").stat().st_size > 1000
    assert written == f"Written to {tmp_path}/downloads/page.md."
    assert "All tools" in (tmp_path / "downloads" / "page.md").read_text()
    assert "Use browser_evaluate" in code


async def test_tabs_sizes_and_ways_back(tools_page, config, open_client, stand):
    async with open_client(config) as client:
        call = Caller(client)
        none = await call("tabs", action="list")
        await call("navigate", url=tools_page)
        await call("navigate", url=stand.url("/two"))
        back = await call("navigate_back")
        await call("resize", width=500, height=400)
        await call("emulate_media", colorScheme="dark")
        other = await call.refused("emulate_media", contrast="more")
        size = await call("evaluate", function="() => [innerWidth, innerHeight]")
        dark = await call(
            "evaluate", function="() => matchMedia('(prefers-color-scheme: dark)').matches"
        )
        opened = await call("tabs", action="new", url=stand.url("/two"))
        selected = await call("tabs", action="select", index=0)
        closed = await call("tabs", action="close", index=1)
        unnamed = await call.refused("tabs", action="select")
        missing = await call.refused("tabs", action="close", index=7)
        await call("close")
        gone = await call.refused("snapshot")
    first = f"[Tools]({tools_page})"
    second = f"[Two]({stand.url('/two')})"
    assert none == ""
    assert "All tools" in back
    assert size == "[500,400]"
    assert dark == "true"
    assert "Only colorScheme" in other
    assert opened == f"- 0: {first}\n- 1: (current) {second}"
    assert selected == f"- 0: (current) {first}\n- 1: {second}"
    assert closed == f"- 0: (current) {first}"
    assert "Give its index." in unnamed
    assert "There is no tab 7." in missing
    assert "session" in gone


CARD = """<!doctype html><title>Card</title>
<script>const note = what => { document.title += ' ' + what }</script>
<h1 ondblclick="note('twice')">Heading</h1>
<div id=card onclick="note('card')" style="width:400px;height:60px;text-align:center">Invoice 17
<button onclick="event.stopPropagation(); note('deleted')">Delete</button></div>
<ul id=list><li>Plain words<li><button>Inner</button></ul>
<div id=from draggable=true style="width:80px;height:30px">Take</div>
<div id=zone style="width:80px;height:30px">There</div>
<script>
const start = document.querySelector('#from');
start.addEventListener('dragstart', e => e.dataTransfer.setData('text/plain', 'x'));
const zone = document.querySelector('#zone');
zone.addEventListener('dragover', e => e.preventDefault());
zone.addEventListener('drop', e => { e.preventDefault(); note('dropped') });
document.querySelector('#list').addEventListener('mouseover', () => note('over'), {once: true});
</script>"""


async def test_target_css_means_the_matched_element_in_every_tool(stand, config, open_client):
    stand.pages["/card"] = Response(CARD.encode())
    async with open_client(config) as client:
        call = Caller(client)
        await call("navigate", url=stand.url("/card"))
        await call("click", target="#card")
        await call("click", target="h1", doubleClick=True)
        await call("hover", target="#list")
        await call("drag", startTarget="#from", endTarget="#zone")
        await call("drop", target="#zone", data={"text/plain": "y"})
        tag = await call("evaluate", target="#list", function="element => element.tagName")
        part = await call("snapshot", target="#list")
        body = await call("evaluate", target="body", function="element => element.tagName")
        titled = await call.title()
        several = await call.refused("click", target="li")
    assert titled.count(" card") == titled.count(" twice") == titled.count(" over") == 1
    assert titled.count("dropped") == 2
    assert "deleted" not in titled
    assert "UL" in tag
    assert "BODY" in body
    assert "Plain words" in part
    assert several.count("[") >= 2


async def test_navigate_to_an_error_page_is_an_answer_with_its_outline(stand, config, open_client):
    stand.put("/gone", "<h1>Not here</h1><a href=/>Home</a>", status=404)
    stand.put("/", "<a href=/gone>Away</a>")
    async with open_client(config) as client:
        call = Caller(client)
        direct = await call("navigate", url=stand.url("/gone"))
        await call("navigate", url=stand.url("/"))
        clicked = await call("click", target="a")
    for shown in (direct, clicked):
        assert "HTTP status 404" in shown
        assert "Not here" in shown
