"""Pictures of pages, including pages that contain secrets, in a real Chromium."""

from io import BytesIO

import pytest
import trio
from PIL import Image
from pypdfium2 import PdfDocument

from tabwright.page import screenshot
from tabwright.protocol.actions import Emulate, FieldValue, Fill
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import Capture, Locate, Print

pytestmark = pytest.mark.chromium

VALUE = "4111222233334444"
STYLE = (
    "<style>* { transition: all 5s !important; filter: none !important } body { margin: 0 }"
    " input, textarea, select, .edit { position: absolute; left: 0; width: 300px; height: 40px;"
    " box-sizing: border-box; font-size: 30px; color: red; background: white !important;"
    " border: 0 } iframe { position: absolute; left: 0; border: 0; height: 50px }</style>"
)
DARK = 40
"""Of 255; a picture is never quite black, for its format."""


@pytest.fixture
async def agent_with_secret(open_agent, tmp_path):
    """An agent with one secret in its settings."""
    secrets = tmp_path / "secrets.env"
    secrets.write_text(f"CARD={VALUE}\n")
    async with open_agent(acting__secrets=str(secrets)) as agent:
        yield agent


def rows_of(data: bytes, count: int) -> list[str]:
    """Return for each field of 50 px height whether it is black or shown."""
    picture = Image.open(BytesIO(data)).convert("L")
    boxes = [picture.crop((2, 50 * row + 2, 298, 50 * row + 38)) for row in range(count)]
    return ["black" if box.getextrema()[1] < DARK else "shown" for box in boxes]


async def picture_of(agent, count: int, **options: object) -> list[str]:
    return rows_of((await agent.ask(Capture(**options))).data, count)


async def show_fields(agent) -> None:
    agent.stand.put("/card", f"{STYLE}<input name=framed style='top: 0'>")
    elsewhere = agent.stand.url("/card", "localhost")
    await agent.show(
        "<input name=plain style='top: 0; opacity: 0.9'><textarea name=area style='top: 50px'>"
        "</textarea><div class=edit contenteditable=plaintext-only aria-label=edit"
        " style='top: 100px'></div><x-field></x-field>"
        f"<iframe src={elsewhere} style='top: 200px'></iframe>"
        f"<select name=list style='top: 250px'><option>None<option>{VALUE}</select>"
        "<input name=spaced style='top: 300px'"
        " oninput=\"value = value.replace(/(....)/g, '$1 ')\">"
        "<input name=other style='top: 350px' value=Other>"
        "<script>customElements.define('x-field', class extends HTMLElement { connectedCallback() {"
        " this.attachShadow({mode: 'closed'}).innerHTML = '<style>input { position: absolute;"
        " left: 0; top: 150px; width: 300px; height: 40px }</style><input name=deep>' } })"
        "</script>",
        head=STYLE,
    )
    names = ("plain", "area", "edit", "deep", "framed", "spaced")
    await agent.ask(Fill(tuple(FieldValue(name, "{{CARD}}") for name in names)))
    await agent.ask(Fill((FieldValue("list", VALUE),)))


async def test_secret_fields_are_blacked_out_in_screenshots_and_then_restored(
    agent_with_secret,
):
    await show_fields(agent_with_secret)
    styles = (
        "[...document.querySelectorAll('[style], x-field')].map(f => f.style.cssText +"
        " f.hasAttribute('style'))"
    )
    before = await agent_with_secret.value(styles)
    seen = await picture_of(agent_with_secret, 8)
    full = await picture_of(agent_with_secret, 8, full=True)
    (element,) = await picture_of(agent_with_secret, 1, ref=await agent_with_secret.ref('"plain"'))
    assert seen == full == ["black"] * 7 + ["shown"]
    assert element == "black"
    assert await agent_with_secret.value(styles) == before
    assert await agent_with_secret.value("document.querySelector('input').value") == VALUE


async def test_printed_pdf_does_not_contain_secret(agent_with_secret):
    await agent_with_secret.show("<input name=plain><p>Here")
    await agent_with_secret.ask(Fill((FieldValue("plain", "{{CARD}}"),)))
    (page,) = PdfDocument(await agent_with_secret.ask(Print(background=False)))
    darkest, _ = page.render().to_pil().convert("L").crop((60, 30, 90, 60)).getextrema()
    text = page.get_textpage().get_text_range()
    assert "Here" in text
    assert VALUE not in text
    assert darkest < DARK


async def test_secret_fields_are_restored_if_the_screenshot_is_cancelled(
    agent_with_secret, monkeypatch
):
    """Cancel a picture that never ends, after the fields have been blackened."""
    await show_fields(agent_with_secret)
    asked = trio.Event()

    async def never(*_args: object) -> bytes:
        asked.set()
        await trio.sleep_forever()

    with monkeypatch.context() as patch:
        patch.setattr(screenshot, "_capture", never)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(agent_with_secret.ask, Capture())
            await asked.wait()
            nursery.cancel_scope.cancel()
    filters = "[...document.querySelectorAll('input')].map(f => f.style.filter)"
    assert set(await agent_with_secret.value(filters)) == {""}


async def test_screenshot_without_secrets_has_no_blackened_fields(agent):
    await show_fields(agent)
    assert "black" not in await picture_of(agent, 8)


async def test_cropping_very_long_page_does_not_shrink_screenshot(agent):
    await agent.show("<div style='height: 100000px'>Long</div>")
    whole = await agent.ask(Capture(full=True))
    width = await agent.value("innerWidth")
    assert whole.width / whole.height == pytest.approx(width / screenshot.SIDE_MAX, rel=0.05)


async def test_screenshot_uses_device_or_css_pixels_and_the_chosen_format(agent):
    await agent.show("<div id=box style='width:100px;height:40px;background:red'></div>")
    await agent.ask(Emulate((800, 600), 2.0))
    ref = await agent.ask(Locate("#box"))
    device = await agent.ask(Capture(ref, image_format="png"))
    css = await agent.ask(Capture(ref, image_format="png", css=True))
    whole = await agent.refused(Capture(ref, full=True))
    assert (device.width, device.height, device.media_type) == (200, 80, "image/png")
    assert (css.width, css.height) == (100, 40)
    assert css.reduced == device.reduced == 1.0
    assert isinstance(whole, BadInput)


async def test_picture_that_is_too_wide_is_reduced(agent):
    await agent.show("<div id=wide style='width:3136px;height:40px;background:red'></div>")
    picture = await agent.ask(Capture(await agent.ask(Locate("#wide"))))
    assert picture.width == 1568
    assert picture.reduced == 0.5
