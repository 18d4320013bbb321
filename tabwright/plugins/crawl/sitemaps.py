"""Sitemaps (sitemaps.org): the URLs that a site lists itself, and the sitemaps in robots.txt."""

import re
import zlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from html import unescape
from itertools import islice
from typing import Literal, TypeAlias

import attrs
import trio

from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import ERROR_STATUS_MIN
from tabwright.protocol.web_urls import URL_CHARACTERS_MAX, WebUrl

BYTES_MAX = 50 << 20
"""The maximum size of a sitemap after decompression, by the protocol."""

URLS_MAX = 50_000
"""The maximum number of URLs of a sitemap, by the protocol."""

FILES_MAX = 500
"""The maximum number of sitemaps of a crawl."""

DELAY_MAX_S = 60.0
"""A longer ``Crawl-delay`` is shortened to this."""

GZIP = b"\x1f\x8b"

_TAG = re.compile(rb"<(/?)(?:(\w{1,20}):)?(url|sitemap|loc)(?:\s[^<>]{0,500})?>")
"""A tag that matters; its length is limited, so that the search takes linear time."""

EXTENSIONS = frozenset({b"image", b"news", b"video", b"xhtml"})
"""Prefixes of elements that name other things than the page, such as its pictures."""

_CDATA = re.compile(rb"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)

Read: TypeAlias = Callable[[str], Awaitable[Fetched]]
"""Fetches a file by its URL."""


@attrs.frozen
class SitemapEntry:
    """An entry: the URL of a page, or of another sitemap."""

    kind: Literal["url", "sitemap"]
    url: str


@attrs.frozen
class RobotsHints:
    """The contents of robots.txt other than its rules.

    Attributes:
        sitemaps: the URLs of sitemaps.
        delay_s: the pause between two requests that it asks for; 0 for none.
    """

    sitemaps: tuple[str, ...] = ()
    delay_s: float = 0.0


def read_hints(text: str) -> RobotsHints:
    """Parse the lines ``Sitemap`` and ``Crawl-delay`` of a robots.txt, for any program."""
    sitemaps: list[str] = []
    delay_s = 0.0
    for line in text.splitlines():
        key, _, value = line.partition("#")[0].partition(":")
        match key.strip().lower():
            case "sitemap":
                sitemaps.append(value.strip())
            case "crawl-delay":
                number = value.strip()
                if re.fullmatch(r"\d{1,5}(\.\d{1,3})?", number):
                    delay_s = max(delay_s, min(float(number), DELAY_MAX_S))
            case _:
                pass
    return RobotsHints(tuple(dict.fromkeys(filter(None, sitemaps)))[:FILES_MAX], delay_s)


def read_sitemap(body: bytes) -> Iterator[SitemapEntry]:
    """Yield the entries of a sitemap: XML or a list of URLs, also compressed by gzip.

    What is not valid is left out. Takes time linear in the length of the file.
    """
    data = _unpacked(body)
    if b"<" in data[:1024]:
        yield from islice(_entries(data), URLS_MAX)
        return
    for line in data.decode(errors="replace").splitlines()[:URLS_MAX]:
        if text := line.strip():
            yield SitemapEntry("url", text)


def _entries(data: bytes) -> Iterator[SitemapEntry]:
    """Yield the entries of a sitemap in XML."""
    kind: Literal["url", "sitemap"] = "url"
    start = -1
    for tag in _TAG.finditer(data):
        closes, prefix, name = tag[1], tag[2], tag[3]
        if prefix in EXTENSIONS:
            continue
        if name != b"loc":
            kind, start = "url" if name == b"url" else "sitemap", -1
        elif not closes:
            start = tag.end()
        elif 0 <= start < tag.start() <= start + URL_CHARACTERS_MAX:
            raw = _CDATA.sub(rb"\1", data[start : tag.start()])
            start = -1
            if text := unescape(raw.decode(errors="replace")).strip():
                yield SitemapEntry(kind, text)


def _unpacked(body: bytes) -> bytes:
    """Return the body, decompressed as far as it can be and may be."""
    if not body.startswith(GZIP):
        return body[:BYTES_MAX]
    inflater = zlib.decompressobj(wbits=31)
    try:
        return inflater.decompress(body, BYTES_MAX)
    except zlib.error:
        return b""


async def hints_of(origin: str, read: Read) -> RobotsHints:
    """Return the contents of an origin's robots.txt other than its rules; empty without a file."""
    try:
        fetched = await read(f"{origin}/robots.txt")
    except TabwrightError:
        return RobotsHints()
    if fetched.page.status >= ERROR_STATUS_MIN:
        return RobotsHints()
    return read_hints(fetched.body.decode(errors="replace"))


async def listed_urls(
    sitemaps: Sequence[str], read: Read, add: Callable[[Sequence[str]], Awaitable[None]]
) -> None:
    """Pass the URLs in each of these sitemaps, and in those that they name, to `add`.

    A sitemap that cannot be read is left out. Only one of them is in memory at a time.
    """
    ahead = [*sitemaps]
    seen: set[str] = set()
    while ahead and len(seen) < FILES_MAX:
        try:
            name = WebUrl.read(ahead.pop(0)).text
            if name in seen:
                continue
            seen.add(name)
            fetched = await read(name)
        except TabwrightError:
            continue
        if fetched.page.status >= ERROR_STATUS_MIN:
            continue
        entries = await trio.to_thread.run_sync(list, read_sitemap(fetched.body))
        ahead += [one.url for one in entries if one.kind == "sitemap"]
        await add([one.url for one in entries if one.kind == "url"])
