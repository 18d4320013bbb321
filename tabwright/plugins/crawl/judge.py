"""Decides what to do with a URL after its page was read, and which URLs it leads to.

Blocks on the store; its methods run in the thread of the store, one at a time.
"""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

import attrs

from tabwright.plugins.crawl.frontier import FoundUrl, PageResult, QueuedUrl, UrlState
from tabwright.plugins.crawl.parameters import ParameterLearner
from tabwright.plugins.crawl.scope import CrawlScope, Skip, normal_form, requested_form, shape_of
from tabwright.plugins.crawl.store import CrawlStore
from tabwright.plugins.crawl.traps import TrapDetector, sketch_of, words_of
from tabwright.protocol.errors import BadInput, RobotsRefused
from tabwright.protocol.web_urls import WebUrl
from tabwright.reader.pages import PageContent, PageFailure, Record

SAME_SHARE = 0.9
"""A page with this share of the lines of a page that does not exist does not exist either."""

SAMPLE_EVERY = 16
"""One in so many URLs that seem to be variants of a page is read nevertheless, as a check."""

LINKS_MAX = 5_000
"""The maximum number of links of a page that are followed."""


@attrs.frozen
class ReadPage:
    """The outcome of reading a page: its content, or why there is none."""

    content: PageContent | None = None
    failure: PageFailure | None = None
    skip: Skip | None = None

    @property
    def size(self) -> int:
        """The bytes that were read."""
        return self.content.size if self.content else 0


@attrs.frozen
class Link:
    """A URL that was found on a page."""

    url: WebUrl
    key: str


@lru_cache(maxsize=8_192)
def link_to(url: str, incidental: frozenset[str] = frozenset()) -> Link | None:
    """Read a URL of a page; None if it cannot be requested."""
    try:
        read = WebUrl.read(url)
    except BadInput:
        return None
    return Link(read, normal_form(read, incidental))


@attrs.define(eq=False)
class PageJudge:
    """Judges the pages of a crawl.

    Attributes:
        scope: the URLs that belong to the crawl; a start that is redirected extends it.
    """

    scope: CrawlScope
    _store: CrawlStore
    _keeps_text: bool
    _traps: TrapDetector = attrs.field(factory=TrapDetector)
    _parameters: ParameterLearner = attrs.field(factory=ParameterLearner)
    _missing: list[set[int]] = attrs.field(factory=list[set[int]])
    _incidental: frozenset[str] = frozenset()
    _read_forms: set[str] = attrs.field(factory=set[str])

    def restore(self) -> None:
        """Take up what the pages of earlier runs have shown."""
        for page in self._store.stored():
            self._traps.take(page.url, page.shape, page.text, leads_on=page.leads_on)
            if (link := link_to(page.url)) and page.hash:
                self._parameters.take(link.url, page.hash)

    def learn_missing(self, text: str) -> None:
        """Take the text that a site shows for a URL that does not exist."""
        self._missing.append(sketch_of(text))

    def listed(self, urls: Iterable[str]) -> list[FoundUrl]:
        """Return the URLs of a sitemap that belong to the crawl."""
        links = filter(None, map(link_to, urls))
        return [
            FoundUrl(link.key, requested_form(link.url), 1)
            for link in links
            if self.scope.refusal(link.url, 1) is None
        ]

    def skip_before(self, one: QueuedUrl) -> Skip | None:
        """Return why a URL need not be requested, by what was learned after it was queued."""
        if self._traps.is_exhausted(_shape(one.url)):
            return Skip.TRAP
        link = link_to(one.url, self._incidental)
        is_variant = link is not None and link.key != one.key and link.key in self._read_forms
        return Skip.VARIANT if is_variant and one.id % SAMPLE_EVERY else None

    def finish(self, one: QueuedUrl, read: ReadPage) -> tuple[PageResult, int] | None:
        """Judge a page and write it; return that, and the number of new URLs.

        None if it was skipped for a reason that turned out to be wrong meanwhile: it stays pending.
        """
        skip = self.skip_before(one)
        if read.skip and not skip:
            return None
        result = _skipped(skip, size=read.size) if skip else self._judge(one, read)
        new = self._store.finish(one, result)
        if result.state is UrlState.DONE and self._incidental:
            self._add_form(one.url)
        if self._parameters.incidental != self._incidental:
            if not self._incidental <= self._parameters.incidental:
                self._store.requeue(Skip.VARIANT)
            self._incidental = self._parameters.incidental
            self._read_forms.clear()
            for page in self._store.stored():
                self._add_form(page.url)
        return result, new

    def _add_form(self, url: str) -> None:
        if link := link_to(url, self._incidental):
            self._read_forms.add(link.key)

    def _judge(self, one: QueuedUrl, read: ReadPage) -> PageResult:
        """Return the result for a URL after its page was read."""
        if read.failure is not None:
            is_refused = read.failure.kind == RobotsRefused.kind
            return _skipped(Skip.ROBOTS) if is_refused else _failed(one, read.failure)
        page = read.content
        if page is None:
            raise AssertionError("a page that did not fail has content")
        text = page.text.strip()
        words = words_of(text).encode(errors="replace")
        digest = blake2b(words, digest_size=16).hexdigest()
        arrived = link_to(page.url)
        if arrived is not None and text:
            self._parameters.take(arrived.url, digest)
        aliases: list[tuple[str, str]] = []
        if arrived is not None and arrived.key != one.key:
            # It was redirected.
            if one.depth == 0:
                # The crawl goes on where a start leads, for example to ``example.org``.
                place = arrived.url.authority.removeprefix("www.")
                self.scope = attrs.evolve(self.scope, hosts=self.scope.hosts | {place})
            if refusal := self.scope.refusal(arrived.url, one.depth):
                return _skipped(refusal, size=read.size)
            if self._store.is_known([arrived.key]):
                return _skipped(Skip.DUPLICATE, size=read.size)
            aliases.append((arrived.key, requested_form(arrived.url)))
        shape = _shape(one.url)
        found = self._found(one, page)
        known = self._store.is_known(list(found)) if found else set[str]()
        new_shapes = {shape_of(link.url) for key, link in found.items() if key not in known}
        leads_on = self._traps.leads_on(shape, new_shapes)
        skip = self._skip_of(one, page, text, digest)
        self._traps.take(one.url, shape, "" if skip is Skip.DUPLICATE else text, leads_on=leads_on)
        followed = found
        if self._traps.is_closed(shape):
            followed = {key: link for key, link in found.items() if shape_of(link.url) != shape}
        next_urls = tuple(
            FoundUrl(key, requested_form(link.url), one.depth + 1) for key, link in followed.items()
        )
        left_out = len(found.keys() - known - followed.keys())
        if skip is not None:
            skipped = _skipped(skip, size=read.size)
            return attrs.evolve(skipped, found=next_urls, aliases=aliases, left_out=left_out)
        return PageResult(
            state=UrlState.DONE,
            shape=shape,
            hash=digest if text else "",
            record=self._record(one, page, digest),
            found=next_urls,
            aliases=aliases,
            leads_on=leads_on,
            size=read.size,
            left_out=left_out,
        )

    def _skip_of(self, one: QueuedUrl, page: PageContent, text: str, digest: str) -> Skip | None:
        """Return why a page is not part of the result; None if it is."""
        if one.depth == 0 and not any(
            self.scope.includes(link.url) for link in map(link_to, (one.url, page.url)) if link
        ):
            return Skip.EXCLUDED  # it was read for its links
        if "noindex" in page.robots:
            return Skip.NOINDEX
        if one.depth > 0 and self._missing:
            sketch = sketch_of(text)
            for missing in self._missing:
                shared = len(sketch & missing)
                if sketch and shared >= SAME_SHARE * max(len(sketch), len(missing)):
                    return Skip.SOFT_404
        if text and self._store.url_of_hash(digest):
            return Skip.DUPLICATE
        return None

    def _found(self, one: QueuedUrl, page: PageContent) -> dict[str, Link]:
        """Return the URLs that a page leads to and that belong to the crawl, by normal form."""
        if "nofollow" in page.robots:
            return {}
        urls = [
            link.url
            for link in page.links[:LINKS_MAX]
            if link.followed and link.kind not in {"anchor", "external"}
        ]
        if self.scope.subdomains or len(self.scope.hosts) > 1:
            urls = [link.url for link in page.links[:LINKS_MAX] if link.followed]
        if page.canonical:
            urls.append(page.canonical)
        found: dict[str, Link] = {}
        for url in urls:
            link = link_to(url.partition("#")[0])
            if (
                link is not None
                and link.key not in found
                and link.key != one.key
                and self.scope.refusal(link.url, one.depth + 1) is None
            ):
                found[link.key] = link
        return found

    def _record(self, one: QueuedUrl, page: PageContent, digest: str) -> Record:
        place = _place(one)
        if not self._keeps_text:
            named = {key: page.record[key] for key in ("url", "title", "status")}
            return {**place, "success": True, **named, "hash": digest}
        record = {key: value for key, value in page.record.items() if key != "timing"}
        return {**place, "success": True, **record, "hash": digest}


def _shape(url: str) -> str:
    link = link_to(url)
    return shape_of(link.url) if link else ""


def _place(one: QueuedUrl) -> dict[str, object]:
    """Return where a URL is in the crawl, as the first fields of its record."""
    found_on = {"found_on": one.parent} if one.parent else {}
    return {"asked": one.url, "depth": one.depth, **found_on}


def _skipped(reason: Skip, size: int = 0) -> PageResult:
    return PageResult(state=UrlState.SKIPPED, reason=reason, size=size)


def _failed(one: QueuedUrl, failure: PageFailure) -> PageResult:
    error = {key: value for key, value in failure.record.items() if key != "text"}
    record = {**_place(one), **error}
    return PageResult(
        state=UrlState.FAILED, reason="retryable" if failure.retryable else "", record=record
    )
