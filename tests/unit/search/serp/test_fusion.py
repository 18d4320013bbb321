from collections.abc import Mapping, Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.web_search import Ranking, SerpEntry, WebResult
from tabwright.search.serp.results import K, merged, result_key

VARIANTS = ["https://{}.example/", "http://www.{}.example", "https://{}.example/?utm_source=z#top"]
URLS = st.builds(str.format, st.sampled_from(VARIANTS), st.sampled_from("abcdef"))
PAGES = st.lists(URLS.map(lambda url: SerpEntry(f"title of {url}", url)), max_size=8)
ENGINES = st.dictionaries(st.sampled_from(["one", "two", "three", "four"]), PAGES, max_size=4)
Rankings = Mapping[str, Sequence[SerpEntry]]


def found(*urls: str) -> list[SerpEntry]:
    return [SerpEntry(url, url) for url in urls]


def best_ranks(rankings: Rankings) -> dict[str, dict[str, int]]:
    """Return the best rank by page and engine, with a simple reference implementation."""
    ranks: dict[str, dict[str, int]] = {}
    for engine, results in rankings.items():
        for rank, result in enumerate(results, 1):
            ranks.setdefault(result_key(result.url), {}).setdefault(engine, rank)
    return ranks


def by_key(results: Sequence[WebResult]) -> dict[str, WebResult]:
    return {result_key(result.url): result for result in results}


def test_pages_that_several_engines_list_come_first() -> None:
    results = merged(
        {
            "one": found("https://a.example/", "https://b.example/?utm_source=one"),
            "two": [SerpEntry("B", "http://www.b.example", "of two", "today")],
        },
        10,
    )
    assert results == (
        WebResult(
            title="B",
            url="http://www.b.example",
            snippet="of two",
            rankings=(Ranking("two", 1), Ranking("one", 2)),
            score=1 / 61 + 1 / 62,
            date="today",
        ),
        WebResult("https://a.example/", "https://a.example/", "", (Ranking("one", 1),), 1 / 61),
    )


def test_ties_are_broken_by_best_rank_and_then_engine_order() -> None:
    results = merged({"one": found("https://a.example/"), "two": found("https://b.example/")}, 10)
    assert [result.rankings[0].engine for result in results] == ["one", "two"]


def test_an_engine_that_lists_a_page_twice_counts_its_best_rank() -> None:
    twice = found("https://a.example/", "https://b.example/", "http://a.example/#again")
    (first, _) = merged({"one": twice}, 10)
    assert first.rankings == (Ranking("one", 1),)
    assert first.score == pytest.approx(1 / 61)


def test_merged_url_loses_tracking_but_keeps_ref_parameter() -> None:
    (one,) = merged({"one": found("https://a.example/?ref=v1&utm_source=one")}, 10)
    assert one.url == "https://a.example/?ref=v1"


def test_fusion_of_empty_results_is_empty() -> None:
    assert merged({}, 10) == ()
    assert merged({"one": []}, 10) == ()


@given(rankings=ENGINES)
def test_every_page_is_listed_once(rankings: Rankings) -> None:
    results = merged(rankings, 100)
    assert len(by_key(results)) == len(results)
    assert set(by_key(results)) == set(best_ranks(rankings))


@given(rankings=ENGINES)
def test_score_is_the_sum_of_reciprocal_ranks_over_engines(rankings: Rankings) -> None:
    ranks = best_ranks(rankings)
    for key, result in by_key(merged(rankings, 100)).items():
        assert {ranking.engine: ranking.rank for ranking in result.rankings} == ranks[key]
        exact = sum(Fraction(1, K + rank) for rank in ranks[key].values())
        assert result.score == pytest.approx(float(exact))
        assert [ranking.rank for ranking in result.rankings] == sorted(ranks[key].values())


@given(rankings=ENGINES)
def test_results_are_sorted_by_score(rankings: Rankings) -> None:
    results = merged(rankings, 100)
    order = list(rankings)
    keys = [
        (-result.score, result.rankings[0].rank, order.index(result.rankings[0].engine))
        for result in results
    ]
    assert keys == sorted(keys)


@given(rankings=ENGINES, data=st.data())
def test_engine_order_does_not_change_scores(rankings: Rankings, data: st.DataObject) -> None:
    other = dict(data.draw(st.permutations(list(rankings.items()))))
    scores = {key: result.score for key, result in by_key(merged(rankings, 100)).items()}
    assert {k: result.score for k, result in by_key(merged(other, 100)).items()} == scores


@given(rankings=ENGINES, data=st.data())
def test_page_that_rises_in_one_engine_never_drops_in_the_merge(
    rankings: Rankings, data: st.DataObject
) -> None:
    places = [(engine, rank) for engine, found in rankings.items() for rank in range(1, len(found))]
    if not places:
        return
    engine, rank = data.draw(st.sampled_from(places))
    risen = list(rankings[engine])
    risen[rank - 1], risen[rank] = risen[rank], risen[rank - 1]
    key = result_key(risen[rank - 1].url)
    before, after = merged(rankings, 100), merged({**rankings, engine: risen}, 100)
    assert by_key(after)[key].score >= by_key(before)[key].score
    assert list(by_key(after)).index(key) <= list(by_key(before)).index(key)


@given(rankings=ENGINES, limit=st.integers(0, 10))
def test_limit_truncates_the_merged_results(rankings: Rankings, limit: int) -> None:
    assert merged(rankings, limit) == merged(rankings, 100)[:limit]
