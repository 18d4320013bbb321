"""The HTTP cache on disk: responses that are reused or revalidated (RFC 9111)."""

import logging
import re
from collections.abc import Callable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from uuid import uuid4

import attrs
import msgspec

from tabwright.config.loader import open_private, private_folder
from tabwright.http.request import RequestMessage, laid_over
from tabwright.http.response import ResponseHead
from tabwright.protocol.actor import Offload
from tabwright.text.file_errors import file_problem

BYTES_MAX = 256 * 1024 * 1024
"""Maximum size of all cached responses together; beyond it the oldest are deleted."""

SUFFIX = ".page"
"""Suffix of cache files; other files in the folder are never deleted."""

_log = logging.getLogger("tabwright.fetching")


@attrs.frozen
class CacheRecord:
    """Metadata of a cached response body.

    Attributes:
        url: URL of the response.
        taken_s: when it was received or last revalidated, in seconds since 1970 UTC.
        varied: the request headers named by ``Vary``, with their original values.
    """

    url: str
    taken_s: float
    head: ResponseHead
    varied: tuple[tuple[str, str], ...] = ()


@attrs.frozen
class CacheEntry:
    """A cached response."""

    record: CacheRecord
    body: bytes


@attrs.frozen
class DiskCache:
    """A folder of cached responses; files that cannot be read or written are ignored.

    Attributes:
        bytes_max: maximum size of the folder.
    """

    folder: Path
    bytes_max: int = BYTES_MAX

    def find(self, url: str) -> CacheEntry | None:
        """Return the cached response for `url`."""
        try:
            line, _, body = self._file(url).read_bytes().partition(b"\n")
            record = msgspec.json.decode(line, type=CacheRecord)
        except (OSError, msgspec.MsgspecError):
            return None
        return CacheEntry(record, body) if record.url == url else None

    def put(self, kept: CacheEntry) -> None:
        """Store an entry atomically, replacing the entry for the same URL."""
        unfinished = self.folder / f"{uuid4().hex}{SUFFIX}"
        try:
            private_folder(self.folder)
            with open(unfinished, "xb", opener=open_private) as file:
                file.write(msgspec.json.encode(kept.record) + b"\n" + kept.body)
            unfinished.replace(self._file(kept.record.url))
            self._make_room()
        except OSError as error:
            problem = file_problem(error, self.folder, writing=True)
            _log.warning("A page was not cached. %s", problem)

    def _make_room(self) -> None:
        files = [(file.stat(), file) for file in self.folder.glob(f"*{SUFFIX}")]
        over = sum(stat.st_size for stat, _ in files) - self.bytes_max
        for stat, file in sorted(files, key=lambda entry: entry[0].st_mtime):
            if over <= 0:
                return
            file.unlink(missing_ok=True)
            over -= stat.st_size

    def _file(self, url: str) -> Path:
        return self.folder / f"{sha256(url.encode()).hexdigest()}{SUFFIX}"


# How long a response can be reused (RFC 9111, for a private cache).


def directives(head: ResponseHead) -> Mapping[str, str]:
    """Return the directives of ``Cache-Control`` by lower-case name."""
    parts = (part.partition("=") for part in head.value("cache-control").split(","))
    return {name.strip().lower(): value.strip(' "') for name, _, value in parts}


def is_storable(head: ResponseHead, max_age_s: float | None) -> bool:
    """Return whether the response may be stored, and can be reused or revalidated later.

    For a caller that accepts a response of any age, it can always be reused.
    """
    if head.status != HTTPStatus.OK or "no-store" in directives(head):
        return False
    is_for_one = "*" in head.value("vary") or bool(head.all("set-cookie"))
    is_useful = max_age_s or freshness_lifetime_s(head) > 0 or validators(head)
    return not is_for_one and bool(is_useful)


def freshness_lifetime_s(head: ResponseHead) -> float:
    """Return the freshness lifetime (sections 4.2.1 and 5.2.2), or 0 if none is set."""
    given = directives(head)
    if "no-cache" in given:
        return 0.0
    if "max-age" in given:
        return _seconds(given["max-age"])
    expires_s, made_s = _parse_date(head.value("expires")), _parse_date(head.first("date"))
    if expires_s is None or made_s is None:
        return 0.0
    return max(expires_s - made_s, 0.0)


def age_s(head: ResponseHead, taken_s: float, now_s: float) -> float:
    """Return a lower bound of the current age (section 4.2.3).

    Of several ages the first counts, and one that is not a number counts as none (section 5.1).
    """
    age = head.first("age").partition(",")[0].strip()
    return _seconds(age) + max(now_s - taken_s, 0.0)


def validators(head: ResponseHead) -> tuple[tuple[str, str], ...]:
    """Return the headers of a conditional request (RFC 9110, section 13.1)."""
    named = (("etag", "If-None-Match"), ("last-modified", "If-Modified-Since"))
    return tuple((ask, head.first(name)) for name, ask in named if head.first(name))


def varying(head: ResponseHead, message: RequestMessage) -> tuple[tuple[str, str], ...]:
    """Return the request headers that ``Vary`` names, with their values."""
    names = (name.strip().lower() for name in head.value("vary").split(","))
    return tuple((name, message.value(name)) for name in names if name)


def _seconds(text: str) -> float:
    return float(text) if text.isascii() and text.isdecimal() else 0.0


_HTTP_DATE = re.compile(
    r"[a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d gmt"
    r"|[a-z]{6,9}, \d\d-[a-z]{3}-\d\d \d\d:\d\d:\d\d gmt"
    r"|[a-z]{3} [a-z]{3} [ \d]\d \d\d:\d\d:\d\d \d{4}",
    re.ASCII | re.IGNORECASE,
)
"""The three forms of a date in HTTP (RFC 9110, section 5.6.7); any other means the past."""


def _parse_date(text: str) -> float | None:
    if not _HTTP_DATE.fullmatch(text):
        return None
    try:
        return parsedate_to_datetime(text).replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


# Reusing fresh responses and revalidating stale ones.


@attrs.frozen(eq=False)
class Cache:
    """The HTTP cache: a storage folder and the rules of RFC 9111.

    Attributes:
        disk: storage; None disables the cache.
        offload: runs disk access outside the event loop.
        now: the time in seconds since 1970 UTC.
    """

    disk: DiskCache | None
    offload: Offload
    now: Callable[[], float]

    async def find(self, message: RequestMessage) -> CacheEntry | None:
        """Return the cached response that matches the request."""
        if self.disk is None or message.method != "GET":
            return None
        kept = await self.offload(partial(self.disk.find, message.target.url))
        if kept is None or kept.record.varied != varying(kept.record.head, message):
            return None
        return kept

    def is_fresh(self, kept: CacheEntry, max_age_s: float | None = None) -> bool:
        """Return whether the entry can be reused without revalidation.

        `max_age_s` is the maximum age that the caller accepts; None for what its site says.
        """
        record = kept.record
        lifetime_s = freshness_lifetime_s(record.head) if max_age_s is None else max_age_s
        return age_s(record.head, record.taken_s, self.now()) < lifetime_s

    async def confirmed(self, kept: CacheEntry, head: ResponseHead) -> CacheEntry:
        """Return the entry updated from a 304 response (RFC 9111, section 4.3.4)."""
        renewed = ResponseHead(HTTPStatus.OK, laid_over(head.headers, kept.record.head.headers))
        record = attrs.evolve(kept.record, head=renewed, taken_s=self.now())
        return await self._put(CacheEntry(record, kept.body))

    async def keep(
        self,
        message: RequestMessage,
        head: ResponseHead,
        body: bytes,
        max_age_s: float | None = None,
    ) -> None:
        """Store a complete response, if the rules allow it."""
        if message.method == "GET" and is_storable(head, max_age_s):
            record = CacheRecord(message.target.url, self.now(), head, varying(head, message))
            await self._put(CacheEntry(record, body))

    async def _put(self, kept: CacheEntry) -> CacheEntry:
        if self.disk is not None:
            await self.offload(partial(self.disk.put, kept))
        return kept


def confirming(message: RequestMessage, kept: CacheEntry | None) -> RequestMessage:
    """Return the conditional request for a cached entry, or the request itself without an entry."""
    asking = validators(kept.record.head) if kept else ()
    return attrs.evolve(message, headers=laid_over(asking, message.headers)) if asking else message
