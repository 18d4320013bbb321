import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from tabwright.http.robots import BYTES_MAX, KEPT_S, SITES_MAX, UNWELL_S, normal, read_robots
from tabwright.protocol.errors import BadInput, ErrorCode, NavigationFailed, RobotsRefused
from tabwright.protocol.fetch import Fetch

from .web import Asked, Handler, Open, Reply, Web, by_path, redirect

FILE = b"""
User-agent: *
Disallow: /private  # not for programs
Allow: /private/open
"""


def with_robots(reply: Reply | Handler) -> Handler:
    async def site(asked: Asked) -> Reply | None:
        if asked.path == "/robots.txt":
            return await reply(asked) if callable(reply) else reply
        return Reply(b"page")

    return site


async def test_robots_disallowed_path_is_refused(web: Web, open_client: Open) -> None:
    web.site("a.example", with_robots(Reply(FILE)))
    client = open_client(robots=True)
    assert (await client.fetch(Fetch("http://a.example/private/open"))).body == b"page"
    with pytest.raises(RobotsRefused, match=r"a\.example/private/1 for programs") as caught:
        await client.fetch(Fetch("http://a.example/private/1"))
    assert "network.robots" in caught.value.advice
    assert (caught.value.code, caught.value.retryable) == (ErrorCode.BLOCKED, False)
    assert web.paths == ["/robots.txt", "/private/open"]
    assert len(web.connected) == 1


@pytest.mark.parametrize(
    "path", ["/open/../private/1", "/open/%2e%2e/private/1", "//private/1", "/%70rivate//1"]
)
async def test_other_spelling_of_a_disallowed_path_is_refused(
    path: str, web: Web, open_client: Open
) -> None:
    web.site("a.example", with_robots(Reply(FILE)))
    with pytest.raises(RobotsRefused):
        await open_client(robots=True).fetch(Fetch(f"http://a.example{path}"))
    assert web.paths == ["/robots.txt"]


async def test_robots_file_is_not_requested_when_disabled(web: Web, open_client: Open) -> None:
    web.site("a.example", with_robots(Reply(FILE)))
    await open_client(robots=False).fetch(Fetch("http://a.example/private/1"))
    assert web.paths == ["/private/1"]


async def test_robots_txt_is_fetched_again_after_an_hour(
    web: Web, open_client: Open, autojump_clock: object
) -> None:
    web.site("a.example", with_robots(Reply(FILE)))
    client = open_client(robots=True)
    for after_s in (0, KEPT_S - 1, 2):
        await trio.sleep(after_s)
        await client.fetch(Fetch("http://a.example/x"))
    assert web.paths == ["/robots.txt", "/x", "/x", "/robots.txt", "/x"]


async def test_robots_txt_is_fetched_for_each_origin(web: Web, open_client: Open) -> None:
    web.site("a.example", with_robots(Reply(FILE)))
    client = open_client(robots=True)
    await client.fetch(Fetch("http://a.example/x"))
    await client.fetch(Fetch("http://a.example:81/x"))
    assert web.paths == ["/robots.txt", "/x"] * 2


async def test_robots_cache_evicts_the_oldest_site(web: Web, open_client: Open) -> None:
    client = open_client(robots=True)
    hosts = [f"n{number}.example" for number in range(SITES_MAX + 1)]
    for host in (*hosts, hosts[-1], hosts[0]):
        web.site(host, with_robots(Reply(FILE)))
        await client.fetch(Fetch(f"http://{host}/x"))
    assert web.paths.count("/robots.txt") == SITES_MAX + 2


async def test_redirect_to_a_disallowed_path_is_refused(web: Web, open_client: Open) -> None:
    web.site("a.example", by_path(x=redirect("http://b.example/private")))
    web.site("b.example", with_robots(Reply(FILE)))
    with pytest.raises(RobotsRefused):
        await open_client(robots=True).fetch(Fetch("http://a.example/x"))
    assert web.paths == ["/robots.txt", "/x", "/robots.txt"]


async def test_robots_request_omits_caller_headers_and_cookies(web: Web, open_client: Open) -> None:
    web.site("a.example", with_robots(Reply(FILE, headers=(("Set-Cookie", "robot=1"),))))
    client = open_client(robots=True)
    own = (("Authorization", "Basic x"), ("X-Own", "1"))
    await client.fetch(Fetch("http://a.example/x", session="s", headers=own, user_agent="Other"))
    robots, page = web.asked
    assert not {"authorization", "x-own", "cookie"} & set(robots.headers)
    assert robots.headers["user-agent"] == "tabwright/0"
    assert "cookie" not in page.headers


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
async def test_robots_client_error_allows_every_path(
    web: Web, open_client: Open, status: int
) -> None:
    web.site("a.example", with_robots(Reply(FILE, status)))
    await open_client(robots=True).fetch(Fetch("http://a.example/private/1"))


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_unavailable_robots_txt_blocks_its_site_for_a_minute(
    web: Web, open_client: Open, autojump_clock: object, status: int
) -> None:
    replies = iter([Reply(b"", status), Reply(FILE)])

    async def recovers(asked: Asked) -> Reply:
        return next(replies)

    web.site("a.example", with_robots(recovers))
    client = open_client(robots=True)
    for _ in range(2):
        with pytest.raises(RobotsRefused, match=r"did not return its robots\.txt") as caught:
            await client.fetch(Fetch("http://a.example/x"))
        assert caught.value.retryable
    await trio.sleep(UNWELL_S)
    await client.fetch(Fetch("http://a.example/x"))
    assert web.paths == ["/robots.txt", "/robots.txt", "/x"]


async def test_unreachable_site_is_not_reported_as_robots_refusal(
    web: Web, open_client: Open
) -> None:
    async def hangs_up(asked: Asked) -> None:
        pass

    web.site("a.example", hangs_up)
    with pytest.raises(NavigationFailed, match="closed the connection") as caught:
        await open_client(robots=True).fetch(Fetch("http://a.example/x"))
    assert not isinstance(caught.value, RobotsRefused)


@pytest.mark.parametrize("hops", [5, 6])
async def test_robots_txt_is_read_after_five_redirects_and_ignored_after_six(
    web: Web, open_client: Open, hops: int
) -> None:
    steps = {f"r{step}": redirect(f"/r{step + 1}") for step in range(1, hops)}
    site = {**steps, f"r{hops}": Reply(FILE), "robots.txt": redirect("/r1"), "private": Reply()}
    web.site("a.example", by_path(**site))
    fetching = open_client(robots=True).fetch
    if hops == 5:
        with pytest.raises(RobotsRefused):
            await fetching(Fetch("http://a.example/private"))
    else:
        await fetching(Fetch("http://a.example/private"))


async def test_robots_redirect_to_a_private_address_allows_every_path(
    web: Web, open_client: Open
) -> None:
    web.site("a.example", with_robots(redirect("http://127.0.0.1/robots.txt")))
    await open_client(robots=True).fetch(Fetch("http://a.example/private"))
    assert web.paths == ["/robots.txt", "/private"]


async def test_private_address_with_robots_enabled_is_bad_input(
    web: Web, open_client: Open
) -> None:
    web.site("a.example", Reply(), "10.0.0.1")
    with pytest.raises(BadInput):
        await open_client(robots=True).fetch(Fetch("http://a.example/"))


async def test_robots_file_is_read_only_up_to_its_size_limit(web: Web, open_client: Open) -> None:
    text = b"User-agent: *\nDisallow: /early\n" + b"#" * BYTES_MAX + b"\nDisallow: /late\n"
    web.site("a.example", with_robots(Reply(text)))
    client = open_client(robots=True, bytes_max=10)
    assert (await client.fetch(Fetch("http://a.example/late"))).body == b"page"
    with pytest.raises(RobotsRefused):
        await client.fetch(Fetch("http://a.example/early"))


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        ("", "/x", True),
        ("Disallow: /", "/x", True),
        ("User-agent: *\nDisallow: /", "/x", False),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("User-agent: *\nDisallow:", "/x", True),
        ("user-AGENT:*\r\ndisallow:/x", "/xy", False),
        ("\ufeffUser-agent: *\nDisallow: /", "/x", False),
        ("User-agent: tabwright\nDisallow: /", "/x", False),
        ("User-agent: TabWright/1.0 (like others)\nDisallow: /", "/x", False),
        ("User-agent: tabwrighter\nDisallow: /", "/x", True),
        ("User-agent: other\nDisallow: /", "/x", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: tabwright\nDisallow:", "/x", True),
        ("User-agent: tabwright\nAllow: /a\n\nUser-agent: *\nDisallow: /", "/x", True),
        ("User-agent: other\nUser-agent: *\nDisallow: /x", "/x", False),
        ("User-agent: *\nDisallow: /x\nUser-agent: other\nDisallow: /y", "/y", True),
        ("User-agent: *\nDisallow: /x\n\nUser-agent: *\nDisallow: /y", "/x", False),
        ("User-agent: *\nSitemap: http://x/\nDisallow: /x", "/x", False),
        ("User-agent: *\nCrawl-delay: 9\nUser-agent: o\nDisallow: /x", "/x", False),
        ("User-agent: *\nDisallow: /x\nAllow: /x/y", "/x/y/z", True),
        ("User-agent: *\nAllow: /x/y\nDisallow: /x", "/x/z", False),
        ("User-agent: *\nAllow: /x\nDisallow: /x", "/x", True),
        ("User-agent: *\nDisallow: /*.php", "/a/b.php?x", False),
        ("User-agent: *\nDisallow: /*.php$", "/a.php?x", True),
        ("User-agent: *\nDisallow: /*.php$", "/a.php/b.php", False),
        ("User-agent: *\nDisallow: /a$", "/a", False),
        ("User-agent: *\nDisallow: /a$", "/ab", True),
        ("User-agent: *\nDisallow: /a*b*a$", "/aba", False),
        ("User-agent: *\nDisallow: /ab*ba$", "/aba", True),
        ("User-agent: *\nDisallow: *", "/x", False),
        ("User-agent: *\nDisallow: /a***b", "/axxb", False),
        ("User-agent: *\nDisallow: /\u00fc", "/%c3%bc", False),
        ("User-agent: *\nDisallow: /%7Ea", "/~a", False),
        ("User-agent: *\nDisallow: /~a", "/%7ea", False),
        ("User-agent: *\nDisallow: /a%2fb", "/a/b", True),
        ("User-agent: *\nDisallow: /a%2fb", "/a%2Fb", False),
        ("User-agent: *\nDisallow: /x?y=1", "/x?y=1&z", False),
        ("User-agent: *\nDisallow: /x # all\n", "/x", False),
        ("User-agent: *\nDisallow /x", "/x", False),
        ("User-agent: *\nDisallow /x y", "/x", True),
    ],
)
def test_robots_rules_decide_which_paths_are_allowed(text: str, path: str, allowed: bool) -> None:
    assert read_robots(text).allow(path) is allowed


@given(st.text(max_size=300), st.text(max_size=50))
def test_any_robots_txt_is_parsed_and_any_path_decided(text: str, path: str) -> None:
    robots = read_robots(f"User-agent: *\n{text}")
    assert robots.allow(f"/{path}") in {True, False}


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=50))
def test_path_normalisation_is_idempotent(path: str) -> None:
    assert normal(normal(path)) == normal(path)


LARGE = BYTES_MAX


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("User-agent: *\n" + "Disallow: /*a*a*a*a*b\n" * (LARGE // 22), True),
        ("User-agent: *\nDisallow: /" + "*a" * (LARGE // 2), True),
        ("User-agent: *\nDisallow: /" + "*" * LARGE, False),
        ("User-agent: *\n" * 9000 + "Disallow: /a\n" * 9000, False),
        ("".join(f"User-agent: a{n}\n" for n in range(9000)) + "Disallow: /a\n" * 9000, True),
        ("%" * LARGE, True),
        (":" * LARGE, True),
    ],
    ids=["stars", "one pattern", "only stars", "one name", "many names", "escapes", "colons"],
)
def test_hostile_robots_txt_is_evaluated_like_any_other(text: str, allowed: bool) -> None:
    assert read_robots(text).allow("/" + "a" * 8000) is allowed
