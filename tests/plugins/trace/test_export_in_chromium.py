"""Exported traces that run on the recorded page repeat exactly what was recorded."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import msgspec
import pytest
import trio

from tabwright.cdp.chromium.finding import find_browser
from tabwright.mcp.tools.run_steps import read_steps
from tabwright.plugins.trace.export import ExportKind, export_trace
from tabwright.protocol.actions import (
    AnswerDialog,
    Click,
    FieldValue,
    Fill,
    RunSteps,
    SelectOption,
    Type,
)

pytestmark = pytest.mark.chromium

NODE = Path(__file__).parents[3] / ".node"

FORM = """<title>Shop</title><main><h1>Shop</h1>
<ul><li>Lamp <button onclick="fetch('/hit?lamp')">Buy</button>
<li>Vase <button onclick="fetch('/hit?vase')">Buy</button></ul>
<form action=/done><label>Name <input name=user></label>
<label>Password <input type=password name=pass></label>
<label>Country <select name=country><option>Germany<option>Austria</select></label>
<label><input type=checkbox name=news value=yes> News</label>
<button type=button onclick="if (confirm('Really?')) fetch('/hit?sure')">Ask</button>
<button>Send</button></form></main>"""
HITS = ["vase", "sure", "user=ann&pass=hunter2%21&country=Austria&news=yes"]


def hits(site) -> list[str]:
    found = [seen.path for seen in site.log if seen.path.startswith(("/hit", "/done"))]
    return [path.partition("?")[2] for path in found]


async def exported(site, kind: ExportKind) -> str:
    """Record a flow; return it as a program."""
    site.pages |= {"/": FORM, "/hit": "", "/done": "<title>Done</title><h1>Done</h1>"}
    tabwright = site.tabwright
    await tabwright.session("s").change_trace("start")
    await tabwright.session("s").enter(site.url())
    news = (FieldValue("News", True),)
    for action in (
        Click('role=button[name="Buy"] >> nth=1'),
        Click('role=button[name="Ask"]'),
        AnswerDialog(accept=True),
        Type("label=Name", "ann"),
        Type("label=Password", "hunter2!"),
        SelectOption("label=Country", ("Austria",)),
        Fill(news),
        Click('role=button[name="Send"]'),
    ):
        await tabwright.session("s").act(action)
    trace = await site.stopped()
    assert hits(site) == HITS
    site.log.clear()
    return export_trace(trace, kind)


async def run_program(command: list[str], **variables: str) -> None:
    environment = {**os.environ, "PASS": "hunter2!", **variables}
    run = partial(subprocess.run, command, env=environment, capture_output=True, timeout=60)
    done = await trio.to_thread.run_sync(run)
    assert done.returncode == 0, done.stderr.decode()


async def test_exported_run_list_repeats_the_recorded_actions(open_recorder, tmp_path: Path):
    secrets = tmp_path / "secrets"
    secrets.write_text("PASS=hunter2!\n")
    async with open_recorder(acting__secrets=str(secrets)) as site:
        text = await exported(site, "run")
        steps = read_steps(msgspec.json.decode(text, type=tuple[dict[str, object], ...]))
        await site.tabwright.session("again").enter(site.url())
        outcome = await site.tabwright.session("again").act(RunSteps(steps))
        assert outcome.steps.failure is None
        assert hits(site) == HITS


async def test_exported_python_program_repeats_the_recorded_actions(open_recorder, tmp_path: Path):
    program = tmp_path / "program.py"
    async with open_recorder() as site:
        program.write_text(await exported(site, "python"))
        settings = {"NETWORK__ALLOW_PRIVATE": "true", "NETWORK__PROXY": "none"}
        variables = {f"TABWRIGHT_{name}": value for name, value in settings.items()}
        await run_program([sys.executable, str(program)], **variables)
        assert hits(site) == HITS


@pytest.mark.node
async def test_exported_playwright_script_repeats_the_recorded_actions(
    open_recorder, tmp_path: Path
):
    script = tmp_path / "script.js"
    async with open_recorder() as site:
        script.write_text(await exported(site, "playwright"))
        await run_program(
            [str(NODE / "node"), str(script)],
            NODE_PATH=str(NODE / "node_modules"),
            PLAYWRIGHT_CHROMIUM_EXECUTABLE_PATH=str(find_browser().path),
        )
        assert hits(site) == HITS
