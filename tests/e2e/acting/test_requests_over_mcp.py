"""Details of one request, with our own and playwright-mcp's tools, over MCP."""

import pytest

from tabwright.testing.demo import text_of
from tabwright.testing.replica.server import ServerResponse, redirect

pytestmark = pytest.mark.chromium

WORD = "correct-horse-battery"
PAGE = f"""<title>Up</title><script>
const headers = {{Authorization: 'Basic abcdef'}};
fetch('/login', {{method: 'POST', body: 'pass={WORD}', headers}})
  .then(() => fetch('/picture')).then(() => fetch('/old'))
</script><link rel=stylesheet href=/style.css><p>Up"""
BYTES = bytes(range(256))

OWN = (None, "navigate", {"format": "outline"}, "network", {"kind": "Fetch"})
THEIRS = ("playwright", "browser_navigate", {}, "browser_network_requests", {})


@pytest.fixture
def open_caller(stand, write_config, open_client, tmp_path):
    """Open clients of a server that has a secret in its settings."""
    moved = (("Location", "/new"),)
    cookie = (("Set-Cookie", "sid=cookie-value"),)
    stand.pages["/"] = ServerResponse(PAGE.encode(), headers=cookie)
    stand.pages["/login"] = ServerResponse(b"in", content_type="text/plain")
    stand.pages["/picture"] = ServerResponse(BYTES, content_type="image/x-own")
    stand.pages["/old"] = ServerResponse(b"", status=302, headers=moved)
    stand.pages["/new"] = ServerResponse(b"new", content_type="text/plain")
    stand.pages["/style.css"] = ServerResponse(b"p { color: red }", content_type="text/css")
    secrets = tmp_path / "secrets.env"
    secrets.write_text(f"PASS={WORD}\n")
    secrets.chmod(0o600)

    def opened(compat):
        return open_client(
            write_config(
                mcp={"compat": compat},
                acting={"downloads": str(tmp_path / "downloads"), "secrets": str(secrets)},
                session={"dir": str(tmp_path / "sessions")},
                log={"dir": None},
            )
        )

    return opened


async def listed(client, stand, tools):
    """Load the page and return the listed requests by the ends of their URLs."""
    _, navigate, more, lister, options = tools
    await client.call_tool(navigate, {"url": stand.url("/"), **more})
    while "/new" not in (text := text_of(await client.call_tool(lister, options))):
        pass
    return {line.split()[2].rpartition("/")[2]: line for line in text.splitlines() if "/" in line}


def number_of(line):
    return int(line.split()[0])


@pytest.mark.parametrize(
    ("tools", "of"),
    [
        (OWN, lambda number: ("network", {"request": number})),
        (THEIRS, lambda number: ("browser_network_request", {"index": number})),
    ],
    ids=["own", "playwright"],
)
async def test_request_headers_are_shown_with_credentials_hidden(stand, open_caller, tools, of):
    async with open_caller(tools[0]) as client:
        lines = await listed(client, stand, tools)
        tool, arguments = of(number_of(lines["login"]))
        shown = text_of(await client.call_tool(tool, arguments))
    assert "302 to /new" in lines["old"]
    assert f"Referer: {stand.url('/')}" in shown
    assert "Cookie: sid=(hidden)" in shown
    assert "Authorization: Basic (hidden)" in shown
    assert "Content-Type: text/plain" in shown
    assert "pass={{PASS}}" in shown
    for hidden in ("cookie-value", "abcdef", WORD):
        assert hidden not in shown


@pytest.mark.parametrize(
    ("tools", "of"),
    [
        (OWN, lambda number: ("network", {"body": number})),
        (
            THEIRS,
            lambda number: ("browser_network_request", {"index": number, "part": "response-body"}),
        ),
    ],
    ids=["own", "playwright"],
)
async def test_binary_response_body_is_described_and_saved_unchanged(
    stand, open_caller, tools, of, tmp_path
):
    async with open_caller(tools[0]) as client:
        tool, arguments = of(number_of((await listed(client, stand, tools))["picture"]))
        reported = text_of(await client.call_tool(tool, arguments))
        kept = text_of(await client.call_tool(tool, {**arguments, "filename": "../a.bin"}))
    assert "image/x-own" in reported
    assert "256 bytes" in reported
    assert "\ufffd" not in reported
    assert str(tmp_path / "downloads" / "a.bin") in kept
    assert (tmp_path / "downloads" / "a.bin").read_bytes() == BYTES
    named = [file.name for file in (tmp_path / "downloads").glob("response-*.bin")]
    assert named == ([] if tools is OWN else [f"response-{arguments['index']}.bin"])


async def test_request_list_omits_static_resources_unless_requested(stand, open_caller):
    options = {"static": True}
    async with open_caller("playwright") as client:
        fetched = await listed(client, stand, THEIRS)
        static = await client.call_tool("browser_network_requests", options)
        none = await client.call_tool("browser_network_requests", {"filter": "nowhere"})
    assert not any(" Document " in line or " Stylesheet " in line for line in fetched.values())
    assert f"GET {stand.url('/')} Document 200" in text_of(static)
    assert "style.css" in text_of(static)
    assert "static=true" in text_of(none)


@pytest.mark.parametrize("options", [{"request": 1, "body": 1}, {"filename": "a"}])
async def test_arguments_that_would_have_no_effect_are_refused(stand, open_caller, options):
    async with open_caller(None) as client:
        await listed(client, stand, OWN)
        refused = await client.call_tool("network", options)
    assert refused.is_error


@pytest.mark.parametrize("tool", ["network", "console"])
async def test_network_and_console_lists_cover_the_current_page_by_default(
    stand, open_caller, tool
):
    stand.pages["/moved"] = redirect("/two")
    for name in ("one", "two"):
        stand.put(f"/{name}", f"<p>{name}<script>console.log(location.href)</script>")
    async with open_caller(None) as client:
        for name in ("one", "moved"):
            await client.call_tool("navigate", {"url": stand.url(f"/{name}"), "format": "outline"})
        own = text_of(await client.call_tool(tool, {}))
        everything = text_of(await client.call_tool(tool, {"earlier": True}))
    assert "/two" in own
    assert "/one" not in own
    assert ("/moved" in own) is (tool == "network")
    assert "/one" in everything
    assert "/two" in everything
