"""Sitemaps: formats, limits, and the cost of hostile ones."""

import gzip
import time
from collections.abc import Sequence

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from tabwright.plugins.crawl.sitemaps import (
    BYTES_MAX,
    DELAY_MAX_S,
    URLS_MAX,
    SitemapEntry,
    listed_urls,
    read_hints,
    read_sitemap,
)
from tabwright.protocol.errors import NavigationFailed
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import LoadedPage

HOME = "https://a.example/"
PAGES = b"""<?xml version="1.0"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="i">
<url><loc> https://a.example/?a=1&amp;b=2 </loc><lastmod>2024-01-01</lastmod>
<image:image><image:loc>https://a.example/x.png</image:loc></image:image></url>
<url><loc><![CDATA[https://a.example/c]]></loc></url>
<url></url><url><loc></loc></url></urlset>"""
INDEX = b"<sitemapindex><sitemap><loc>https://a.example/s1.xml.gz</loc></sitemap></sitemapindex>"


def urls(body: bytes) -> list[str]:
    return [entry.url for entry in read_sitemap(body)]


def test_sitemap_yields_page_urls_without_image_urls() -> None:
    expected = ["https://a.example/?a=1&b=2", "https://a.example/c"]
    assert urls(PAGES) == expected
    assert urls(gzip.compress(PAGES)) == expected
    assert urls(PAGES.replace(b"<url", b"<s:url").replace(b"</url", b"</s:url")) == expected


def test_sitemap_index_yields_its_sitemaps() -> None:
    assert list(read_sitemap(INDEX)) == [SitemapEntry("sitemap", "https://a.example/s1.xml.gz")]


def test_plain_text_url_list_is_read_as_a_sitemap() -> None:
    assert urls(b"https://a.example/1\n\nhttps://a.example/2\r\n") == [f"{HOME}1", f"{HOME}2"]


@given(st.binary(max_size=300))
def test_sitemap_parser_accepts_any_bytes(body: bytes) -> None:
    list(read_sitemap(body))
    list(read_sitemap(b"\x1f\x8b" + body))
    list(read_sitemap(b"<url><loc>" + body))


def test_number_of_urls_is_limited() -> None:
    assert len(urls(b"<url><loc>https://a.example/</loc></url>" * (URLS_MAX + 5))) == URLS_MAX


@pytest.mark.parametrize("piece", [b"<url", b"<loc>", b"<url ", b"<loc>x", b"<![CDATA["])
def test_hostile_sitemap_takes_linear_time(piece: bytes) -> None:
    began = time.process_time()
    list(read_sitemap(b"<urlset>" + piece * 300_000))
    assert time.process_time() - began < 2


def test_gzip_bomb_in_a_sitemap_is_cut() -> None:
    bomb = gzip.compress(b"\n" * (BYTES_MAX + (1 << 20)))
    assert urls(bomb) == []


def test_robots_sitemaps_and_crawl_delay_are_read_for_all_agents() -> None:
    hints = read_hints(
        f"User-agent: x\nDisallow: /\nCrawl-delay: 2.5\nSitemap: {HOME}a.xml # one\n"
        f"sitemap:{HOME}b.xml\nCrawl-delay: soon\nSitemap: {HOME}a.xml"
    )
    assert hints.sitemaps == (f"{HOME}a.xml", f"{HOME}b.xml")
    assert hints.delay_s == 2.5
    assert read_hints("Crawl-delay: 99999").delay_s == DELAY_MAX_S


async def test_sitemap_indexes_are_followed_once_and_failures_skipped() -> None:
    files = {
        f"{HOME}index.xml": b"<sitemap><loc>https://a.example/index.xml</loc></sitemap>"
        b"<sitemap><loc>https://a.example/gone.xml</loc></sitemap>" + INDEX,
        f"{HOME}s1.xml.gz": gzip.compress(PAGES),
    }
    asked: list[str] = []

    async def read(url: str) -> Fetched:
        asked.append(url)
        if url not in files:
            raise NavigationFailed("There is no page.")
        return Fetched(LoadedPage(url, 200, "text/xml"), files[url])

    found: list[str] = []

    async def add(urls: Sequence[str]) -> None:
        await trio.lowlevel.checkpoint()
        found.extend(urls)

    await listed_urls((f"{HOME}index.xml",), read, add)
    assert found == [f"{HOME}?a=1&b=2", f"{HOME}c"]
    assert sorted(asked) == [f"{HOME}gone.xml", f"{HOME}index.xml", f"{HOME}s1.xml.gz"]
