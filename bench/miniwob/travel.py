"""Tasks that buy tickets and book flights."""

import re

from dates import pick
from pages import Click, Page, Pause, Type, Unsolved
from solvers import solves


def minutes(text: str) -> int:
    hours, rest = re.findall(r"(\d+)h (\d+)m", text)[0]
    return int(hours) * 60 + int(rest)


@solves("buy-ticket")
async def buy_ticket(page: Page) -> None:
    seen = await page.look()
    durations = [minutes(one.name) for one in seen.items if re.search(r"\dh \d+m", one.name)]
    buttons = seen.all("button", where=lambda one: "Book" in one.name)
    prices = [int(re.findall(r"\d+", one.name)[0]) for one in buttons]
    costs = durations if "duration" in page.utterance else prices
    best = max if re.search(r"longest|most expensive", page.utterance) else min
    await page.do(Click(buttons[costs.index(best(costs))].ref))


@solves("book-flight", "book-flight-nodelay")
async def book_flight(page: Page) -> None:
    found = re.search(
        r"Book the (shortest|cheapest) one-way flight from: (.*?) to: (.*?) on (\d+)/(\d+)/(\d+)",
        page.utterance,
    )
    if found is None:
        raise Unsolved(page.utterance)
    seen = await page.look()
    start, end, date = seen.all("textbox")
    for field, place in ((start, found[2]), (end, found[3])):
        shown = await page.act(Type(field.ref, place), Pause(1))
        options = [
            one
            for one in shown.all(where=lambda one: one.role != "textbox")
            if place.lower() in one.name.lower()
        ]
        exact = [one for one in options if f"({place})" in one.name]
        await page.do(Click((exact or options)[-1].ref))
    await pick(page, date.ref, int(found[4]), int(found[5]), int(found[6]))
    await page.do(Click(seen.the("button", name="Search").ref))
    flights = await page.look()
    buttons = flights.all("button", where=lambda one: "Book" in one.name or "$" in one.name)
    if found[1] == "cheapest":
        costs = [int(re.findall(r"\$(\d+)", one.name)[0]) for one in buttons]
    else:
        costs = [minutes(one.name) for one in flights.items if re.search(r"\dh \d+m", one.name)]
    await page.do(Click(buttons[costs.index(min(costs))].ref))
