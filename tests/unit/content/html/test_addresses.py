import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.content.html.tree import Addresses

ADDRESSES = Addresses("https://a.example/dir/page?q#top", "https://a.example/dir/page?q#top")


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("x", "https://a.example/dir/x"),
        ("../x", "https://a.example/x"),
        ("/x", "https://a.example/x"),
        ("/a/../x", "https://a.example/x"),
        ("//b.example/x", "https://b.example/x"),
        ("?k=1", "https://a.example/dir/page?k=1"),
        ("#s", "https://a.example/dir/page?q#s"),
        (" h\tttps://b.example/\n", "https://b.example/"),
        ("HTTP://b.example/", "http://b.example/"),
        ("https:x", "https://a.example/dir/x"),
        ("\\x\\y?a\\b", "https://a.example/x/y?a\\b"),
        ("https://b.example/a b<c>", "https://b.example/a%20b%3Cc%3E"),
        ("mailto:a@b.example", "mailto:a@b.example"),
        ("", ""),
        ("#", ""),
        (None, ""),
        ("javascript:x", ""),
        ("ftp://b.example/", ""),
        ("x" * 9_000, ""),
        ("http://[", "http://["),
        ("\\\\[x", ""),
    ],
)
def test_link_address_is_resolved_against_page(address: str | None, url: str) -> None:
    assert ADDRESSES.linked(address) == url


def test_only_http_addresses_are_loaded() -> None:
    assert ADDRESSES.loaded("data:,x") == ADDRESSES.loaded("mailto:x") == ""
    assert ADDRESSES.loaded("/x") == "https://a.example/x"


@given(page=st.text(), address=st.text())
def test_linked_url_is_empty_or_safe_for_any_address(page: str, address: str) -> None:
    url = Addresses(page, page).linked(address)
    assert url == "" or url.partition(":")[0] in {"http", "https", "mailto", "tel"}
    assert not any(character in url for character in ' <>"`\n')
