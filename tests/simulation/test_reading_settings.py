"""Settings that determine how pages are read if a call does not."""

import pytest

from tabwright.config.loader import override, settings_from
from tabwright.protocol.errors import SettingsError
from tabwright.testing.fake import FakePage, FakeSite

URL = "https://news.example/"
WORDS = "Every task has a parent that waits for it. " * 12
RELATED = "<div class=related><h2>Related</h2><ul><li><a href=/shop>Shop</a></li></ul></div>"
PAGE = FakePage(
    f"<html><head><title>News</title></head><body><article><h1>Tasks</h1><p>{WORDS}</p>"
    f"<p class=aside>Subscribe now.</p><p>{WORDS}</p></article>{RELATED}</body></html>"
)
SITE = FakeSite(pages={URL: PAGE})


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ({}, "# Tasks, Subscribe, Shop"),
        ({"reading__format": "text"}, "Subscribe, Shop"),
        ({"reading__format": "html"}, "<h1>, Subscribe, Shop"),
        ({"reading__readability": True}, "# Tasks, Subscribe"),
        ({"reading__exclude_selectors": [".related", ".aside"]}, "# Tasks"),
    ],
    ids=["none", "text", "html", "readability", "exclude"],
)
@pytest.mark.parametrize("way", ["browse", "navigate"])
async def test_reading_settings_apply_to_browse_and_navigate(
    way, settings, shown, open_client, autojump_clock
):
    async with open_client(SITE, **settings) as world:
        if way == "browse":
            page = await world.tabwright.read(URL, session="s")
        else:
            page = await world.tabwright.session("s").navigate(URL)
    parts = ("# Tasks", "<h1>", "Subscribe", "Shop")
    assert ", ".join(part for part in parts if part in page.text) == shown


@pytest.mark.parametrize("size", ["1280", "1280x", "0x0", "axb", "1280 x 720"])
def test_malformed_viewport_setting_is_refused(size):

    with pytest.raises(SettingsError):
        settings_from(override(browser__viewport=size))
