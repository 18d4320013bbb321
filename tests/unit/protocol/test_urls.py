from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.errors import BadInput
from tabwright.protocol.networks import is_public
from tabwright.protocol.url_patterns import NotAPattern, UrlPattern
from tabwright.protocol.urls import Bounds, checked_url, is_private
from tabwright.protocol.web_urls import completed


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://0/",
        "http://localhost./",
        "http://foo.localhost:8080/",
        "http://router.local/",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://100.64.0.1/",
        "http://[::1]/",
        "http://[::]/",
        "http://[::ffff:7f00:1]/",
        "http://[fd00::1]/",
        "http://[::127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://224.0.0.1/",
        "http://192.0.0.192/opc/v2/",
        "http://168.63.129.16/machine",
        "http://0xa83f8110/machine",
        "http://[::ffff:168.63.129.16]/",
        "http://[64:ff9b::e000:1]/",
        "http://[2002:a83f:8110::1]/",
        "http://[64:ff9b:1::1]/",
        "http://[4000::1]/",
        "http://[5f00::1]/",
        "http://[ff02::1]/",
        "http://\uff11\uff12\uff17.0.0.1/",
        "http://127。0。0。1/",
        "http://ⓛocalhost/",
        "http://localhost\ufe0f/",
        "http://127.0.0.1:80\\@example.com/",
        "http:\\\\127.0.0.1\\",
        "http:127.0.0.1",
        "http://loc%61lhost/",
        "http://%31%32%37.0.0.1/",
        "http://127.0.0.1./",
        "http://0x.0x.0/",
        "http://192.0x00A80001/",
        "ht\ttp://local\nhost/",
    ],
)
def test_obfuscated_private_addresses_are_refused(url):
    with pytest.raises(BadInput, match="private"):
        checked_url(url, Bounds())


@pytest.mark.parametrize(
    "url",
    [
        "http://user:secret@example.com/",
        "http://127.0.0.1@example.com/",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,x",
        "view-source:http://a.example/",
        "chrome://crash/",
        "about:blank",
        "example.com",
        "//example.com/",
        "http://",
        "http://a b/",
        "",
        "http://[::1/",
        "http://a.example/" + "x" * 9000,
    ],
)
@pytest.mark.parametrize("allow_private", [True, False])
def test_invalid_or_unsupported_url_is_rejected(url, allow_private):
    with pytest.raises(BadInput):
        checked_url(url, Bounds(private=allow_private))


@pytest.mark.parametrize(
    ("url", "normalised"),
    [
        ("https://example.com/a?b=c#d", "https://example.com/a?b=c#d"),
        ("http://münchen.example/", "http://xn--mnchen-3ya.example/"),
        ("https://faß.de", "https://xn--fa-hia.de/"),
        ("https://8.8.8.8/", "https://8.8.8.8/"),
        ("http://0x08080808", "http://8.8.8.8/"),
        ("http://[2606:4700:0::1111]/", "http://[2606:4700::1111]/"),
        ("HTTPS://Example.COM:8443/", "https://example.com:8443/"),
        ("http://example.com:80/a/../b/%2e%2E/c", "http://example.com/c"),
        ("\ufeff http:\\\\example.com\\a b\tc\r\n", "http://example.com/a%20bc"),
        ("http://\uff45xample\u3002com/ä?ö", "http://example.com/%C3%A4?%C3%B6"),
        ("http://example.com./", "http://example.com./"),
    ],
)
def test_url_is_normalised_as_in_browsers(url, normalised):
    assert checked_url(f" {url}\n", Bounds()) == normalised
    assert checked_url(normalised, Bounds()) == normalised


def test_a_secret_in_a_url_is_not_repeated():
    with pytest.raises(BadInput) as caught:
        checked_url("https://user:hunter2@example.com/", Bounds(private=True))
    assert "hunter2" not in str(caught.value)


@given(st.text())
def test_any_text_is_a_normalised_url_or_bad_input(text):
    try:
        url = checked_url(text, Bounds())
        assert checked_url(url, Bounds()) == url
    except BadInput as error:
        assert error.message


@given(st.ip_addresses(v=4))
def test_ipv4_address_is_private_or_public_in_every_spelling_alike(address):
    number = int(address)
    spellings = (
        str(address),
        str(number),
        hex(number),
        f"::ffff:{address}",
        f"::{address}",
        f"64:ff9b::{address}",
        f"2002:{number >> 16:x}:{number & 0xFFFF:x}::1",
    )
    assert {is_private(spelling) for spelling in spellings} == {not is_public(address)}


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        ("example.com", "https://example.com/a"),
        ("example.com", "http://EXAMPLE.com:8080/"),
        ("*.example.com", "https://example.com/"),
        ("*.example.com", "https://a.b.example.com/"),
        ("https://example.com/docs/*", "https://Example.com/docs/a?b"),
        ("https://*/docs/*", "https://a.example/docs/"),
        ("http://example.com:8080/*", "http://example.com:8080/"),
        ("Example.COM", "http://example.com/"),
        ("HTTP://Example.COM/*", "http://example.com/a"),
        ("example.com", "http://example.com./a"),
        ("*.example.com", "http://a.example.com./a"),
        ("example.com.", "http://example.com/a"),
        (".example.com", "http://a.example.com/a"),
        ("bücher.example", "http://xn--bcher-kva.example/"),
        ("*.xn--bcher-kva.example", "http://a.bücher.example/"),
        ("https://faß.de/*", "https://faß.de/a"),
        ("[2606:4700::1111]", "http://[2606:4700:0:0::1111]/"),
        ("[2606:4700::1111]:8080", "http://[2606:4700::1111]:8080/"),
        ("2606:4700::1111", "http://[2606:4700::1111]/"),
        ("1.1.1.1", "http://0x01010101/"),
        ("0x1.1", "http://1.0.0.1/"),
        ("1.1.1.1", "http://[::ffff:1.1.1.1]/"),
        ("example.com:8080", "https://example.com:8080/a"),
        ("example.com:*", "https://example.com:8080/a"),
        ("example.com/a", "http://example.com/a?b"),
        ("example.com/a/*", "http://example.com/a/b"),
        ("https://example.com", "https://example.com/a"),
        ("*://example.com/*", "http://example.com:99/a"),
        ("http://example.com:80/*", "http://example.com/a"),
        ("127.0.0.1.example.com", "https://127.0.0.1.example.com"),
        ("//example.com/a", "http://example.com/a"),
        ("example.com/b%C3%BCcher/*", "http://example.com/bücher/%61"),
        ("example.com/a?q=*", "http://example.com/a?q=1"),
    ],
)
def test_url_pattern_matches_a_host_or_a_url(pattern, url):
    assert checked_url(url, Bounds(allow=(pattern,)))
    with pytest.raises(BadInput, match="deny_urls"):
        checked_url(url, Bounds(deny=(pattern,)))
    with pytest.raises(BadInput, match="deny_urls"):
        checked_url(url, Bounds(allow=(pattern,), deny=(pattern,)))


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        ("example.com", "https://example.com.evil.example/"),
        ("example.com", "https://a.example.com/"),
        ("*.example.com", "https://badexample.com/"),
        ("https://example.com/docs/*", "http://example.com/docs/a"),
        ("https://example.com/docs/*", "https://example.com/other/docs/"),
        ("https://example.com/*", "https://evil.example/https://example.com/"),
        ("https://example.com/*", "https://example.com:444/"),
        ("example.com/a", "https://example.com/ab"),
        ("example.com/a?q=*", "https://example.com/a?r=1"),
        ("example.com:8080", "https://example.com/"),
        ("example.com/docs/*", "https://example.com/?/docs/x"),
        ("example.com/docs/*", "https://example.com/docs/../x"),
        ("1.1.1.1", "https://1.1.1.2/"),
    ],
)
def test_unmatched_url_fails_the_allow_list_and_passes_the_deny_list(pattern, url):
    with pytest.raises(BadInput, match="allow_urls"):
        checked_url(url, Bounds(allow=(pattern,)))
    assert checked_url(url, Bounds(deny=(pattern,)))


@pytest.mark.parametrize(
    "path",
    [
        "/private",
        "/private/a",
        "/private/a?b",
        "/a/../private/x",
        "/a/%2e%2E/private/x",
        "/%70rivate/x",
        "//private//x",
        "/a/..%2fprivate/x",
        "/a//..%2f..%2fprivate/x",
        "/a%5c..%5cprivate%5cx",
        "/%2570rivate/x",
        "/a/..;b/private/x",
        "/private;b/x",
    ],
)
def test_denied_path_is_refused_in_any_spelling_a_server_may_accept(path):
    for pattern in ("example.com/private", "example.com/private/*", "http://example.com/privat*"):
        with pytest.raises(BadInput, match="deny_urls"):
            checked_url(f"http://example.com{path}", Bounds(deny=(pattern,)))


@pytest.mark.parametrize(
    "path",
    ["/docs/..%2fx", "/docs/%252e%252e/x", "/docs/..;/x", "/docs//..%2f..%2fx", "/docs/..%5cx"],
)
def test_path_that_a_server_may_read_as_not_allowed_is_refused(path):
    with pytest.raises(BadInput, match="allow_urls"):
        checked_url(f"http://example.com{path}", Bounds(allow=("example.com/docs/*",)))


@pytest.mark.parametrize("path", ["/docs/a", "/docs//a", "/%64ocs/a%20b", "/docs/a;b/ä?c=/../.."])
def test_an_ordinary_path_below_an_allowed_one_is_allowed(path):
    assert checked_url(f"http://example.com{path}", Bounds(allow=("example.com/docs/*",)))


@pytest.mark.parametrize(
    ("patterns", "host", "port"),
    [
        (("example.com",), "example.com", 99),
        (("https://example.com",), "EXAMPLE.com.", 443),
        (("example.com/a", "b.example"), "example.com", 80),
        (("*.example.com:8080",), "a.example.com", 8080),
        (("1.1.1.1",), "::ffff:101:101", 80),
    ],
)
def test_connection_is_allowed_if_any_url_of_its_host_is(patterns, host, port):
    Bounds(allow=patterns).check_connection(host, port)
    with pytest.raises(BadInput, match="allow_urls"):
        Bounds(allow=patterns).check_connection("other.test", port)


def test_connection_is_denied_only_if_all_urls_of_its_host_are():
    for pattern, port in (("bad.test", 8080), ("*.bad.test", 80), ("https://bad.test/*", 443)):
        with pytest.raises(BadInput, match="deny_urls"):
            Bounds(deny=(pattern,)).check_connection("bad.test.", port)
    Bounds(deny=("bad.test/a", "https://bad.test")).check_connection("bad.test", 80)


@pytest.mark.parametrize(
    ("url", "admitted"),
    [
        ("http://ok.test/a", True),
        ("wss://ok.test/a", True),
        ("ws://ok.test/private", False),
        ("wss://other.test/", False),
        ("data:text/html,x", True),
        ("blob:http://other.test/1", True),
    ],
)
def test_page_requests_follow_the_allow_and_deny_lists(url, admitted):
    assert Bounds(allow=("ok.test",), deny=("ok.test/private",)).admit(url) is admitted


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "[",
        "http://[",
        "http://",
        "https:///x",
        "user:word@example.com",
        "http://user@example.com/",
        "ftp://example.com",
        "file:///etc/passwd",
        "javascript:1",
        "/private/*",
        "10.0.0.0/8",
        "a b.example",
        "a.example,b.example",
        "example.com:99999",
        "example.com:http",
        "example.com/#part",
        "256.0.0.1",
    ],
)
def test_invalid_url_pattern_is_rejected(text):
    with pytest.raises(NotAPattern):
        UrlPattern.read(text)


@given(st.text())
def test_any_text_is_a_url_pattern_or_refused(text):
    with suppress(NotAPattern):
        UrlPattern.read(text)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("example.com", "https://example.com"),
        (" example.com/a?b ", "https://example.com/a?b"),
        ("127.0.0.1:8765/p", "http://127.0.0.1:8765/p"),
        ("localhost", "http://localhost"),
        ("localhost:8080", "http://localhost:8080"),
        ("[::1]:80/p", "http://[::1]:80/p"),
        ("//example.com/a", "https://example.com/a"),
        ("bücher。example", "https://bücher。example"),
        ("http://example.com", "http://example.com"),
        *(
            (same, same)
            for same in ("reload", "back", "about:blank", "mailto:a@b.example", "javascript:1")
        ),
        *((same, same) for same in ("/etc/passwd", "./a", "..", "two words", "C:\\a", "")),
    ],
)
def test_an_address_without_a_scheme_is_completed(text, url):
    assert completed(text) == url
