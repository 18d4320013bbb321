"""Typing sends real keys, and the field's text is checked, in a real Chromium."""

import pytest

from tabwright.protocol.actions import FieldValue, Fill, Press, Type
from tabwright.protocol.inspection import Locate
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

KEYS = (
    "<script>const keys = []; for (const type of ['keydown', 'keypress', 'keyup'])"
    " addEventListener(type, e => keys.push([type, e.key, e.code, e.shiftKey, e.ctrlKey]), true);"
    "</script>"
)
TERMINAL = (
    "<div id=told></div><input id=line aria-label=Terminal style='{style}'><script>"
    "let said = ''; line.addEventListener('keydown', event => {{"
    " if (event.key.length === 1) said += event.key;"
    " else if (event.key === 'Enter') {{ told.append(said + ';'); said = '' }}"
    " line.value = '' }})</script>"
)


async def test_press_with_control_and_capital_sends_real_keyboard_events(agent):
    await agent.show(KEYS)
    await agent.ask(Press("Control+S"))
    await agent.ask(Press("Control+Shift+S"))
    await agent.ask(Press("!"))
    down = await agent.value("keys.filter(([type]) => type === 'keydown').map(k => k.slice(1))")
    assert down == [
        ["Control", "ControlLeft", False, True],
        ["s", "KeyS", False, True],
        ["Control", "ControlLeft", False, True],
        ["Shift", "ShiftLeft", True, True],
        ["S", "KeyS", True, True],
        ["Shift", "ShiftLeft", True, False],
        ["!", "Digit1", True, False],
    ]


async def test_type_slowly_sends_each_character_as_a_key_with_shift(agent):
    await agent.show(f"<input id=name aria-label=Name>{KEYS}")
    outcome = await agent.type("Name", "Hi!@\u00e9", slowly=True)
    signs = "keys.filter(([type, key]) => type === 'keypress').map(k => k.slice(1, 4))"
    assert await agent.value("document.querySelector('input').value") == "Hi!@\u00e9"
    assert await agent.value(signs) == [
        ["H", "KeyH", True],
        ["i", "KeyI", False],
        ["!", "Digit1", True],
        ["@", "Digit2", True],
        ["\u00e9", "", False],
    ]
    assert outcome.value_check == "matches"


@cases("style", ["", "opacity:0; width:1px; height:1px; border:0; padding:0"])
async def test_typing_into_field_with_only_key_listeners_sends_keys(agent, style):
    await agent.show(TERMINAL.format(style=style))
    await agent.type("Terminal", "ls -l{Enter}")
    await agent.type("Terminal", "rm A", submit=True)
    assert await agent.value("told.textContent") == "ls -l;rm A;"


async def test_type_into_element_that_is_not_a_field_sends_keys(agent):
    await agent.show(
        "<div tabindex=0 id=game>Game</div><script>"
        "game.onkeydown = event => { game.dataset.got = (game.dataset.got ?? '') + event.key }"
        "</script>"
    )
    outcome = await agent.ask(Type(await agent.ask(Locate("#game")), "ab{ArrowUp}"))
    assert await agent.value("game.dataset.got") == "abArrowUp"
    assert outcome.value_check == "unknown"


async def test_type_code_keeps_its_braces_and_backslashes(agent):
    code = 'if (a) {x} else {end}; `${Control+A}` \\d{2}\\\\ {"a": {"b": 1}}'
    await agent.show("<textarea aria-label=Code id=code></textarea>")
    outcome = await agent.type("Code", code)
    assert await agent.value("code.value") == code
    assert outcome.value_check == "matches"
    await agent.type("Code", "{Enter}\\{Enter}", literal=True)
    assert await agent.value("code.value") == "{Enter}\\{Enter}"


async def test_type_says_whether_the_field_holds_the_whole_text(agent):
    await agent.show(
        "<input aria-label=Short maxlength=3><textarea aria-label=Long id=long></textarea>"
        "<input aria-label=Deaf onbeforeinput=event.preventDefault()>"
        "<input aria-label=Upper oninput='value = value.toUpperCase()'>"
    )
    text = "\n".join(f"line {number}" for number in range(200))
    long = await agent.type("Long", text)
    more = await agent.type("Long", "!", append=True)
    short = await agent.type("Short", "abcdef")
    deaf = await agent.type("Deaf", "abc")
    upper = await agent.type("Upper", "abc")
    assert [one.value_check for one in (long, more, short, deaf, upper)] == [
        "matches",
        "matches",
        "differs",
        "differs",
        "differs",
    ]
    assert '"abc"' in short.description
    assert "empty" in deaf.description
    assert '"ABC"' in upper.description


@cases(
    "group",
    [
        "<fieldset><legend>Size</legend>{}</fieldset>",
        "<div role=radiogroup aria-label=Size>{}</div>",
    ],
)
async def test_fill_selects_a_radio_button_by_the_name_of_its_group(agent, group):
    radios = "<label><input type=radio name=s1 value=l>Large</label><input type=radio name=s1>"
    await agent.show(group.format(radios) + "<input type=radio id=other>")
    filled = await agent.ask(Fill((FieldValue("size", "Large"),)))
    assert filled.value_check == "matches"
    assert await agent.value("document.querySelector('[value=l]').checked")


async def test_fill_selects_radio_buttons_labelled_yes_and_no(agent):
    radios = [
        f"<label><input type=radio name=g value={one.lower()}>{one}</label>"
        for one in ("Yes", "No")
    ]
    await agent.show("".join(radios))
    for value in ("Yes", "No", "yes"):
        filled = await agent.ask(Fill((FieldValue("g", value),)))
        checked = await agent.value("document.querySelector(':checked').value")
        assert (filled.value_check, checked) == ("matches", value.lower())
    refusal = await agent.refused(Fill((FieldValue("g", "Maybe"),)))
    assert "'Yes'" in str(refusal)


async def test_fill_says_which_values_differ(agent):
    await agent.show(
        "<input name=a><input name=b maxlength=2><input type=checkbox name=c>"
        "<input type=checkbox name=d onclick=event.preventDefault()><input type=password name=p>"
    )
    fine = await agent.ask(Fill((FieldValue("a", "x"), FieldValue("c", value=True))))
    wrong = await agent.ask(Fill((FieldValue("a", "y"), FieldValue("b", "long"))))
    unticked = await agent.ask(Fill((FieldValue("d", value=True),)))
    hidden = await agent.ask(Fill((FieldValue("p", "secret words"),)))
    assert fine.value_check == "matches"
    assert wrong.value_check == "differs"
    assert "b: " in wrong.description
    assert "a: " not in wrong.description
    assert unticked.value_check == "differs"
    assert hidden.value_check == "matches"
    assert "secret words" not in hidden.description


async def test_type_replaces_text_of_an_editor_with_its_own_model(agent):
    await agent.show(
        "<div class=CodeMirror><textarea aria-label=Code style='width:2px'></textarea>"
        "<pre id=text>old text</pre></div><script>"
        "const field = document.querySelector('textarea'); let all = false;"
        "field.onkeydown = event => { if (event.ctrlKey && event.key === 'a') all = true };"
        "field.oninput = () => { text.textContent = (all ? '' : text.textContent) + field.value;"
        " all = false; field.value = '' }</script>"
    )
    await agent.type("Code", "new(\n  text)")
    assert await agent.value("text.textContent") == "new(\n  text)"
    await agent.type("Code", "!", append=True)
    assert await agent.value("text.textContent") == "new(\n  text)!"


async def test_press_on_the_focused_field_keeps_its_selection_to_copy_it(agent):
    await agent.show("<textarea id=a>Some text </textarea><input id=b aria-label=Copy>")
    for keys, ref in (("Control+A", "css=#a"), ("Control+C", "css=#a"), ("Control+V", "css=#b")):
        await agent.ask(Press(keys, ref))
    assert await agent.value("b.value") == "Some text "


async def test_caret_does_not_blink_unless_page_styles_it(agent):
    await agent.show(
        "<input aria-label=Name><div contenteditable aria-label=Note role=textbox></div>"
        "<input aria-label=Own style='caret-animation: auto'>"
    )
    shown = "getComputedStyle(document.activeElement).caretAnimation"
    for name, style in (("Name", "manual"), ("Note", "manual"), ("Own", "auto")):
        await agent.type(name, "a")
        assert await agent.value(shown) == style


async def test_text_that_an_editor_inserts_a_moment_later_matches(agent):
    await agent.show(
        "<div contenteditable role=textbox aria-label=Note id=note></div><script>"
        "note.addEventListener('beforeinput', event => { event.preventDefault();"
        " setTimeout(() => { note.textContent += event.data ?? '' }, 60) })</script>"
    )
    assert (await agent.ask(Type("label=Note", "Hello"))).value_check == "matches"
