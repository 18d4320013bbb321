"""Several steps in one request, in a real Chromium."""

import pytest

from tabwright.mcp.tools.run_steps import read_steps
from tabwright.protocol.actions import RunSteps
from tabwright.protocol.errors import BadInput, Effect, Hint, HintKind
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

FORM = (
    '<form onsubmit="event.preventDefault(); note(`${name.value}/${size.value}/${news.checked}`);'
    " out.textContent = 'Thank you, ' + name.value\">"
    "<label>Name <input name=name id=name></label>"
    "<select id=size aria-label=Size><option>Small<option>Large</select>"
    "<label><input type=checkbox id=news> News</label><button>Send</button></form><p id=out></p>"
)

LIST = (
    '<ul id=list><li>One</li></ul><button id=next onclick="list.innerHTML = '
    '`<li>Item ${++n}</li>`; next.hidden = n >= 3; note(n)">Next</button><script>let n = 0</script>'
)


async def run(agent, *steps):
    return await agent.ask(RunSteps(read_steps(steps)))


async def test_form_is_filled_in_one_request_with_one_list_of_changes(agent):
    await agent.show(FORM)
    outcome = await run(
        agent,
        {"do": "type", "ref": "label=Name", "text": "Eve"},
        {"do": "select", "ref": "label=Size", "values": ["Large"]},
        {"do": "click", "ref": "role=checkbox[name=News]"},
        {"do": "click", "ref": "role=button[name=Send]"},
        {"do": "read", "ref": "css=#out", "as": "answer"},
    )
    assert await agent.notes() == ["Eve/Large/true"]
    assert outcome.steps.failure is None
    assert len(outcome.steps.done) == 5
    assert outcome.steps.variables == (("answer", ("Thank you, Eve",)),)
    assert "+ Thank you, Eve" in outcome.changes
    assert outcome.value_check == "matches"


async def test_paginated_list_is_read_in_one_request(agent):
    await agent.show(LIST)
    outcome = await run(
        agent,
        {"do": "read", "ref": "css=li", "as": "items"},
        {
            "do": "repeat",
            "times": 10,
            "until": {"hidden": "css=#next"},
            "steps": [
                {"do": "click", "ref": "css=#next"},
                {"do": "read", "ref": "css=li", "as": "items"},
            ],
        },
    )
    assert outcome.steps.variables == (("items", ("One", "Item 1", "Item 2", "Item 3")),)
    assert await agent.notes() == ["1", "2", "3"]


async def test_notes_about_the_changes_of_a_step_are_not_repeated(agent):
    long = "<p>".join(f"<button>Row {number}</button>" for number in range(200))
    await agent.show(f'<button onclick="out.innerHTML = `{long}`">Load</button><p id=out></p>')
    outcome = await run(
        agent,
        {"do": "click", "ref": "text=Load"},
        {"do": "read", "ref": "css=#out", "as": "rows"},
    )
    kinds = [note.kind for note in outcome.notes if isinstance(note, Hint)]
    assert kinds == [HintKind.MORE_CHANGES]


async def test_the_first_failure_ends_the_steps_and_nothing_after_it_is_done(agent):
    await agent.show(FORM)
    outcome = await run(
        agent,
        {"do": "type", "ref": "label=Name", "text": "Eve"},
        {"do": "click", "ref": "text=nowhere"},
        {"do": "click", "ref": "role=button[name=Send]"},
    )
    assert len(outcome.steps.done) == 1
    assert isinstance(outcome.steps.failure.error, BadInput)
    assert outcome.steps.failure.error.effect == Effect.NONE
    assert "Eve" in outcome.changes
    assert await agent.notes() == []


@cases(
    ("condition", "holds"),
    [
        ({"visible": "text=Send"}, True),
        ({"visible": "css=#out"}, True),
        ({"hidden": "text=Send"}, False),
        ({"hidden": "css=.none"}, True),
        ({"text": "send", "gone": "Thank you"}, True),
        ({"url": "127.0.0.1", "text": "nothing"}, False),
        ({"variable": "label", "equals": "Send"}, True),
        ({"variable": "label", "contains": "x"}, False),
    ],
)
async def test_a_condition_decides_which_steps_are_done(agent, condition, holds):
    await agent.show(FORM)
    outcome = await run(
        agent,
        {"do": "read", "ref": "css=button", "as": "label"},
        {
            "do": "if",
            **condition,
            "then": [{"do": "type", "ref": "css=#name", "text": "then"}],
            "else": {"do": "type", "ref": "css=#name", "text": "else"},
        },
    )
    assert outcome.steps.failure is None
    assert await agent.value("document.querySelector('#name').value") == (
        "then" if holds else "else"
    )


async def test_step_variable_is_typed_as_literal_text_not_keys_or_secrets(open_agent, tmp_path):
    secrets = tmp_path / "secrets.env"
    secrets.write_text("PASS=hunter2hunter2\n")
    async with open_agent(acting__secrets=str(secrets)) as agent:
        await agent.show(
            "<p id=text>a{Enter}{{PASS}}{Control+A}</p><p id=word>PASS</p><input id=field>"
            "<input id=other onkeydown=\"if (event.key === 'Enter') note('Enter')\">"
        )
        typed = await run(
            agent,
            {"do": "read", "ref": "css=#text", "as": "text"},
            {"do": "type", "ref": "css=#other", "text": "${text}"},
        )
        assert typed.steps.failure is None
        assert await agent.value("other.value") == "a{Enter}{{PASS}}{Control+A}"
        for step in (
            {"do": "fill_form", "fields": {"css=#field": "${text}"}},
            {"do": "type", "ref": "css=#field", "text": "${text}", "literal": True},
            {"do": "type", "ref": "css=#field", "text": "{{${word}}}"},
        ):
            refused = await run(
                agent,
                {"do": "read", "ref": "css=#text", "as": "text"},
                {"do": "read", "ref": "css=#word", "as": "word"},
                step,
            )
            assert isinstance(refused.steps.failure.error, BadInput)
            assert await agent.value("field.value") == ""
        assert await agent.notes() == []


async def test_steps_go_on_after_a_navigation_and_the_new_page_is_shown(agent):
    agent.stand.put("/two", "<h1>Second</h1><button onclick='document.title=7'>Do</button>")
    await agent.show("<a href=/two>Go</a>")
    outcome = await run(agent, {"do": "click", "ref": "text=Go"}, {"do": "click", "ref": "text=Do"})
    assert outcome.steps.failure is None
    assert outcome.navigated is not None
    assert outcome.url.endswith("/two")
    assert "Second" in outcome.changes


async def test_a_dialog_can_be_answered_by_the_next_step(agent):
    await agent.show("<button onclick=\"note(confirm('Sure?'))\">Ask</button>")
    outcome = await run(agent, {"do": "click", "ref": "text=Ask"}, {"do": "dialog", "accept": True})
    assert outcome.steps.failure is None
    assert await agent.notes() == ["true"]


@cases(
    "steps",
    [
        [],
        [{"do": "evaluate", "script": "1"}],
        [{"do": "click"}],
        [{"do": "click", "ref": "role=button["}],
        [{"do": "touch", "ref": "role=button[", "gesture": "tap"}],
        [{"do": "select_text", "ref": "role=button["}],
        [{"do": "type", "ref": "css=input", "text": "${unknown}"}],
        [{"do": "press", "keys": "${x}"}, {"do": "read", "ref": "p", "as": "x"}],
        [{"do": "repeat", "times": 1000, "steps": [{"do": "press", "keys": "Tab"}]}],
        [{"do": "click", "ref": "text=Send", "session": "other"}],
        [{"do": "if", "visable": "text=Send", "then": []}],
        [{"ref": "text=Send"}],
    ],
)
async def test_invalid_steps_are_refused_before_the_first_is_done(agent, steps):
    await agent.show(FORM)
    with pytest.raises(BadInput):
        await run(agent, {"do": "type", "ref": "css=#name", "text": "done"}, *steps) if steps else (
            await run(agent)
        )
    assert await agent.value("document.querySelector('#name').value") == ""


async def test_steps_that_change_more_than_is_shown_are_all_done(agent):
    await agent.show(
        "<button onclick=\"list.innerHTML = '<li>New'.repeat(2000)\">Fill</button>"
        "<button onclick=\"list.innerHTML += '<li>Last'; note('last')\">Add</button>"
        "<ul id=list></ul>"
    )
    outcome = await run(
        agent,
        {"do": "click", "ref": "text=Fill"},
        {"do": "click", "ref": "text=Add"},
        {"do": "click", "ref": "text=Add"},
    )
    assert await agent.notes() == ["last", "last"]
    assert len(outcome.steps.done) == 3
    assert outcome.notes


LISTED = (
    "<p id=text></p><p id=word>Row 1</p><input id=row-1><input><button onclick='note(1)'>Row 1"
    "</button><button onclick='note(2)'>Row 2</button>"
)


@cases(
    ("target", "text", "accepted"),
    [
        ('role=button[name="${text}"]', "Row 1", True),
        ("text=${text} >> nth=-1", "row 1", True),
        ("css=#row-${text}", "1", True),
        ('role=button[name="${text}"]', 'Row 1"] >> role=button[name="Row 2', False),
        ('role=button[name="${text}"]', "Row 1 >> css=*", False),
        ("${text}", "text=Row 2", False),
        ("${text}", "1.1", False),
        ("css=#row-${text}", "1, button", False),
        ("text=${text}", '"Row 1"', False),
    ],
)
async def test_variable_in_target_is_literal_text_and_cannot_alter_selector(
    agent, target, text, accepted
):
    await agent.show(LISTED)
    await agent.value(f"document.getElementById('text').textContent = {text!r}")
    for step in (
        {"do": "click", "ref": target},
        {"do": "read", "ref": target, "as": "other"},
        {"do": "if", "visible": target, "then": []},
    ):
        outcome = await run(agent, {"do": "read", "ref": "css=#text", "as": "text"}, step)
        assert (outcome.steps.failure is None) is accepted
    assert "2" not in await agent.notes()
