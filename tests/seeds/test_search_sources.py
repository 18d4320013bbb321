from urllib.parse import quote, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.answers import SearchSource
from tabwright.searching.links import same_page_key
from tabwright.searching.sources import SOURCES_MAX, clean_sources

OWN_HOSTS = [
    "google.com",
    "www.google.com",
    "WWW.GOOGLE.COM",
    "support.google.com",
    "google.com.",
    "a.b.google.com:443",
    "goog%6Ce.com",
]
OTHER_HOSTS = [
    "notgoogle.com",
    "google.com.evil.example",
    "example.com",
    "EXAMPLE.com",
    "google.example",
    "mygoogle.community",
]
PATHS = ["", "/", "/a", "/a#part", "/a#:~:text=x", "/a?b=1", "/a?b=1#c"]
WRAPPINGS = ["{}", "https://www.google.com/url?q={}&sa=U", "https://google.de/url?sa=t&url={}"]


@st.composite
def links(draw: st.DrawFn) -> str:
    scheme = draw(st.sampled_from(["http", "https", "https", "ftp", "javascript"]))
    host = draw(st.sampled_from(OWN_HOSTS + OTHER_HOSTS))
    url = f"{scheme}://{host}{draw(st.sampled_from(PATHS))}"
    wrapping = draw(st.sampled_from(WRAPPINGS))
    return wrapping.format(url if wrapping == "{}" else quote(url, safe=""))


FOUND = st.lists(st.builds(SearchSource, title=st.text(max_size=5), url=links()), max_size=40)


# Feature: google-ai-search-mcp, Property 3: 链接处理正确性
@given(found=FOUND)
def test_sources_are_foreign_different_and_few(found: list[SearchSource]) -> None:
    urls = [source.url for source in clean_sources(found)]
    hosts = [(urlsplit(url).hostname or "").rstrip(".") for url in urls]
    assert len(urls) <= SOURCES_MAX
    assert len({same_page_key(url) for url in urls}) == len(urls)
    assert {urlsplit(url).scheme for url in urls} <= {"http", "https"}
    assert not any(host == "google.com" or host.endswith(".google.com") for host in hosts)


@given(found=FOUND)
def test_no_foreign_page_is_lost_below_the_limit(found: list[SearchSource]) -> None:
    kept = {same_page_key(source.url) for source in clean_sources(found, limit=len(found))}
    foreign = {
        same_page_key(source.url)
        for source in found
        if source.url.startswith("http") and "/url?" not in source.url
    }
    wanted = {key for key in foreign if urlsplit(key).hostname in {h.lower() for h in OTHER_HOSTS}}
    assert wanted <= kept


@given(found=FOUND, limit=st.integers(0, 50))
def test_cleaning_clean_sources_changes_nothing(found: list[SearchSource], limit: int) -> None:
    once = clean_sources(found, limit=limit)
    assert len(once) <= limit
    assert clean_sources(once, limit=limit) == once
