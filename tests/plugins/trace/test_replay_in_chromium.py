"""Replay on changed pages repeats the recorded actions, or does nothing wrong."""

import json
import random
from pathlib import Path

import pytest

from tabwright.plugins.trace.records import ReplayReport
from tabwright.plugins.trace.replay import TraceReplay, replay
from tabwright.plugins.trace.trace_file import read_trace
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import Evaluate

from .flows import FLOWS, TRAPS, Flow, Mutator, page, tree, without_target

pytestmark = pytest.mark.chromium

MUTATIONS = range(1)
"""Of each flow. With 20 more, 200 of 200 replays succeed, and no trap works."""
PARTS = 4
SECRETS = {"PASS": "hunter2!"}


async def notes(site, session: str) -> list[str]:
    script = "JSON.parse(localStorage.notes ?? '[]')"
    evaluation = await site.tabwright.session(session).inspect(Evaluate(script))
    return json.loads(evaluation.json)


def put(site, changed) -> None:
    site.pages.clear()
    site.pages.update((path, page(root)) for path, root in changed.items())


async def recorded(site, flow: Flow) -> tuple[Path, list[str]]:
    """Record a flow; return the path of its trace, and its notes."""
    put(site, {path: tree(body) for path, body in flow.pages.items()})
    tabwright, session = site.tabwright, f"record-{flow.name}"
    path = Path((await tabwright.session(session).change_trace("start")).path)
    await tabwright.session(session).enter(site.url())
    for action in flow.actions:
        await tabwright.session(session).act(action)
    await tabwright.session(session).change_trace("stop")
    expected = await notes(site, session)
    await tabwright.session(session).close()
    assert flow.target in expected
    return path, expected


async def replayed(site, path: Path, session: str) -> tuple[ReplayReport, list[str]]:
    """Replay a trace; return its report, and the notes of the page."""
    tabwright = site.tabwright
    replay = TraceReplay(tabwright.parts.sessions, tabwright.settings, session, SECRETS, find_s=0.3)
    report = await replay.run(read_trace(path))
    done = await notes(site, session)
    await tabwright.session(session).close()
    return report, done


@pytest.mark.parametrize("seed", range(PARTS))
async def test_replay_works_on_changed_pages_and_stops_if_its_element_is_gone(seed, open_recorder):
    flows = [*enumerate(FLOWS)][seed::PARTS]
    stopped, wrong, trapped = [], [], []
    async with open_recorder() as site:
        for number, flow in flows:
            path, expected = await recorded(site, flow)
            for mutation in MUTATIONS:
                mutator = Mutator(random.Random(f"{flow.name} {mutation}"))
                changed = {place: mutator.mutated(body) for place, body in flow.pages.items()}
                put(site, changed)
                report, done = await replayed(site, path, f"again-{flow.name}-{mutation}")
                if set(done) - set(expected):
                    wrong.append((flow.name, mutation, done))
                elif sorted(done) != sorted(expected) or report.failure:
                    stopped.append((flow.name, mutation, done, report.failure))
                trap = TRAPS[(mutation + number) % len(TRAPS)]
                pages = changed.items()
                put(site, {at: without_target(root, flow.target, trap) for at, root in pages})
                report, done = await replayed(site, path, f"trap-{flow.name}-{mutation}")
                if set(done) - (set(expected) - {flow.target}) or not report.failure:
                    trapped.append((flow.name, mutation, trap, done, report.failure))
    assert wrong == []
    assert trapped == []
    assert len(stopped) * 10 <= len(MUTATIONS) * len(flows), stopped


@pytest.mark.smoke
async def test_replay_requires_its_secrets_and_can_start_at_another_url(open_recorder):
    [login] = [flow for flow in FLOWS if flow.name == "login"]
    async with open_recorder() as site:
        path, expected = await recorded(site, login)
        site.pages["/elsewhere"] = site.pages.pop("/")
        with pytest.raises(BadInput):
            await replay(site.tabwright, path, session="r", url=site.url("/elsewhere"))
        report = await replay(
            site.tabwright, path, session="r", url=site.url("/elsewhere"), secrets=SECRETS
        )
        assert report.failure is None
        assert "hunter2" not in " ".join(report.done)
        assert await notes(site, "r") == expected


async def test_failed_replay_names_the_step_and_the_elements_that_fit_best(open_recorder):
    [shop] = [flow for flow in FLOWS if flow.name == "shop"]
    async with open_recorder() as site:
        path, _ = await recorded(site, shop)
        put(site, {"/": without_target(tree(shop.pages["/"]), shop.target, "item")})
        report, done = await replayed(site, path, "r")
    assert done == []
    assert (report.failure.step, report.failure.kind) == (2, "not_clear")
    best = report.failure.candidates[0]
    assert (best.role, best.name, best.reason) == ("button", "Add to cart", "other text around it")
