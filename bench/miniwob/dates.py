"""Tasks with calendars."""

import re

from forms import submit
from pages import Click, ClickUntil, Mouse, Page, ScrollTo, Type, Unsolved, quoted
from solvers import solves

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


async def pick(page: Page, field: str, month: int, day: int, year: int) -> None:
    """Open a date picker, turn to the month, and click the day."""
    seen = await page.act(Click(field))
    if not any(name in seen.text for name in MONTHS):
        seen = await page.look()
    text = " ".join(one.name for one in seen.items)
    shown = max((text.rfind(name), number) for number, name in enumerate(MONTHS, 1))[1]
    if month != shown:
        turn = "Next" if month > shown else "Prev"
        seen = await page.act(ClickUntil(f'text="{turn}"', f"{MONTHS[month - 1]} {year}"))
        if not seen.all(where=lambda one: one.name == str(day)):
            seen = await page.look()
    days = seen.all(where=lambda one: one.name == str(day))
    if not days:
        raise Unsolved(f"no day {day} in {seen.text[-600:]}")
    await page.do(Click(days[0].ref))


@solves("choose-date", "choose-date-easy", "choose-date-medium", "choose-date-nodelay")
async def choose_date(page: Page) -> None:
    month, day, year = (int(one) for one in re.findall(r"\d+", page.utterance)[:3])
    seen = await page.look()
    await pick(page, seen.the("textbox").ref, month, day, year)
    await page.do(submit(seen))


@solves("daily-calendar")
async def create_event(page: Page) -> None:
    found = re.search(
        r"Create an? ([\d.]+) (hour|min)s? event.*between (\d+)(AM|PM) and", page.utterance
    )
    if found is None:
        raise Unsolved(page.utterance)
    halves = round(float(found[1]) * (2 if found[2] == "hour" else 1 / 30))
    hour = int(found[3]) % 12 + (12 if found[4] == "PM" else 0)
    seen = await page.look()
    slots = seen.all(where=lambda one: (one.guess or one.name) == "hh")
    if len(slots) < 48:
        raise Unsolved("no half hours")
    first, last = slots[hour * 2].ref, slots[hour * 2 + halves - 1].ref
    await page.do(ScrollTo(first))
    seen = await page.look(boxes=True)
    places = {one.ref: one.box.center for one in seen.all() if one.ref in {first, last}}
    (x, y), (_, end) = places[first], places[last]
    created = await page.act(Mouse("drag", ((x, y), (x, (y + end) / 2 + 2), (x, end))))
    if not created.has("button", name="Create"):
        created = await page.look()
    field = created.all("textbox")[-1]
    await page.do(
        Type(field.ref, quoted(page.utterance)[0]), Click(created.the("button", name="Create").ref)
    )
