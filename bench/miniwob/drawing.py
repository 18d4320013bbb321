"""Tasks that draw or point on a plane."""

import math
import re

from forms import submit
from pages import Click, Mouse, Page, Point, Seen
from solvers import solves


def circles(seen: Seen, color: str = "") -> list[Point]:
    return [
        one.box.center
        for one in seen.all("clickable")
        if "circle" in one.states and one.color.startswith(color)
    ]


def plane(seen: Seen) -> tuple[float, float, float, float]:
    """Return the edges of the drawing."""
    box = seen.the("clickable").box
    return box.left, box.top, box.left + box.width, box.top + box.height


def within(seen: Seen, start: Point, direction: Point) -> Point:
    """Return a point in this direction, far from the start and well within the drawing."""
    left, top, right, bottom = plane(seen)
    length = math.hypot(*direction)
    x, y = direction[0] / length, direction[1] / length
    far = start
    for distance in range(5, 120):
        point = (start[0] + x * distance, start[1] + y * distance)
        if not (left + 6 < point[0] < right - 6 and top + 6 < point[1] < bottom - 6):
            break
        far = point
    return far


@solves("circle-center")
async def mark_center(page: Page) -> None:
    seen = await page.look(boxes=True)
    await page.do(Mouse("click", (circles(seen)[0],)), submit(seen))


@solves("find-midpoint")
async def mark_midpoint(page: Page) -> None:
    seen = await page.look(boxes=True)
    (x, y), (u, v) = circles(seen)
    await page.do(Mouse("click", (((x + u) / 2, (y + v) / 2),)), submit(seen))


@solves("bisect-angle")
async def bisect(page: Page) -> None:
    seen = await page.look(boxes=True)
    (x, y), *_ = circles(seen, "0000ff")
    units = [
        ((u - x) / math.hypot(u - x, v - y), (v - y) / math.hypot(u - x, v - y))
        for u, v in circles(seen, "000000")
    ]
    direction = (sum(unit[0] for unit in units), sum(unit[1] for unit in units))
    await page.do(Mouse("click", (within(seen, (x, y), direction),)), submit(seen))


@solves("right-angle")
async def add_right_angle(page: Page) -> None:
    seen = await page.look(boxes=True)
    (x, y), *_ = circles(seen, "0000ff")
    (u, v), *_ = circles(seen, "000000")
    ways = [within(seen, (x, y), turn) for turn in ((y - v, u - x), (v - y, x - u))]
    best = max(ways, key=lambda point: math.hypot(point[0] - x, point[1] - y))
    await page.do(Mouse("click", (best,)), submit(seen))


@solves("draw-line")
async def draw_line(page: Page) -> None:
    seen = await page.look(boxes=True)
    x, y = circles(seen)[0]
    horizontal = "horizontal" in page.utterance
    path = [(x + step, y) if horizontal else (x, y + step) for step in range(-24, 25, 6)]
    await page.do(Mouse("drag", tuple(path)), submit(seen))


@solves("draw-circle")
async def draw_circle(page: Page) -> None:
    seen = await page.look(boxes=True)
    x, y = circles(seen)[0]
    path = [
        (x + 24 * math.cos(2 * math.pi * turn / 40), y + 24 * math.sin(2 * math.pi * turn / 40))
        for turn in range(41)
    ]
    await page.do(Mouse("drag", tuple(path)), submit(seen))


@solves("grid-coordinate")
async def click_coordinate(page: Page) -> None:
    seen = await page.look(boxes=True)
    x, y = (int(one) for one in re.findall(r"-?\d+", page.utterance)[:2])
    points = circles(seen)
    columns = sorted({round(point[0]) for point in points})
    rows = sorted({round(point[1]) for point in points})
    goal = (columns[x + 2], rows[2 - y])
    dots = [one for one in seen.all("clickable") if "circle" in one.states]
    await page.do(Click(min(dots, key=lambda one: math.dist(one.box.center, goal)).ref))
