import os
from pathlib import Path

import pytest

from tabwright.http.cache import CacheEntry, CacheRecord, DiskCache, age_s, freshness_lifetime_s
from tabwright.http.client import Client
from tabwright.http.response import ResponseHead
from tabwright.protocol.fetch import Fetch, Payload

from .web import START_S, Asked, Clock, Open, Reply, Web, redirect

URL = "http://a.example/"
FRESH = ("Cache-Control", "public, max-age=60")


@pytest.fixture
def cached(open_client: Open, tmp_path: Path) -> Client:
    return open_client(cache=tmp_path / "pages")


async def twice(client: Client, first: Fetch, second: Fetch | None = None) -> bool:
    """Fetch twice, check that the pages are equal, and return whether it was cached."""
    one = await client.fetch(first)
    other = await client.fetch(second or first)
    assert other.body == one.body
    assert other.page == one.page
    assert (other.charset, other.file_name) == (one.charset, one.file_name)
    return other.from_cache


async def test_fresh_page_is_served_from_the_cache(web: Web, cached: Client) -> None:
    more = ("Content-Type", "text/html; charset=x"), ("Content-Disposition", "filename=a.html")
    web.site("a.example", Reply(b"page", headers=(FRESH, *more)))
    assert await twice(cached, Fetch(URL), Fetch(URL))
    assert len(web.asked) == 1


async def test_page_is_not_cached_without_the_setting(web: Web, client: Client) -> None:
    web.site("a.example", Reply(b"page", headers=(FRESH,)))
    assert not await twice(client, Fetch(URL))


@pytest.mark.parametrize(
    "headers",
    [
        (FRESH,),
        (("Cache-Control", 'MAX-AGE="60"'),),
        (("Cache-Control", "max-age=60"), ("Expires", "0")),
        (("Cache-Control", "max-age=100"), ("Age", "40")),
        (("Date", "Fri, 15 Jan 2027 08:00:00 GMT"), ("Expires", "Fri, 15 Jan 2027 08:01:00 GMT")),
    ],
)
async def test_response_stays_fresh_for_its_declared_lifetime(
    web: Web, cached: Client, clock: Clock, headers: tuple[tuple[str, str], ...]
) -> None:
    web.site("a.example", Reply(b"page", headers=headers))
    await cached.fetch(Fetch(URL))
    clock.now_s += 59
    assert (await cached.fetch(Fetch(URL))).from_cache
    clock.now_s += 2
    assert not (await cached.fetch(Fetch(URL))).from_cache


@pytest.mark.parametrize(
    "reply",
    [
        Reply(b"page"),
        Reply(b"page", headers=(("Cache-Control", "no-store, max-age=60"),)),
        Reply(b"page", headers=(("Cache-Control", "no-cache, max-age=60"),)),
        Reply(b"page", headers=(("Cache-Control", "max-age=0"),)),
        Reply(b"page", headers=(("Cache-Control", "max-age=-5"),)),
        Reply(b"page", headers=(("Expires", "Fri, 01 Jan 2100 00:00:00 GMT"),)),
        Reply(b"page", headers=(("Expires", "0"), ("Date", "x"))),
        Reply(b"page", headers=(FRESH, ("Vary", "*"))),
        Reply(b"page", headers=(FRESH, ("Set-Cookie", "a=1"))),
        Reply(b"page", 404, (FRESH,)),
    ],
)
async def test_uncacheable_response_is_not_stored(web: Web, cached: Client, reply: Reply) -> None:
    web.site("a.example", reply)
    assert not await twice(cached, Fetch(URL))
    assert len(web.asked) == 2


@pytest.mark.parametrize(
    "request_",
    [
        Fetch(URL, session="s"),
        Fetch(URL, headers=(("Authorization", "Basic x"),)),
        Fetch(URL, user_agent="Other/1"),
        Fetch(URL, payload=Payload(b"", "text/plain")),
    ],
)
async def test_personalized_request_bypasses_the_cache(
    web: Web, cached: Client, request_: Fetch
) -> None:
    web.site("a.example", Reply(b"page", headers=(FRESH,)))
    assert not await twice(cached, request_)
    assert not await twice(cached, request_, Fetch(URL))
    assert not await twice(cached, Fetch(URL), request_)


async def test_caller_with_max_age_reuses_a_response_that_is_young_enough(
    web: Web, cached: Client, clock: Clock
) -> None:
    web.site("a.example", Reply(b"page"))
    request = Fetch(URL, max_age_s=60)
    assert not (await cached.fetch(request)).from_cache
    clock.now_s += 59
    assert (await cached.fetch(request)).from_cache
    clock.now_s += 2
    assert not (await cached.fetch(request)).from_cache


async def test_caller_with_max_age_0_gets_a_new_response(web: Web, cached: Client) -> None:
    web.site("a.example", Reply(b"page", headers=(FRESH,)))
    assert not await twice(cached, Fetch(URL), Fetch(URL, max_age_s=0))


@pytest.mark.parametrize(
    "header", [("Cache-Control", "no-store"), ("Vary", "*"), ("Set-Cookie", "a=1")]
)
async def test_max_age_does_not_store_what_must_not_be_stored(
    web: Web, cached: Client, header: tuple[str, str]
) -> None:
    web.site("a.example", Reply(b"page", headers=(header,)))
    assert not await twice(cached, Fetch(URL, max_age_s=60))


async def test_truncated_page_is_not_cached(web: Web, open_client: Open, tmp_path: Path) -> None:
    web.site("a.example", Reply(b"x" * 100, headers=(FRESH,)))
    assert not await twice(open_client(cache=tmp_path, bytes_max=10), Fetch(URL))


@pytest.mark.parametrize(
    ("header", "asking"),
    [
        (("ETag", 'W/"7"'), "if-none-match"),
        (("Last-Modified", "Fri, 15 Jan 2027 08:00:00 GMT"), "if-modified-since"),
    ],
)
async def test_stale_response_is_revalidated(
    web: Web, cached: Client, clock: Clock, header: tuple[str, str], asking: str
) -> None:
    async def site(asked: Asked) -> Reply:
        if asked.headers.get(asking) == header[1]:
            return Reply(status=304, headers=(header, FRESH), is_framed=False)
        return Reply(b"page", headers=(header, ("Cache-Control", "max-age=5"), ("X-Own", "1")))

    web.site("a.example", site)
    assert await twice(cached, Fetch(URL))
    clock.now_s += 6
    fetched = await cached.fetch(Fetch(URL))
    assert (fetched.from_cache, fetched.body, fetched.page.status) == (True, b"page", 200)
    clock.now_s += 59  # by what the confirmation said
    assert (await cached.fetch(Fetch(URL))).from_cache
    assert [asking in asked.headers for asked in web.asked] == [False, True]


async def test_changed_page_is_fetched_and_cached(web: Web, cached: Client) -> None:
    replies = iter([Reply(b"old", headers=(("ETag", "1"),)), Reply(b"new", headers=(FRESH,))])

    async def site(asked: Asked) -> Reply:
        return next(replies)

    web.site("a.example", site)
    assert (await cached.fetch(Fetch(URL))).body == b"old"
    assert (await cached.fetch(Fetch(URL))).body == b"new"
    assert (await cached.fetch(Fetch(URL))).from_cache


async def test_varying_page_is_cached_for_equal_request_headers_only(
    web: Web, open_client: Open, tmp_path: Path
) -> None:
    web.site("a.example", Reply(b"page", headers=(FRESH, ("Vary", "Accept-Language, DNT"))))
    one, alike, other = (open_client(cache=tmp_path, do_not_track=request) for request in (0, 0, 1))
    await one.fetch(Fetch(URL))
    assert (await alike.fetch(Fetch(URL))).from_cache
    assert not (await other.fetch(Fetch(URL))).from_cache


async def test_redirect_target_is_cached_but_the_redirect_is_not(web: Web, cached: Client) -> None:
    web.site("a.example", redirect("http://b.example/"))
    web.site("b.example", Reply(b"page", headers=(FRESH,)))
    await cached.fetch(Fetch(URL))
    fetched = await cached.fetch(Fetch(URL))
    assert (fetched.from_cache, fetched.chain) == (True, (URL,))
    assert [asked.headers["host"] for asked in web.asked] == ["a.example", "b.example", "a.example"]


def kept(url: str, size: int = 10) -> CacheEntry:
    return CacheEntry(
        CacheRecord(url, START_S, ResponseHead(200, (("etag", '"\u00fc"'),))), b"\n" * size
    )


def test_disk_cache_returns_stored_pages_from_a_private_folder(tmp_path: Path) -> None:
    disk = DiskCache(tmp_path / "new" / "one")
    disk.put(kept(URL))
    assert disk.find(URL) == kept(URL)
    assert disk.find("http://b.example/") is None
    assert disk.folder.stat().st_mode & 0o077 == 0


def test_full_disk_cache_evicts_its_oldest_pages(tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_bytes(bytes(10_000))
    disk = DiskCache(tmp_path, bytes_max=5000)
    for number in range(8):
        disk.put(kept(f"{URL}{number}", 1000))
        os.utime(disk._file(f"{URL}{number}"), (number, number))
    found = [disk.find(f"{URL}{number}") is not None for number in range(8)]
    assert found == [False] * 4 + [True] * 4
    assert other.exists()


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\n", b'{"url": 1}\nbody', b"[" * 100_000])
def test_corrupt_cache_file_is_a_miss_and_is_replaced(tmp_path: Path, content: bytes) -> None:
    disk = DiskCache(tmp_path)
    disk._file(URL).write_bytes(content)
    assert disk.find(URL) is None
    disk.put(kept(URL))
    assert disk.find(URL) == kept(URL)


async def test_unwritable_cache_folder_is_logged_and_caches_nothing(
    web: Web, open_client: Open, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_bytes(b"")
    web.site("a.example", Reply(b"page", headers=(FRESH,)))
    assert not await twice(open_client(cache=tmp_path / "file" / "pages"), Fetch(URL))
    assert "was not cached" in caplog.text


NOON = "Mon, 05 Jan 2026 12:00:00 GMT"


@pytest.mark.parametrize(
    ("expires", "lifetime_s"),
    [
        (("Mon, 05 Jan 2026 13:00:00 GMT",), 3600),
        (("Monday, 05-Jan-26 13:00:00 GMT",), 3600),
        (("Mon Jan  5 13:00:00 2026",), 3600),
        (("Mon, 05 Jan 2026 13:00:00 UTC",), 0),
        (("Mon, 05 Jan 2026 13:00:00 AEST",), 0),
        (("Mon, 05 Jan 26 13:00:00 GMT",), 0),
        (("Mon 05 Jan 2026 13:00:00 GMT",), 0),
        (("Mon, 05  Jan 2026 13:00:00 GMT",), 0),
        (("Mon, 05-Jan-2026 13:00:00 GMT",), 0),
        (("Mon, 05 Jan 2026 13.00.00 GMT",), 0),
        (("Mon, 05 Jan 2026 1:00:00 GMT",), 0),
        (("Mon, 05 Jan 2026 13:00:00 GMT", "Mon, 05 Jan 2026 13:00:00 GMT"), 0),
        (("0",), 0),
    ],
)
def test_malformed_or_repeated_expires_means_already_expired(
    expires: tuple[str, ...], lifetime_s: float
) -> None:
    lines = tuple(("expires", text) for text in expires)
    head = ResponseHead(200, (("date", NOON), *lines))
    assert freshness_lifetime_s(head) == lifetime_s


@pytest.mark.parametrize(
    ("age", "seconds"),
    [("7200", 7200), ("7200.0", 0), ("7200, 0", 7200), ("abc", 0), ("-7", 0)],
)
def test_age_header_uses_its_first_value_if_it_is_a_number(age: str, seconds: float) -> None:
    assert age_s(ResponseHead(200, (("age", age),)), START_S, START_S) == seconds
