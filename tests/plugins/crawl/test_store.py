"""The state of a crawl: no URL is lost or read twice, in any order."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.plugins.crawl.compare import Comparison, earlier_urls
from tabwright.plugins.crawl.frontier import FoundUrl, PageResult, QueuedUrl, UrlState
from tabwright.plugins.crawl.store import CrawlStore, open_recent
from tabwright.protocol.errors import BadInput


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CrawlStore]:
    opened = CrawlStore.open(tmp_path / "state", "wishes")
    yield opened
    opened.close()


def found(*names: str, depth: int = 0) -> list[FoundUrl]:
    return [FoundUrl(name, f"https://{name}", depth) for name in names]


def page(text: str, *leads_to: str, depth: int = 1) -> PageResult:
    record = {"success": True, "url": f"https://{text}", "text": text, "hash": text}
    return PageResult(
        state=UrlState.DONE, hash=text, record=record, found=found(*leads_to, depth=depth)
    )


def finish_all(store: CrawlStore, results: dict[str, PageResult]) -> list[str]:
    order: list[str] = []
    while ahead := store.take(1, ()):
        order.append(ahead[0].key)
        store.finish(ahead[0], results[ahead[0].key])
    return order


@given(
    links=st.dictionaries(
        st.sampled_from("abcdefgh"), st.lists(st.sampled_from("abcdefgh"), max_size=5), min_size=1
    ),
    stops=st.sets(st.integers(0, 12)),
)
def test_each_reachable_url_is_done_once_although_the_store_is_reopened(
    links: dict[str, list[str]], stops: set[int]
) -> None:
    reachable, ahead = {"a"}, ["a"]
    while ahead:
        for name in links.get(ahead.pop(), ()):
            if name not in reachable:
                reachable.add(name)
                ahead.append(name)
    order: list[str] = []
    with TemporaryDirectory() as folder:
        store = CrawlStore.open(Path(folder) / "state", "w")
        store.add(found("a"))
        while taken := store.take(2, ()):
            if len(order) in stops:
                stops.discard(len(order))
                store.close()
                store = CrawlStore.open(Path(folder) / "state", "w")
                continue  # what was taken is still pending
            one = taken[0]
            order.append(one.key)
            store.finish(one, page(one.key, *links.get(one.key, ()), depth=one.depth + 1))
        records = [record["text"] for record in store.records()]
        store.close()
    assert sorted(order) == sorted(reachable) == sorted(map(str, records))


def test_urls_are_taken_by_depth_and_then_in_discovery_order(
    store: CrawlStore,
) -> None:
    store.add(found("deep", depth=2))
    store.add(found("b", "a", "b"))
    assert [one.key for one in store.take(9, ())] == ["b", "a", "deep"]
    taken = store.take(1, ())
    assert [one.key for one in store.take(9, [taken[0].id])] == ["a", "deep"]


def test_alias_keeps_a_pending_url_from_being_requested(store: CrawlStore) -> None:
    store.add(found("a", "b"))
    [one, _] = store.take(2, ())
    store.finish(
        one, PageResult(state=UrlState.DONE, aliases=[("b", "https://b"), ("c", "https://c")])
    )
    assert store.take(9, ()) == []
    assert store.is_known(["b", "c", "d"]) == {"b", "c"}
    assert store.counts().skipped == {"duplicate": 2}


def test_retryable_failures_are_queued_again(store: CrawlStore) -> None:
    store.add(found("a", "b"))
    for one, reason in zip(store.take(2, ()), ("retryable", ""), strict=True):
        failure = {"success": False, "asked": one.url, "error": "no"}
        store.finish(one, PageResult(state=UrlState.FAILED, reason=reason, record=failure))
    store.retry_failed()
    assert [one.key for one in store.take(9, ())] == ["a"]
    assert [record["asked"] for record in store.records()] == ["https://b"]


def test_state_of_a_crawl_with_other_options_is_refused(tmp_path: Path) -> None:
    CrawlStore.open(tmp_path / "state", "one").close()
    with pytest.raises(BadInput):
        CrawlStore.open(tmp_path / "state", "other")
    CrawlStore.open(tmp_path / "state", "one").close()


def test_state_in_use_is_refused_until_it_is_closed(tmp_path: Path) -> None:
    first = CrawlStore.open(tmp_path / "state", "w")
    with pytest.raises(BadInput):
        CrawlStore.open(tmp_path / "state", "w")
    first.close()
    CrawlStore.open(tmp_path / "state", "w").close()
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


def test_recent_crawl_state_is_reused_until_it_expires(tmp_path: Path) -> None:
    folder = tmp_path / "crawls"
    first = open_recent(folder, "a" * 40, 60)
    first.set_fact("complete", "1")
    first.close()
    again = open_recent(folder, "a" * 40, 60)
    assert again.fact("complete") == "1"
    again.close()
    later = open_recent(folder, "a" * 40, -1)
    assert later.fact("complete") == ""
    later.close()
    assert folder.stat().st_mode & 0o077 == 0


def test_invalid_or_missing_state_file_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("This is a letter, and a long one at that. " * 50)
    with pytest.raises(BadInput):
        CrawlStore.open(tmp_path / "state", "w")
    with pytest.raises(BadInput):
        CrawlStore.read(tmp_path / "state")
    with pytest.raises(BadInput):
        CrawlStore.read(tmp_path / "missing")


def test_bytes_are_counted_over_all_runs(tmp_path: Path) -> None:
    for _ in range(2):
        store = CrawlStore.open(tmp_path / "state", "w")
        store.finish(QueuedUrl(1, "a", "https://a", 0), PageResult(state=UrlState.DONE, size=10))
        counts = store.counts()
        store.close()
    assert counts.bytes == 20


def test_comparison_separates_new_changed_same_and_gone_pages(tmp_path: Path) -> None:
    earlier = CrawlStore.open(tmp_path / "earlier", "w")
    earlier.add(found("same", "changed", "gone", "unread", "busy"))
    finish_all(earlier, {key: page(key) for key in ("same", "changed", "gone", "unread", "busy")})

    now = CrawlStore.open(tmp_path / "now", "w")
    now.add(found("same", "changed", "new", "dead"))
    now.add(earlier_urls(earlier))
    missing = {"success": False, "asked": "https://gone", "error": "404"}
    busy = {"success": False, "asked": "https://busy", "error": "503"}
    results = {
        "same": page("same"),
        "changed": page("other"),
        "new": page("new"),
        "gone": PageResult(state=UrlState.FAILED, record=missing),
        "busy": PageResult(state=UrlState.FAILED, reason="retryable", record=busy),
        "dead": PageResult(state=UrlState.FAILED, record={**missing, "asked": "https://dead"}),
    }
    for one in now.take(9, ()):
        if one.key in results:
            now.finish(one, results[one.key])
    changes = {
        str(record.get("url") or record["asked"]): record.get("change")
        for record in Comparison(now, earlier).records()
    }
    assert changes == {
        "https://same": "same",
        "https://other": "changed",
        "https://new": "new",
        "https://gone": "gone",
        "https://busy": None,
        "https://dead": None,
    }
    assert Comparison(now, earlier).counts() == {"same": 1, "changed": 1, "new": 1, "gone": 1}
    now.close()
    earlier.close()
