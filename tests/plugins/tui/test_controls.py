"""Controls outside forms in the terminal browser, which are used in the tab itself."""

import pytest

pytestmark = pytest.mark.chromium

CONTROLS = f"""<h1>Controls</h1><p>Read <a href=/article>the article</a>.</p>
<p>{"Most of this page can be read over HTTP. " * 10}</p>"""
CONTROLS += """<button onclick="say('Pressed ' + ++count)">Press me</button>
<button onclick="say(confirm('Are you sure?') ? 'Sure' : 'Unsure')">Ask</button>
<button onclick="say('Hello ' + prompt('Who is there?', 'Ada'))">Greet</button>
<label><input type=checkbox onchange="say('Agreed: ' + this.checked)"> Agree</label>
<label>Name <input onchange="say('Name: ' + this.value)" value="Old"></label>
<label>Colour <select onchange="say('Colour: ' + this.value)">
<option value=red>Red<option value=blue>Blue</select></label>
<label>Todo <input id=todo></label><p id=out>Nothing yet</p><p id=more>More: </p><script>
let count = 0;
const say = (text) => { document.getElementById('out').textContent = text; };
document.getElementById('todo').onkeydown = ({key, target}) => {
  if (key === 'Enter') say('Added: ' + target.value);
};
setTimeout(() => {
  const made = document.createElement('button');
  made.textContent = 'Made by a script';
  made.onclick = () => { say('It works'); made.remove(); };
  document.getElementById('more').append(made);
});
</script>"""


def focused(t) -> str:
    """Return the line of the page with the focused element."""
    lines = list(zip(t.screen.text, t.screen.rows, strict=True))[:-1]
    return next((text for text, row in lines if any(cell.reverse for cell in row)), "")


async def focus(t, control: str) -> None:
    """Press Tab until a control is focused."""
    for _ in range(20):
        if control in focused(t):
            return
        before = focused(t)
        t.keys("Tab")
        await t.until(lambda now, before=before: focused(now) not in {"", before})
    raise AssertionError(f"{control} is never focused:\n{t.drawing()}")


@pytest.fixture
def open_controls(web, open_tui):
    """Return a function that opens the terminal browser on the page of controls."""
    web.put("/controls", CONTROLS)
    return lambda **size: open_tui(web.url("/controls"), lines=30, **size)


async def show_controls(t) -> None:
    await t.until("Nothing yet")
    t.keys("c")
    await t.until("[ Made by a script ]")


async def test_buttons_outside_forms_are_clicked(web, open_controls) -> None:
    async with open_controls() as t:
        await t.until("Nothing yet")
        assert "tier 1" in t.line(-1)
        await show_controls(t)
        await focus(t, "[ Press me ]")
        t.keys("Enter")
        await t.until("Pressed 1")
        assert "[ Press me ]" in focused(t)
        t.keys("Enter")
        await t.until("Pressed 2")
        await focus(t, "[ Made by a script ]")
        t.keys("Enter")
        await t.until("It works")
        await t.gone("[ Made by a script ]")
    assert web.asked("/controls") == 2


async def test_checkbox_field_and_list_outside_forms_are_changed(open_controls) -> None:
    async with open_controls() as t:
        await show_controls(t)
        await focus(t, "[ ] Agree")
        t.keys("Enter")
        await t.until("Agreed: true")
        await t.until("[x] Agree")
        await focus(t, "Colour: <Red>")
        t.keys("Enter")
        await t.until("▊ Blue")
        t.keys("j", "Enter")
        await t.until("Colour: blue")
        await t.until("Colour: <Blue>")
        await focus(t, "Name: [Old")
        t.keys("Enter")
        await t.until("Name = Old")
        t.type(" and {new}\n")
        await t.until("Name: [Old and {new}")
        await focus(t, "[ Press me ]")
        t.keys("Enter")
        await t.until("Pressed 1")


async def test_press_sends_a_key_to_the_focused_control(open_controls) -> None:
    async with open_controls() as t:
        await show_controls(t)
        await focus(t, "Todo: [")
        t.keys("Enter")
        await t.until("Todo =")
        t.type("milk\n")
        await t.until("Todo: [milk")
        t.type(":press Enter\n")
        await t.until("Added: milk")


async def test_dialogs_of_the_page_are_answered(open_controls) -> None:
    async with open_controls() as t:
        await show_controls(t)
        for keys, result in ((("Enter",), "Sure"), (("j", "Enter"), "Unsure")):
            await focus(t, "[ Ask ]")
            t.keys("Enter")
            await t.until("Cancel")
            assert "confirm: Are you sure?" in t.text
            t.keys(*keys)
            await t.until(lambda now, result=result: result in now.screen.text)
        await focus(t, "[ Greet ]")
        t.keys("Enter")
        await t.until("Who is there? = Ada")
        t.type(" L\n")
        await t.until("Hello Ada L")
        t.keys("Enter")
        await t.until("Who is there? = Ada")
        t.keys("Escape")
        await t.until("Hello null")


async def test_c_key_toggles_text_and_controls_and_links_are_followed(open_controls) -> None:
    async with open_controls() as t:
        await show_controls(t)
        t.keys("c")
        await t.until("the article[1]")
        assert "[ Press me ]" not in t.text
        t.keys("c")
        await t.until("[ Press me ]")
        await focus(t, "Read the article")
        t.keys("Enter")
        await t.until("Structured concurrency")
        t.keys("b")
        await t.until("[ Press me ]")
        await focus(t, "[ Press me ]")
        t.keys("Enter")
        await t.until("Press r to load this page again.")
        t.keys("r")
        await t.until(lambda now: not focused(now))  # the refs are others now
        await focus(t, "[ Press me ]")
        t.keys("Enter")
        await t.until("Pressed 1")
