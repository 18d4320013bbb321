"""Tools that capabilities add under playwright-mcp's names, on Chromium."""

import json
import re

import pytest

from tabwright.config.loader import override, settings_from
from tabwright.protocol.errors import SettingsError

pytestmark = pytest.mark.chromium

CAPABILITIES = ["vision", "pdf", "storage", "network", "testing"]

BODY = """<h1>Up</h1><button onclick="note('pressed')">Save</button>
<input aria-label=Name value=Ann>
<ul><li>Apple<li>Banana</ul><div id=pad style="position: fixed; left: 0; top: 300px; width: 300px;
height: 200px; background: silver; user-select: none"></div><div style="height: 4000px"></div>
<script>
  const note = what => { document.title += ' ' + what; };
  for (const kind of ['mousedown', 'mouseup', 'dblclick', 'contextmenu'])
    pad.addEventListener(kind, event => note(`${kind}:${event.button}:${event.clientX}`));
  addEventListener('wheel', event => note(`wheel:${event.deltaY}`));
</script>"""


@pytest.fixture
async def call(site, open_caller):
    site.put("/", BODY)
    mcp = {"compat": "playwright", "tools": None}
    async with open_caller(mcp=mcp, playwright={"caps": CAPABILITIES}) as caller:
        await caller("browser_navigate", url=site.url())
        yield caller


async def title(call) -> str:
    return await call("browser_evaluate", function="() => document.title")


async def test_mouse_acts_at_points_of_the_view(call):
    await call("browser_mouse_click_xy", x=50, y=350)
    assert "mousedown:0:50 mouseup:0:50" in await title(call)
    await call("browser_mouse_click_xy", x=60, y=350, button="right", clickCount=1)
    assert "contextmenu:2:60" in await title(call)
    await call("browser_mouse_click_xy", x=70, y=350, clickCount=2, delay=20)
    assert "dblclick:0:70" in await title(call)
    await call("browser_mouse_move_xy", x=80, y=350)
    await call("browser_mouse_down")
    await call("browser_mouse_move_xy", x=90, y=350)
    await call("browser_mouse_up")
    await call("browser_mouse_drag_xy", startX=100, startY=350, endX=110, endY=360)
    shown = await title(call)
    assert "mousedown:0:80 mouseup:0:90 mousedown:0:100 mouseup:0:110" in shown
    await call("browser_mouse_wheel", deltaX=0, deltaY=500)
    assert "wheel:500" in await title(call)


async def test_cookies_and_storage_have_playwright_s_tools(site, call, tmp_path):
    await call("browser_cookie_set", name="tea", value="green", sameSite="Lax", httpOnly=True)
    assert "sameSite: Lax" in await call("browser_cookie_get", name="tea")
    for area in ("local", "session"):
        await call(f"browser_{area}storage_set", key="k", value=area)
        assert f"k={area}" in await call(f"browser_{area}storage_get", key="k")
        assert f"k={area}" in await call(f"browser_{area}storage_list")
    saved = await call("browser_storage_state")
    path = re.search(r"\S+storage-state-\S+\.json", saved)[0]
    await call("browser_cookie_clear")
    await call("browser_localstorage_clear")
    await call("browser_sessionstorage_delete", key="k")
    assert "No cookies found" in await call("browser_cookie_list")
    await call("browser_set_storage_state", filename=path)
    assert "tea" in await call("browser_cookie_list", domain="127.0.0.1")
    assert "k=local" in await call("browser_localstorage_list")
    await call("browser_cookie_delete", name="tea")
    assert "not found" in await call("browser_cookie_get", name="tea")


async def test_playwright_tools_route_requests_and_take_the_network_offline(call):
    get = "() => fetch('/api').then(answer => answer.text(), () => 'failed')"
    await call("browser_route", pattern="**/api", body="mine", contentType="text/plain")
    assert "mine" in await call("browser_evaluate", function=get)
    assert "**/api" in await call("browser_route_list")
    assert "Removed 1 route" in await call("browser_unroute", pattern="**/api")
    await call("browser_network_state_set", state="offline")
    assert '"failed"' in await call("browser_evaluate", function=get)
    await call("browser_network_state_set", state="online")
    assert '"failed"' not in await call("browser_evaluate", function=get)


@pytest.mark.smoke
async def test_playwright_tools_verify_locate_and_save_a_page_as_pdf(call, tmp_path):
    await call("browser_verify_text_visible", text="Banana")
    await call("browser_verify_element_visible", role="button", accessibleName="Save")
    await call("browser_verify_value", type="textbox", target="input", value="Ann")
    await call("browser_verify_list_visible", target="ul", items=["Apple", "Banana"])
    await call.refused("browser_verify_list_visible", target="ul", items=["Cherry"])
    await call.refused("browser_verify_value", type="textbox", target="input", value="Bob")
    assert "getByRole" in await call("browser_generate_locator", target="button")
    await call("browser_pdf_save", filename="one.pdf")
    assert (tmp_path / "downloads" / "one.pdf").read_bytes().startswith(b"%PDF")


async def test_tool_of_a_disabled_capability_is_refused_with_a_hint(site, open_caller):
    async with open_caller(mcp={"compat": "playwright", "tools": None}) as call:
        listed = {tool.name for tool in (await call.client.list_tools()).tools}
        assert "browser_click" in listed
        assert "browser_cookie_list" not in listed
        assert "--caps storage" in await call.refused("browser_cookie_list")
        await call.refused("browser_of_dreams")


async def test_new_sessions_use_configured_state_device_scripts_and_permissions(
    site, open_caller, tmp_path
):
    head = "<meta name=viewport content=width=device-width>"
    site.put("/", f"{head}<h1>Up</h1><script>document.title = window.early</script>")
    (tmp_path / "early.js").write_text("window.early = 'first'")
    origin = site.url().rstrip("/")
    state = {
        "cookies": [{"name": "c", "value": "1", "domain": "127.0.0.1", "path": "/"}],
        "origins": [{"origin": origin, "localStorage": [{"name": "k", "value": "v"}]}],
    }
    (tmp_path / "state.json").write_text(json.dumps(state))
    acting = {
        "init_scripts": [str(tmp_path / "early.js")],
        "device": "Pixel 10",
        "permissions": ["clipboard-read", "clipboard-write"],
    }
    session = {"storage_state": str(tmp_path / "state.json")}
    async with open_caller(acting=acting, session=session) as call:
        await call("navigate", url=site.url(), format="outline")
        shown = "[document.title, innerWidth, document.cookie, localStorage.getItem('k')]"
        assert json.loads(await call.value(shown)) == ["first", 360, "c=1", "v"]
        copied = "navigator.clipboard.writeText('x').then(() => navigator.clipboard.readText())"
        assert await call.value(copied) == '"x"'


@pytest.mark.parametrize(
    "groups",
    [
        {"acting": {"init_scripts": ["/none.js"]}},
        {"acting": {"device": "iFone"}},
        {"acting": {"permissions": ["all"]}},
        {"session": {"storage_state": "/none.json"}},
    ],
)
async def test_setting_with_unknown_device_permission_or_file_is_refused(groups):
    [(group, values)] = groups.items()
    with pytest.raises(SettingsError):
        settings_from(override(**{f"{group}__{key}": value for key, value in values.items()}))
