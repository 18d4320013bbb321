"""Read difficult pages with a real MCP client of `tabwright serve`."""

import base64
import json
import re
from functools import partial
from io import BytesIO

import mcp_types as mcp
import pytest
from PIL import Image

from tabwright.testing.demo import record_of, text_of

SENTENCE = "Every task has a parent that waits for it, and no error is lost."


@pytest.fixture
def write_config(write_config):
    """Write settings of a server that returns structured content."""
    return partial(write_config, mcp={"structured_content": True})


@pytest.fixture
def config(write_config, tmp_path):
    return write_config(session={"dir": str(tmp_path / "sessions")}, log={"dir": None})


class Caller:
    """Calls tools and returns their structured content."""

    def __init__(self, client):
        self._client = client

    async def __call__(self, tool: str, **arguments: object):
        result = await self._client.call_tool(tool, arguments)
        assert not result.is_error, text_of(result)
        return record_of(result)

    async def refused(self, tool: str, **arguments: object):
        result = await self._client.call_tool(tool, arguments)
        assert result.is_error, text_of(result)
        return result.meta["tabwright/error"]


async def test_every_argument_of_browse_takes_effect(site, config, open_client):
    forms, static = site.url("/forms"), site.url("/static")
    async with open_client(config) as client:
        call = Caller(client)
        plain = await call("browse", url=static)
        text = await call("browse", url=static, format="text", selectors=["h1", "a"])
        tree = await call("browse", url=static, format="a11y")
        as_json = await call("browse", url=static, format="json", exclude_selectors=["p"])
        inline = await call("browse", url=forms, links="inline")
        either = await call("browse", url=forms, keywords=["Forms", "nothing-like-it"])
        both = await call(
            "browse", url=forms, keywords=["Forms", "nothing-like-it"], keyword_mode="all"
        )
        nearest = await call("browse", url=site.url("/feed.rss"), query="what opens")
        main = await call("browse", url=static, readability=True)
        short = await call("browse", url=static, max_tokens=100)
        offset = short["truncation"]["next_offset"]
        rest = await call("browse", url=static, max_tokens=100, offset=offset)
        capped = await call("browse", url=site.url("/app/broken"), max_tier=1)
        mine = await call("browse", url=site.url("/cookies/set?a=1"), session="mine")
        again = await call("browse", url=site.url("/cookies"), session="mine")
        nobody = await call("browse", url=site.url("/cookies"))
    assert (plain["tier"], plain["status"], plain["title"]) == (1, 200, "Hard to read")
    assert plain["text"].startswith("# Static\n")
    assert text["text"].split() == ["Static", "All", "forms"]
    assert '- heading "Static"' in tree["text"]
    assert SENTENCE not in as_json["text"]
    assert json.loads(as_json["text"])["title"] == "Hard to read"
    assert f"[Somewhere else]({site.url('/static?from=forms')})" in inline["text"]
    assert "Forms" in either["text"]
    assert both["text"].strip() == ""
    assert "A nursery opens" in nearest["text"]
    assert SENTENCE in main["text"]
    assert short["truncation"]["reason"] == "token_budget"
    assert short["text"].startswith("# Static")
    assert not rest["text"].startswith("# Static\n")
    assert capped["tier"] == 1
    assert (mine["session"], "session" in nobody) == ("mine", False)
    assert "# Cookies: a is 1" in again["text"]
    assert "# Cookies: none" in nobody["text"]


async def test_snapshot_of_a_page_that_was_read_by_http_has_the_accessibility_tree(
    site, config, open_client
):
    async with open_client(config) as client:
        read = await client.call_tool("navigate", {"url": site.url("/static")})
        taken = await client.call_tool("snapshot", {"format": "a11y"})
    assert record_of(read)["tier"] == 1
    assert "RootWebArea" in text_of(taken)


async def test_pictures_come_with_the_page_that_shows_them(site, config, open_client):
    async with open_client(config) as client:
        result = await client.call_tool("browse", {"url": site.url("/lazy"), "include_media": True})
        without = await client.call_tool("browse", {"url": site.url("/lazy")})
    pictures = [part for part in result.content if isinstance(part, mcp.ImageContent)]
    sizes = [Image.open(BytesIO(base64.b64decode(part.data))).size for part in pictures]
    assert [part.mime_type for part in pictures] == ["image/jpeg"] * 2
    assert sizes == [(640, 480)] * 2
    media = record_of(result)["media"]
    assert [one["alt"] for one in media] == ["A chart", "Another chart"]
    assert [type(part) for part in without.content] == [mcp.TextContent]
    assert "media" not in record_of(without)


async def test_canvas_that_shows_something_becomes_a_picture(site, config, open_client):
    async with open_client(config) as client:
        given = {"url": site.url("/drawings"), "min_tier": 3}
        result = await client.call_tool("browse", {**given, "include_media": True})
        without = await client.call_tool("browse", given)
    [picture] = [part for part in result.content if isinstance(part, mcp.ImageContent)]
    size = Image.open(BytesIO(base64.b64decode(picture.data))).size
    assert size == (640, 320)
    assert "anvas 4" in record_of(result)["notice"]
    assert "canvas 1" in record_of(without)["notice"]
    assert "anvas 4" in record_of(without)["notice"]
    assert [type(part) for part in without.content] == [mcp.TextContent]


async def test_canvases_beyond_the_picture_limit_are_named_in_the_notice(site, config, open_client):
    async with open_client(config) as client:
        given = {"url": site.url("/many-drawings"), "min_tier": 3}
        result = await client.call_tool("browse", {**given, "include_media": True})
    pictures = [part for part in result.content if isinstance(part, mcp.ImageContent)]
    sizes = [Image.open(BytesIO(base64.b64decode(part.data))).size for part in pictures]
    assert sizes == [(480, 480), (60, 60), (60, 60), (60, 60)]  # before the image
    notice = record_of(result)["notice"]
    assert "canvas 7, 8, 9." in notice  # read, and beyond the number of pictures
    assert "Canvas 3, 10, 11 " in notice  # too large beside the first; too many; in the frame


async def test_screenshot_comes_beside_the_text_on_request(site, config, open_client):
    async with open_client(config) as client:
        result = await client.call_tool("browse", {"url": site.url("/lazy"), "screenshot": True})
        file = await client.call_tool(
            "browse", {"url": site.url("/report.pdf"), "screenshot": True}
        )
    [picture] = [part for part in result.content if isinstance(part, mcp.ImageContent)]
    assert min(Image.open(BytesIO(base64.b64decode(picture.data))).size) > 100
    assert record_of(result)["tier"] == 3
    assert "screenshot" not in record_of(result)
    assert "No screenshot" in record_of(file)["notice"]


async def test_session_is_navigated_by_links_and_forms(site, config, open_client):
    async with open_client(config) as client:
        call = Caller(client)
        start = await call("navigate", url=site.url("/static"))
        (link,) = (await call("snapshot", format="links", find="forms"))["links"]
        forms_page = await call("navigate", link=link["number"])
        forms = (await call("snapshot", format="forms"))["forms"]
        links = (await call("snapshot", format="links"))["links"]
        downloads = (await call("snapshot", format="links", find="download"))["links"]
        missing = await call("fill_form", form_id="order", fields={"size": "Large"})
        unfinished = await call.refused("fill_form", form_id="order", submit=True)
        filled = await call("fill_form", form_id="order", fields={"who": "Ann"})
        sent = await call(
            "fill_form", form_id="order", fields={"gift": True}, submit=True, format="text"
        )
        back = await call("navigate", url="back")
        again = await call("snapshot", format="text", keywords=["Somewhere"])
        report = await call("navigate", link="the REPORT", max_tokens=200)
        nowhere = await call.refused("navigate", link="no such link")
        await call("navigate", url=site.url("/cookies/set?b=2"), session="other")
        listed = (await call("session_list"))["sessions"]
        saved = await call("session_save", session="other")
        await call("session_close", session="other")
        gone = await call.refused("snapshot", session="other")
        resumed = await call("navigate", url=site.url("/cookies"), session="other")
        await call("session_close", session="other", forget=True)
        anew = await call("navigate", url=site.url("/cookies"), session="other")
    assert (start["session"], link["url"]) == ("default", site.url("/forms"))
    assert forms_page["url"] == site.url("/forms")
    assert [form["id"] for form in forms] == ["search", "order", "parts"]
    kinds = {one["text"]: one["kind"] for one in links}
    assert kinds == {"Somewhere else": "content", "Up": "anchor", "The report": "download"}
    assert [one["url"] for one in downloads] == [site.url("/report.pdf")]
    assert missing["missing"] == ["who"]
    assert unfinished["kind"] == "bad_input"
    assert filled["missing"] == []
    assert filled["fields"]["size"] == ["l"]
    assert "POST received" in sent["text"]
    assert all(
        f"{name} = {value}" in sent["text"] for name, value in (("who", "Ann"), ("size", "l"))
    )
    assert back["url"] == site.url("/forms")
    assert again["text"].endswith("Somewhere else Up The report")
    assert SENTENCE not in again["text"]
    assert report["media_type"] == "application/pdf"
    assert "Nurseries hold tasks." in report["text"]
    assert nowhere["kind"] == "bad_input"
    assert [state["name"] for state in listed] == ["other", "default"]
    assert saved["path"].endswith(".json")
    assert (gone["kind"], gone["code"]) == ("session_missing", 500)
    assert "# Cookies: b is 2" in resumed["text"]
    assert "# Cookies: none" in anew["text"]


async def test_results_with_empty_parts_match_their_output_schemas(site, config, open_client):
    """Rely on the client, which validates each answer against its schema."""
    async with open_client(config) as client:
        call = Caller(client)
        await call("navigate", url=site.url("/status/404"), session="nowhere")
        listed = await call("session_list")
        page = await call("browse", url=site.url("/bare"), include_media=True)
        await call("navigate", url=site.url("/bare"))
        forms = await call("snapshot", format="forms")
        filled = await call("fill_form", fields={"size": ""})
    assert [state["name"] for state in listed["sessions"]] == ["nowhere"]
    assert [one["kind"] for one in page["media"]] == ["canvas"]
    options = forms["forms"][0]["fields"][0]["options"]
    assert [one["label"] for one in options] == ["Any", ""]
    assert filled["fields"] == {"size": [""]}


async def test_errors_include_their_code_and_whether_they_are_retryable(site, config, open_client):
    async with open_client(config) as client:
        call = Caller(client)
        gone = await call.refused("browse", url=site.url("/status/404"))
        broken = await call.refused("browse", url=site.url("/status/500"))
        private = await call.refused("browse", url=site.url("/private/page"))
        unreadable = await call.refused("browse", url=site.url("/file.bin"))
        nonsense = await call.refused("browse", url=site.url("/static"), selectors=["h1["])
        beyond = await call.refused("browse", url=site.url("/static"), offset=10_000_000)
    assert (gone["code"], gone["status"], gone["retryable"]) == (200, 404, False)
    assert (broken["code"], broken["retryable"]) == (201, True)
    assert (private["kind"], private["code"]) == ("robots_refused", 301)
    assert (unreadable["code"], unreadable["reason"]) == (400, "parse")
    assert nonsense["kind"] == beyond["kind"] == "bad_input"


@pytest.mark.chromium
async def test_form_that_the_browser_does_not_send_is_reported(site, config, open_client):
    async with open_client(config) as client:
        call = Caller(client)
        await call("navigate", url=site.url("/forms/checked"), min_tier=2)
        await call("fill_form", form_id="mail", fields={"to": "nobody"})
        unsent = await call.refused("fill_form", form_id="mail", submit=True)
        again = {"fields": {"to": "a@b.example"}, "submit": True}
        sent = await call("fill_form", form_id="mail", format="text", **again)
    reported = (unsent["kind"], unsent["retryable"], unsent["effect"])
    assert reported == ("page_failed", False, "done")
    assert "to = a@b.example" in sent["text"]


@pytest.mark.chromium
async def test_tiers_escalate_as_needed_and_no_browser_is_left_behind(
    site, config, open_client, processes
):
    async with open_client(config) as client:
        call = Caller(client)
        light = await call("browse", url=site.url("/static"))
        before = processes.browsers(config)
        app = await call("browse", url=site.url("/app/broken"))
        forced = await call("browse", url=site.url("/static"), min_tier=3)
        await call("navigate", url=site.url("/forms"), min_tier=2)
        await call("fill_form", form_id="search", fields={"q": "trio"})
        sent = await call("fill_form", form_id="search", submit=True, max_tokens=500)
        tree = await call("navigate", url="reload", format="a11y", min_tier=2, max_tier=2)
        browsers = processes.browsers(config)
    assert (light["tier"], before) == (1, set())
    assert app["tier"] >= 2
    assert "without scripts" in app["tier_reason"] or "empty" in app["tier_reason"]
    assert (forced["tier"], forced["tier_reason"]) == (3, "requested")
    assert (sent["tier"], "q = trio" in sent["text"]) == (2, True)
    assert '- heading "GET received"' in tree["text"]
    assert len(browsers) == 1
    assert await processes.gone(processes.family(browsers))


async def test_snapshot_is_an_outline_unless_a_text_is_requested(site, config, open_client):
    async with open_client(config) as client:
        call = Caller(client)
        read = await client.call_tool("navigate", {"url": site.url("/forms")})
        outline = await call("snapshot")
        text = await call("snapshot", format="markdown")
        words = await call("snapshot", keywords=["Forms"])
        await call("navigate", url=site.url("/report.pdf"))
        refused = await call.refused("snapshot")
        pdf = await call("snapshot", format="markdown")
    count = len(re.findall(r"\[\d+\.\d+\]", outline["text"]))
    assert f"(Links, buttons and fields: {count}; " in text_of(read)
    assert record_of(read)["controls"] == count
    assert [one["format"] for one in (outline, text, words)] == ["outline", "markdown", "markdown"]
    assert "as text" in refused["advice"]
    assert pdf["text"]


async def test_rest_of_a_page_is_read_in_its_format(site, config, open_client):
    async with open_client(config) as client:
        given = {"url": site.url("/static"), "max_tokens": 100, "format": "text"}
        read = await client.call_tool("navigate", given)
        offset = record_of(read)["truncation"]["next_offset"]
    assert f"call snapshot with format text and offset={offset}." in text_of(read)
