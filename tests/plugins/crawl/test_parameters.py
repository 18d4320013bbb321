"""Learning from pages which URL parameters do not change the content."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from tabwright.plugins.crawl.parameters import PROOFS_MIN, ParameterLearner
from tabwright.plugins.crawl.scope import normal_form
from tabwright.protocol.web_urls import WebUrl

HOME = "https://a.example"


def learned(pages: list[tuple[str, str]]) -> frozenset[str]:
    learner = ParameterLearner()
    for path, digest in pages:
        learner.take(WebUrl.read(HOME + path), digest)
    return learner.incidental


def test_parameter_that_never_changes_the_page_is_learned() -> None:
    pages = [(f"/{page}?xid={visit}", f"text {page}") for visit, page in product(range(3), "ab")]
    assert learned(pages) == {"a.example xid"}
    url = WebUrl.read(f"{HOME}/c?x=1&xid=77")
    assert normal_form(url, learned(pages)) == "a.example/c?x=1"


def test_page_without_the_parameter_counts_as_evidence() -> None:
    plain = [(f"/{page}", f"text {page}") for page in range(PROOFS_MIN)]
    viewed = [(f"/{page}?view=list", f"text {page}") for page in range(PROOFS_MIN)]
    assert learned([*plain, *viewed]) == {"a.example view"}


@given(st.permutations([(f"/item?id={n}", "missing" if n < 6 else f"text {n}") for n in range(9)]))
def test_parameter_that_changes_any_page_is_never_learned(pages: list[tuple[str, str]]) -> None:
    assert learned(pages) == frozenset()


def test_too_few_equal_pages_teach_no_parameter() -> None:
    assert learned([(f"/a?x={n}", "same") for n in range(2)]) == frozenset()


def test_parameter_is_learned_for_its_host_only() -> None:
    pages = [(f"/{page}?xid={visit}", f"text {page}") for visit, page in product(range(3), "ab")]
    url = WebUrl.read("https://b.example/c?xid=77")
    assert normal_form(url, learned(pages)) == "b.example/c?xid=77"


def test_generated_path_segment_that_never_changes_the_page_is_learned() -> None:
    visits = [f"{number:032x}" for number in range(3)]
    pages = [(f"/{visit}/{page}", f"text {page}") for visit, page in product(visits, "ab")]
    assert learned(pages) == {"a.example /1"}
    urls = [WebUrl.read(f"{HOME}/{visit}/c") for visit in (*visits, "f" * 32)]
    forms = {normal_form(url, learned(pages)) for url in urls}
    assert forms == {"a.example/*/c"}
    assert normal_form(WebUrl.read(f"{HOME}/docs/c"), learned(pages)) == "a.example/docs/c"
