"""Files of the plugin's formats, read over HTTP."""

import pytest

from tabwright.plugins.formats.office.read import EXCEL


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("path", "media_type", "texts"),
    [
        ("/plan.xlsx", EXCEL, ["## Nurseries", "| name | price |", "| nursery, large | 12 |"]),
        ("/feed.rss", "application/rss+xml", ["A nursery opens", "A scope closes"]),
    ],
)
async def test_file_is_read_by_its_format(path, media_type, texts, site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(site.url(path))
    assert (page.media_type, page.tier) == (media_type, 1)
    places = [page.text.find(text) for text in texts]
    assert -1 not in places, page.text
    assert places == sorted(places)
