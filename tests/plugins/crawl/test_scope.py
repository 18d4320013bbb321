"""The scope of a crawl: which URLs name the same page, and which belong to the crawl."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.plugins.crawl.scope import Skip, normal_form, requested_form, scope_of, shape_of
from tabwright.protocol.errors import BadInput
from tabwright.protocol.web_urls import WebUrl

HOME = "https://a.example/"
NAMES = st.text("abcxyz019", min_size=1, max_size=4)
PARAMETERS = st.lists(st.tuples(NAMES, NAMES), max_size=5, unique_by=lambda pair: pair[0])
INCIDENTAL = st.sampled_from(
    ["utm_source=x", "gclid=1", "PHPSESSID=abc", "sid=0123456789abcdef0123", "fbclid=q", "_ga=2.1"]
)


def form(text: str) -> str:
    return normal_form(WebUrl.read(text))


@given(PARAMETERS, st.integers(0, 1000), st.lists(INCIDENTAL, max_size=3))
def test_normal_form_ignores_parameter_order_and_visitor_parameters(
    parameters: list[tuple[str, str]], seed: int, incidental: list[str]
) -> None:
    given_as = [f"{name}={value}" for name, value in parameters]
    shuffled = [*given_as, *incidental]
    Random(seed).shuffle(shuffled)
    assert form(f"{HOME}p?{'&'.join(shuffled)}#part") == form(f"{HOME}p?{'&'.join(given_as)}")


@given(PARAMETERS, st.lists(INCIDENTAL, max_size=3))
def test_requested_form_is_idempotent_and_keeps_the_normal_form(
    parameters: list[tuple[str, str]], incidental: list[str]
) -> None:
    query = "&".join([*(f"{name}={value}" for name, value in parameters), *incidental])
    url = WebUrl.read(f"{HOME}p?{query}#part")
    asked = WebUrl.read(requested_form(url))
    assert normal_form(asked) == normal_form(url)
    assert requested_form(asked) == requested_form(url)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://A.example:80/x/../y", "https://a.example/y"),
        ("https://a.example/%7Ejo", "https://a.example/~jo"),
        ("https://a.example/p;jsessionid=0AB1?x=1", "https://a.example/p?x=1"),
        ("https://a.example/(S(abc123))/p", "https://a.example/p"),
        ("https://a.example/p?", "https://a.example/p"),
        ("https://a.example//p", "https://a.example/p"),
    ],
)
def test_spellings_of_the_same_page_have_one_normal_form(one: str, other: str) -> None:
    assert form(one) == form(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://a.example/p?x=1", "https://a.example/p?x=2"),
        ("https://a.example/p", "https://b.example/p"),
        ("https://a.example:8443/p", "https://a.example/p"),
        ("https://a.example/P", "https://a.example/p"),
        ("https://a.example/story?sid=5", "https://a.example/story?sid=6"),
    ],
)
def test_different_pages_have_different_normal_forms(one: str, other: str) -> None:
    assert form(one) != form(other)


@pytest.mark.parametrize(
    ("url", "depth", "refusal"),
    [
        (f"{HOME}docs/a", 1, None),
        ("https://www.a.example/docs/a", 1, None),
        ("http://a.example/docs/a", 1, None),
        ("https://b.example/docs/a", 1, Skip.OTHER_HOST),
        ("https://sub.a.example/docs/a", 1, Skip.OTHER_HOST),
        ("https://a.example.evil.example/docs/a", 1, Skip.OTHER_HOST),
        (f"{HOME}docs/a", 4, Skip.TOO_DEEP),
        (f"{HOME}blog/a", 1, Skip.EXCLUDED),
        (f"{HOME}docs/old/a", 1, Skip.EXCLUDED),
        (f"{HOME}docs/%6Fld/a", 1, Skip.EXCLUDED),
        (f"{HOME}docs/movie.mp4", 1, Skip.FILE),
        (f"{HOME}docs/paper.pdf", 1, None),
        (f"{HOME}docs/a/a/a/a/a", 1, Skip.ODD),
        (f"{HOME}docs/{'a/b/' * 4}", 1, Skip.ODD),
        (f"{HOME}docs/{'x' * 3000}", 1, Skip.ODD),
    ],
)
def test_scope_refuses_urls_outside_the_crawl_with_the_reason(
    url: str, depth: int, refusal: Skip | None
) -> None:
    scope, _ = scope_of([HOME], include=["/docs/*"], exclude=["/docs/old/*"], depth_max=3)
    assert scope.refusal(WebUrl.read(url), depth) is refusal


def test_start_is_requested_even_if_no_pattern_includes_it() -> None:
    scope, [start] = scope_of(["a.example"], include=["/docs/*"], depth_max=3)
    assert start.text == HOME
    assert scope.refusal(start, 0) is None


def test_subdomains_belong_to_the_crawl_on_request() -> None:
    scope, _ = scope_of([HOME], subdomains=True, depth_max=3)
    assert scope.refusal(WebUrl.read("https://sub.a.example/"), 1) is None
    assert scope.refusal(WebUrl.read("https://nota.example/"), 1) is Skip.OTHER_HOST


@pytest.mark.parametrize("wrong", [["ftp://a.example/"], [""], []])
def test_crawl_without_a_valid_start_url_is_rejected(wrong: list[str]) -> None:
    with pytest.raises(BadInput):
        scope_of(wrong, depth_max=1)


def test_pattern_that_is_not_valid_is_refused() -> None:
    with pytest.raises(BadInput):
        scope_of([HOME], include=["http://[/"], depth_max=1)


def test_urls_of_one_template_share_a_shape() -> None:
    shapes = {
        shape_of(WebUrl.read(f"{HOME}cal/{year}/{month}")) for year in (1, 2) for month in "ab"
    }
    assert len(shapes) == 1
    assert shape_of(WebUrl.read(f"{HOME}cal/1/a?d=1")) in shapes
    assert shape_of(WebUrl.read(f"{HOME}shop/x")) not in shapes
