"""Pages, locators and sessions as a program holds them, in a real Chromium."""

import pytest

from tabwright import BadInput, PageFailed, SessionMissing
from tabwright.advanced import Click, IfStep, StepCondition

pytestmark = pytest.mark.chromium

ORDER = """
<h1>Order</h1><form action=/sent method=post>
<label>Name <input name=name></label>
<label>Country <select name=country><option>France<option>Italy</select></label>
<label><input type=checkbox name=gift> Gift wrap</label>
<button data-kind=main>Send</button></form>
<ul><li class=item>Tea<li class=item>Coffee</ul><p id=message>Nothing sent.</p>
"""


@pytest.fixture
async def order(stand, open_acting_client):
    """A page with a form, open in a tab."""
    stand.put("/order", ORDER, "Order")
    stand.put("/sent", "<h1>Sent</h1>", "Sent")
    async with open_acting_client() as tabwright:
        yield await tabwright.open(stand.url("/order"), session="shop")


async def test_page_is_read_acted_on_and_follows_its_tab(order, stand):
    assert (order.url, order.title) == (stand.url("/order"), "Order")
    outline = await order.outline(query="Send")
    assert [control.name for control in outline.controls if control.role == "button"] == ["Send"]
    filled = await order.fill({"Name": "Eve", "Country": "Italy", "Gift wrap": True})
    assert filled.value_check == "matches"
    assert await order.locator("label=Name").value() == "Eve"
    assert await order.evaluate("document.forms[0].gift.checked") is True
    assert "Nothing sent." in (await order.text()).text
    assert [form.method for form in (await order.snapshot()).forms] == ["POST"]
    await order.click('role=button[name="Send"]')
    assert (order.url, order.title) == (stand.url("/sent"), "Sent")
    await order.back()
    assert order.url == stand.url("/order")
    await order.forward()
    await order.reload()
    await order.goto(stand.url("/order"))
    assert [entry.url for entry in await order.requests(this_page=True)] == [order.url]


async def test_locator_tells_what_matches(order):
    items = order.locator("css=.item")
    assert (await items.count(), len(await items.all())) == (2, 2)
    with pytest.raises(BadInput):
        await items.text()
    assert await order.locator("css=.item >> nth=1").text() == "Coffee"
    send = order.locator("text=Send")
    assert await send.attribute("data-kind") == "main"
    assert await send.attribute("data-none") is None
    options = await order.locator("label=Country").options()
    assert [option.label for option in options] == ["France", "Italy"]
    assert await order.locator(await send.ref()).text() == "Send"


async def test_pages_of_a_session_are_independent_handles(order, stand):
    session = order.session
    second = await session.open(stand.url("/sent"))
    assert [page.tab for page in await session.pages()] == [order.tab, second.tab]
    await order.type("label=Name", "Eve")
    await order.goto(stand.url("/order"))
    assert (order.url, second.url) == (stand.url("/order"), stand.url("/sent"))
    assert (await second.text()).title == "Sent"
    assert (await order.text()).title == "Order"
    await second.close()
    assert [page.tab for page in await session.pages()] == [order.tab]
    with pytest.raises(BadInput):
        await second.click("text=Sent")
    await session.close()
    assert await session.pages() == ()
    with pytest.raises(SessionMissing):
        await order.outline()


async def test_steps_pictures_and_scripts(order):
    done = await order.run(
        Click("label=Gift wrap"),
        IfStep(StepCondition(visible="text=Order"), then=(Click("label=Gift wrap"),)),
    )
    assert done.steps.failure is None
    assert await order.evaluate("document.forms[0].gift.checked") is False
    assert (await order.screenshot(image_format="png")).data.startswith(b"\x89PNG")
    assert (await order.pdf()).startswith(b"%PDF")
    with pytest.raises(PageFailed):
        await order.evaluate("missing()")
    ref = await order.locator("css=#message").ref()
    assert await order.evaluate("(element) => element.id", ref) == "message"
    dialog = await order.evaluate("null")
    assert dialog is None


async def test_values_without_a_form_in_json_are_texts_and_a_dialog_is_told(order):
    assert await order.evaluate("12345678901234567890n") == "12345678901234567890n"
    assert await order.evaluate("NaN") in {None, "NaN"}
    with pytest.raises(PageFailed):
        await order.evaluate("confirm('Sure?')")
    await order.dialog(accept=True)
    assert await order.evaluate("1 + 1") == 2


async def test_empty_tab_is_a_page_and_a_second_one_is_another_tab(order, stand):
    session = order.session
    blank = await session.open("about:blank")
    assert await blank.evaluate("location.href") == "about:blank"
    assert (await blank.outline()).url == "about:blank"
    await blank.goto(stand.url("/sent"))
    assert [page.url for page in await session.pages()] == [order.url, blank.url]


@pytest.mark.parametrize("url", ["", "back", "reload"])
async def test_steps_of_a_history_are_no_urls(order, url):
    with pytest.raises(BadInput):
        await order.goto(url)
    with pytest.raises(BadInput):
        await order.session.open(url)


async def test_page_of_a_closed_session_opens_no_session(order, stand):
    await order.session.close()
    with pytest.raises(SessionMissing):
        await order.goto(stand.url("/sent"))
    assert await order.session.pages() == ()
