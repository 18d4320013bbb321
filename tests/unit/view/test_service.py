"""The live view of a process before anything listens."""

import attrs
import pytest

from tabwright.config.loader import settings_from
from tabwright.page.live_tabs import LiveTabs
from tabwright.protocol.errors import BadInput
from tabwright.view.links import ViewScope
from tabwright.view.service import PrincipalView, View, open_view

SETTINGS = settings_from().view


@pytest.fixture
async def view():
    async with open_view(SETTINGS, LiveTabs()) as opened:
        opened.served_at("http://0.0.0.0:8931", ())
        yield opened


@pytest.mark.parametrize(
    ("changes", "hosts", "url"),
    [
        ({}, (), "http://127.0.0.1:8931/view"),
        ({}, ("my.example",), "http://my.example:8931/view"),
        ({"url": "https://my.example/browser/"}, ("a.example",), "https://my.example/browser/view"),
    ],
)
async def test_view_link_uses_the_public_url_of_the_server(changes, hosts, url) -> None:
    async with open_view(attrs.evolve(SETTINGS, **changes), LiveTabs()) as view:
        view.served_at("http://0.0.0.0:8931", hosts)
        assert (await view.link(ViewScope())).partition("#")[0] == url


async def test_view_that_is_off_gives_no_link() -> None:
    async with open_view(attrs.evolve(SETTINGS, address=None), LiveTabs()) as view:
        view.served_at("http://127.0.0.1:1", ())
        own = PrincipalView(view)
        assert not await own.is_available()
        assert own.help_link("cda4", 60) == ""
        with pytest.raises(BadInput):
            await own.link()


async def test_view_link_to_a_closed_tab_is_refused(view: View) -> None:
    with pytest.raises(BadInput):
        await PrincipalView(view).link(3)


async def test_link_of_an_intervention_is_the_same_until_it_is_used(view: View) -> None:
    own = PrincipalView(view, "ann")
    first = own.help_link("cda4", 60)
    assert own.help_link("cda4", 60) == first
    session = view.links.redeem(first.partition("#")[2]) or ""
    opened = view.links.session(session)
    assert opened is not None
    assert opened.scope == ViewScope("ann", intervention="cda4")
    second = own.help_link("cda4", 60)
    assert second != first
    own.end_help(None, "cda4", "It was skipped.")
    assert view.links.redeem(second.partition("#")[2]) is None


async def test_view_is_watched_while_a_person_is_there(view: View, autojump_clock) -> None:
    session = view.links.session(view.links.redeem(view.links.create(ViewScope())) or "")
    assert session is not None
    assert not view.is_watched
    with view.present(session):
        assert view.is_watched
    assert not view.is_watched


async def test_each_upload_gets_its_own_private_folder(view: View) -> None:
    first, second = view.new_folder(), view.new_folder()
    assert first != second
    assert first.stat().st_mode & 0o77 == 0 or first.parent.stat().st_mode & 0o77 == 0
