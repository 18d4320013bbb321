"""Waiting finds what an outline shows, anywhere on the page, in a real Chromium."""

import pytest

from tabwright.protocol.actions import Type, WaitFor
from tabwright.protocol.errors import TimeOut
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

LATER = "<script>setTimeout(() => {{ {} }}, 300)</script>"


@cases("host", ["127.0.0.1", "localhost"])
async def test_wait_for_text_in_a_frame_sees_it(agent, host):
    late = LATER.format("document.body.append('Hello iframe')")
    agent.stand.put("/inner", f"<p>Inner</p>{late}")
    await agent.show(f"<iframe src={agent.stand.url('/inner', host)}></iframe>")
    await agent.ask(WaitFor(("Hello iframe",)))
    assert "Hello iframe" in await agent.see()


async def test_wait_for_text_in_a_frame_that_comes_later_sees_it(agent):
    agent.stand.put("/inner", "<p>Hello iframe</p>")
    inner = agent.stand.url("/inner", "localhost")
    late = f"document.body.innerHTML = `<iframe src={inner}></iframe>`"
    await agent.show(f"<p>Outer</p>{LATER.format(late)}")
    await agent.ask(WaitFor(("Hello iframe",), gone="Outer"))


async def test_wait_for_text_in_a_shadow_root_sees_it(agent):
    late = "host.attachShadow({mode: 'open'}).innerHTML = '<i>Deep</i> words'"
    await agent.show(f"<div id=host></div>{LATER.format(late)}")
    await agent.ask(WaitFor(("deep words",)))


@cases(
    "body",
    [
        "<button aria-label='Deep Label'></button>",
        "<img alt='Deep Label' src=data:,>",
        "<nav aria-label='Deep Label'><a href=/>Home</a></nav>",
        "<label for=a>Deep Label</label><input id=a>",
        "<p>Deep <b>Label</b></p>",
    ],
)
async def test_wait_for_a_name_that_the_outline_shows_sees_it(agent, body):
    await agent.show(
        f"<p>Page</p>{LATER.format(f'document.body.insertAdjacentHTML(`beforeend`, `{body}`)')}"
    )
    await agent.ask(WaitFor(("Deep Label",), seconds=3))


async def test_wait_for_several_texts_ends_with_any_of_them(agent):
    await agent.show(f"<p>Page</p>{LATER.format('document.body.append(`Second`)')}")
    await agent.ask(WaitFor(("First", "Second"), seconds=3))


async def test_wait_for_gone_text_of_a_frame_waits_until_it_is_gone(agent):
    agent.stand.put("/inner", f"<p>Loading</p>{LATER.format('document.body.innerHTML = `Done`')}")
    await agent.show(f"<iframe src={agent.stand.url('/inner', 'localhost')}></iframe>")
    await agent.ask(WaitFor(gone="Loading", seconds=3))
    assert "Done" in await agent.see()


async def test_wait_for_ignores_field_values_and_hidden_text(agent):
    await agent.show("<input aria-label=Name><p hidden>Hidden words</p>")
    await agent.ask(Type(await agent.ref("Name"), "Typed"))
    assert isinstance(await agent.refused(WaitFor(("Typed",), seconds=0.3)), TimeOut)
    assert isinstance(await agent.refused(WaitFor(("Hidden words",), seconds=0.3)), TimeOut)
