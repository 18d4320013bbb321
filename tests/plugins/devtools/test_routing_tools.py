"""Request routing and context options, over MCP, on Chromium."""

import base64
import json

import pytest
import trio

from tabwright.testing.replica.server import ServerResponse

pytestmark = pytest.mark.chromium

GET = "fetch('{}').then(answer => answer.text()).then(text => text, error => 'failed')"
STATUS = "fetch('{}').then(answer => answer.status + ' ' + answer.headers.get('content-type'))"


def text(body: str) -> ServerResponse:
    return ServerResponse(body.encode(), content_type="text/plain")


@pytest.fixture
async def page(site, call) -> str:
    site.put("/", "<h1>Up</h1>")
    site.pages["/api/tea"] = text("green")
    site.pages["/api/cup"] = text("blue")
    await call("navigate", url=site.url(), format="outline")
    return site.url()


@pytest.mark.smoke
async def test_matching_request_is_answered_and_never_sent(site, call, page):
    await call(
        "route",
        action="add",
        pattern="**/api/tea",
        status=418,
        body='{"tea": "black"}',
        content_type="application/json",
    )
    assert await call.value(GET.format("/api/tea")) == json.dumps('{"tea": "black"}')
    assert await call.value(STATUS.format("/api/tea")) == '"418 application/json"'
    assert await call.value(GET.format("/api/cup")) == '"blue"'
    assert site.seen("/api/tea") == []


async def test_blocked_request_fails_until_its_route_is_removed(site, call, page):
    await call("route", action="add", pattern="**/api/**", block=True)
    await call("route", action="add", pattern="**/other", block=True)
    assert await call.value(GET.format("/api/tea")) == '"failed"'
    assert "**/api/**" in await call("route")
    await call("route", action="remove", pattern="**/api/**")
    assert await call.value(GET.format("/api/tea")) == '"green"'
    assert "**/other" in await call("route")
    await call("route", action="remove")
    assert "No active routes" in await call("route")


async def test_cancelled_change_of_context_options_is_rolled_back(site, call, page):
    begin = trio.Event()

    async def held(exchange):
        await begin.wait()
        await exchange.answer(text("begin"))

    site.pages["/begin"] = held
    busy = "{ fetch('/busy'); const end = Date.now() + 5000; while (Date.now() < end); }"
    await call.value(f"fetch('/begin').then(() => {busy}), 1")
    begin.set()
    with trio.fail_after(60):
        while not site.seen("/busy"):
            await trio.sleep(0.02)
    with trio.move_on_after(0.5) as scope:
        await call("emulate", headers=["X-Own: 1"], cpu_rate=2)
    assert scope.cancelled_caught
    await call.value("1")
    await call.value(GET.format("/api/tea"))
    assert "x-own" not in site.seen("/api/tea")[0].headers


async def test_headers_of_matching_requests_are_set_and_removed(site, call, page):
    await call("route", action="add", pattern="**/api/tea", headers=["X-Tea: green"])
    await call("route", action="add", pattern="**/api/cup", remove_headers=["X-Cup"])
    await call.value(GET.format("/api/tea"))
    await call.value("fetch('/api/cup', {headers: {'X-Cup': '1', 'X-Kept': '2'}}).then(() => 1)")
    assert site.seen("/api/tea")[0].headers["x-tea"] == "green"
    assert "x-tea" not in site.seen("/api/cup")[0].headers
    assert "x-cup" not in site.seen("/api/cup")[0].headers
    assert site.seen("/api/cup")[0].headers["x-kept"] == "2"


async def test_recorded_responses_of_a_har_file_are_replayed(site, call, page, tmp_path):
    body = base64.b64encode(b"recorded").decode()
    entry = {
        "request": {"method": "GET", "url": site.url("/api/tea"), "headers": []},
        "response": {
            "status": 203,
            "headers": [{"name": "Content-Encoding", "value": "br"}],
            "content": {"mimeType": "text/x-own", "text": body, "encoding": "base64"},
        },
    }
    (tmp_path / "all.har").write_text(json.dumps({"log": {"entries": [entry]}}))
    await call("route", action="add", pattern="**", har=str(tmp_path / "all.har"))
    assert await call.value(GET.format("/api/tea")) == '"recorded"'
    assert await call.value(STATUS.format("/api/tea")) == '"203 text/x-own"'
    assert await call.value(GET.format("/api/cup")) == '"blue"'
    (tmp_path / "no.har").write_text("{}")
    await call.refused("route", action="add", pattern="**", har=str(tmp_path / "no.har"))


async def test_routes_apply_to_new_tabs_frames_and_documents(site, call, page):
    inner = site.url("/inner", host="localhost")
    site.put("/two", f"<h1>Two</h1><iframe src={inner}></iframe>")
    html = "<h1>Answered</h1>"
    await call(
        "route",
        action="add",
        pattern="**/inner",
        body=html,
        content_type="text/html; charset=utf-8",
    )
    await call("tabs", action="open", url=site.url("/two"))
    assert "Answered" in await call("wait_for", text="Answered")
    assert site.seen("/inner") == []


async def test_route_does_not_override_denied_urls(site, open_caller):
    site.put("/", "<h1>Up</h1>")
    denied = f"localhost:{site.port}"
    async with open_caller(network={"deny_urls": [denied]}) as call:
        await call("navigate", url=site.url(), format="outline")
        await call("route", action="add", pattern="**", body="mine", headers=["X-A: b"])
        assert await call.value(GET.format(site.url("/x"))) == '"mine"'
        assert await call.value(GET.format(f"http://{denied}/x")) == '"failed"'
        await call.refused("navigate", url=f"http://{denied}/", format="outline")


async def test_offline_and_throttling_hold_until_they_are_reset(site, call, page):
    await call("emulate", offline=True)
    assert await call.value(GET.format("/api/tea")) == '"failed"'
    refusal = await call.refused("navigate", url=site.url("/"), format="outline")
    assert "ERR_INTERNET_DISCONNECTED" in refusal
    await call("emulate", reset=["offline"], throttling="slow-3g")
    await call("navigate", url=site.url("/"), format="outline")
    slow = "(async () => { const t = performance.now(); await (await fetch('/api/cup')).text(); "
    assert float(await call.value(slow + "return performance.now() - t; })()")) > 1500
    assert "slow-3g" in await call("emulate")
    await call("emulate", reset=["throttling"])
    assert float(await call.value(slow + "return performance.now() - t; })()")) < 1500


async def test_context_options_set_before_the_first_page_apply_to_it(site, open_caller):
    site.put("/", "<h1>Up</h1>")
    async with open_caller() as call:
        await call("emulate", headers=["X-Own: 1"], user_agent="Own/1.0")
        await call("navigate", url=site.url(), format="outline")
        assert site.seen("/")[-1].headers["x-own"] == "1"
        assert site.seen("/")[-1].user_agent == "Own/1.0"
        assert await call.value("navigator.userAgent") == '"Own/1.0"'
        await call("emulate", reset=["headers", "user_agent"])
        await call("navigate", url="reload", format="outline")
        assert "x-own" not in site.seen("/")[-1].headers
        assert "Chrome/" in site.seen("/")[-1].user_agent


async def test_context_options_with_headers_apply_to_pages_read_over_http(site, open_caller):
    site.put("/", "<h1>Plain</h1><p>Enough text to be read without a browser." * 5)
    async with open_caller() as call:
        await call("browse", url=site.url(), session="shop")
        assert "x-own" not in site.seen("/")[-1].headers
        await call("emulate", headers=["X-Own: 1"], session="shop")
        await call("browse", url=site.url(), session="shop", max_tier=1)
        assert site.seen("/")[-1].headers["x-own"] == "1"
        await call("emulate", reset=["headers"], session="shop")
        await call("browse", url=site.url(), session="shop")
        assert "x-own" not in site.seen("/")[-1].headers
        await call("browse", url=site.url())
        assert "x-own" not in site.seen("/")[-1].headers


async def test_credentials_are_sent_to_their_origin_alone_and_never_shown(site, call, page):
    async def guarded(exchange):
        sent = exchange.seen.headers.get("authorization", "")
        if sent == "Basic " + base64.b64encode(b"ann:let-me-in").decode():
            await exchange.answer(text("inside"))
        else:
            ask = (("WWW-Authenticate", 'Basic realm="own"'),)
            await exchange.answer(ServerResponse(b"out", status=401, headers=ask))

    site.pages["/guarded"] = guarded
    assert await call.value(GET.format("/guarded")) == '"out"'
    login = {"origin": site.url("/any"), "user": "ann", "password": "let-me-in"}
    shown = await call("emulate", credentials=login)
    assert "let-me-in" not in shown
    assert "inside" in await call("navigate", url=site.url("/guarded"))
    other = site.url("/guarded", host="localhost")
    assert "inside" not in await call("navigate", url=other, format="outline")
    wrong = {**login, "password": "wrong"}
    await call("emulate", credentials=wrong, session="third")
    await call("navigate", url=site.url("/guarded"), format="outline", session="third")
    sent = [one.headers.get("authorization") for one in site.seen("/guarded")]
    assert len(sent) < 12


async def test_geolocation_and_permissions_reach_the_page(call, page):
    where = (
        "new Promise(done => navigator.geolocation.getCurrentPosition("
        "place => done([place.coords.latitude, place.coords.longitude]), e => done(e.code)))"
    )
    assert await call.value(where) == "1"
    await call("emulate", geolocation=[52.5, 13.4], permissions=["geolocation"])
    assert json.loads(await call.value(where)) == [52.5, 13.4]
    await call("emulate", reset=["geolocation", "permissions"])
    assert await call.value(where) == "1"


async def test_device_sets_view_touch_and_user_agent(site, call, page):
    head = "<meta name=viewport content=width=device-width>"
    site.put("/phone", f"{head}<h1>Phone</h1>")
    await call("emulate", device="iphone 15")
    await call("navigate", url=site.url("/phone"), format="outline")
    shown = "[innerWidth, devicePixelRatio, navigator.maxTouchPoints > 0]"
    assert json.loads(await call.value(shown)) == [393, 3, True]
    assert "iPhone" in site.seen("/phone")[-1].user_agent
    await call("emulate", reset=["device"])
    assert json.loads(await call.value(shown))[1] == 1


INVALID = [
    {"device": "iFone"},
    {"permissions": ["everything"]},
    {"geolocation": [91, 0]},
    {"headers": ["no header"]},
    {"headers": ["X: a\nY: b"]},
    {"user_agent": "a\nb"},
    {"credentials": {"origin": "ftp://x", "user": "a", "password": "b"}},
]


async def test_invalid_context_option_is_refused_and_changes_nothing(call, page):
    for wrong in INVALID:
        await call.refused("emulate", offline=True, **wrong)
        assert "defaults" in await call("emulate")


async def test_pop_up_becomes_one_tab_with_the_routes_of_its_session(site, call, page):
    site.put("/", "<a href=/two target=_blank>Open</a>")
    site.put("/two", "<h1>Two</h1>")
    await call("navigate", url="reload", format="outline")
    await call("route", action="add", pattern="**/api/tea", body="black")
    await call("click", ref="text=Open")
    assert await call.value("location.pathname") == '"/two"'
    assert await call.value(GET.format("/api/tea")) == '"black"'
    await call("click", ref="css=h1")
    await call("tabs", action="switch", tab=1)
    await call("click", ref="css=a")
    listed = await call("tabs")
    assert listed.count("/two") == 2, listed
    assert site.seen("/api/tea") == []
