"""Points of screenshots as targets, and marks on screenshots, in a real Chromium."""

from io import BytesIO

import pytest
from PIL import Image

from tabwright.protocol.actions import Click, Drag, Hover, Scroll, Type
from tabwright.protocol.errors import BadInput, Effect
from tabwright.protocol.inspection import Capture
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

BOARD = (
    "<style>body {margin: 0; height: 3000px} #board {position: absolute; left: 100px; top: 50px}"
    " #low {position: absolute; left: 20px; top: 2000px}</style>"
    "<canvas id=board width=200 height=100"
    ' onclick="note(`${event.offsetX},${event.offsetY}`)"'
    ' onmousedown="note(`down:${event.offsetX}`)" onmouseup="note(`up:${event.offsetX}`)"'
    " onmouseover=\"note('over')\"></canvas><input style='position:absolute;left:0;top:200px'>"
    "<button id=low onclick=\"note('low')\">Low</button>"
)


async def point(agent, x: float, y: float, **options: object) -> str:
    """Take a screenshot and return a point of it, given in CSS pixels."""
    picture = await agent.ask(Capture(**options))
    width = float(await agent.value("innerWidth"))
    scale = picture.width / width
    return f"{picture.shot}@{x * scale},{y * scale}"


async def test_a_click_at_a_point_hits_what_the_screenshot_shows_there(agent):
    await agent.show(BOARD)
    await agent.ask(Click(await point(agent, 130, 90)))
    assert await agent.notes() == ["over", "down:30", "up:30", "30,40"]


async def test_points_of_a_scaled_screenshot_are_in_its_own_pixels(agent):
    await agent.show(BOARD)
    picture = await agent.ask(Capture(side_max=300))
    scale = picture.width / float(await agent.value("innerWidth"))
    assert scale < 0.5
    await agent.ask(Click(f"{picture.shot}@{180 * scale:.3f},{100 * scale:.3f}"))
    (*_, clicked) = await agent.notes()
    x, y = map(int, clicked.split(","))
    assert (abs(x - 80) <= 1, abs(y - 50) <= 1) == (True, True)


async def test_hover_drag_type_and_scroll_take_points(agent):
    await agent.show(BOARD)
    start = await point(agent, 110, 60)
    await agent.ask(Hover(start))
    await agent.ask(Drag(start, start.replace(start.split("@")[1], "250,100")))
    await agent.ask(Type(await point(agent, 10, 205), "typed"))
    await agent.ask(Scroll(ref=await point(agent, 10, 205)))
    assert (await agent.notes())[:3] == ["over", "down:10", "up:150"]
    assert await agent.value("document.querySelector('input').value") == "typed"
    assert await agent.value("scrollY > 100") is True


@cases(
    "change",
    [
        "scrollTo(0, 100)",
        "board.style.left = '90px'",
        "document.body.innerHTML += '<div style=\"position:fixed;inset:0\">Cover</div>'",
        "board.remove()",
        "location.reload()",
    ],
)
async def test_a_point_is_refused_without_effect_if_the_page_has_changed_there(agent, change):
    await agent.show(BOARD)
    target = await point(agent, 130, 90)
    await agent.value(f"void ({change})")
    refused = await agent.refused(Click(target))
    assert isinstance(refused, BadInput)
    assert refused.effect == Effect.NONE
    assert not {"30,40", "down:30"} & set(await agent.notes())


async def test_point_stays_usable_after_a_change_elsewhere_on_the_page(agent):
    await agent.show(BOARD)
    target = await point(agent, 130, 90)
    await agent.value("void (document.querySelector('input').style.left = '50px')")
    await agent.ask(Click(target))
    assert "30,40" in await agent.notes()


async def test_click_at_point_of_full_page_screenshot_scrolls_to_it(agent):
    await agent.show(BOARD)
    await agent.ask(Click(await point(agent, 30, 2010, full=True, side_max=0, bytes_max=0)))
    assert await agent.notes() == ["low"]


@cases("host", ["127.0.0.1", "localhost"])
async def test_click_at_point_in_a_frame_hits_the_element_inside(agent, host):
    agent.stand.put(
        "/inner",
        "<body style=margin:0><button onclick='document.title=1;"
        " parent.postMessage(1, \"*\")' style='width:99px;height:40px'>In</button>",
    )
    await agent.show(
        f"<iframe src={agent.stand.url('/inner', host)} style='position:absolute;left:50px;"
        "top:60px'></iframe><script>onmessage = () => note('in')</script>"
    )
    await agent.see()
    await agent.ask(Click(await point(agent, 80, 80)))
    assert await agent.notes() == ["in"]


async def test_a_point_of_an_unknown_screenshot_is_refused(agent):
    await agent.show(BOARD)
    assert isinstance(await agent.refused(Click("shot99999@1,1")), BadInput)


async def test_screenshot_of_region_or_element_has_usable_points(agent):
    await agent.show(BOARD)
    region = await agent.ask(Capture(region=(100, 50, 200, 100), css=True))
    element = await agent.ask(Capture("css=#board", css=True))
    assert (region.width, region.height) == (element.width, element.height) == (200, 100)
    await agent.ask(Click(f"{element.shot}@30,40"))
    assert "30,40" in await agent.notes()
    both = await agent.refused(Capture("css=#board", region=(0, 0, 1, 1)))
    assert isinstance(both, BadInput)


@cases("image_format", ["jpeg", "png", "webp"])
async def test_marks_are_drawn_on_the_controls(agent, image_format):
    await agent.show(
        "<style>body {margin: 0; background: white}</style>"
        "<button style='position:absolute;left:50px;top:50px;width:90px;height:40px;"
        "background:white;border:0'></button>"
    )
    plain = await agent.ask(Capture(css=True, image_format=image_format))
    marked = await agent.ask(Capture(css=True, image_format=image_format, marks=True))
    colors = []
    for picture in (plain, marked):
        with Image.open(BytesIO(picture.data)) as image:
            assert image.format.lower() == image_format
            colors.append(min(image.convert("RGB").getpixel((90, 50))))
    assert colors[0] > 200
    assert colors[1] < 100


async def test_a_screenshot_says_whether_it_differs_from_the_last_one(agent):
    await agent.show("<p>One</p>")
    first = await agent.ask(Capture())
    second = await agent.ask(Capture())
    await agent.value("void (document.querySelector('p').textContent = 'Two')")
    third = await agent.ask(Capture())
    assert [one.is_changed for one in (first, second, third)] == [True, False, True]
