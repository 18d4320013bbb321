"""Hosts and origins that are allowed to reach the live view and the server."""

import pytest

from tabwright.http.asgi import is_origin_of, is_own_host


@pytest.mark.parametrize(
    "host", ["127.0.0.1:80", "localhost", "[::1]:1", "10.0.0.4", "my.example:8931", "LOCALHOST."]
)
def test_own_hosts_are_accepted(host: str) -> None:
    assert is_own_host(host, {"my.example"})


@pytest.mark.parametrize("host", ["", "evil.example", "localhost@evil.example", "[::1", "my"])
def test_other_hosts_are_refused(host: str) -> None:
    assert not is_own_host(host, {"my.example"})


@pytest.mark.parametrize(
    ("origin", "same"),
    [
        ("http://127.0.0.1:80", True),
        ("https://127.0.0.1:80", True),
        ("http://127.0.0.1:81", False),
        ("http://127.0.0.1", False),
        ("null", False),
        ("http://[", False),
        ("", False),
    ],
)
def test_origin_matches_only_the_same_host_and_port(origin: str, *, same: bool) -> None:
    assert is_origin_of(origin, "127.0.0.1:80") is same
    assert not is_origin_of("", "")
