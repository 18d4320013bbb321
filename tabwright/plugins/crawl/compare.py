"""The changes of a site since an earlier crawl."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

import attrs

from tabwright.plugins.crawl.frontier import FoundUrl, UrlState
from tabwright.plugins.crawl.store import CrawlStore
from tabwright.reader.pages import Record

Change: TypeAlias = Literal["new", "changed", "same", "gone"]


def earlier_urls(earlier: CrawlStore) -> list[FoundUrl]:
    """Return the pages of an earlier crawl, which a new one requests even if no link leads there.

    Otherwise a page that lost its last link could not be distinguished from one that is gone.
    """
    pages = earlier.hashes()
    return [FoundUrl(one.key, one.url, one.depth) for one in earlier.queued() if one.key in pages]


@attrs.frozen
class Comparison:
    """A crawl, compared with an earlier one."""

    now: CrawlStore
    earlier: CrawlStore

    def records(self) -> Iterator[Record]:
        """Yield the records of the crawl with their ``change``, then those of the gone pages.

        A page counts as changed if its text differs. A page that could not be read for a temporary
        reason, or because of a limit, does not count as gone; the record of the failure has no
        ``change`` then.
        """
        before = dict(self.earlier.hashes())
        states = self.now.states()
        for key, record in self.now.keyed_records():
            known = before.get(key)
            if not record.get("success"):
                is_gone = known is not None and states[key][1] != "retryable"
                yield {**record, "change": "gone"} if is_gone else record
                continue
            change: Change = "new"
            if known is not None:
                change = "same" if record.get("hash") == known[1] else "changed"
            yield {**record, "change": change}
        for key, (url, _hash) in before.items():
            state, reason = states.get(key, (UrlState.PENDING, ""))
            if state is UrlState.SKIPPED:
                yield {"asked": url, "success": False, "change": "gone", "reason": reason}

    def counts(self) -> Mapping[str, int]:
        """Count the pages by their change."""
        return Counter(str(one["change"]) for one in self.records() if "change" in one)
