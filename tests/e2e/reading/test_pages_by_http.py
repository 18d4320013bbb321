"""Read difficult pages over HTTP alone, without a browser."""

import pytest

from tabwright.protocol.errors import (
    ErrorCode,
    NavigationFailed,
    RateLimited,
    TabwrightError,
)
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.page_text import CUTS, RenderOptions
from tabwright.protocol.snapshot import Selection

SENTENCE = "Every task has a parent that waits for it, and no error is lost."
PROMISED_S = 120


async def read(open_reading_client, url, reading=None, **settings):
    """Read a page, and check that no browser was started."""
    async with open_reading_client(**settings) as tabwright:
        text = await tabwright.read(url, reading)
        pool = await tabwright.pool()
    assert text.tier == 1
    assert not any(worker.product for worker in pool.workers)
    return text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/gbk", "结构化并发意味着每个任务都有一个等待它的父任务。因此不会丢失任何错误。"),
        ("/shift-jis", "構造化並行性とは、すべてのタスクに、それを待つ親があるということです。"),
        ("/latin-2", "Zażółć gęślą jaźń: każde zadanie ma rodzica"),
        ("/windows-1251", "Структурная параллельность означает, что каждая задача имеет родителя"),
        ("/utf-16", "结构化并发意味着每个任务都有一个等待它的父任务。因此不会丢失任何错误。"),
    ],
    ids=lambda value: value if value.isascii() else "",
)
async def test_a_page_is_read_in_its_own_charset(path, text, site, open_reading_client):
    page = await read(open_reading_client, site.url(path))
    assert text in page.text
    assert text.encode(page.metadata.charset) in site.sent(path)


async def test_redirects_are_followed_and_named(site, open_reading_client):
    page = await read(open_reading_client, site.url("/redirect/3"))
    assert page.url == site.url("/static")
    assert page.redirects == tuple(site.url(f"/redirect/{number}") for number in (3, 2, 1))
    assert SENTENCE in page.text


async def test_redirect_loop_is_detected_after_one_round(site, open_reading_client):
    async with open_reading_client() as tabwright:
        with pytest.raises(NavigationFailed, match="in a loop") as caught:
            await tabwright.read(site.url("/circle"), ReadOptions(max_tier=1))
    assert not caught.value.retryable
    assert site.asked("/circle") == 1


@pytest.mark.parametrize("path", ["/bomb", "/large"])
async def test_oversized_page_is_truncated_and_marked(path, site, open_reading_client):
    page = await read(
        open_reading_client,
        site.url(path),
        ReadOptions(view=RenderOptions(format="text")),
        network__page_bytes_max=300_000,
    )
    assert page.truncation.reason == "size_limit"
    assert 200_000 < len(page.text) <= 300_000
    assert page.text.endswith(f"[... {CUTS['size_limit']}]")


async def test_truncated_response_is_read_up_to_the_break(site, open_reading_client):
    page = await read(open_reading_client, site.url("/half"))
    assert SENTENCE in page.text
    assert "The very end" not in page.text
    assert page.truncation is not None


async def test_endless_response_is_read_until_the_timeout(site, open_reading_client):
    page = await read(open_reading_client, site.url("/drip"), network__page_timeout_s=3)
    assert SENTENCE in page.text
    assert "And so on." in page.text
    assert page.truncation.reason == "time_out"


async def test_declarative_shadow_root_is_read_in_place(site, open_reading_client):
    page = await read(open_reading_client, site.url("/shadow/declared"))
    assert page.text.index("In the shadow") < page.text.index("In the light")


async def test_lazy_image_has_the_url_that_it_would_load(site, open_reading_client):
    page = await read(open_reading_client, site.url("/lazy"))
    assert [(one.alt, one.url) for one in page.media] == [
        ("A chart", site.url("/picture.png")),
        ("Another chart", site.url("/picture.png?eager")),
    ]


async def test_missing_image_is_represented_by_its_alt_text(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(site.url("/gone/picture"))
        pictures = await tabwright.pictures(page)
    assert "What is no longer there" in page.text
    assert pictures == ()


@pytest.mark.parametrize(
    ("path", "media_type", "texts"),
    [
        ("/report.pdf", "application/pdf", ["Page 1", "Nurseries hold tasks.", "Scopes end them."]),
        ("/broken.pdf", "application/pdf", ["A line that can still be read"]),
        ("/table.csv", "text/csv", ["| name | price |", "| nursery, large | 12 |"]),
        ("/data.json", "application/json", ["```json", '"tasks": [']),
        ("/notes.txt", "text/plain", ["First line.\n  Second line, indented."]),
    ],
)
async def test_documents_other_than_html_are_read_by_media_type(
    path, media_type, texts, site, open_reading_client
):
    page = await read(open_reading_client, site.url(path))
    assert page.media_type == media_type
    places = [page.text.find(text) for text in texts]
    assert -1 not in places, page.text
    assert places == sorted(places)


async def test_pdf_has_its_metadata_and_is_read_from_the_page_in_the_fragment(
    site, open_reading_client
):
    whole = await read(open_reading_client, site.url("/report.pdf"))
    second = await read(open_reading_client, site.url("/report.pdf#page=2"))
    assert (whole.title, whole.metadata.author) == ("On Nurseries", "A. Writer")
    assert "Scopes end them." in second.text
    assert "Nurseries hold tasks." not in second.text


async def test_image_document_is_returned_scaled_down(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(site.url("/picture.png"))
        pictures = await tabwright.pictures(page)
    assert [one.url for one in page.media] == [page.url]
    assert [(one.width, one.height, one.media_type) for one in pictures] == [
        (640, 480, "image/jpeg")
    ]


@pytest.mark.parametrize(
    ("path", "code", "retryable"),
    [
        ("/status/404", ErrorCode.HTTP_CLIENT, False),
        ("/status/500", ErrorCode.HTTP_SERVER, True),
        ("/private/page", ErrorCode.BLOCKED, False),
        ("/file.bin", ErrorCode.PARSE, False),
        ("/garbled", ErrorCode.ENCODING, False),
    ],
)
async def test_unreadable_responses_are_refused_with_specific_error_codes(
    path, code, retryable, site, open_reading_client
):
    async with open_reading_client() as tabwright:
        with pytest.raises(TabwrightError) as caught:
            await tabwright.read(site.url(path))
        pool = await tabwright.pool()
    assert (caught.value.code, caught.value.retryable) == (code, retryable)
    assert not any(worker.product for worker in pool.workers)


async def test_robots_txt_is_fetched_once_and_obeyed_unless_disabled(site, open_reading_client):
    async with open_reading_client() as tabwright:
        for _ in range(2):
            await tabwright.read(site.url("/static"))
            with pytest.raises(NavigationFailed, match="robots"):
                await tabwright.read(site.url("/private/page"))
    assert site.asked("/robots.txt") == 1
    assert site.asked("/private/page") == 0
    page = await read(open_reading_client, site.url("/private/page"), network__robots=False)
    assert SENTENCE in page.text


async def test_rate_limited_host_is_not_requested_until_its_retry_time(site, open_reading_client):
    async with open_reading_client() as tabwright:
        with pytest.raises(NavigationFailed, match="429") as busy:
            await tabwright.read(site.url("/status/429"))
        with pytest.raises(RateLimited) as waiting:
            await tabwright.read(site.url("/static"))
    assert busy.value.retryable
    assert 0 < waiting.value.retry_after_s <= PROMISED_S
    assert site.asked("/status/429") == 1
    assert site.asked("/static") == 0


async def test_requests_use_configured_headers_and_user_agent(site, open_reading_client):
    ours = await read(open_reading_client, site.url("/bearing"))
    headers = (("Accept-Language", "eo"),)
    theirs = await read(
        open_reading_client,
        site.url("/bearing"),
        ReadOptions(headers=headers, user_agent="Reader/2"),
    )
    assert "agent: tabwright/" in ours.text
    assert "languages: eo" in theirs.text
    assert "agent: Reader/2" in theirs.text


async def test_accessibility_tree_is_available_without_a_browser(site, open_reading_client):
    reading = ReadOptions(selection=Selection(tree=True), view=RenderOptions(format="a11y"))
    page = await read(open_reading_client, site.url("/forms"), reading)
    lines = [line.strip() for line in page.text.splitlines()]
    assert lines[:2] == ['- RootWebArea "Hard to read"', '- heading "Forms" [level=1]']
    assert {"- form", '- button "Send"', '- option "Large"', '- link "The report"'} < set(lines)
