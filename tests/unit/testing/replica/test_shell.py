import re
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import httpx2
import pytest
from selectolax.lexbor import LexborHTMLParser

from tabwright.testing.replica import Replica, Scenario

Visit: TypeAlias = Callable[..., Awaitable[httpx2.Response]]
Shell: TypeAlias = Callable[[str], Awaitable[LexborHTMLParser]]
Watch: TypeAlias = Callable[[str], Awaitable[list[dict[str, object]]]]

SEARCH = "https://www.google.com/search?udm=50&q=why"
NEXT = "https://www.google.com/async/folif?q=and%20then"
MARKS = ("xid", "container-id", "tr-rsts", "complete", "subtree", "scope-id", "src-id")
BOX = 'textarea[maxlength="8192"]'


async def test_composer_can_be_missing_while_feedback_box_stays(
    replica: Replica, shell: Shell, watch: Watch
) -> None:
    replica.scenario = Scenario(step_s=0, composer="missing")
    assert not (await shell(SEARCH)).css("textarea")
    (foot,) = (frame["html"] for frame in await watch(NEXT) if frame["kind"] == "foot")
    assert LexborHTMLParser(str(foot)).css('textarea[maxlength="1500"]'), "the trap stays"


async def test_composer_can_be_in_a_closed_shadow_root(replica: Replica, visit: Visit) -> None:
    replica.scenario = Scenario(composer="closed_root")
    html = (await visit(SEARCH)).text
    within = html.partition('<template data-shadow="closed">')[2].partition("</template>")[0]
    assert LexborHTMLParser(within).css(BOX)
    assert html.count("<textarea") == 1


@pytest.mark.parametrize("thread", [0, 2])
async def test_bare_pages_have_no_marker_attributes(
    replica: Replica, visit: Visit, watch: Watch, thread: int
) -> None:
    replica.scenario = Scenario(step_s=0, attributes="bare", thread=thread)
    html = (await visit(SEARCH)).text
    frames = await watch(NEXT)
    for mark in MARKS:
        assert f"data-{mark}" not in html
        assert f"data-{mark}" not in str(frames)
    assert frames[-1]["complete"] is False
    page = LexborHTMLParser(html)
    assert page.css('[role="main"] [role="heading"][aria-level="2"]')
    assert page.css("#goog-lr-2[aria-live]")


async def test_full_pages_have_every_marker_attribute(replica: Replica, visit: Visit) -> None:
    replica.scenario = Scenario(thread=1)
    html = (await visit(SEARCH)).text
    assert [mark for mark in MARKS if f" data-{mark}=" not in html] == []


@pytest.mark.parametrize("classes", [None, 4])
async def test_script_selectors_match_the_renamed_classes(
    replica: Replica, visit: Visit, watch: Watch, classes: int | None
) -> None:
    replica.scenario = Scenario(step_s=0, thread=1, classes=classes)
    html = (await visit(SEARCH)).text
    script = html.rpartition("<script>")[2]
    sought = set(re.findall(r'"\.(\w+)"', script))
    frames = str(await watch(NEXT))
    given = set(re.findall(r"[\w-]+", " ".join(re.findall(r' class="([^"]+)"', html + frames))))
    assert len(sought) > 6
    assert sought <= given


async def test_external_scripts_are_loaded_asynchronously(shell: Shell) -> None:
    page = await shell(SEARCH)
    foreign = [script for script in page.css("script") if "src" in script.attributes]
    assert foreign
    assert all("async" in script.attributes for script in foreign)


async def test_comments_after_elements_appear_only_with_noise(
    replica: Replica, visit: Visit
) -> None:
    loud = (await visit(SEARCH)).text
    replica.scenario = Scenario(noise=False)
    quiet = (await visit(SEARCH)).text
    assert loud.count("<!--TgQPHd") > 20
    assert "<!--TgQPHd" not in quiet


@pytest.mark.parametrize(("knob", "hush"), [("refilled", True), ("unchanged", False)])
async def test_live_region_is_emptied_between_answers_as_configured(
    replica: Replica, watch: Watch, knob: str, hush: bool
) -> None:
    replica.scenario = Scenario(step_s=0, live_region=knob)
    frames = await watch(NEXT)
    assert frames[0]["hush"] is hush
    assert frames[-1]["say"] == "AI Mode response is ready"
