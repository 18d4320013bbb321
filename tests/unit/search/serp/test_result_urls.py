import base64
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.config.search_parsers import load_parsers
from tabwright.protocol.web_search import SearchNoticeKind, SerpEntry
from tabwright.search.serp.results import (
    hides_target,
    of_site,
    result_key,
    target_of,
    without_tracking,
)
from tabwright.search.urls import host_of

PARSERS = load_parsers()
TARGETS = st.builds(
    "https://{}.example/{}?z={}".format,
    st.from_regex(r"[a-z]{1,8}", fullmatch=True),
    st.text(st.characters(categories=("L", "N")), max_size=8),
    st.dictionaries(st.text("abc", min_size=1), st.text("xyz&="), max_size=3).map(urlencode),
)
TRACKING = [
    *("utm_source", "utm_medium", "UTM_Campaign", "fbclid", "gclid", "gbraid", "wbraid"),
    *("mc_cid", "mc_eid", "igshid"),
]
REFERRERS = ["ref", "ref_src", "spm", "REF"]


def wrapped(engine: str, target: str) -> str:
    coded = base64.urlsafe_b64encode(target.encode()).decode().rstrip("=")
    return {
        "duckduckgo": f"//duckduckgo.com/l/?uddg={quote(target, safe='')}&rut=0f",
        "bing": f"https://www.bing.com/ck/a?!&&p=ab&u=a1{coded}&ntb=1",
        "google": f"/url?sa=t&q={quote(target, safe='')}&ved=1",
        "mojeek": target,
    }[engine]


@given(engine=st.sampled_from(["duckduckgo", "bing", "google", "mojeek"]), target=TARGETS)
def test_redirect_wrapping_of_each_engine_is_undone(engine: str, target: str) -> None:
    parser = PARSERS[engine]
    assert target_of(wrapped(engine, target), parser.url, parser.wrapping) == target


@pytest.mark.parametrize(
    ("engine", "href"),
    [
        ("duckduckgo", "https://duckduckgo.com/l/?uddg=javascript%3Aalert(1)"),
        ("duckduckgo", "//duckduckgo.com/l/?renamed=https%3A%2F%2Fa.example%2F"),
        ("duckduckgo", "https://duckduckgo.com/l/?kh=1"),
        ("bing", "https://www.bing.com/ck/a?u=a1%%%"),
        ("bing", "https://www.bing.com/ck/a?u=a1_w"),
        ("bing", "https://www.bing.com/ck/a?u=a2aHR0cHM6Ly9hLmV4YW1wbGUv"),
        ("google", "/goto?url=CAESabc"),
        ("sogou", "/link?url=hedJjaC291"),
    ],
)
def test_unreadable_redirect_hides_its_target(engine: str, href: str) -> None:
    parser = PARSERS[engine]
    assert target_of(href, parser.url, parser.wrapping) == ""
    assert hides_target(href, parser.url, parser.wrapping)


@pytest.mark.parametrize(
    ("engine", "href"),
    [
        ("google", "https://www.google.com/url?q=/preferences"),
        ("bing", "https://www.bing.com/ck/a?u=a1L2ltYWdlcw"),
        ("google", "/search?q=x"),
        ("mojeek", "/goto?url=CAESabc"),
        ("google", "https://a.example/goto?url=CAESabc"),
    ],
)
def test_link_to_the_engine_or_without_redirect_hides_nothing(engine: str, href: str) -> None:
    parser = PARSERS[engine]
    assert not hides_target(href, parser.url, parser.wrapping)


def test_redirect_to_a_path_of_the_engine_has_no_target() -> None:
    parser = PARSERS["bing"]
    href = "https://www.bing.com/ck/a?u=a1L2ltYWdlcw"
    assert target_of(href, parser.url, parser.wrapping) == ""


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("/a", ""),
        ("", ""),
        ("?q=y", ""),
        (" https://a.example/b c\n", "https://a.example/b%20c"),
        ("//a.example", "https://a.example"),
        ("javascript:alert(1)", ""),
        ("mailto:a@b.example", ""),
        ("ftp://a.example/", ""),
        ("https://[bad/", ""),
    ],
)
def test_only_absolute_http_urls_are_returned_as_targets(href: str, target: str) -> None:
    assert target_of(href, "https://e.example/search?q=x", None) == target


@given(href=st.text(), page=st.text(), engine=st.sampled_from(["duckduckgo", "bing", "google"]))
def test_any_link_yields_a_valid_url_or_none(href: str, page: str, engine: str) -> None:
    target = target_of(href, page, PARSERS[engine].wrapping)
    assert target == "" or host_of(target)
    assert target.isprintable()
    assert " " not in target


@pytest.mark.parametrize("name", TRACKING)
def test_tracking_parameter_is_removed_and_the_rest_kept(name: str) -> None:
    url = f"https://a.example/p?x=%41&{name}=1&y&y=%c3#{name}=2"
    assert without_tracking(url) == f"https://a.example/p?x=%41&y&y=%c3#{name}=2"
    assert without_tracking(f"https://a.example/p?{name}=1") == "https://a.example/p"


@pytest.mark.parametrize("name", ["reference", "preref", "utm", "gclid2", "q", *REFERRERS])
def test_parameter_resembling_tracking_is_kept(name: str) -> None:
    url = f"https://a.example/?{name}=1"
    assert without_tracking(url) == url


@pytest.mark.parametrize("name", REFERRERS)
def test_referrer_parameter_does_not_change_the_result_key(name: str) -> None:
    assert result_key(f"https://a.example/?{name}=v1&x=1") == result_key("https://a.example/?x=1")


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("https://a.example/\u202efdp.exe", "https://a.example/%E2%80%AEfdp.exe"),
        ("https://a.example/\x1b[2J\x9b", "https://a.example/%1B[2J%C2%9B"),
        ("https://a.example/\ud800", "https://a.example/%3F"),
        ("https://a.example/می\u200cخ", "https://a.example/می%E2%80%8Cخ"),
        ("https://a\u202e.example/", ""),
        ("https://a%E2%80%AE.example/", ""),
    ],
)
def test_unprintable_characters_are_escaped_in_paths_and_rejected_in_hosts(
    href: str, target: str
) -> None:
    assert target_of(href, "https://e.example/", None) == target


@pytest.mark.parametrize(
    "same",
    [
        "https://a.example/p?x=1",
        "http://a.example/p?x=1",
        "http://a.example:80/p?x=1",
        "https://a.example:443/p/?x=1",
        "https://www.a.example/p?x=1",
        "HTTPS://WWW.A.EXAMPLE/p?utm_source=y&x=1&fbclid=2#part",
    ],
)
def test_equivalent_urls_share_one_result_key(same: str) -> None:
    assert result_key(same) == result_key("https://a.example/p?x=1")


@pytest.mark.parametrize(
    "other",
    [
        "https://a.example/p",
        "https://a.example/P?x=1",
        "https://a.example/p?x=2",
        "https://a.example:8443/p?x=1",
        "https://b.a.example/p?x=1",
        "https://a.example/p/q?x=1",
    ],
)
def test_different_pages_have_different_result_keys(other: str) -> None:
    assert result_key(other) != result_key("https://a.example/p?x=1")


@given(url=TARGETS)
def test_removing_tracking_is_idempotent_and_keeps_the_result_key(url: str) -> None:
    assert without_tracking(without_tracking(url)) == without_tracking(url)
    assert result_key(without_tracking(url)) == result_key(url)


SITES = [
    ("a.example", ["https://a.example/", "http://www.A.example/x", "https://b.a.example/"]),
    ("www.a.example", ["https://a.example/x"]),
    ("a.example/docs", ["https://a.example/docs/x", "https://a.example/Docs"]),
]
OTHERS = [
    "https://ba.example/docs/",
    "https://a.example.com/docs",
    "https://b.example/a.example/docs",
]


@pytest.mark.parametrize(("site", "urls"), SITES)
def test_results_of_other_sites_are_left_out_and_noticed(site: str, urls: list[str]) -> None:
    own = tuple(SerpEntry("T", url) for url in urls)
    assert of_site("bing", own, site) == (own, ())
    others = tuple(SerpEntry("T", url) for url in OTHERS)
    kept, [notice] = of_site("bing", (*others, *own), site)
    assert kept == own
    assert (notice.kind, notice.engine) == (SearchNoticeKind.OTHER_SITES, "bing")
