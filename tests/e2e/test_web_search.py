"""Web search with a real MCP client, `tabwright serve`, Chromium and replica engines."""

from collections.abc import Mapping
from functools import partial
from itertools import pairwise

import pytest
import trio

from tabwright.concurrency.nursery import background_nursery
from tabwright.search.serp.results import without_tracking
from tabwright.testing.demo import record_of, text_of
from tabwright.testing.replica import Replica, Scenario, open_replica
from tabwright.testing.replica.engines.results import EngineScenario, truth

pytestmark = pytest.mark.chromium

ENGINES = ("mojeek", "duckduckgo", "ecosia", "startpage", "brave", "google", "bing")
QUERY = "structured concurrency"


@pytest.fixture
def write_config(write_config):
    """The base fixture's function, for a server that returns structured content."""
    return partial(write_config, mcp={"structured_content": True})


def played(replica: Replica, **scenarios: EngineScenario) -> None:
    replica.engines.play("google", EngineScenario())
    for engine, scenario in scenarios.items():
        replica.engines.play(engine, scenario)


def places(record: Mapping[str, object]) -> dict[str, list[int]]:
    """Return the ranks reported for each engine, over all results."""
    found: dict[str, list[int]] = {}
    for result in record["results"]:
        for place in result["rankings"]:
            found.setdefault(place["engine"], []).append(place["rank"])
    return {engine: sorted(ranks) for engine, ranks in found.items()}


@pytest.mark.parametrize("page", [1, 2])
async def test_results_of_all_engines_are_merged_into_one_list(page, write_config, open_client):
    asked = ENGINES if page == 1 else tuple(e for e in ENGINES if e != "startpage")
    async with open_replica() as replica:
        played(replica)
        async with open_client(write_config(replica)) as client:
            result = await client.call_tool(
                "web_search",
                {"query": QUERY, "engines": list(asked), "limit": 10, "page": page},
            )
    assert not result.is_error, text_of(result)
    record = record_of(result)
    assert record["failures"] == []
    documents = {
        (listed.engine, rank): listed
        for engine in asked
        for rank, listed in enumerate(truth(engine, QUERY, page), 1)
    }
    for found in record["results"]:
        originals = [documents[place["engine"], place["rank"]] for place in found["rankings"]]
        assert len({original.document for original in originals}) == 1
        assert found["title"] == originals[0].title
        assert found["snippet"] == originals[0].snippet
        assert found["score"] == pytest.approx(
            sum(1 / (60 + place["rank"]) for place in found["rankings"])
        )
    scores = [found["score"] for found in record["results"]]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == 10
    assert record["results"][0]["url"] in text_of(result)


async def test_sealed_redirect_results_are_resolved_to_their_targets(write_config, open_client):
    async with open_replica() as replica:
        played(replica, google=EngineScenario(sealed=True))
        async with open_client(write_config(replica)) as client:
            result = await client.call_tool("web_search", {"query": QUERY, "engines": ["google"]})
    assert not result.is_error, text_of(result)
    record = record_of(result)
    assert record["notices"] == []
    expected = [without_tracking(listed.url) for listed in truth("google", QUERY, 1)]
    assert [found["url"] for found in record["results"]] == expected


async def test_single_engine_search_keeps_engine_order_across_pages(write_config, open_client):
    async with open_replica() as replica:
        async with open_client(write_config(replica)) as client:
            result = await client.call_tool(
                "web_search", {"query": QUERY, "engines": ["mojeek"], "limit": 20}
            )
        starts = [asked.at_s for asked in replica.engines.asked]
    listed = [*truth("mojeek", QUERY, 1), *truth("mojeek", QUERY, 2)]
    titles = [found["title"] for found in record_of(result)["results"]]
    assert titles == [original.title for original in listed]
    assert places(record_of(result)) == {"mojeek": list(range(1, 21))}
    assert len(starts) == 2
    assert all(after - before >= 4 for before, after in pairwise(starts))


async def test_engine_failures_are_reported_beside_results(write_config, open_client, tmp_path):
    folder = tmp_path / "failed"
    async with open_replica() as replica:
        played(
            replica,
            mojeek=EngineScenario(status=403),
            brave=EngineScenario(drift=True),
            google=EngineScenario(status=429),
            bing=EngineScenario(captcha=True),
            duckduckgo=EngineScenario(no_results=True),
        )
        config = write_config(replica, engines={"failed_pages": str(folder)})
        async with open_client(config) as client:
            asked = [engine for engine in ENGINES if engine != "startpage"]
            result = await client.call_tool("web_search", {"query": QUERY, "engines": asked})
            refused = await client.call_tool("web_search", {"query": QUERY, "engines": ["mojeek"]})
    assert not result.is_error, text_of(result)
    assert set(places(record_of(result))) == {"ecosia"}
    failures = {one["engine"]: one for one in record_of(result)["failures"]}
    assert {name: one["kind"] for name, one in failures.items()} == {
        "mojeek": "search_blocked",
        "brave": "markup_changed",
        "google": "search_blocked",
        "bing": "search_blocked",
    }
    assert "HTTP 403" in failures["mojeek"]["message"]
    assert "HTTP 429" in failures["google"]["message"]
    (kept,) = folder.iterdir()
    assert str(kept) in failures["brave"]["message"]
    assert "Bing needs a person" in failures["bing"]["message"]
    assert refused.is_error
    assert refused.meta["tabwright/error"]["kind"] == "rate_limited"


@pytest.mark.parametrize("check", ["anubis", "interstitial"])
async def test_search_waits_for_browser_check_that_passes_automatically(
    check, write_config, open_client
):
    async with open_replica() as replica:
        played(replica, startpage=EngineScenario(captcha=True, startpage_check=check))
        async with open_client(write_config(replica)) as client:
            result = await client.call_tool(
                "web_search", {"query": QUERY, "engines": ["startpage"]}
            )
    assert not result.is_error, text_of(result)
    assert places(record_of(result)) == {"startpage": list(range(1, 11))}


async def test_consent_page_is_answered_and_results_are_returned(write_config, open_client):
    async with open_replica(Scenario(consent=True, source_count=4)) as replica:
        async with open_client(write_config(replica)) as client:
            result = await client.call_tool("web_search", {"query": QUERY, "engines": ["google"]})
        assert replica.consent is not None
    assert not result.is_error, text_of(result)
    assert places(record_of(result)) == {"google": [1, 2, 3, 4]}


WORK = """(() => {
  const button = document.querySelector('#start');
  return button ? JSON.stringify(button.getBoundingClientRect()) : '';
})()"""
"""Where Brave's button is, which a person has to press."""


@pytest.mark.usefixtures("screen")
async def test_a_captcha_waits_until_a_person_opens_it(profile, person, write_config, open_client):
    async with open_replica() as replica:
        played(replica, brave=EngineScenario(captcha=True))
        config = write_config(replica, browser={"profile": str(profile), "port_base": 0})
        async with open_client(config) as client:

            async def asked(action: str, **more: str) -> dict[str, object]:
                result = await client.call_tool("interventions", {"action": action, **more})
                assert not result.is_error, text_of(result)
                return record_of(result)["interventions"][0]

            found = await client.call_tool(
                "web_search", {"query": QUERY, "engines": ["brave", "ecosia"]}
            )
            assert set(places(record_of(found))) == {"ecosia"}
            (failure,) = record_of(found)["failures"]
            waiting = await asked("list")
            assert waiting["id"] == failure["intervention"]
            assert waiting["state"] == "pending"
            shown = await asked("open", id=waiting["id"])
            assert shown["state"] == "in_progress"
            await person.solve("search.brave.com", WORK)
            with trio.fail_after(60):
                while (await asked("list"))["state"] != "solved":
                    await trio.sleep(0.2)
            again = await client.call_tool("web_search", {"query": QUERY, "engines": ["brave"]})
    assert not again.is_error, text_of(again)
    assert places(record_of(again)) == {"brave": list(range(1, 11))}


@pytest.mark.usefixtures("screen")
async def test_search_of_single_engine_waits_for_person_to_solve_captcha(
    profile, person, write_config, open_client
):
    received: list[str] = []
    async with open_replica() as replica:
        played(replica, brave=EngineScenario(captcha=True))
        config = write_config(replica, browser={"profile": str(profile), "port_base": 0})
        async with background_nursery() as nursery:

            async def progress(_progress, _total, message):
                if not received:
                    nursery.start_soon(person.solve, "search.brave.com", WORK)
                received.append(message)

            async with open_client(config) as client:
                found = await client.call_tool(
                    "web_search",
                    {"query": QUERY, "engines": ["brave"], "language": "en"},
                    progress_callback=progress,
                )
    assert not found.is_error, text_of(found)
    assert places(record_of(found)) == {"brave": list(range(1, 11))}


async def test_read_adds_the_passages_of_the_first_results(write_config, open_client):
    async with open_replica() as replica:
        async with open_client(write_config(replica)) as client:
            result = await client.call_tool(
                "web_search", {"query": QUERY, "engines": ["mojeek"], "read": 3}
            )
    assert not result.is_error, text_of(result)
    record = record_of(result)
    assert [page["number"] for page in record["read"]] == [1, 2, 3]
    listed = {found["url"] for found in record["results"][:3]}
    assert {page["url"] for page in record["read"]} == listed
    for page in record["read"]:
        assert f"## {page['number']}. " in text_of(result)
        assert page["kind"] == ""
    assert any(page["text"] for page in record["read"])
