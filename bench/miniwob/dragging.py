"""Tasks that drag elements."""

import re

from forms import submit
from games import pixel
from pages import Box, Item, Mouse, Page, Point, Step, Unsolved, numbers
from solvers import solves

DIRECTIONS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}


def drag(start: Point, end: Point) -> Mouse:
    """Return a drag that also passes a point just before its end, like a drag by hand."""
    near = (start[0] + (end[0] - start[0]) * 0.9, start[1] + (end[1] - start[1]) * 0.9)
    return Mouse("drag", (start, near, end))


@solves("drag-circle", "drag-single-shape")
async def drag_shape(page: Page) -> None:
    seen = await page.look(boxes=True)
    shape = seen.the("clickable")
    x, y = DIRECTIONS[re.findall(r"left|right|up|down", page.utterance)[0]]
    center = shape.box.center
    if "polygon" in shape.states:  # the center of its box may be outside of a triangle
        center = (center[0], center[1] + shape.box.height / 5)
    await page.do(drag(center, (center[0] + 15 * x, center[1] + 15 * y)), submit(seen))


@solves("drag-box")
async def drag_box(page: Page) -> None:
    seen = await page.look(boxes=True)
    small = seen.the(where=lambda one: one.name == "s").box
    large = seen.the(where=lambda one: one.name == "L").box
    await page.do(
        drag(corner(small), shifted(corner(small), small.center, large.center)), submit(seen)
    )


def corner(box: Box) -> Point:
    return box.left + 4, box.top + 4


def shifted(point: Point, start: Point, end: Point) -> Point:
    return point[0] + end[0] - start[0], point[1] + end[1] - start[1]


ROWS = {"top": 0, "center": 1, "bottom": 2}
COLUMNS = {"left": 0, "center": 1, "right": 2}


@solves("drag-items", "drag-items-grid")
async def drag_item(page: Page) -> None:
    seen = await page.look(boxes=True)
    found = re.search(r"Drag (\S+) (.*)\.", page.utterance)
    if found is None:
        raise Unsolved(page.utterance)
    name, where = found.groups()
    items = seen.all("clickable", where=lambda one: bool(one.name))
    old = next(index for index, one in enumerate(items) if one.name == name)
    new = place(where, old, len(items))
    await page.do(sorting(items, old, new))


def place(where: str, old: int, count: int) -> int:
    """Return the index that an utterance means."""
    if "position" in where and where.startswith("to"):
        return numbers(where)[0] - 1
    step = 3 if count == 9 else 1
    if "by one" in where:
        return old + {"down": step, "up": -step, "left": -1, "right": 1}[where.split(maxsplit=1)[0]]
    if count != 9:
        return 0 if "top" in where else count - 1
    words = where.removeprefix("to the ").split()
    row = ROWS.get(words[0], 1)
    return row * 3 + COLUMNS[words[-1]]


def sorting(items: list[Item], old: int, new: int) -> Mouse:
    """Return the drag that moves an item of a sortable list to another's place."""
    start, goal = items[old].box, items[new].box
    x, y = goal.center
    sign = 1 if old < new else -1
    y += sign * goal.height / 4  # past the middle of the other
    if start.left == goal.left:
        return drag(start.center, (x, y))
    corner = (x, start.center[1])  # in a grid, first along the row
    return Mouse("drag", (start.center, corner, (x + sign * goal.width / 4, y)))


@solves("drag-sort-numbers")
async def sort_numbers(page: Page) -> None:
    for _ in range(6):
        seen = await page.look(boxes=True)
        items = seen.all(
            "clickable", where=lambda one: re.fullmatch(r"-?\d+", one.name) is not None
        )
        values = [int(one.name) for one in items]
        wanted = sorted(values)
        wrong = [index for index in range(len(values)) if values[index] != wanted[index]]
        if not wrong:
            await page.do(submit(seen))
            return
        new = wrong[0]
        await page.do(sorting(items, values.index(wanted[new]), new))


KINDS = {"rectangles": "rect", "circles": "circle", "triangles": "polygon"}
NAMES = {
    "red": "ff0000", "green": "008000", "blue": "0000ff", "aqua": "00ffff", "black": "000000",
    "magenta": "ff00ff", "yellow": "ffff00",
}  # fmt: skip


def grip(one: Item) -> Point:
    x, y = one.box.center
    return (x, y + one.box.height / 6) if "polygon" in one.states else (x, y)


@solves("drag-shapes", "drag-shapes-2")
async def drag_shapes(page: Page) -> None:
    seen = await page.look(boxes=True)
    shapes = seen.all(
        "clickable", where=lambda one: re.search("rect|circle|polygon", one.states) is not None
    )
    word = re.findall(r"all (\w+)", page.utterance)[0]

    def fits(one: Item) -> bool:
        return KINDS[word] in one.states if word in KINDS else NAMES[word] == one.color

    boxes = await frames(page)
    steps: list[Step] = []
    for one in shapes:
        if fits(one) or len(boxes) > 1:
            box = boxes[0] if fits(one) else boxes[1]
            spread = 6 * len(steps) - 12
            goal = (box.center[0] + spread, box.center[1])
            steps.append(Mouse("drag", (grip(one), goal)))
    await page.do(*steps, submit(seen))


async def frames(page: Page) -> list[Box]:
    """Return the empty boxes with a black border on the picture of the page, left to right."""
    picture = await page.picture()
    left, top, found = 0, 52, list[Box]()
    width, height = min(picture.width, 160), min(picture.height, 210)

    def dark(x: int, y: int) -> bool:
        return sum(pixel(picture, x, y)) < 150

    for y in range(top, height):
        x = left
        while x < width:
            end = x
            while end < width and dark(end, y):
                end += 1
            if end - x >= 60 and not any(
                box.left - 4 <= x <= box.left + box.width for box in found
            ):
                depth = y
                while depth < height and dark(x, depth):
                    depth += 1
                if depth - y >= 30:
                    found.append(Box(x, y, end - x, depth - y))
            x = max(end, x + 1)
    return sorted(found, key=lambda box: box.left)
