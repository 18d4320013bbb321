import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.errors import BadInput
from tabwright.protocol.networks import is_public
from tabwright.protocol.urls import Bounds, checked_url, is_private


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
    ],
)
def test_private_spellings_are_refused(url):
    with pytest.raises(BadInput, match="private"):
        checked_url(url, Bounds())


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:80\\@example.com/",
        "http://user:secret@example.com/",
        "http://loc%61lhost/",
        "http://%31%32%37.0.0.1/",
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
def test_what_is_no_plain_web_address_is_refused(url, allow_private):
    with pytest.raises(BadInput):
        checked_url(url, Bounds(private=allow_private))


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/a?b=c#d",
        "http://münchen.example/",
        "https://8.8.8.8/",
        "http://[2606:4700::1111]/",
        "HTTPS://Example.COM:8443/",
    ],
)
def test_public_addresses_pass_unchanged(url):
    assert checked_url(f" {url}\n", Bounds()) == url


def test_a_secret_in_a_url_is_not_repeated():
    with pytest.raises(BadInput) as caught:
        checked_url("https://user:hunter2@example.com/", Bounds(private=True))
    assert "hunter2" not in str(caught.value)


@given(st.text())
def test_any_text_is_judged(text):
    try:
        assert checked_url(text, Bounds()) == text.strip()
    except BadInput as error:
        assert error.message


@given(st.ip_addresses(v=4))
def test_the_private_part_of_ipv4_is_the_same_in_every_spelling(address):
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
    ],
)
def test_a_pattern_means_a_host_or_a_url(pattern, url):
    assert checked_url(url, Bounds(allow=(pattern,))) == url
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
    ],
)
def test_what_is_not_allowed_is_not_opened(pattern, url):
    with pytest.raises(BadInput, match="allow_urls"):
        checked_url(url, Bounds(allow=(pattern,)))
    assert checked_url(url, Bounds(deny=(pattern,))) == url
