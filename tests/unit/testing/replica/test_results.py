from collections.abc import Awaitable, Callable
from typing import TypeAlias

import httpx2
import pytest
from selectolax.lexbor import LexborHTMLParser

from tabwright.testing.replica import LANGUAGES, Language, Replica, Scenario
from tabwright.testing.replica.answers import sources_of
from tabwright.testing.replica.markup import wrapped
from tabwright.testing.replica.scenario import LinkForm

Visit: TypeAlias = Callable[..., Awaitable[httpx2.Response]]
Shell: TypeAlias = Callable[[str], Awaitable[LexborHTMLParser]]

CLASSIC = "https://www.google.com/search?q=why"


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_search_outside_ai_mode_lists_the_sources(
    replica: Replica, shell: Shell, language: Language
) -> None:
    replica.scenario = Scenario(source_count=12)
    page = await shell(f"{CLASSIC}&hl={language}")
    shown = [
        (
            result.css("h3")[0].text(),
            result.css("a")[0].attributes["href"],
            result.css(".VwiC3b")[0].text(),
            result.css("cite")[0].text(),
        )
        for result in page.css("#search .MjjYud")
    ]
    assert shown == [(s.title, s.url, s.snippet, s.site) for s in sources_of(language, 0, 12)]
    assert not page.css('[data-xid="aim-mars-turn-root"]')


@pytest.mark.parametrize("form", ["url", "goto"])
async def test_result_links_are_wrapped_like_sources(
    replica: Replica, shell: Shell, form: LinkForm
) -> None:
    replica.scenario = Scenario(links=form, source_count=1)
    (link,) = (await shell(CLASSIC)).css("#search a")
    assert link.attributes["href"] == wrapped(sources_of("en-US", 0, 1)[0].url, form)


async def test_captcha_gate_applies_to_classic_results(replica: Replica, visit: Visit) -> None:
    replica.scenario = Scenario(captcha=True)
    assert "/sorry/" in (await visit(CLASSIC)).headers["location"]
