"""A page that breaks its own extraction fails alone; the actor goes on."""

import pytest

from tabwright.actors.extractor_actor import ExtractorActor
from tabwright.config.search_parsers import load_parsers
from tabwright.content.relevance import rank_bm25
from tabwright.protocol.errors import BadInput, PageFailed
from tabwright.protocol.page_text import RenderOptions
from tabwright.protocol.snapshot import LoadedPage, PageSnapshot, PageSource, Selection

PARSER = load_parsers()["mojeek"]
URL = "https://site.example/"
SOURCE = PageSource(LoadedPage(URL, 200, "text/html"), "<p>Text")


def failing(error):
    async def offload(_work):
        raise error

    return ExtractorActor(offload, rank_bm25)


@pytest.mark.parametrize(
    "asked",
    [
        lambda actor: actor.take(SOURCE, Selection(), 1),
        lambda actor: actor.write(PageSnapshot(url=URL, title=""), RenderOptions()),
        lambda actor: actor.results(PARSER, SOURCE, 1),
    ],
    ids=["take", "write", "results"],
)
async def test_unexpected_error_is_reported_with_url(asked):
    with pytest.raises(PageFailed, match=f"{URL} could not be read: ZeroDivisionError"):
        await asked(failing(ZeroDivisionError()))
    with pytest.raises(BadInput, match="as it is"):
        await asked(failing(BadInput("Told as it is.")))
