"""Call each tool of `tabwright serve --compat playwright` with a real MCP client."""

from base64 import b64decode
from pathlib import Path

import mcp_types as mcp
import pytest

from tabwright.testing.demo import text_of
from tabwright.testing.replica.server import ServerResponse

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
    """Calls the tools of playwright-mcp, with refs from its snapshots."""

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
    stand.pages["/"] = ServerResponse(PAGE.encode())
    stand.pages["/two"] = ServerResponse(b"<title>Two</title><h1>The second page</h1>")
    stand.pages["/style.css"] = ServerResponse(b"h1 { color: red }", content_type="text/css")
    stand.pages["/data.json"] = ServerResponse(b'{"tea": "green"}', content_type="application/json")
    return stand.url("/")


async def test_tools_have_the_playwright_names(config, open_client):
    async with open_client(config) as client:
        listed = (await client.list_tools()).tools
    assert {tool.name for tool in listed} == NAMES


@pytest.mark.smoke
async def test_action_tools_work_under_playwright_names(tools_page, config, open_client):
    async with open_client(config) as client:
        call = Caller(client)
        assert "All tools" in await call("navigate", url=tools_page)
        await call("click", element="a button", target=await call.ref("Press"))
        await call("click", ref=await call.ref("Press"), doubleClick=True, modifiers=["Shift"])
        typed = await call("type", target=await call.ref("Name"), text="{Ann}", submit=True)
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
    assert 'Typed into textbox "Name" and pressed Enter.' in typed
    assert age == '"7"'
    assert focused == '"Later"'
    assert "Give time, text or textGone." in nothing


async def test_dialog_file_upload_and_drop_tools_work_on_a_page(
    tools_page, config, open_client, tmp_path
):
    given = tmp_path / "given.txt"
    given.write_text("tea")
    async with open_client(config) as client:
        call = Caller(client)
        await call("navigate", url=tools_page)
        early = await call.refused("file_upload", paths=[str(given)])
        asked = await call("click", target=await call.ref("Ask"))
        await call("handle_dialog", accept=True, promptText="Ann")
        await call("click", target=await call.ref("File"))
        waits = await call.refused("click", target=await call.ref("Press"))
        await call("file_upload", paths=[])
        await call("click", target=await call.ref("File"))
        await call("file_upload", paths=[str(given)])
        await call("drop", target="#there", data={"text/plain": "x"}, paths=[str(given)])
        outside = await call.refused("drop", target="#there", paths=["/etc/hostname"])
        empty = await call.refused("drop", target="#there")
        title = await call.title()
    assert "First click the element that opens it." in early
    assert "browser_file_upload" in waits
    assert 'prompt "Who?"' in asked
    assert "Answer it with browser_handle_dialog." in asked
    assert title.strip('"').split()[1:] == ["said:Ann", "given.txt", "dropped:xgiven.txt"]
    assert "acting.upload_roots" in outside
    assert "Give paths or data." in empty


async def test_observation_tools_work_under_playwright_names(
    tools_page, config, open_client, tmp_path
):
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
        headers = await call("network_request", index=number, part="request-headers")
        answered = await call("network_request", index=number, part="response-headers")
        unsent = await call.refused("network_request", index=number, part="request-body")
        pictures = await call.pictures("take_screenshot", type="jpeg", fullPage=True)
        kept = await call("take_screenshot", filename="../seen.jpeg")
        written = await call("snapshot", filename="page.md")
        code = await call.refused("run_code_unsafe", code="async page => 1")
    assert "There" in part
    assert "Press" not in part
    assert "Later" in by_text
    assert "The end of the page" in by_pattern
    assert "not a valid regular expression" in wrong
    assert "takes too long" in endless
    assert "careful" in console
    assert "style.css" in whole
    assert "style.css" not in requests
    assert requests.endswith("static=true lists them.)")
    assert "Document" not in requests
    assert f"GET {tools_page} Document 200" in whole
    assert "data.json" in requests
    assert filtered.count("\n") == 0
    assert body == '{"tea": "green"}'
    assert full.endswith(f"\n\n{body}")
    assert f"Referer: {tools_page}" in headers
    assert "Content-Type: application/json" in answered
    assert "without a body" in unsent
    assert len(pictures) == 1
    assert kept == f"Saved to {tmp_path}/downloads/seen.jpeg."
    assert (tmp_path / "downloads" / "seen.jpeg").stat().st_size > 1000
    assert written == f"Saved to {tmp_path}/downloads/page.md."
    assert "All tools" in (tmp_path / "downloads" / "page.md").read_text()
    assert "Use browser_evaluate" in code


async def test_tabs_resize_and_navigate_back_tools_work_on_a_page(
    tools_page, config, open_client, stand
):
    async with open_client(config) as client:
        call = Caller(client)
        none = await call("tabs", action="list")
        empty = await call.pictures("take_screenshot")
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
    assert len(empty) == 1
    assert none == "- 0: (current) [](about:blank)"
    assert "All tools" in back
    assert size == "[500,400]"
    assert dark == "true"
    assert "Only colorScheme" in other
    assert opened == f"- 0: {first}\n- 1: (current) {second}"
    assert selected == f"- 0: (current) {first}\n- 1: {second}"
    assert closed == f"- 0: (current) {first}"
    assert "Set index." in unnamed
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
    stand.pages["/card"] = ServerResponse(CARD.encode())
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


async def test_navigation_to_an_error_page_returns_status_and_outline(stand, config, open_client):
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


FORMATS = {"png": b"\x89PNG", "jpeg": b"\xff\xd8\xff", "webp": b"RIFF"}


async def test_screenshot_has_the_requested_type_scale_and_file(
    stand, config, open_client, tmp_path
):
    stand.put("/", "<div id=box style='width:100px;height:40px;background:red'></div><p>Text")
    folder = tmp_path / "downloads"
    async with open_client(config) as client:
        call = Caller(client)
        await call("navigate", url=stand.url("/"))
        (default,) = await call.pictures("take_screenshot")
        for kind, magic in FORMATS.items():
            (picture,) = await call.pictures("take_screenshot", target="#box", type=kind)
            assert picture.mime_type == f"image/{kind}"
            assert b64decode(picture.data).startswith(magic)
            assert "100x40" in await call("take_screenshot", target="#box", type=kind)
        named = {"a.png": "png", "b.jpg": "jpeg", "c.webp": "webp", "d": "png"}
        for name in named:
            await call("take_screenshot", target="#box", filename=name)
        await call("take_screenshot", type="webp", filename="e")
        await call.refused("take_screenshot", type="jpeg", filename="f.png")
        await call.refused("take_screenshot", filename="f.txt")
        await call.refused("take_screenshot", target="#box", fullPage=True)
        files = {file.name: file.read_bytes() for file in folder.glob("[a-f].*")}
    assert b64decode(default.data).startswith(FORMATS["png"])
    assert set(files) == {"a.png", "b.jpg", "c.webp", "d.png", "e.webp"}
    for name, data in files.items():
        kind = {"jpg": "jpeg"}.get(name.partition(".")[2], name.partition(".")[2])
        assert data.startswith(FORMATS[kind])


async def test_screenshot_without_a_filename_is_returned_and_saved(
    stand, config, open_client, tmp_path
):
    stand.put("/", "<p>Text")
    async with open_client(config) as client:
        call = Caller(client)
        await call("navigate", url=stand.url("/"))
        (picture,) = await call.pictures("take_screenshot", type="webp", filename="")
        (first,) = (tmp_path / "downloads").glob("page-????-??-??T??-??-??-???Z.webp")
        output = await call("take_screenshot")
    assert first.read_bytes() == b64decode(picture.data)
    (second,) = (tmp_path / "downloads").glob("page-*.png")
    assert f"Saved to {second}." in output


async def test_large_png_screenshot_is_scaled_down_with_a_notice(stand, config, open_client):
    noise = (
        "<canvas id=c width=1400 height=1400></canvas><script>"
        "const pen = c.getContext('2d'), all = pen.createImageData(1400, 1400);"
        "let seed = 1; for (let i = 0; i < all.data.length; i++)"
        " { seed = (seed * 48271) % 2147483647; all.data[i] = i % 4 == 3 ? 255 : seed % 256 }"
        "pen.putImageData(all, 0, 0)</script>"
    )
    stand.put("/", noise)
    async with open_client(config) as client:
        call = Caller(client)
        await call("navigate", url=stand.url("/"))
        (picture,) = await call.pictures("take_screenshot", target="#c")
        output = await call("take_screenshot", target="#c")
    assert picture.mime_type == "image/png"
    assert len(picture.data) < 1_000_000
    assert "scaled down" in output


async def test_snapshot_depth_and_console_all_arguments_take_effect(stand, config, open_client):
    stand.put("/", "<script>console.warn('older words')</script><p>One", title="One")
    stand.put(
        "/two",
        "<script>console.warn('newer words')</script><p>Top"
        "<nav aria-label=Menu><a href=/>Home</a></nav>",
    )
    other = stand.url("/two", "localhost")
    async with open_client(config) as client:
        call = Caller(client)
        await call("navigate", url=stand.url("/"))
        await call("navigate", url=other)
        shallow = await call("snapshot", depth=1)
        deep = await call("snapshot", depth=2)
        here = await call("console_messages")
        all_of_it = await call("console_messages", all=True)
    assert "Top" in shallow
    assert "Home" not in shallow
    assert "Home" in deep
    assert "newer words" in here
    assert "older words" not in here
    assert "older words" in all_of_it


async def test_snapshot_with_boxes_reports_position_of_each_control(stand, config, open_client):
    place = (
        "position:absolute;left:100px;top:50px;width:80px;height:40px;margin:0;padding:0;border:0"
    )
    stand.put("/", f"<div id=here><button style='{place}'>Press</button></div>")
    async with open_client(config) as client:
        call = Caller(client)
        shown = await call("navigate", url=stand.url("/"))
        boxes = await call("snapshot", boxes=True)
        part = await call("snapshot", boxes=True, target="#here")
        again = await call("snapshot")
    for reported in (boxes, part):
        assert 'button "Press" box=100,50,80,40' in reported
    assert "box=" not in shown + again


WORDS = {
    ("browser_click", "element"),
    ("browser_drag", "startElement"),
    ("browser_drag", "endElement"),
    ("browser_drop", "element"),
    ("browser_evaluate", "element"),
    ("browser_hover", "element"),
    ("browser_select_option", "element"),
    ("browser_take_screenshot", "element"),
    ("browser_type", "element"),
}
"""What an element is called, for whoever reads the call: it does nothing there either."""

REFUSED = {
    ("browser_emulate_media", "contrast"),
    ("browser_emulate_media", "forcedColors"),
    ("browser_emulate_media", "media"),
    ("browser_emulate_media", "reducedMotion"),
    ("browser_run_code_unsafe", "code"),
    ("browser_run_code_unsafe", "filename"),
}
"""Refused by name."""

DONE = {
    "browser_click": {"target", "doubleClick", "button", "modifiers"},
    "browser_console_messages": {"level", "all", "filename"},
    "browser_drag": {"startTarget", "endTarget"},
    "browser_drop": {"target", "paths", "data"},
    "browser_emulate_media": {"colorScheme"},
    "browser_evaluate": {"function", "target", "filename"},
    "browser_file_upload": {"paths"},
    "browser_fill_form": {"fields"},
    "browser_find": {"text", "regex", "filename"},
    "browser_handle_dialog": {"accept", "promptText"},
    "browser_hover": {"target"},
    "browser_navigate": {"url"},
    "browser_network_request": {"index", "part", "filename"},
    "browser_network_requests": {"static", "filter", "filename"},
    "browser_press_key": {"key"},
    "browser_resize": {"width", "height"},
    "browser_select_option": {"target", "values"},
    "browser_snapshot": {"target", "boxes", "depth", "offset", "filename"},
    "browser_tabs": {"action", "index", "url"},
    "browser_take_screenshot": {"target", "type", "fullPage", "scale", "filename"},
    "browser_type": {"target", "text", "submit", "slowly"},
    "browser_wait_for": {"time", "text", "textGone"},
}
"""What has an effect, which the tests of this module show."""


async def test_every_argument_has_an_effect_or_is_refused_by_name(stand, config, open_client):
    stand.put("/", "<p>Page")
    async with open_client(config) as client:
        call = Caller(client)
        listed = {
            (tool.name, name)
            for tool in (await client.list_tools()).tools
            for name in tool.input_schema["properties"]
        }
        await call("navigate", url=stand.url("/"))
        for tool, name in REFUSED - {("browser_run_code_unsafe", "filename")}:
            properties = {
                "contrast": "more",
                "forcedColors": "active",
                "media": "print",
                "reducedMotion": "reduce",
                "code": "1",
            }
            await call.refused(tool.removeprefix("browser_"), **{name: properties[name]})
    done = {(tool, name) for tool, names in DONE.items() for name in names}
    assert listed == done | WORDS | REFUSED


async def test_closed_tabs_stay_closed_and_the_replacement_tab_is_empty(
    tools_page, stand, config, open_client
):
    async with open_client(config) as client:
        call = Caller(client)
        await call("navigate", url=tools_page)
        opened = await call("tabs", action="new", url=stand.url("/two"))
        assert "(current) [Two]" in opened
        asked = len(stand.log)
        await call("tabs", action="close", index=1)
        listed = await call("tabs", action="close", index=0)
        refused = await client.call_tool("browser_snapshot", {})
        assert refused.is_error
        assert refused.meta["tabwright/error"]["effect"] == "none"
        assert "about:blank" in listed
        await call("tabs", action="new")
        await call("navigate", url="about:blank")
        assert len(stand.log) == asked
        assert "All tools" in await call("navigate", url=tools_page)


async def test_find_reports_match_count_and_enclosing_groups(stand, config, open_client):
    links = "".join(f"<li><a href=/{number}>Link {number}</a>" for number in range(9))
    stand.put("/", f"<main><nav aria-label=Primary><ul>{links}</ul></nav></main><p>Aside")
    async with open_client(config) as client:
        call = Caller(client)
        await call("navigate", url=stand.url("/"))
        last = await call("find", text="link 8")
        two = await client.call_tool("browser_find", {"regex": "Link [38]"})
    assert "Primary" in last
    assert "Link 7" in last
    assert "Link 3" not in last
    assert "2 lines" in text_of(two)


async def test_large_square_screenshot_is_reduced_to_model_resolution(stand, config, open_client):
    stand.put("/", "<body style='margin: 0; width: 2000px; height: 2000px; background: red'>")
    async with open_client(config) as client:
        call = Caller(client)
        await call("navigate", url=stand.url("/"))
        (picture,) = await call.pictures("take_screenshot", fullPage=True)
    header = b64decode(picture.data)[16:24]
    sides = int.from_bytes(header[:4], "big"), int.from_bytes(header[4:], "big")
    assert sides == (1098, 1098)


async def test_handle_dialog_reports_alerts_that_were_answered_automatically(
    stand, config, open_client
):
    stand.put("/", "<button onclick=\"alert('First'); alert('Second')\">Press</button>")
    async with open_client(config) as client:
        call = Caller(client)
        await call("navigate", url=stand.url("/"))
        early = await call.refused("handle_dialog", accept=True)
        await call("click", target="button")
        both = await call("handle_dialog", accept=True)
        second = await call("handle_dialog", accept=True)
        late = await call.refused("handle_dialog", accept=True)
    assert 'alert "First", then alert "Second"' in both
    assert 'Answered immediately: alert "Second".' in second
    assert "No dialog is open." in early
    assert "No dialog is open." in late


async def test_console_output_of_action_is_reported_with_its_result(stand, config, open_client):
    stand.put(
        "/",
        "<script>console.log('while loading')</script>"
        "<button onclick=\"console.log('Hello\\n[1.2]'); console.debug('deep')\">One</button>"
        "<button id=many onclick=\"for (let i = 0; i < 9; i++) console.warn('No ' + i)\">Many"
        "</button><button id=bad onclick=\"console.error('Bad')\">Bad</button>",
    )
    async with open_client(config) as client:
        call = Caller(client)
        await call("navigate", url=stand.url("/"))
        one = await call("click", target="button:first-of-type")
        many = await call("click", target="#many")
        bad = await call("click", target="#bad")
        listed = await call("console_messages", level="error")
    assert "Console info: Hello" in one
    assert "[1.2]" not in one
    assert "while loading" not in one
    assert "deep" not in one
    assert "No 5" not in many
    assert "No 6" in many
    assert "(6 more before)" in many
    assert many.count("\nConsole warning: No ") == 3
    assert bad.count("Bad") == 2  # the button and the error
    assert listed.startswith("Messages: 13 (errors: 1, warnings: 9), shown: 1.\n")


async def test_navigation_lists_the_tabs_if_there_are_several(stand, config, open_client):
    stand.put("/", "<p>Page", title="Start")
    async with open_client(config) as client:
        call = Caller(client)
        alone = await call("navigate", url=stand.url("/"))
        await call("tabs", action="new")
        shown = await call("navigate", url=stand.url("/"))
    assert "- 0:" not in alone
    place = f"[Start]({stand.url('/')})"
    assert shown.endswith(f"- 0: {place}\n- 1: (current) {place}")


async def test_secret_is_typed_where_its_bare_name_is_given(
    stand, write_config, open_client, tmp_path
):
    file = tmp_path / "secrets.env"
    file.write_text("X-PASSWORD=correct-horse\n")
    config = write_config(
        mcp={"compat": "playwright"},
        acting={"scripts": True, "secrets": str(file)},
        session={"dir": str(tmp_path / "sessions")},
        log={"dir": None},
    )
    stand.put("/", "<input aria-label=One onkeydown=console.log(value)><input aria-label=Two>")
    lengths = "() => [...document.querySelectorAll('input')].map(one => one.value.length)"
    async with open_client(config) as client:
        call = Caller(client)
        await call("navigate", url=stand.url("/"))
        typed = await call("type", target=await call.ref("One"), text="X-PASSWORD")
        field = {"target": await call.ref("Two"), "value": "X-PASSWORD"}
        await call("fill_form", fields=[field])
        held = await call("evaluate", function=lengths)
        await call("type", target=await call.ref("One"), text="X-PASSWORD!")
        literal = await call("evaluate", function=lengths)
    assert "correct" not in typed
    assert "{{X-PASSWORD}}" in typed
    assert held == "[13,13]"
    assert literal == "[11,13]"


async def test_client_starts_with_an_empty_tab_and_may_close_it_twice(stand, config, open_client):
    stand.put("/", "<button>Press</button>")
    async with open_client(config) as client:
        call = Caller(client)
        await call("close")
        begun = await call("tabs", action="list")
        await call.refused("file_upload", paths=[])
        await call("navigate", url=stand.url("/"))
        tabs = await call("tabs", action="list")
        await call("close")
        await call("close")
    assert "- 0: (current) [](about:blank)" in begun
    assert "- 1:" not in tabs
