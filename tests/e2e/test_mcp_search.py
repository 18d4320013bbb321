"""AI Mode search over MCP: a real client, a real Chromium and the replica."""

from functools import partial

import attrs
import pytest
import trio

from tabwright.content.render.markdown import markdown_of
from tabwright.testing.demo import record_of, text_of
from tabwright.testing.replica import Scenario, open_replica

pytestmark = pytest.mark.chromium

TOOL = "google_ai_search"


@pytest.fixture
def write_config(write_config):
    """Write settings of a server that returns structured content."""
    return partial(write_config, mcp={"structured_content": True})


async def test_search_returns_the_streamed_answer_and_its_sources(write_config, open_client):
    grown: list[str] = []

    async def progress(progress, total, message):
        grown.append(message)

    async with open_replica(Scenario()) as replica, open_client(write_config(replica)) as client:
        for language in ("en-US", "zh-CN"):  # test_search_oracle.py has them all
            del grown[:]
            replica.scenario = Scenario(language=language, classes=11)
            result = await client.call_tool(
                TOOL, {"query": "Q?", "language": language}, progress_callback=progress
            )
            truth, record = replica.truth(), record_of(result)
            assert not result.is_error, text_of(result)
            assert record["ai_answer"] == markdown_of(truth.blocks)
            assert record["sources"] == [attrs.asdict(source) for source in truth.sources]
            assert record["warning"] == ""
            assert record["ai_answer"] in text_of(result)
            assert len(truth.blocks) == 14
            assert grown
            assert [len(text) for text in grown] == sorted(len(text) for text in grown)


CONDUCT = {
    "opaque links": Scenario(shadow="closed", links="goto", classes=3),
    "late sources": Scenario(late_s=3.0),
    "stall": Scenario(stall_at=5, stall_s=4.5),
}


async def test_search_answer_is_complete_for_each_page_behavior(write_config, open_client):
    async with open_replica(Scenario()) as replica, open_client(write_config(replica)) as client:
        for conduct, replica.scenario in CONDUCT.items():
            result = await client.call_tool(TOOL, {"query": "Q?", "language": "en-US"})
            truth, record = replica.truth(), record_of(result)
            assert record["ai_answer"] == markdown_of(truth.blocks), conduct
            assert record["sources"] == [attrs.asdict(source) for source in truth.sources]
    visited = {seen.host for seen in replica.log}
    assert not any(host.endswith(".example") for host in visited), "a source was followed"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_follow_up_gives_only_the_new_turn_in_both_eras(mode, write_config, open_client):
    async with open_replica(Scenario()) as replica:
        async with open_client(write_config(replica), mode) as client:
            arguments = {"query": "First?", "language": "en-US"}
            await client.call_tool(TOOL, arguments)
            second = await client.call_tool(
                TOOL, {"query": "Second?", "language": "en-US", "follow_up": True}
            )
        truth = replica.truth(1)
        asked = [seen.path for seen in replica.log if seen.path.startswith("/async/folif")]
    assert record_of(second)["ai_answer"] == markdown_of(truth.blocks)
    assert truth.question == "Second?"
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("scenario", "says"),
    [
        (Scenario(captcha=True), "Google"),
        (Scenario(rate_limited=True), "Google"),
        (Scenario(unavailable=True), "AI Mode"),
    ],
    ids=["captcha", "rate-limited", "unavailable"],
)
async def test_captcha_rate_limit_or_unavailable_page_is_a_search_error(
    scenario, says, write_config, open_client
):
    nobody = {"person_timeout_s": 0}
    async with (
        open_replica(scenario) as replica,
        open_client(write_config(replica, search=nobody)) as client,
    ):
        result = await client.call_tool(TOOL, {"query": "Q?", "language": "en-US"})
    assert result.is_error
    assert says in text_of(result)
    assert result.meta["tabwright/error"]["kind"] == "search_blocked"


async def test_search_without_ai_answer_is_not_an_error(write_config, open_client):
    async with open_replica(Scenario(error=True)) as replica:
        async with open_client(write_config(replica)) as client:
            result = await client.call_tool(TOOL, {"query": "Q?", "language": "en-US"})
    assert not result.is_error
    assert record_of(result)["ai_answer"] == ""
    assert record_of(result)["warning"]


async def test_interrupted_stream_returns_a_partial_answer_with_a_warning(
    write_config, open_client
):
    async with open_replica(Scenario(cut_at=40)) as replica:
        async with open_client(write_config(replica)) as client:
            result = await client.call_tool(TOOL, {"query": "Q?", "language": "en-US"})
        whole = markdown_of(replica.truth().blocks)
    record = record_of(result)
    assert record["warning"]
    assert record["ai_answer"]
    assert len(record["ai_answer"]) < len(whole)


async def test_cancelled_search_frees_its_tab_for_the_next(write_config, open_client):
    stalled = Scenario(stall_at=3, stall_s=600)
    async with open_replica(stalled) as replica:
        config = write_config(replica, pool={"max_tabs": 1})
        async with open_client(config) as client:
            begun = trio.Event()

            async def progress(progress, total, message):
                begun.set()

            async with trio.open_nursery() as nursery:

                async def search() -> None:
                    arguments = {"query": "Q?", "language": "en-US"}
                    await client.call_tool(TOOL, arguments, progress_callback=progress)

                nursery.start_soon(search)
                await begun.wait()
                nursery.cancel_scope.cancel()
            replica.scenario = Scenario()
            result = await client.call_tool(TOOL, {"query": "Again?", "language": "en-US"})
    assert not result.is_error, text_of(result)


async def test_a_source_is_read_by_browse(write_config, open_client):
    async with open_replica(Scenario()) as replica:
        async with open_client(write_config(replica)) as client:
            found = await client.call_tool(TOOL, {"query": "Q?", "language": "en-US"})
            url = record_of(found)["sources"][0]["url"]
            page = await client.call_tool("browse", {"url": url})
    assert record_of(page)["url"] == url
    assert record_of(page)["title"]
    assert record_of(page)["text"].startswith("# ")
