"""Cookies, web storage and storage states of a session, over MCP, on Chromium."""

import json

import pytest

pytestmark = pytest.mark.chromium

WORD = "correct-horse-battery"


@pytest.fixture
async def page(site, call) -> str:
    site.put("/", "<h1>Up</h1>")
    site.put("/next", "<h1>Next</h1>")
    await call("navigate", url=site.url(), format="outline")
    return site.url()


async def test_cookie_that_is_set_is_sent_and_listed(site, call, page):
    await call("change_storage", action="set", name="tea", value="green")
    assert "tea=green" in await call("storage")
    await call("navigate", url=site.url("/next"), format="outline")
    assert site.seen("/next")[-1].cookie == "tea=green"
    assert await call.value("document.cookie") == '"tea=green"'


async def test_cookie_of_the_page_is_found_by_url_domain_and_name(site, call, page):
    await call("evaluate", script="document.cookie = 'own=1; path=/'")
    assert "own=1" in await call("storage", url=page)
    assert "own=1" in await call("storage", domain="127.0.0.1")
    assert "own=1" not in await call("storage", domain="example.com")
    assert "own=1" not in await call("storage", url="http://example.com/")
    assert "httpOnly: false" in await call("storage", name="own")
    assert "not found" in await call("storage", name="none")


async def test_value_of_http_only_cookie_is_hidden_in_a_list_and_shown_by_get(call, page):
    await call("change_storage", action="set", name="sid", value="abc123", http_only=True)
    assert "abc123" not in await call("storage")
    assert "sid=abc123" in await call("storage", name="sid")
    assert await call.value("document.cookie") == '""'


async def test_deleted_cookies_do_not_return_with_another_tab(site, call, page):
    await call("change_storage", action="set", name="a", value="1")
    await call("change_storage", action="set", name="b", value="2")
    await call("change_storage", action="delete", name="a")
    assert await call.value("document.cookie") == '"b=2"'
    await call("change_storage", action="clear")
    await call("tabs", action="open", url=site.url("/next"))
    assert await call.value("document.cookie") == '""'
    assert "No cookies" in await call("storage")


async def test_cookie_that_the_browser_refuses_is_an_error_and_is_not_kept(call, page):
    await call("change_storage", action="set", name="good", value="1")
    await call.refused("change_storage", action="set", name="bad", value="a;b\x01", domain="a b")
    assert await call.value("document.cookie") == '"good=1"'


@pytest.mark.parametrize("area", ["local", "session"])
async def test_item_of_web_storage_is_set_shown_and_removed(call, page, area):
    await call("change_storage", action="set", kind=area, name="k", value="v1")
    await call("change_storage", action="set", kind=area, name="other", value="v2")
    assert await call.value(f"{area}Storage.getItem('k')") == '"v1"'
    assert "k=v1" in await call("storage", kind=area)
    shown = await call("storage", kind=area, name="k")
    assert "k=v1" in shown
    assert "v2" not in shown
    await call("change_storage", action="delete", kind=area, name="k")
    assert "not found" in await call("storage", kind=area, name="k")
    await call("change_storage", action="clear", kind=area)
    assert await call.value(f"{area}Storage.length") == "0"


async def test_storage_state_is_saved_in_playwright_format_and_loaded(site, call, page, tmp_path):
    await call("evaluate", script="localStorage.setItem('k', 'v'); document.cookie = 'c=1; path=/'")
    await call("storage", kind="state", filename="mine.json")
    saved = json.loads((tmp_path / "downloads" / "mine.json").read_text())
    assert saved["origins"] == [
        {"origin": page.rstrip("/"), "localStorage": [{"name": "k", "value": "v"}]}
    ]
    assert [(one["name"], one["value"]) for one in saved["cookies"]] == [("c", "1")]
    await call("evaluate", script="localStorage.clear(); localStorage.setItem('x', 'y')")
    await call("change_storage", action="set", name="d", value="2")
    await call("change_storage", action="load", filename="mine.json")
    kept = "JSON.stringify([document.cookie, {...localStorage}])"
    assert json.loads(json.loads(await call.value(kept))) == ["c=1", {"k": "v"}]
    await call("navigate", url="reload", format="outline")
    assert json.loads(json.loads(await call.value(kept))) == ["c=1", {"k": "v"}]


async def test_storage_state_is_loaded_for_origins_that_are_not_open(site, call, page, tmp_path):
    other = site.url("", host="localhost")
    state = {
        "cookies": [{"name": "c", "value": "1", "domain": "localhost", "path": "/"}],
        "origins": [{"origin": other, "localStorage": [{"name": "k", "value": "v"}]}],
    }
    (tmp_path / "state.json").write_text(json.dumps(state))
    await call("change_storage", action="load", filename=str(tmp_path / "state.json"))
    await call("navigate", url=f"{other}/", format="outline")
    assert await call.value("document.cookie + localStorage.getItem('k')") == '"c=1v"'


async def test_file_that_is_not_a_storage_state_is_refused(call, page, tmp_path):
    (tmp_path / "other.json").write_text('{"cookies": 1}')
    await call.refused("change_storage", action="load", filename=str(tmp_path / "other.json"))
    await call.refused("change_storage", action="load", filename="/etc/hostname")


async def test_secret_is_inserted_by_name_masked_in_answers_and_left_out_of_files(
    site, open_caller, tmp_path
):
    secrets = tmp_path / "secrets.env"
    secrets.write_text(f"PASS={WORD}\n")
    secrets.chmod(0o600)
    site.put("/", "<h1>Up</h1>")
    async with open_caller(acting={"secrets": str(secrets)}) as call:
        await call("navigate", url=site.url(), format="outline")
        await call("change_storage", action="set", name="sid", value="{{PASS}}")
        await call("change_storage", action="set", kind="local", name="k", value="{{PASS}}")
        assert await call.value(f"localStorage.getItem('k') === '{WORD}'") == "true"
        assert WORD not in await call("storage", name="sid")
        assert WORD not in await call("storage", kind="local")
        await call("storage", kind="state", filename="state.json")
    assert WORD not in (tmp_path / "downloads" / "state.json").read_text()


MAKE = """(async () => {
  const opening = indexedDB.open("shop", 3);
  opening.onupgradeneeded = () => {
    const cart = opening.result.createObjectStore("cart", {keyPath: "id"});
    cart.createIndex("byName", "name", {unique: true});
    opening.result.createObjectStore("other", {autoIncrement: true});
  };
  const base = await new Promise(done => { opening.onsuccess = () => done(opening.result); });
  const work = base.transaction(["cart", "other"], "readwrite");
  work.objectStore("cart").put({id: 1, name: "tea", at: new Date(0), n: 5n, list: [1, null]});
  work.objectStore("other").put("value", "key");
  await new Promise(done => { work.oncomplete = done; });
  base.close();
})()"""
READ = """(async () => {
  const opening = indexedDB.open("shop");
  const base = await new Promise(done => { opening.onsuccess = () => done(opening.result); });
  const get = request => new Promise(done => { request.onsuccess = () => done(request.result); });
  const cart = base.transaction("cart").objectStore("cart");
  const tea = await get(cart.index("byName").get("tea"));
  const other = await get(base.transaction("other").objectStore("other").get("key"));
  base.close();
  return [tea.at.getTime(), String(tea.n), tea.list, other, base.version].join();
})()"""


async def test_databases_are_saved_and_restored_for_open_pages(site, call, page, tmp_path):
    await call("evaluate", script=MAKE)
    await call("storage", kind="state", filename="db.json", indexed_db=True)
    [origin] = json.loads((tmp_path / "downloads" / "db.json").read_text())["origins"]
    assert [store["name"] for store in origin["indexedDB"][0]["stores"]] == ["cart", "other"]
    await call("evaluate", script="void indexedDB.deleteDatabase('shop')")
    await call("change_storage", action="load", filename="db.json")
    assert await call.value(READ) == '"0,5,1,,value,3"'
    other = {"origin": "https://example.com", "indexedDB": origin["indexedDB"]}
    (tmp_path / "more.json").write_text(json.dumps({"origins": [other]}))
    reported = await call("change_storage", action="load", filename=str(tmp_path / "more.json"))
    assert "not restored" in reported
