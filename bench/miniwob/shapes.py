"""Tasks with shapes and colors."""

import colorsys
import re

from dragging import NAMES
from forms import submit
from pages import Click, Item, Page, Unsolved
from PIL import ImageColor
from solvers import solves


def rgb(color: str) -> tuple[int, int, int]:
    return int(color[:2], 16), int(color[2:4], 16), int(color[4:], 16)


@solves("click-color")
async def click_color(page: Page) -> None:
    seen = await page.look()
    # Sometimes the page shows the color in the utterance as a box of its own.
    end = next(one for one in seen.items if one.name.endswith("colored box."))
    boxes = seen.after(end).all("clickable", where=lambda one: bool(one.color))
    wanted = ImageColor.getrgb(re.findall(r"the (\w+) colored", page.utterance)[0])

    def distance(one: Item) -> int:
        return sum(abs(a - b) for a, b in zip(rgb(one.color), wanted, strict=True))

    await page.do(Click(min(boxes, key=distance).ref))


@solves("click-shades")
async def click_shades(page: Page) -> None:
    seen = await page.look()
    name = re.findall(r"shades of (\w+)", page.utterance)[0]
    hue = {"red": 0, "green": 120, "blue": 240}[name]

    def fits(one: Item) -> bool:
        turn = colorsys.rgb_to_hls(*(part / 255 for part in rgb(one.color)))[0] * 360
        return min(abs(turn - hue), 360 - abs(turn - hue)) < 60

    boxes = seen.all("clickable", where=lambda one: bool(one.color))
    await page.do(*(Click(one.ref) for one in boxes if fits(one)), submit(seen))


SINGULAR = {"rectangle": "rect", "circle": "circle", "triangle": "polygon"}


def matching(shapes: list[Item], description: str) -> list[Item]:
    """Return the shapes that match a description, for example ``large red digit``."""
    *marks, kind = description.split()

    def fits(one: Item) -> bool:
        is_shape = re.search("rect|circle|polygon", one.states) is not None
        if kind in SINGULAR and SINGULAR[kind] not in one.states:
            return False
        if kind == "shape" and not is_shape:
            return False
        if kind == "letter" and not one.name.isalpha():
            return False
        if kind == "digit" and not one.name.isdigit():
            return False
        if len(kind) == 1 and one.name != kind:
            return False
        for mark in marks:
            if mark in NAMES and (one.color or "000000") != NAMES[mark]:
                return False
            if mark in {"large", "small"} and (one.box.height > 14) != (mark == "large"):
                return False
        return True

    return [one for one in shapes if fits(one)]


def drawn(one: Item) -> bool:
    return bool(one.name) or re.search("rect|circle|polygon", one.states) is not None


@solves("click-shape")
async def click_shape(page: Page) -> None:
    seen = await page.look(boxes=True)
    description = re.sub(r"^Click on an? ", "", page.utterance)
    await page.do(Click(matching(seen.all("clickable", where=drawn), description)[0].ref))


@solves("count-shape")
async def count_shapes(page: Page) -> None:
    seen = await page.look(boxes=True)
    found = re.search(r"How many (.*)s are there", page.utterance)
    if found is None:
        raise Unsolved(page.utterance)
    number = len(matching(seen.all("clickable", where=drawn), found[1]))
    await page.do(Click(seen.the("button", name=str(number)).ref))


@solves("identify-shape")
async def identify_shape(page: Page) -> None:
    seen = await page.look()
    shape = seen.all("clickable")[0]
    if shape.name:
        kind = "Number" if shape.name.isdigit() else "Letter"
    else:
        kinds = {"rect": "Rectangle", "circle": "Circle", "polygon": "Triangle"}
        kind = next(name for tag, name in kinds.items() if tag in shape.states)
    await page.do(Click(seen.the("button", name=kind).ref))
