import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.http.client import Client
from tabwright.http.request import accept_language, target_of
from tabwright.protocol.errors import BadInput
from tabwright.protocol.fetch import Fetch, Payload

from .web import Open, Reply, Web


async def test_request_has_the_default_headers(web: Web, client: Client) -> None:
    web.site("a.example", Reply())
    await client.fetch(Fetch("http://a.example/"))
    assert web.asked[0].headers == {
        "host": "a.example",
        "user-agent": "tabwright/0",
        "accept": "text/markdown,text/html;q=0.9,application/xhtml+xml;q=0.9,application/xml;q=0.8,"
        "*/*;q=0.7",
        "accept-language": "en",
        "accept-encoding": "gzip, deflate, br, zstd",
    }


async def test_do_not_track_setting_sends_privacy_headers(web: Web, open_client: Open) -> None:
    web.site("a.example", Reply())
    await open_client(do_not_track=True).fetch(Fetch("http://a.example/"))
    headers = web.asked[0].headers
    assert (headers["dnt"], headers["sec-gpc"]) == ("1", "1")


async def test_caller_headers_override_the_defaults(web: Web, client: Client) -> None:
    web.site("a.example", Reply())
    own = (("accept-LANGUAGE", "de"), ("X-Own", "\u00fc"))
    await client.fetch(Fetch("http://a.example/", headers=own, user_agent="Other/1"))
    headers = web.asked[0].headers
    assert headers["accept-language"] == "de"
    assert headers["user-agent"] == "Other/1"
    assert headers["x-own"] == "\u00fc"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Host", "b.example"),
        ("content-length", "5"),
        ("Transfer-Encoding", "chunked"),
        ("Connection", "close"),
        ("X-Own", "a\r\nX-Other: b"),
        ("X-Own", "a\0"),
        ("X Own", "a"),
        ("X-Own:", "a"),
        ("", "a"),
        ("X-\u00fc", "a"),
    ],
)
async def test_invalid_header_is_refused_without_connecting(
    web: Web, client: Client, name: str, value: str
) -> None:
    web.site("a.example", Reply())
    with pytest.raises(BadInput):
        await client.fetch(Fetch("http://a.example/", headers=((name, value),)))
    assert not web.connected


@pytest.mark.parametrize(
    "request_",
    [
        Fetch("http://a.example/", user_agent="a\r\nX-Own: 1"),
        Fetch("http://a.example/", payload=Payload(b"", "text/plain\r\nX-Own: 1")),
    ],
)
async def test_header_injection_is_rejected_before_connecting(
    web: Web, client: Client, request_: Fetch
) -> None:
    web.site("a.example", Reply())
    with pytest.raises(BadInput):
        await client.fetch(request_)
    assert not web.connected


async def test_content_type_of_the_caller_overrides_that_of_the_payload(
    web: Web, client: Client
) -> None:
    web.site("a.example", Reply())
    payload, own = Payload(b"{}", "text/plain"), (("content-type", "application/json"),)
    await client.fetch(Fetch("http://a.example/", headers=own, payload=payload))
    assert web.asked[0].headers["content-type"] == "application/json"


async def test_a_payload_is_posted(web: Web, client: Client) -> None:
    web.site("a.example", Reply(b"thanks"))
    payload = Payload(b"\0" * 100_000, "application/octet-stream")
    assert (await client.fetch(Fetch("http://a.example/", payload=payload))).body == b"thanks"
    (asked,) = web.asked
    assert (asked.method, asked.body) == ("POST", payload.body)
    assert asked.headers["content-type"] == "application/octet-stream"
    assert asked.headers["content-length"] == "100000"


@pytest.mark.parametrize(
    ("url", "path", "host"),
    [
        ("http://a.example", "/", "a.example"),
        ("http://a.example?q", "/?q", "a.example"),
        ("http://a.example./x", "/x", "a.example"),
        ("http://A.Example:80/X", "/X", "a.example"),
        ("http://a.example:81/x", "/x", "a.example:81"),
        ("http://a.example/\u00fc?\u00fc=\u6c49#\u00fc", "/%C3%BC?%C3%BC=%E6%B1%89", "a.example"),
        ("http://a.example/%41%2f;a=1?x=%20&y={z}", "/%41%2f;a=1?x=%20&y={z}", "a.example"),
        ('http://a.example/<a>"b"', "/%3Ca%3E%22b%22", "a.example"),
    ],
)
async def test_url_determines_request_path_and_host_header(
    web: Web, client: Client, url: str, path: str, host: str
) -> None:
    web.site("a.example", Reply())
    await client.fetch(Fetch(url))
    assert (web.asked[0].path, web.asked[0].headers["host"]) == (path, host)


async def test_non_ascii_host_name_is_requested_as_punycode(web: Web, client: Client) -> None:
    web.site("xn--bcher-kva.example", Reply())
    await client.fetch(Fetch("http://b\u00fccher.example/"))
    assert web.asked[0].headers["host"] == "xn--bcher-kva.example"


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "a.example", "http://", "http://a b/", "http://u:p@a.example/"]
)
async def test_unsupported_url_is_rejected_before_dns_lookup(
    web: Web, client: Client, url: str
) -> None:
    with pytest.raises(BadInput):
        await client.fetch(Fetch(url))
    assert not web.resolved


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=50))
def test_request_path_is_normalized_to_ascii_without_whitespace(text: str) -> None:
    path = target_of(f"http://a.example/{text}").path
    assert path.isascii()
    assert not any(character.isspace() for character in path)
    assert target_of(f"http://a.example{path}").path == path


@pytest.mark.parametrize(
    ("languages", "header"),
    [
        (("en",), "en"),
        (("zh-CN",), "zh-CN,zh;q=0.9"),
        (("de-AT", "en-GB", "en"), "de-AT,en-GB;q=0.9,en;q=0.8,de;q=0.7"),
    ],
)
def test_accept_language_adds_the_base_language_of_each_region(
    languages: tuple[str, ...], header: str
) -> None:
    assert accept_language(languages) == header
