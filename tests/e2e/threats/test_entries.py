"""Only http and https URLs are opened, by any way in (threat T5)."""

import pytest

from tabwright.protocol.errors import BadInput, TabwrightError
from tabwright.protocol.extraction import ReadOptions
from tabwright.testing.replica.server import redirect

pytestmark = pytest.mark.chromium

CANARY = "CANARY-OF-A-FILE"

REFUSED = (
    "file://{file}",
    "FILE://localhost{file}",
    "view-source:file://{file}",
    "view-source:{page}",
    "chrome://version",
    "chrome-untrusted://print/",
    "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/x.html",
    "devtools://devtools/bundled/inspector.html",
    "javascript:document.write('CANARY-OF-A-FILE')",
    "data:text/html;base64,Q0FOQVJZLU9GLUEtRklMRQ==",
    "blob:{page}",
    "filesystem:{page}temporary/x",
    "about:version",
    "ftp://127.0.0.1/x",
)
"""What nobody is to see; a page may run scripts of its own, and show what these make."""

THE_PAGES_OWN = ("javascript:", "blob:")
NOWHERE = ("http://127.0.0.1", "about:", "chrome-error:")


@pytest.fixture
def refused(web, tmp_path) -> list[str]:
    file = tmp_path / "canary.html"
    file.write_text(f"<h1>{CANARY}</h1>")
    return [url.format(file=file, page=web.url("/")) for url in REFUSED]


async def test_urls_of_forbidden_schemes_are_refused_by_every_entry_point(visitor, web, refused):
    web.put("/", "<h1>Here</h1>")
    await visitor.go("/")
    for url in refused:
        for asked in (
            visitor.tabwright.session("s").enter(url),
            visitor.tabwright.session("s").enter(url, new_tab=True),
            visitor.tabwright.read(url),
            visitor.tabwright.read(url, ReadOptions(min_tier=2)),
            visitor.tabwright.read(url, session="s"),
        ):
            with pytest.raises(BadInput, match=r"not opened|not a URL"):
                await asked
    assert [tab.url for tab in await visitor.tabs()] == [web.url("/")]


DOORS = {
    "link": '<a href="{url}">Go</a>',
    "window": '<button onclick="window.open(`{url}`)">Go</button>',
    "form": '<form action="{url}"><button>Go</button></form>',
}


@pytest.mark.parametrize("door", DOORS)
async def test_click_never_opens_a_refused_url(door, visitor, web, refused):
    for url in refused:
        if url.startswith(THE_PAGES_OWN):
            continue
        web.put("/", DOORS[door].format(url=url))
        await visitor.go("/")
        try:
            await visitor.click("Go")
        except TabwrightError as error:
            assert CANARY not in str(error)
        for tab in await visitor.tabs():
            assert tab.url.startswith(NOWHERE), url
        assert CANARY not in (await visitor.see()).text


async def test_redirect_to_refused_url_fails_and_exposes_nothing(visitor, web, refused):
    web.put("/", "<h1>Here</h1>")
    await visitor.go("/")
    for url in refused:
        web.pages["/away"] = redirect(url)
        for reading in (ReadOptions(max_tier=1), ReadOptions(min_tier=2)):
            with pytest.raises(TabwrightError) as caught:
                await visitor.tabwright.read(web.url("/away"), reading)
            assert CANARY not in str(caught.value)
    again = await visitor.tabwright.session("s").enter("reload")
    assert again.url == web.url("/")
