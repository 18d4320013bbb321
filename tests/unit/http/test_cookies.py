from datetime import UTC, datetime
from functools import partial

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.http.client import Client
from tabwright.http.cookies import (
    IN_ALL_MAX,
    PER_DOMAIN_MAX,
    CookieJar,
    CookieStore,
    cookie_date,
    is_within,
    set_cookie,
)
from tabwright.http.request import target_of
from tabwright.protocol.errors import BadInput
from tabwright.protocol.fetch import Cookie, Fetch

from .web import START_S, Asked, Clock, Open, Reply, Web, by_path, redirect

HERE = target_of("https://www.a.example/shop/cart?x=/y")


def sets(*lines: str) -> Reply:
    return Reply(headers=tuple(("Set-Cookie", line) for line in lines))


def sent(*lines: str, to: str, by: str = "https://www.a.example/shop/cart") -> str:
    """Return the cookies sent to one URL after another URL has set some."""
    jars, target = CookieStore("all"), target_of(by)
    jars.take("s", lines, target, START_S)
    return jars.header("s", target_of(to), START_S)


async def test_session_sends_back_the_cookies_it_received(web: Web, client: Client) -> None:
    web.site(
        "a.example", by_path(login=redirect("/home", Set_Cookie="id=7; Path=/"), home=sets("b=2"))
    )
    await client.fetch(Fetch("http://a.example/login", session="s"))
    await client.fetch(Fetch("http://a.example/home", session="s"))
    assert [asked.headers.get("cookie") for asked in web.asked] == [None, "id=7", "id=7; b=2"]


async def test_sessions_do_not_share_cookies(web: Web, client: Client) -> None:
    web.site("a.example", sets("id=7"))
    for session in ("s", "t", "s", "", ""):
        await client.fetch(Fetch("http://a.example/", session=session))
    assert [asked.headers.get("cookie") for asked in web.asked] == [None, None, "id=7", None, None]


async def test_sites_do_not_receive_cookies_of_other_sites(web: Web, client: Client) -> None:
    web.site("a.example", sets("id=7", "stolen=1; Domain=b.example", "wide=1; Domain=example"))
    web.site("b.example", Reply())
    await client.fetch(Fetch("http://a.example/", session="s"))
    await client.fetch(Fetch("http://b.example/", session="s"))
    assert "cookie" not in web.asked[1].headers


@pytest.mark.parametrize(
    ("mode", "kept"), [("all", "a=1; b=2; c=3"), ("session", "a=1"), ("none", None)]
)
async def test_cookie_setting_limits_which_lifetimes_are_kept(
    web: Web, open_client: Open, mode: str, kept: str | None
) -> None:
    later = "Expires=Fri, 01 Jan 2100 00:00:00 GMT"
    web.site("a.example", sets("a=1", "b=2; Max-Age=60", f"c=3; {later}"))
    client = open_client(cookies=mode)
    for _ in range(2):
        await client.fetch(Fetch("http://a.example/", session="s"))
    assert web.asked[1].headers.get("cookie") == kept


async def test_cookie_is_not_sent_after_its_max_age(web: Web, client: Client, clock: Clock) -> None:
    web.site("a.example", by_path(index=sets("a=1; Max-Age=60"), later=Reply()))
    await client.fetch(Fetch("http://a.example/", session="s"))
    for after_s in (59, 2):
        clock.now_s += after_s
        await client.fetch(Fetch("http://a.example/later", session="s"))
    assert [asked.headers.get("cookie") for asked in web.asked[1:]] == ["a=1", None]


async def test_caller_cookie_header_overrides_the_jar(web: Web, client: Client) -> None:
    web.site("a.example", sets("a=1"))
    await client.fetch(Fetch("http://a.example/", session="s"))
    own = (("cookie", "own=1"),)
    await client.fetch(Fetch("http://a.example/", session="s", headers=own))
    assert web.asked[1].headers["cookie"] == "own=1"


@pytest.mark.parametrize(
    ("line", "to", "header"),
    [
        ("a=1", "https://www.a.example/shop/", "a=1"),
        ("a=1", "https://www.a.example/shop", "a=1"),
        ("a=1", "https://www.a.example/shopping", ""),
        ("a=1", "https://www.a.example/", ""),
        ("a=1; Path=/", "https://www.a.example/", "a=1"),
        ("a=1; Path=/shop/cart/", "https://www.a.example/shop/cart/1", "a=1"),
        ("a=1; Path=/shop/cart/", "https://www.a.example/shop/cart", ""),
        ("a=1; Path=elsewhere", "https://www.a.example/shop/x", "a=1"),
        ("a=1; Path=/", "https://a.example/", ""),
        ("a=1; Path=/", "https://x.www.a.example/", ""),
        ("a=1; Path=/; Domain=a.example", "https://a.example/", "a=1"),
        ("a=1; Path=/; Domain=.A.Example", "https://x.y.a.example:8443/", "a=1"),
        ("a=1; Path=/; Domain=a.example", "https://xa.example/", ""),
        ("a=1; Path=/; Domain=x.www.a.example", "https://x.www.a.example/", ""),
        ("a=1; Path=/; Domain=example", "https://a.example/", ""),
        ("a=1; Path=/; Domain=", "https://www.a.example/", "a=1"),
        ("a=1; Path=/; Domain=b.example; Domain=a.example", "https://a.example/", "a=1"),
        ("a=1; Path=/; Secure", "https://www.a.example/", "a=1"),
        ("a=1; Path=/; Secure", "http://www.a.example/", ""),
        ("a=1; Path=/", "http://www.a.example/", "a=1"),
        ("a=1; Path=/; Max-Age=0", "https://www.a.example/", ""),
        ("a=1; Path=/; Max-Age=-5", "https://www.a.example/", ""),
        ("a=1; Path=/; Max-Age=x", "https://www.a.example/", "a=1"),
        ("a=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:01 GMT", "https://www.a.example/", ""),
        ("a=1; Path=/; Expires=never", "https://www.a.example/", "a=1"),
        (
            "a=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:01 GMT; Max-Age=9",
            "https://www.a.example/",
            "a=1",
        ),
        ("a=b=c; Path=/", "https://www.a.example/", "a=b=c"),
        ('  a  =  "1 2"  ;Path=/', "https://www.a.example/", 'a="1 2"'),
        ("a=; Path=/", "https://www.a.example/", "a="),
        ("=1; Path=/", "https://www.a.example/", ""),
        ("a; Path=/", "https://www.a.example/", ""),
        ("a=\x01; Path=/", "https://www.a.example/", ""),
        (f"a={'x' * 4096}; Path=/", "https://www.a.example/", ""),
        ("__Secure-a=1; Path=/", "https://www.a.example/", ""),
        ("__Secure-a=1; Path=/; Secure", "https://www.a.example/", "__Secure-a=1"),
        ("__Host-a=1; Path=/; Secure", "https://www.a.example/", "__Host-a=1"),
        ("__Host-a=1; Path=/; Secure; Domain=a.example", "https://www.a.example/", ""),
        ("__host-a=1; Path=/shop; Secure", "https://www.a.example/shop", ""),
    ],
)
def test_cookie_is_sent_according_to_its_attributes(line: str, to: str, header: str) -> None:
    assert sent(line, to=to) == header


@pytest.mark.parametrize(
    ("by", "line", "header"),
    [
        ("http://localhost/", "a=1; Domain=localhost", "a=1"),
        ("http://192.0.2.1/", "a=1; Domain=192.0.2.1", "a=1"),
        ("http://192.0.2.1/", "a=1; Domain=2.1", ""),
        ("http://192.0.2.1/", "a=1; Domain=0.2.1", ""),
        ("http://[2001:db8::1]/", "a=1", "a=1"),
        ("http://a.example/", "a=1; Secure", ""),
        ("http://xn--bcher-kva.example/", "a=1; Domain=b\u00fccher.example", "a=1"),
        ("http://a.example/", "a=1; Domain=..", ""),
        ("http://a.example/", f"a=1; Domain={'x' * 64}.example", ""),
    ],
)
def test_set_cookie_is_accepted_only_for_the_host_that_sends_it(
    by: str, line: str, header: str
) -> None:
    assert sent(line, by=by, to=by) == header


def test_cookies_are_ordered_by_longest_path_and_then_age() -> None:
    lines = ("a=1; Path=/", "b=2; Path=/shop", "c=3; Path=/", "a=4; Path=/")
    assert sent(*lines, to="https://www.a.example/shop/") == "b=2; a=4; c=3"


def test_insecure_response_does_not_replace_a_secure_cookie() -> None:
    jars, plain = CookieStore("all"), target_of("http://www.a.example/")
    jars.take("s", ["a=1; Secure; Path=/"], HERE, START_S)
    jars.take("s", ["a=2; Path=/"], plain, START_S)
    jars.take("s", ["a=3; Path=/; Max-Age=0"], plain, START_S)
    assert jars.header("s", HERE, START_S) == "a=1"
    assert jars.header("s", plain, START_S) == ""


def test_cookie_lifetime_is_capped_at_400_days() -> None:
    cookie = set_cookie("a=1; Max-Age=999999999999999999", HERE, START_S)
    assert cookie is not None
    assert cookie.expires_s == START_S + 400 * 86400


def test_set_cookie_attributes_are_stored() -> None:
    line = "a=1; Domain=a.example; Path=/x; Secure; HttpOnly; SameSite=Lax; Max-Age=60; Other"
    assert set_cookie(line, HERE, START_S) == Cookie(
        "a", "1", "a.example", "/x", False, True, True, START_S + 60, "Lax"
    )


def test_oldest_cookies_of_a_site_over_its_limit_are_evicted() -> None:
    jars = CookieStore("all")
    jars.take("s", [f"n{number}=1" for number in range(PER_DOMAIN_MAX + 9)], HERE, START_S)
    names = [cookie.name for cookie in jars.cookies("s", START_S)]
    assert names == [f"n{number}" for number in range(9, PER_DOMAIN_MAX + 9)]


def test_expired_cookies_are_evicted_first() -> None:
    jars = CookieStore("all")
    lasting = [f"n{number}=1" for number in range(PER_DOMAIN_MAX - 1)]
    jars.take("s", [*lasting, "short=1; Max-Age=5"], HERE, START_S)
    jars.take("s", ["late=1"], HERE, START_S + 6)
    names = [cookie.name for cookie in jars.cookies("s", START_S + 6)]
    assert names == [*(line.partition("=")[0] for line in lasting), "late"]


def test_oldest_cookies_over_the_total_limit_are_evicted() -> None:
    jars = CookieStore("all")
    for number in range(IN_ALL_MAX + 9):
        jars.take("s", ["a=1"], target_of(f"https://n{number}.example/"), START_S)
    cookies = jars.cookies("s", START_S)
    assert len(cookies) == IN_ALL_MAX
    assert cookies[0].domain == "n9.example"


def test_cookies_of_a_session_can_be_replaced_and_cleared() -> None:
    jars = CookieStore("all")
    jars.take("s", ["a=1"], HERE, START_S)
    others = (
        Cookie("b", "2", "www.a.example", expires_s=START_S + 9),
        Cookie("c", "3", "a.example", host_only=False, secure=True),
        Cookie("d", "4", "www.a.example", expires_s=START_S - 1),
    )
    jars.replace("s", others, START_S)
    assert jars.cookies("s", START_S) == others[:2]
    assert jars.header("s", HERE, START_S) == "b=2; c=3"
    jars.replace("s", (), START_S)
    assert jars.cookies("s", START_S) == ()
    jars.replace("", others, START_S)
    assert jars.cookies("", START_S) == ()


@pytest.mark.parametrize("value", ["1\r\nX-Own: 2", "1\0"])
def test_cookie_with_control_characters_is_refused(value: str) -> None:
    with pytest.raises(BadInput, match="control characters"):
        CookieStore("all").replace("s", [Cookie("a", value, "a.example")], START_S)


lines = st.text(st.sampled_from("ab=; .,/:\t-0123456789") | st.characters(), max_size=60)
hosts = st.sampled_from(["a.example", "b.a.example", "example", "192.0.2.1", "localhost"])
attributes = st.lists(
    st.one_of(
        lines,
        hosts.map("Domain={}".format),
        hosts.map("Domain=.{}".format),
        st.sampled_from(["Path=/", "Path=/x", "Secure", "HttpOnly", "Max-Age=5", "SameSite=None"]),
    ),
    max_size=4,
)


@given(st.lists(st.tuples(lines, attributes)), hosts, hosts, st.sampled_from(["http", "https"]))
def test_cookies_stay_within_the_domain_that_set_them(
    given_lines: list[tuple[str, list[str]]], by: str, to: str, scheme: str
) -> None:
    jars = CookieStore("all")
    output = [";".join([f"n={line}", *more]) for line, more in given_lines]
    jars.take("s", output, target_of(f"{scheme}://{by}/x/y"), START_S)
    for cookie in jars.cookies("s", START_S):
        assert is_within(by, cookie.domain)
        assert cookie.host_only or "." in cookie.domain
        assert scheme == "https" or not cookie.secure
    header = jars.header("s", target_of(f"https://{to}/x/y"), START_S)
    assert not header or is_within(to, by) or is_within(by, to) or _siblings(by, to)
    assert all(character >= " " or character == "\t" for character in header)


def _siblings(one: str, other: str) -> bool:
    """Return whether both domains share a parent that contains a dot."""
    above = one.partition(".")[2]
    return "." in above and is_within(other, above)


@given(lines)
def test_any_set_cookie_line_is_handled(line: str) -> None:
    cookie = set_cookie(line, HERE, START_S)
    if cookie is not None:
        jar = CookieJar("all")
        jar.put(cookie, START_S)
        assert jar.cookies(START_S) in {(), (cookie,)}
        jar.put(attrs.evolve(cookie, expires_s=START_S - 1), START_S)
        assert jar.cookies(START_S) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "6 November 1994 8:49:37",
        "1994 08:49:37 nov 06",
        "Sun, 06-Nov-1994 08:49:37+00:00",
    ],
)
def test_cookie_date_is_parsed_in_common_server_formats(text: str) -> None:
    moment = datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC)
    assert cookie_date(text) == moment.timestamp()


@pytest.mark.parametrize(
    ("text", "year"),
    [("1 Jan 69 00:00:00", 2069), ("1 Jan 70 00:00:00", 1970), ("1 Jan 00 00:00:00", 2000)],
)
def test_two_digit_cookie_year_is_between_1970_and_2069(text: str, year: int) -> None:
    assert cookie_date(text) == datetime(year, 1, 1, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    "text",
    ["", "Sun", "31 Feb 2000 00:00:00", "1 Jan 1600 00:00:00", "1 Jan 2000 24:00:00", "1 Jan 2000"],
)
def test_invalid_cookie_date_parses_as_none(text: str) -> None:
    assert cookie_date(text) is None


@given(st.integers(0, 200_000_000_000).map(partial(datetime.fromtimestamp, tz=UTC)))
def test_every_http_date_is_parsed_as_a_cookie_date(moment: datetime) -> None:
    assert cookie_date(f"{moment:%a, %d %b %Y %H:%M:%S GMT}") == moment.timestamp()


async def test_domain_cookie_is_sent_to_other_subdomains(web: Web, client: Client) -> None:
    async def site(asked: Asked) -> Reply:
        return sets("a=1; Domain=a.example") if asked.path == "/set" else Reply()

    web.site("www.a.example", site)
    web.site("shop.a.example", site)
    await client.fetch(Fetch("http://www.a.example/set", session="s"))
    await client.fetch(Fetch("http://shop.a.example/", session="s"))
    assert web.asked[1].headers["cookie"] == "a=1"


@pytest.mark.parametrize(
    ("domain", "by", "other"),
    [
        ("co.uk", "https://shop.co.uk/", "https://other.co.uk/"),
        ("github.io", "https://a.github.io/", "https://b.github.io/"),
        (".github.io", "https://a.github.io/", "https://b.github.io/"),
        ("a.ck", "https://www.a.ck/", "https://b.a.ck/"),
        ("xn--55qx5d.cn", "https://a.xn--55qx5d.cn/", "https://b.xn--55qx5d.cn/"),
        ("\u516c\u53f8.cn", "https://a.xn--55qx5d.cn/", "https://b.xn--55qx5d.cn/"),
    ],
)
def test_cookie_for_a_public_suffix_is_refused(domain: str, by: str, other: str) -> None:
    assert sent(f"a=1; Domain={domain}", by=by, to=other) == ""
    assert sent(f"a=1; Domain={domain}", by=by, to=by) == ""


def test_cookie_below_a_public_suffix_is_sent_to_the_whole_site() -> None:
    by = "https://www.shop.co.uk/"
    assert sent("a=1; Domain=shop.co.uk", by=by, to="https://cart.shop.co.uk/") == "a=1"
    assert sent("a=1; Domain=www.ck", by="https://www.ck/", to="https://x.www.ck/") == "a=1"


def test_public_suffix_that_is_a_site_sets_cookies_for_itself_only() -> None:
    by = "https://github.io/"
    assert sent("a=1; Domain=github.io", by=by, to=by) == "a=1"
    assert sent("a=1; Domain=github.io", by=by, to="https://b.github.io/") == ""
