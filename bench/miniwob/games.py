"""Tasks that are games: with moving shapes, against the clock, or against the page."""

import cmath
import itertools
import math
import re
import time
from collections.abc import Callable

from forms import submit
from pages import Box, Click, Item, Mouse, Page, Pause, Point, Type, Unsolved, quoted
from PIL import Image, ImageColor
from solvers import solves

AREA = (0, 50, 160, 210)
"""The area in which a task draws, below its utterance."""

Matches = Callable[[tuple[int, int, int]], bool]


def dark(pixel: tuple[int, int, int]) -> bool:
    return sum(pixel) < 200


def spots(picture: Image.Image, matches: Matches, pixels_min: int = 12) -> list[list[Point]]:
    """Return the connected areas of pixels that match, below the utterance."""
    left, top, right, bottom = AREA
    right, bottom = min(right, picture.width), min(bottom, picture.height)
    area = picture.crop((left, top, right, bottom))
    colors = {color for _, color in area.getcolors(area.width * area.height) or []}
    wanted = {color for color in colors if matches(channels(color))}
    waiting = {
        (left + index % area.width, top + index // area.width)
        for index, color in enumerate(area.getdata())
        if color in wanted
    }
    found = list[list[Point]]()
    while waiting:
        edge, spot = [waiting.pop()], list[Point]()
        while edge:
            x, y = edge.pop()
            spot.append((x, y))
            for near in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if near in waiting:
                    waiting.remove(near)
                    edge.append(near)
        if len(spot) >= pixels_min:
            found.append(spot)
    return found


def pixel(picture: Image.Image, x: float, y: float) -> tuple[int, int, int]:
    red, green, blue = channels(picture.getpixel((round(x), round(y))))
    return red, green, blue


def channels(value: float | tuple[int, ...] | None) -> tuple[int, int, int]:
    """Return the channels of a pixel of a picture with three of them.

    Raises:
        TypeError: it does not have three.
    """
    match value:
        case (int(red), int(green), int(blue)):
            return red, green, blue
        case _:
            raise TypeError(value)


def center(spot: list[Point]) -> Point:
    xs, ys = [x for x, _ in spot], [y for _, y in spot]
    return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


@solves("chase-circle")
async def chase(page: Page) -> None:
    ends_s = time.monotonic() + 11
    while time.monotonic() < ends_s:
        found = spots(await page.picture(), dark, 200)
        if found:
            await page.do(Mouse("move", (center(max(found, key=len)),)))


@solves("moving-items")
async def click_moving(page: Page) -> None:
    ends_s = time.monotonic() + 9.5  # soon after, the page covers itself with START
    before: list[Point] = []
    seen_s = time.monotonic()
    while time.monotonic() < ends_s:
        now_s = time.monotonic()
        circles = [center(one) for one in spots(await page.picture(), dark, 120)]
        near = [(one, nearest(one, before)) for one in circles]
        moved = [(one, old) for one, old in near if old is not None]
        if moved:
            (x, y), (u, v) = moved[0]
            ahead = 0.08 / max(now_s - seen_s, 0.01)
            goal = (x + (x - u) * ahead, y + (y - v) * ahead)
            if 3 < goal[0] < 157 and 53 < goal[1] < 207:
                await page.do(Mouse("click", (goal,)))
                before = []
                continue
        before, seen_s = circles, now_s
    for _ in range(6):  # the page ends the episode by itself
        if (await page.act(Pause(0.5))).has(name="START"):
            return


def nearest(point: Point, others: list[Point]) -> Point | None:
    near = [one for one in others if math.dist(one, point) < 25]
    return min(near, key=lambda one: math.dist(one, point)) if near else None


LIT = {1: (0x93, 0xDE, 0xFF), 2: (0xFF, 0xA0, 0xA0), 3: (0xBC, 0xFF, 0xA0), 4: (0xFA, 0xFF, 0xAA)}


def drawn(picture: Image.Image, color: tuple[int, int, int]) -> int:
    """Return the number of pixels like a color, quickly: a button is lit for a quarter second."""
    colors = picture.getcolors(picture.width * picture.height) or []
    return sum(count for count, one in colors if math.dist(channels(one), color) < 12)


@solves("simon-says")
async def repeat_buttons(page: Page) -> None:
    shown = list[int]()
    lit, changed_s = 0, time.monotonic()
    while time.monotonic() < changed_s + (1.3 if shown else 3):
        picture = await page.picture()
        now = next((one for one, color in LIT.items() if drawn(picture, color) > 300), 0)
        if now != lit:
            changed_s = time.monotonic()
            if now:
                shown.append(now)
        lit = now
    seen = await page.look()
    buttons = seen.all("button")
    await page.do(*(Click(buttons[one - 1].ref) for one in shown))


@solves("count-sides")
async def count_sides(page: Page) -> None:
    seen = await page.look(boxes=True)
    box = seen.the("canvas").box
    x, y = box.center
    picture = await page.picture()
    radii = [
        max(
            (
                r
                for r in range(5, 45)
                if dark(pixel(picture, x + r * math.cos(turn), y + r * math.sin(turn)))
            ),
            default=0,
        )
        for turn in (2 * math.pi * step / 360 for step in range(360))
    ]
    waves = {
        sides: abs(
            sum(r * cmath.exp(-2j * math.pi * sides * step / 360) for step, r in enumerate(radii))
        )
        for sides in range(3, 8)
    }
    sides = max(waves, key=lambda one: waves[one])
    await page.do(Click(seen.the("button", name=str(sides)).ref))


@solves("number-checkboxes")
async def draw_number(page: Page) -> None:
    seen = await page.look(boxes=True)
    boxes = seen.all("checkbox")
    columns = sorted({round(one.box.left) for one in boxes})
    rows = sorted({round(one.box.top) for one in boxes})
    picture = await page.picture()
    holes = example(picture)
    marked = [
        one
        for one in boxes
        if (columns.index(round(one.box.left)), rows.index(round(one.box.top))) in holes
    ]
    await page.do(*(Click(one.ref) for one in marked), submit(seen))


def example(picture: Image.Image) -> set[tuple[int, int]]:
    """Return the columns and rows of the light fields of the example at the right."""
    frame = max(spots(picture, dark, 200), key=len)
    left, top = min(x for x, _ in frame), min(y for _, y in frame)
    width = (max(x for x, _ in frame) - left - FRAME) / 4
    height = (max(y for _, y in frame) - top - FRAME) / 7
    return {
        (column, row)
        for column, row in itertools.product(range(4), range(7))
        if sum(
            pixel(
                picture,
                left + FRAME / 2 + width * (column + 0.5),
                top + FRAME / 2 + height * (row + 0.5),
            )
        )
        > 600
    }


FRAME = 5
"""Pixels of the frame of the example, both sides together."""


LINES = (
    (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6),
)  # fmt: skip


@solves("tic-tac-toe")
async def play_tic_tac_toe(page: Page) -> None:
    seen = await page.look(boxes=True)
    fields = seen.all("clickable", where=lambda one: "ttt" in one.guess)[:9]
    for _ in range(5):
        picture = await page.picture()
        marks = "".join(mark(picture, one) for one in fields)
        answer = await page.act(Click(fields[best(marks)].ref))
        if answer.has(name="START"):
            return


def mark(picture: Image.Image, field: Item) -> str:
    """Return the mark in a field: a cross passes through its center, a circle does not."""
    box = field.box
    inner = [
        pixel(picture, box.left + x, box.top + y)
        for x in range(4, round(box.width) - 4)
        for y in range(4, round(box.height) - 4)
    ]
    if sum(map(dark, inner)) < 20:
        return " "
    x, y = box.center
    return "X" if any(dark(pixel(picture, x + step, y)) for step in (-2, -1, 0, 1, 2)) else "O"


def best(marks: str) -> int:
    """Return the best field for X."""
    free = [index for index, mark in enumerate(marks) if mark == " "]
    return max(free, key=lambda index: value(put(marks, index, "X"), "O"))


def put(marks: str, index: int, mark: str) -> str:
    return marks[:index] + mark + marks[index + 1 :]


def value(marks: str, turn: str) -> float:
    """Return the value of a position for X.

    The other player moves at random about every second time; otherwise it completes a line of its
    own, or else blocks one.
    """
    for line in LINES:
        held = {marks[index] for index in line}
        if held == {"X"}:
            return 1
        if held == {"O"}:
            return -1
    free = [index for index, mark in enumerate(marks) if mark == " "]
    if not free:
        return -1  # a draw is not won either
    values = {index: value(put(marks, index, turn), "O" if turn == "X" else "X") for index in free}
    average = sum(values.values()) / len(values)
    if turn == "X":
        return max(values.values())
    urgent = [*last_fields(marks, "O"), *last_fields(marks, "X")]
    return 0.45 * (values[urgent[0]] if urgent else average) + 0.55 * average


def last_fields(marks: str, mark: str) -> list[int]:
    """Return the fields that complete a line."""
    return [
        index
        for line in LINES
        for index in line
        if marks[index] == " " and [marks[one] for one in line].count(mark) == 2
    ]


@solves("drag-cube")
async def turn_cube(page: Page) -> None:
    wanted = quoted(page.utterance)[0]
    seen = await page.look()
    middle = (80.0, 115.0)
    for turn in range(40):
        try:
            front = re.findall(r'over \w+ "(\d)"', await page.at(middle))
        except Unsolved:  # it was still turning between the screenshot and the check of its point
            front = []
        if front == [wanted]:
            await page.do(submit(seen))
            return
        side = 0 if wanted in {"1", "6"} and turn % 8 != 7 else 25
        up = 25 if wanted in {"1", "6"} or front in (["1"], ["6"]) else 0
        path = (middle, (middle[0] + side, middle[1] + up))
        await page.do(Mouse("drag", path), Pause(0.8))
    raise Unsolved(f"side {wanted} was never in front")


@solves("hot-cold")
async def find_hot(page: Page) -> None:
    seen = await page.look(boxes=True)
    area = seen.the("clickable").box
    warmth = {"ICE COLD": 0, "COLD": 1, "WARM": 2, "HOT": 3}
    now = ""
    best: tuple[int, Point] = (-1, area.center)
    step, points = 40.0, grid(area.center, 40, area)
    while step > 3:
        for point in points:
            answer = await page.act(Mouse("move", (point,)))
            words = [one.name for one in answer.items if one.name in warmth]
            now = words[-1] if words else now  # typing the same word again would not be a change
            if now and warmth[now] > best[0]:
                best = (warmth[now], point)
            if best[0] == 3:
                await page.do(Mouse("click", (best[1],)))
                return
            if best[0] == 2 and step > 5:
                break
        step = 5.0 if best[0] == 2 else step / 2
        points = grid(best[1], step, area)
    await page.do(Mouse("click", (best[1],)))


def grid(around: Point, step: float, area: Box) -> list[Point]:
    """Return points around one within an area, the nearest first."""
    reach = 2
    points = [
        (around[0] + x * step, around[1] + y * step)
        for x, y in itertools.product(range(-reach, reach + 1), repeat=2)
    ]
    points = [
        (x, y)
        for x, y in points
        if area.left + 2 < x < area.left + area.width - 2
        and area.top + 2 < y < area.top + area.height - 2
    ]
    return sorted(points, key=lambda point: math.dist(point, around))


@solves("visual-addition")
async def count_blocks(page: Page) -> None:
    seen = await page.look()
    blocks = spots(await page.picture(), lambda one: math.dist(one, (0x7F, 0xB0, 0xFF)) < 20, 30)
    await page.do(Type(seen.fields[0].ref, str(len(blocks))), submit(seen))


@solves("use-colorwheel", "use-colorwheel-2")
async def choose_color(page: Page) -> None:
    seen = await page.look()
    named = re.search(r"Select (\w+) with", page.utterance)
    if named:
        color = "{:02x}{:02x}{:02x}".format(*ImageColor.getrgb(named[1]))
    else:
        picture = await page.picture()
        rows = [[pixel(picture, x, y) for x in range(160)] for y in range(50)]
        color = "{:02x}{:02x}{:02x}".format(*square(rows))
    await page.do(Type(seen.fields[0].ref, color.upper()), submit(seen))


def square(rows: list[list[tuple[int, int, int]]]) -> tuple[int, int, int]:
    """Return the color of the longest run of one color that is not the background's."""
    background = rows[1][158]
    runs = [
        (len(list(run)), color)
        for row in rows
        for color, run in itertools.groupby(row)
        if color != background
    ]
    return max(runs)[1]
