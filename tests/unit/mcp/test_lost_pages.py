"""The effect of calls whose page is lost after it was requested."""

from types import SimpleNamespace

import pytest

from tabwright.mcp.tools.navigation import open_page
from tabwright.protocol.actions import Outcome
from tabwright.protocol.errors import Effect, TabLost
from tabwright.protocol.progress import ignore_progress


async def test_page_lost_between_opening_and_its_outline_has_an_unknown_effect():
    async def enter(url, **_options):
        return Outcome("Came.", url)

    async def inspect(_request, **_options):
        raise TabLost("The page crashed.", begun=False)

    session = SimpleNamespace(enter=enter, inspect=inspect)
    tabwright = SimpleNamespace(session=lambda _name: session)
    context = SimpleNamespace(tabwright=tabwright, names=None, on_progress=ignore_progress)
    with pytest.raises(TabLost) as lost:
        await open_page(context, "s", "https://a.example/", 1000)
    assert lost.value.effect is Effect.UNKNOWN
