"""Forms in the terminal browser: filling in their fields, and submitting them."""

import pytest

pytestmark = pytest.mark.chromium


async def focus(t, field: str) -> None:
    """Press Tab until a field, named by the label before it, has the focus."""
    for _ in range(20):
        before = focused(t)
        t.keys("Tab")
        await t.until(lambda now, before=before: focused(now) not in {"", before})
        if field in focused(t):
            return
    raise AssertionError(f"{field} is never in focus:\n{t.drawing()}")


def focused(t) -> str:
    """Return the line of the page with the focused element."""
    lines = zip(t.screen.text[:-1], t.screen.rows, strict=False)
    return next((text for text, row in lines if any(cell.reverse for cell in row)), "")


async def fill(t, field: str, text: str, shown: str = "") -> None:
    """Type text into a field, and wait until the field shows it."""
    await focus(t, field)
    t.keys("Enter")
    await t.until(" =")
    t.type(f"{text}\n")
    await t.until(f"{field}: [{shown or text}")


@pytest.mark.smoke
async def test_a_search_is_typed_and_sent_by_its_button(web, open_tui) -> None:
    async with open_tui(web.url("/form")) as t:
        await t.until("Order")
        t.type(":forms\n")
        await t.until(lambda now: now.screen.place("[___") and now.cell("[___").reverse)
        t.keys("Enter")
        await t.until("Search =")
        t.type("漢字 & more\n")
        await t.until("Search: [漢字 & more")
        t.keys("Tab")
        await t.until(lambda now: now.cell("[ Find ]").reverse)
        t.keys("Enter")
        await t.until("q is 漢字 & more")
        t.keys("b")
        await t.until("Search: [漢字 & more")
        t.resize(60, 24)
        await t.until("Search: [漢字 & more")


async def test_every_kind_of_field_is_filled_in_and_sent(web, open_tui) -> None:
    async with open_tui(web.url("/form"), lines=50) as t:
        await t.until("[ Send ]")
        t.type(":submit 2\n")
        await t.until("Required fields are empty: name.")
        assert not web.sent
        await fill(t, "Name *", "Ada [bold]")
        await fill(t, "Password", "hidden", shown="••••••")
        assert "hidden" not in t.text
        await focus(t, "[ ] As a gift")
        t.keys("Enter")
        await t.until("[x] As a gift")
        await focus(t, "( ) Large")
        t.keys("Enter")
        await t.until("(•) Large")
        await t.until("( ) Small")
        await focus(t, "<Red>")
        t.keys("Enter")
        await t.until("▊ Blue")
        t.keys("j", "Enter")
        await t.until("<Blue>")
        await focus(t, "Note: ")
        t.keys("Enter")
        await t.until("Ctrl+S saves")
        t.type("one\ntwo")
        await t.until("two")
        t.keys("Ctrl+S")
        await t.until("one ⏎ two")
        t.keys("/", "Up")
        await t.until(lambda now: now.line(-1).startswith("/"))
        assert "hidden" not in t.text
        t.keys("Escape")
        await t.until(lambda now: not now.line(-1).startswith("/"))
        t.type(":submit 2\n")
        await t.until("Thank you")
    (sent,) = web.sent
    assert sent["name"] == "Ada [bold]"
    assert (sent["password"], sent["gift"], sent["size"]) == ("hidden", "yes", "large")
    assert (sent["colour"], sent["note"].split()) == ("blue", ["one", "two"])


async def test_cancelled_input_dialogs_change_nothing(web, open_tui) -> None:
    async with open_tui(web.url("/form"), lines=50) as t:
        await t.until("[ Send ]")
        await focus(t, "<Red>")
        t.keys("Enter")
        await t.until("▊ Blue")
        t.keys("j", "k", "j", "Escape")
        await t.gone("▊ Blue")
        await t.until("<Red>")
        t.keys("Tab", "Enter")
        await t.until("Ctrl+S saves")
        t.type("not this")
        await t.until("not this")
        t.keys("Escape")
        await t.gone("not this")
        t.type(":submit 9\n")
        await t.until("There is no form 9.")


async def test_boxes_of_one_name_are_sent_together(web, open_tui) -> None:
    boxes = "".join(
        f"<label><input type=checkbox name=topping value={one}> {one}</label>"
        for one in ("olives", "capers", "onions")
    )
    web.put("/pizza", f"<h1>Pizza</h1><form action=/found>{boxes}<button>Go</button></form>")
    async with open_tui(web.url("/pizza")) as t:
        await t.until("[ ] onions")
        for one in ("olives", "onions"):
            await focus(t, f"[ ] {one}")
            t.keys("Enter")
            await t.until(f"[x] {one}")
        t.type(":submit\n")
        await t.until("Found")
    assert web.asked("/found?topping=olives&topping=onions") == 1


async def test_several_options_are_chosen_at_once(web, open_tui) -> None:
    options = "".join(f"<option value={one}>{one} one</option>" for one in ("red", "blue"))
    web.put(
        "/many",
        f"<h1>Many</h1><form action=/found><label>Colours <select name=c multiple>{options}"
        "</select></label><button>Go</button></form>",
    )
    async with open_tui(web.url("/many")) as t:
        await t.until("<nothing>")
        await focus(t, "<nothing>")
        t.keys("Enter")
        await t.until("Space toggles, Enter confirms")
        t.keys("Space", "j", "Space", "Enter")  # in one burst, as no person could
        await t.until("<red one, blue one>")
        t.type(":submit\n")
        await t.until("Found")
    assert web.asked("/found?c=red&c=blue") == 1
