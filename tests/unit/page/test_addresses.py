"""URLs of links, shortened to hints."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.page.outline_text import URL_MAX, hint

CODES = (
    "/topics/300/",
    "/microsoft/playwright-mcp/issues/1233",
    "/2026-05-12/a",
    "/p/123e4567-e89b-12d3-a456-426614174000",
    "/dp/B0C1/ref=sr_1_1",
    "#cite_note-3",
    "mailto:a@b.example",
    "http://my-own-long-name.example/x",
)


@pytest.mark.parametrize("url", CODES)
def test_identifying_url_parts_are_not_shortened(url):
    assert hint(url) == url


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("/questions/1122/why-is-it-faster?page=2", "/questions/1122/why…?page=2"),
        ("/r/x/comments/1ab/some_title_words/", "/r/x/comments/1ab/some…/"),
        ("/files/annual-report-2024.pdf", "/files/annual….pdf"),
        ("/wiki/List_of_towns_by_size#Top", "/wiki/List…#Top"),
        ("http://a.example/one-two-three", "http://a.example/one…"),
    ],
)
def test_title_in_url_path_is_shortened_to_its_first_word(url, shown):
    assert hint(url) == shown
    assert hint(url, named=False) == url


def test_url_hint_of_another_site_omits_only_the_https_scheme():
    assert hint("https://www.a.example/watch?v=1") == "www.a.example/watch?v=1"
    assert hint("http://a.example/") == "http://a.example/"


def test_url_hint_decodes_only_letters():
    assert hint("/wiki/%E6%97%A5%E6%9C%AC") == "/wiki/日本"
    assert hint("/a%20b%2Fc%0A") == "/a%20b%2Fc%0A"
    for unseen in ("%E2%80%AE", "%C2%A0", "%E2%80%A8", "%C2%85"):
        assert hint(f"/a{unseen}b") == f"/a{unseen}b"


def test_long_url_hint_is_truncated():
    assert hint("/search?" + "q" * 100) == "/search?…"
    assert hint("/" + "p" * 100) == "/" + "p" * (URL_MAX - 2) + "…"
    assert hint("/" + "p" * (URL_MAX - 1)) == "/" + "p" * (URL_MAX - 1)


@given(st.text() | st.from_regex(r"(https?://)?(/?[a-z0-9%_-]{0,9}){0,20}\??", fullmatch=True))
def test_no_hint_is_longer_than_its_maximum(url):
    assert len(hint(url)) <= URL_MAX
    assert len(hint(url, named=False)) <= URL_MAX


def test_url_hint_of_a_megabyte_url_is_bounded():
    for part in ("a-", "/a-b-c", "%E4", "%E4%B8%AD", "/", "a_1"):
        assert len(hint("/" + part * 300_000)) <= URL_MAX
