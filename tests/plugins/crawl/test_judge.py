"""What the crawler does with a URL after reading its page."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tabwright.plugins.crawl.frontier import FoundUrl, UrlState
from tabwright.plugins.crawl.judge import PageJudge, ReadPage
from tabwright.plugins.crawl.scope import normal_form, scope_of
from tabwright.plugins.crawl.store import CrawlStore
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.snapshot import PageLink
from tabwright.reader.pages import PageContent, PageFailure, failure_of
from tabwright.reader.tiers import check_status

START = "https://a.example/"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CrawlStore]:
    opened = CrawlStore.open(tmp_path / "state", "wishes")
    yield opened
    opened.close()


def judge_of(store: CrawlStore, *include: str) -> PageJudge:
    scope, [start] = scope_of([START], include=include, depth_max=9)
    store.add([FoundUrl(normal_form(start), start.text, 0)])
    return PageJudge(scope, store, keeps_text=True)


def content(url: str, *links: str) -> PageContent:
    return PageContent(
        record={"url": url, "title": "", "status": 200, "text": f"Text of {url}"},
        url=url,
        text=f"Text of {url}",
        links=tuple(PageLink(n, "", one, "navigation") for n, one in enumerate(links, 1)),
        canonical="",
        robots=(),
        size=1,
    )


def not_found(url: str) -> PageFailure:
    try:
        check_status(url, 404)
    except TabwrightError as error:
        return failure_of(error)
    raise AssertionError("404 is an error")


def finish_next(judge: PageJudge, store: CrawlStore, read: ReadPage) -> UrlState:
    [one] = store.take(1, ())
    finished = judge.finish(one, read)
    assert finished is not None
    return finished[0].state


def test_record_of_a_failed_page_has_its_status_and_where_it_was_found(store: CrawlStore) -> None:
    judge, dead = judge_of(store), f"{START}dead"
    finish_next(judge, store, ReadPage(content(START, dead)))
    assert finish_next(judge, store, ReadPage(failure=not_found(dead))) is UrlState.FAILED
    *_, record = store.records()
    assert {
        name: record[name] for name in ("asked", "success", "status", "code", "reason", "found_on")
    } == {
        "asked": dead,
        "success": False,
        "status": 404,
        "code": 200,
        "reason": "http_client",
        "found_on": START,
    }


def test_start_url_matching_no_pattern_is_read_only_for_its_links(store: CrawlStore) -> None:
    judge, wanted = judge_of(store, "/a/*"), f"{START}a/1"
    read = ReadPage(content(START, wanted, f"{START}b/1"))
    assert finish_next(judge, store, read) is UrlState.SKIPPED
    assert finish_next(judge, store, ReadPage(content(wanted))) is UrlState.DONE
    assert store.counts().skipped == {"excluded": 1}
    assert [one["asked"] for one in store.records()] == [wanted]


def test_start_url_redirected_to_an_included_page_is_in_the_result(store: CrawlStore) -> None:
    judge = judge_of(store, "/a/*")
    assert finish_next(judge, store, ReadPage(content(f"{START}a/"))) is UrlState.DONE
