"""A secret is typed into pages and frames of its site, and into no others."""

from collections.abc import AsyncGenerator
from itertools import product

import pytest

from tabwright.mcp.tools.run_steps import read_steps
from tabwright.protocol.actions import FieldValue, Fill, RunSteps, Type
from tabwright.protocol.errors import BadInput, Effect
from tabwright.protocol.sessions import Sessions
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

FIELDS = """<input aria-label=Name><input aria-label=Word type=password><textarea aria-label=Text>
</textarea><input aria-label=Day type=date><div contenteditable role=textbox aria-label=Edit>
</div>"""


@pytest.fixture
async def agent(stand, open_agent, tmp_path) -> AsyncGenerator:
    """An agent with a secret of the site at 127.0.0.1; that at localhost is another one."""
    file = tmp_path / "secrets"
    file.write_text(f"WORD@127.0.0.1:{stand.port}=hunter22\nDAY@127.0.0.1=2026-01-02\nANY=open\n")
    async with open_agent(acting__secrets=str(file)) as agent:
        yield agent


async def open_other(agent):
    """Open the page /other at localhost, which is another site."""
    url = agent.stand.url("/other", "localhost")
    await agent.tabwright.parts.sessions.ask(Sessions.enter, agent.session, url)


async def test_secret_is_typed_into_its_site(agent):
    await agent.show(FIELDS)
    for field in ("Name", "Word", "Text"):
        await agent.type(field, "{{WORD}}")
    await agent.type("Day", "{{DAY}}")
    script = "[...document.querySelectorAll('input, textarea')].map(one => one.value).join()"
    assert await agent.value(f"{script} === 'hunter22,hunter22,hunter22,2026-01-02'")


@cases(("field", "slowly"), product(["Name", "Word", "Text", "Day", "Edit"], [False, True]))
async def test_secret_typed_into_another_site_is_refused(agent, stand, field, slowly):
    stand.put("/other", f"<script>oninput = () => document.title = 'typed'</script>{FIELDS}")
    await open_other(agent)
    request = Type(await agent.ref(field), "a{{WORD}}", slowly=slowly)
    refusal = await agent.refused(request)
    assert isinstance(refusal, BadInput)
    assert refusal.effect is Effect.NONE
    assert f"127.0.0.1:{stand.port}" in str(refusal)
    assert await agent.value("document.title === ''")
    await agent.type("Name", "{{ANY}}")
    assert await agent.value("document.querySelector('input').value === 'open'")


FRAMES = {
    "other": "src='{other}'",
    "sandbox": "sandbox='allow-scripts' src='{own}'",
    "data": "src='data:text/html,<input aria-label=Word>'",
}


@cases("kind", FRAMES)
async def test_secret_typed_into_a_frame_of_another_site_is_refused(agent, stand, kind):
    stand.put("/frame", FIELDS)
    places = {"own": stand.url("/frame"), "other": stand.url("/frame", "localhost")}
    await agent.show(f"<iframe {FRAMES[kind].format(**places)}></iframe>")
    refusal = await agent.refused(Type(await agent.ref("Word"), "{{WORD}}"))
    assert isinstance(refusal, BadInput)
    assert refusal.effect is Effect.NONE


@cases("attribute", ["src=/frame", f"srcdoc='{FIELDS}'"])
async def test_secret_is_typed_into_a_frame_of_its_site(agent, stand, attribute):
    stand.put("/frame", FIELDS)
    await agent.show(f"<iframe {attribute}></iframe>")
    await agent.type("Word", "{{WORD}}")
    script = "frames[0].document.querySelector('[type=password]').value === 'hunter22'"
    assert await agent.value(script)


async def test_secret_in_a_frame_of_its_site_on_a_page_of_another_one_is_typed(agent, stand):
    stand.put("/frame", f"{FIELDS}<script>oninput = e => parent.postMessage('in', '*')</script>")
    stand.put(
        "/other",
        f"<script>onmessage = e => document.title = e.data</script>"
        f"<iframe src='{stand.url('/frame')}'></iframe>",
    )
    await open_other(agent)
    await agent.type("Word", "{{WORD}}")
    assert await agent.value("document.title === 'in'")


async def test_form_with_a_secret_of_another_site_is_refused_before_any_field(agent, stand):
    stand.put("/other", FIELDS)
    await open_other(agent)
    fields = (FieldValue("Name", "eve"), FieldValue("Word", "{{WORD}}"))
    refusal = await agent.refused(Fill(fields))
    assert isinstance(refusal, BadInput)
    assert refusal.effect is Effect.NONE
    assert await agent.value("document.querySelector('input').value === ''")


async def test_step_with_a_secret_of_another_site_is_refused(agent, stand):
    stand.put("/other", FIELDS)
    await open_other(agent)
    steps = [{"do": "type", "ref": "label=Word", "text": "{{WORD}}"}]
    outcome = await agent.ask(RunSteps(read_steps(steps)))
    assert outcome.steps.failure is not None
    assert await agent.value("[...document.querySelectorAll('input')].every(one => !one.value)")
