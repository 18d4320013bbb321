import pytest

from tabwright.http.proxy_discovery import is_bypassed
from tabwright.http.request import target_of
from tabwright.protocol.proxy import bypassing


@pytest.mark.parametrize(
    ("pattern", "url", "expected"),
    [
        ("a.example", "http://a.example/", True),
        ("A.Example", "http://a.example/", True),
        ("a.example", "http://b.a.example/", False),
        ("a.example", "http://xa.example/", False),
        (".a.example", "http://b.a.example/", True),
        (".a.example", "http://a.example/", False),
        ("*a.example", "http://xa.example/", True),
        ("a.*.example", "http://a.b.example/", True),
        ("a.example:8080", "http://a.example:8080/", True),
        ("a.example:8080", "http://a.example/", False),
        ("https://a.example", "https://a.example/", True),
        ("https://a.example", "http://a.example/", False),
        ("http://a.example:80", "http://a.example/", True),
        ("*", "http://a.example/", True),
        ("192.0.2.1", "http://192.0.2.1/", True),
        ("192.0.2.0/24", "http://192.0.2.99/", True),
        ("192.0.2.0/24", "http://192.0.3.1/", False),
        ("192.0.2.0/24", "http://a.example/", False),
        ("[2001:db8::1]", "http://[2001:db8::1]/", True),
        ("2001:db8::/32", "http://[2001:db8::1]/", True),
        ("2001:db8::/32", "http://[2001:db9::1]/", False),
        ("<local>", "http://intranet/", True),
        ("<local>", "http://a.example/", False),
        ("", "http://a.example/", False),
        ("(", "http://a.example/", False),
        ("1/2/3", "http://a.example/", False),
    ],
)
def test_bypass_pattern_matches_the_expected_urls(pattern: str, url: str, expected: bool) -> None:
    assert is_bypassed(target_of(url), [pattern]) is expected


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/",
        "http://x.localhost:8080/",
        "http://127.8.8.8/",
        "http://[::1]/",
        "http://169.254.1.1/",
    ],
)
def test_local_addresses_bypass_the_proxy_unless_disabled(url: str) -> None:
    assert is_bypassed(target_of(url), [])
    assert not is_bypassed(target_of(url), ["<-loopback>"])


def test_no_proxy_list_bypasses_its_hosts_and_subdomains() -> None:
    patterns = bypassing("a.example, 10.0.0.0/8")
    for url in ("http://a.example/", "http://b.a.example/", "http://10.1.2.3/"):
        assert is_bypassed(target_of(url), patterns)
    assert not is_bypassed(target_of("http://b.example/"), patterns)
