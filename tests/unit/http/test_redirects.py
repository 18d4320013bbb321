from pathlib import Path

import pytest

from tabwright.http.client import Client
from tabwright.protocol.errors import BadInput, Effect, ErrorCode, NavigationFailed, TabwrightError
from tabwright.protocol.fetch import Fetch, Payload

from .web import Asked, Open, Reply, Web, by_path, redirect

FORM = Payload(b"q=1", "application/x-www-form-urlencoded")


def stairs(steps: int) -> dict[str, Reply]:
    return {str(step): redirect(f"/{step + 1}") for step in range(steps)}


@pytest.mark.parametrize("steps", range(11))
async def test_up_to_10_redirects_are_followed(web: Web, client: Client, steps: int) -> None:
    web.site("a.example", by_path(**stairs(steps), **{str(steps): Reply(b"top")}))
    fetched = await client.fetch(Fetch("http://a.example/0"))
    assert fetched.body == b"top"
    assert fetched.page.url == f"http://a.example/{steps}"
    assert fetched.chain == tuple(f"http://a.example/{step}" for step in range(steps))
    assert len(web.connected) == 1


@pytest.mark.parametrize("steps", [11, 12])
async def test_more_than_10_redirects_are_refused(web: Web, client: Client, steps: int) -> None:
    web.site("a.example", by_path(**stairs(steps), **{str(steps): Reply(b"top")}))
    with pytest.raises(NavigationFailed, match="redirects more than 10 times") as caught:
        await client.fetch(Fetch("http://a.example/0"))
    assert not caught.value.retryable
    assert caught.value.code is ErrorCode.NETWORK
    assert len(web.asked) == 11


async def test_redirect_loop_is_reported_with_its_urls(web: Web, client: Client) -> None:
    web.site("a.example", by_path(x=redirect("/y"), y=redirect("/z"), z=redirect("/y#part")))
    with pytest.raises(NavigationFailed, match="redirects in a loop") as caught:
        await client.fetch(Fetch("http://a.example/x"))
    assert "http://a.example/y -> http://a.example/z -> http://a.example/y#part." in str(
        caught.value
    )
    assert web.paths == ["/x", "/y", "/z"]


@pytest.mark.parametrize("session", ["", "s"])
async def test_redirect_to_self_that_sets_a_cookie_is_not_a_loop(
    session: str, web: Web, client: Client
) -> None:
    async def wants(asked: Asked) -> Reply:
        if "cookie" in asked.headers:
            return Reply(b"welcome")
        return redirect("/", Set_Cookie="seen=1")

    web.site("a.example", wants)
    fetched = await client.fetch(Fetch("http://a.example/", session=session))
    assert fetched.body == b"welcome"


async def test_cookies_of_redirects_are_sent_as_their_attributes_say(
    web: Web, client: Client
) -> None:
    """They go to their own host and path, and are gone with the next fetch."""
    replies = {
        "index": redirect("/x/set", Set_Cookie="page=1"),
        "x/set": redirect("http://b.example/", Set_Cookie="folder=1"),
        "back": redirect("/x/last", Set_Cookie="shared=1; Domain=a.example"),
        "x/last": Reply(b"last"),
    }
    web.site("a.example", by_path(**replies))
    web.site("b.example", redirect("http://a.example/back", Set_Cookie="other=1"))
    for _ in range(2):
        await client.fetch(Fetch("http://a.example/"))
    sent = ["", "page=1", "", "page=1", "folder=1; page=1; shared=1"]
    assert [asked.headers.get("cookie", "") for asked in web.asked] == sent * 2


async def test_no_cookie_of_a_redirect_is_sent_if_cookies_are_off(
    web: Web, open_client: Open
) -> None:
    web.site("a.example", by_path(x=redirect("/y", Set_Cookie="seen=1"), y=Reply(b"there")))
    await open_client(cookies="none").fetch(Fetch("http://a.example/x"))
    assert ["cookie" in asked.headers for asked in web.asked] == [False, False]


async def test_response_to_cookie_of_a_redirect_is_not_cached(
    web: Web, open_client: Open, tmp_path: Path
) -> None:
    fresh = Reply(b"there", headers=(("Cache-Control", "max-age=60"),))
    web.site("a.example", by_path(x=redirect("/y", Set_Cookie="seen=1"), y=fresh))
    client = open_client(cache=tmp_path)
    await client.fetch(Fetch("http://a.example/x"))
    assert not (await client.fetch(Fetch("http://a.example/y"))).from_cache


@pytest.mark.parametrize(
    ("status", "method", "body"),
    [
        (301, "GET", b""),
        (302, "GET", b""),
        (303, "GET", b""),
        (307, "POST", b"q=1"),
        (308, "POST", b"q=1"),
    ],
)
async def test_redirect_status_decides_whether_the_form_is_reposted(
    web: Web, client: Client, status: int, method: str, body: bytes
) -> None:
    web.site("a.example", by_path(form=redirect("/done", status), done=Reply(b"done")))
    own = (("Content-Language", "de"), ("X-Own", "1"))
    await client.fetch(Fetch("http://a.example/form", payload=FORM, headers=own))
    first, last = web.asked
    assert (first.method, first.body) == ("POST", b"q=1")
    assert first.headers["content-type"] == FORM.media_type
    assert (last.method, last.body) == (method, body)
    assert ("content-type" in last.headers) is ("content-language" in last.headers) is bool(body)
    assert last.headers["x-own"] == "1"


async def test_caller_credentials_are_dropped_on_cross_origin_redirect(
    web: Web, client: Client
) -> None:
    web.site("a.example", by_path(x=redirect("/y"), y=redirect("http://b.example/")))
    web.site("b.example", redirect("http://a.example/z"))
    own = (("Authorization", "Basic x"), ("Cookie", "a=1"), ("X-Own", "1"))
    await client.fetch(Fetch("http://a.example/x", headers=own))
    reported = [
        ("authorization" in asked.headers, "cookie" in asked.headers) for asked in web.asked
    ]
    assert reported == [(True, True), (True, True), (False, False), (False, False)]
    assert {asked.headers["x-own"] for asked in web.asked} == {"1"}


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("/y", "http://a.example/y#part"),
        ("y?q=a b", "http://a.example/x/y?q=a%20b#part"),
        ("../y#own", "http://a.example/y#own"),
        ("//b.example/y", "http://b.example/y#part"),
        ("HTTP://B.example/y", "http://b.example/y#part"),
        ("/caf\u00e9", "http://a.example/caf%C3%A9#part"),
        ("?q=2", "http://a.example/x/?q=2#part"),
    ],
)
async def test_location_header_is_resolved_against_the_request_url(
    web: Web, client: Client, location: str, url: str
) -> None:
    here = Reply(b"here")

    async def site(asked: Asked) -> Reply:
        first = asked.path == "/x/" and asked.headers["host"] == "a.example"
        return redirect(location) if first else here

    web.site("a.example", site)
    web.site("b.example", here)
    fetched = await client.fetch(Fetch("http://a.example/x/#part"))
    assert fetched.page.url == url
    assert fetched.body == b"here"


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1/",
        "http://localhost/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://2130706433/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "ftp://b.example/",
        "http://user:secret@b.example/",
        "http://[",
        "http://b.example:99999/",
    ],
)
async def test_redirect_to_a_refused_url_is_not_followed(
    web: Web, client: Client, location: str
) -> None:
    web.site("a.example", redirect(location))
    with pytest.raises(BadInput):
        await client.fetch(Fetch("http://a.example/"))
    assert len(web.connected) == 1


@pytest.mark.parametrize("reply", [Reply(b"many", 300), Reply(b"odd", 302), Reply(b"", 304)])
async def test_redirect_status_without_location_is_returned_as_response(
    web: Web, client: Client, reply: Reply
) -> None:
    web.site("a.example", reply)
    fetched = await client.fetch(Fetch("http://a.example/"))
    assert (fetched.page.status, fetched.body) == (reply.status, reply.body)


async def test_redirect_is_followed_without_waiting_for_its_body(
    web: Web, open_client: Open, autojump_clock: object
) -> None:
    async def endless(asked: Asked) -> Reply | None:
        if asked.path == "/y":
            return Reply(b"there")
        head = b"HTTP/1.1 302 Found\r\nLocation: /y\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"
        await asked.stream.send_all(head)
        await asked.stream.receive_some()
        return None

    web.site("a.example", endless)
    fetched = await open_client(timeout_s=5).fetch(Fetch("http://a.example/"))
    assert fetched.body == b"there"
    assert len(web.connected) == 2


@pytest.mark.parametrize(
    ("to", "effect"),
    [
        ("http://10.0.0.1/", Effect.UNKNOWN),
        ("ftp://a.example/", Effect.UNKNOWN),
        ("http://nowhere.example/", Effect.UNKNOWN),
    ],
)
async def test_failed_redirect_has_unknown_effect_after_its_first_hop(
    web: Web, client: Client, to: str, effect: Effect
) -> None:
    web.site("a.example", redirect(to))
    with pytest.raises(TabwrightError) as caught:
        await client.fetch(Fetch("http://a.example/"))
    assert caught.value.effect is effect
    with pytest.raises(TabwrightError) as caught:
        await client.fetch(Fetch(to))
    assert caught.value.effect is Effect.NONE
