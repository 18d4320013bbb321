"""Answers and searches in the terminal browser, and CAPTCHAs that wait for a person."""

from contextlib import asynccontextmanager

import pytest

from tabwright.testing.replica import Scenario, open_replica
from tabwright.testing.replica.engines.results import EngineScenario
from tests.support.terminal import open_terminal

pytestmark = pytest.mark.chromium

WORK = """(() => {
  const button = document.querySelector('#start');
  return button ? JSON.stringify(button.getBoundingClientRect()) : '';
})()"""
"""Where Brave's button is, which a person has to press."""

QUESTION = "What is structured concurrency?"
FOLLOW_UP = "And how is a task cancelled?"


@pytest.fixture
def browser_of(write_config, quick_tui):
    """Return a function that opens the terminal browser on a replica of the web."""

    @asynccontextmanager
    async def opened(replica, **groups):
        config = write_config(replica, **groups)
        async with open_terminal(quick_tui(config), columns=100, lines=30) as terminal:
            await terminal.until("o opens a page")
            yield terminal

    return opened


async def typed(terminal, line: str) -> None:
    terminal.keys(":")
    await terminal.until(lambda t: t.line(29) == ":")
    terminal.type(line)
    terminal.keys("Enter")
    await terminal.until("Loading")
    await terminal.gone("Loading", within_s=60)


async def test_answer_links_its_sources_and_accepts_follow_up(browser_of):
    search = {"language": "en-US"}
    async with (
        open_replica(Scenario(language="en-US")) as replica,
        browser_of(replica, search=search) as terminal,
    ):
        await typed(terminal, f"ask {QUESTION}")
        await terminal.until("AI answer")
        terminal.keys("G")
        await terminal.until("A help page for nurseries (1)[1]")
        terminal.keys("a")
        await terminal.until(":ask")
        terminal.type(FOLLOW_UP)
        terminal.keys("Enter")
        await terminal.until("Google AI follow-up results")
        terminal.keys("b")
        await terminal.until(lambda t: QUESTION in t.line(29))
        terminal.keys("1")
        await terminal.until(lambda t: t.line(0) == "A help page for nurseries (1)")


@pytest.mark.usefixtures("screen")
async def test_a_captcha_is_reported_and_opened_by_one_key(browser_of, profile, person):
    async with open_replica() as replica:
        replica.engines.play("brave", EngineScenario(captcha=True))
        async with browser_of(
            replica, browser={"profile": str(profile), "port_base": 0}
        ) as terminal:
            await typed(terminal, f"search {QUESTION}")
            await terminal.until("brave needs you: !")
            terminal.keys("!")
            await terminal.until("Its window is open")
            await person.solve("search.brave.com", WORK)
            await terminal.gone("needs you", within_s=30)
