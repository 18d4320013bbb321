"""Tasks that fill in forms: text, passwords, times, spinners, sliders, terminals and editors."""

import re
from collections.abc import Callable
from itertools import pairwise

from pages import (
    Click,
    Item,
    Mouse,
    Page,
    Pause,
    Press,
    Scroll,
    Seen,
    Step,
    Type,
    Unsolved,
    WaitForAny,
    numbers,
    ordinals,
    quoted,
    same,
)
from solvers import solves


def submit(seen: Seen) -> Click:
    return Click(
        seen.the(
            "button",
            "clickable",
            where=lambda one: one.name.strip() in {"Submit", "Login", "OK", "Search", "Go!"},
        ).ref
    )


@solves("enter-text", "enter-text-dynamic")
async def enter_text(page: Page) -> None:
    seen = await page.look()
    await page.do(Type(seen.fields[0].ref, quoted(page.utterance)[0]), submit(seen))


@solves("enter-text-2")
async def enter_text_in_case(page: Page) -> None:
    seen = await page.look()
    text = quoted(page.utterance)[0]
    text = text.lower() if "lower case" in page.utterance else text.upper()
    await page.do(Type(seen.fields[0].ref, text), submit(seen))


@solves("enter-password")
async def enter_password(page: Page) -> None:
    seen = await page.look()
    text = quoted(page.utterance)[0]
    await page.do(*(Type(one.ref, text) for one in seen.fields), submit(seen))


@solves("login-user")
async def log_in(page: Page) -> None:
    seen = await page.look()
    user, password = quoted(page.utterance)[:2]
    first, second = seen.fields
    await page.do(Type(first.ref, user), Type(second.ref, password), submit(seen))


@solves("login-user-popup")
async def log_in_despite_popups(page: Page) -> None:
    seen = await page.look()
    user, password = quoted(page.utterance)[:2]
    first, second = seen.fields
    for step in (Type(first.ref, user), Type(second.ref, password), submit(seen)):
        for _ in range(4):
            answer = await page.act(step)
            popup = answer.all("button", name="Cancel")
            if not popup:
                break
            await page.do(Click(popup[0].ref))  # text typed in the meantime would be lost


@solves("enter-date")
async def enter_date(page: Page) -> None:
    month, day, year = re.findall(r"(\d+)/(\d+)/(\d+)", page.utterance)[0]
    seen = await page.look()
    field = seen.the("date", "textbox")
    await page.do(Type(field.ref, f"{year}-{month}-{day}"), submit(seen))


@solves("enter-time")
async def enter_time(page: Page) -> None:
    hour, minute, half = re.findall(r"(\d+):(\d+)\s*(AM|PM)", page.utterance)[0]
    hour = int(hour) % 12 + (12 if half == "PM" else 0)
    seen = await page.look()
    await page.do(Type(seen.the("time", "textbox").ref, f"{hour:02}:{minute}"), submit(seen))


@solves("use-spinner")
async def use_spinner(page: Page) -> None:
    seen = await page.look()
    value = numbers(page.utterance)[0]
    field = seen.the("spinbutton").ref
    key = "ArrowUp" if value > 0 else "ArrowDown"
    await page.do(Click(field), Press(" ".join([key] * abs(value)), field), submit(seen))


@solves("read-table")
async def read_table(page: Page) -> None:
    found = re.search(r"value of (.*?) into", page.utterance)
    seen = await page.look()
    value = value_after(seen, found[1] if found else "")
    await page.do(Type(seen.fields[0].ref, value), submit(seen))


@solves("read-table-2")
async def read_table_by_labels(page: Page) -> None:
    seen = await page.look()
    steps: list[Step] = []
    for one, following in zip(seen.items, seen.items[1:], strict=False):
        if one.name.endswith(":") and following in seen.fields:
            steps.append(Type(following.ref, value_after(seen, one.name.rstrip(":"))))
    await page.do(*steps, submit(seen))


def value_after(seen: Seen, label: str) -> str:
    """Return the cell after the cell with the label."""
    cells = [one for one in seen.items if one.role == "cell"]
    for one, following in pairwise(cells):
        if same(one.name, label):
            return following.name
    raise Unsolved(f"no cell {label!r}")


@solves("multi-layouts", "multi-orderings")
async def search_movie(page: Page) -> None:
    found = re.search(r"for (.*?) movies directed by (.*?) from year (\d+)", page.utterance)
    if found is None:
        raise Unsolved(page.utterance)
    genre, director, year = found.groups()
    seen = await page.look()
    values = {"genre": genre, "director": director, "year": year, "date": year}
    labels = [
        word
        for one in seen.items
        if one.is_text and not one.name.startswith("Search for")
        for word in values
        if word in one.name.lower()
    ]
    if not labels:  # the fields show them in lines of their own
        labels = [word for one in seen.fields for word in values if word in one.guess.lower()]
    steps = [Type(one.ref, values[label]) for one, label in zip(seen.fields, labels, strict=True)]
    await page.do(*steps, submit(seen))


@solves("use-autocomplete", "use-autocomplete-nodelay")
async def autocomplete(page: Page) -> None:
    texts = quoted(page.utterance)
    start, end = texts[0], texts[1] if len(texts) > 1 else ""
    seen = await page.look()
    shown = await page.act(Type(seen.fields[0].ref, start), Pause(0.8))
    fitting = shown.all(
        "clickable", "link", "menuitem", "listitem",
        where=lambda one: one.name.startswith(start) and one.name.endswith(end),
    )  # fmt: skip
    if not fitting:
        raise Unsolved(f"no suggestion {start}…{end} in {shown.text}")
    await page.do(Click(fitting[0].ref), submit(seen))


@solves("form-sequence")
async def slider_and_box(page: Page) -> None:
    value, place = numbers(page.utterance)[:2]
    seen = await page.look()
    handle = seen.the(where=lambda one: "slider" in (one.guess + one.name + one.role))
    await move_slider(page, handle, seen, value)
    await page.do(Click(seen.all("checkbox")[place - 1].ref), submit(seen))


@solves("form-sequence-2")
async def radio_and_number(page: Page) -> None:
    found = ordinals(page.utterance)
    seen = await page.look()
    await page.do(
        Click(seen.all("radio")[found[0] - 1].ref),
        Type(seen.all("textbox", "spinbutton")[found[1] - 1].ref, quoted(page.utterance)[0]),
        submit(seen),
    )


@solves("form-sequence-3")
async def dropdown_and_button(page: Page) -> None:
    found = re.search(r"Choose (.*?) from the dropdown", page.utterance)
    option = found[1] if found else ""
    seen = await page.look()
    arrow = seen.the("clickable", name="▾")
    opened = await page.act(Click(arrow.ref), Pause(0.3))
    choice = [one for one in opened.all() if one.name == option]
    if not choice:
        opened = await page.look()
        choice = [one for one in opened.all() if one.name == option]
    name = quoted(page.utterance)[-1]
    await page.do(Click(choice[0].ref), Click(seen.the("button", name=name).ref))


@solves("use-slider")
async def use_slider(page: Page) -> None:
    value = numbers(page.utterance)[0]
    seen = await page.look()
    handle = seen.the(where=lambda one: "slider" in (one.guess + one.name + one.role))
    await move_slider(page, handle, seen, value)
    await page.do(submit(seen))


@solves("use-slider-2")
async def use_sliders(page: Page) -> None:
    seen = await page.look()
    handles = seen.all(where=lambda one: "slider" in (one.guess + one.name + one.role))
    for handle, value in zip(handles, numbers(page.utterance)[-len(handles) :], strict=True):
        await move_slider(page, handle, seen, value)
    await page.do(submit(seen))


async def move_slider(page: Page, handle: Item, seen: Seen, value: int) -> None:
    """Move a slider with the arrow keys, which change it by one each."""
    after = seen.items[seen.items.index(handle) + 1 :]
    now = next(int(one.name) for one in after if re.fullmatch(r"-?\d+", one.name))
    if now == value:
        return
    key = "ArrowRight" if value > now else "ArrowLeft"
    await page.do(Press(" ".join([key] * abs(value - now)), handle.ref))


@solves("guess-number")
async def guess_number(page: Page) -> None:
    seen = await page.look()
    field, button = seen.the("spinbutton", "textbox"), submit(seen)
    low, high = 0, 9
    while low <= high:
        guess = (low + high) // 2
        answer = await page.act(Type(field.ref, str(guess)), button)
        if f"higher than {guess}" in answer.text:
            low = guess + 1
        elif f"lower than {guess}" in answer.text:
            high = guess - 1
        else:
            return


@solves("generate-number")
async def generate_number(page: Page) -> None:
    seen = await page.look()
    generate = Click(seen.the("button", name="Generate").ref)
    limit = (numbers(page.utterance) or [0])[0]
    kind = next(word for word in ("less", "greater", "odd", "even") if word in page.utterance)
    fits: Callable[[int], bool] = {
        "less": lambda number: number < limit, "greater": lambda number: number > limit,
        "odd": lambda number: number % 2 == 1, "even": lambda number: number % 2 == 0,
    }[kind]  # fmt: skip
    number = None
    for _ in range(60):
        answer = await page.act(generate)
        shown = [int(one.name) for one in answer.items if one.name.isdigit()]
        number = shown[0] if shown else number  # the same number again changes nothing
        if number is not None and fits(number):
            await page.do(Click(seen.the("button", name="Submit").ref))
            return


@solves("find-greatest")
async def find_greatest(page: Page) -> None:
    seen = await page.look()
    cards = seen.all("clickable", where=lambda one: one.name.isdigit())
    best = max(cards, key=lambda one: int(one.name))
    await page.do(Click(best.ref), submit(seen))


@solves("odd-or-even")
async def odd_or_even(page: Page) -> None:
    seen = await page.look()
    steps: list[Step] = []
    for index, one in enumerate(seen.items):
        if re.fullmatch(r"-?\d+", one.name):
            odd, even = seen.items[index - 1], seen.items[index + 1]
            steps.append(Click((odd if int(one.name) % 2 else even).ref))
    await page.do(*steps, submit(seen))


@solves("order-food")
async def order_food(page: Page) -> None:
    seen = await page.look()
    dishes: list[tuple[str, str, Item]] = []
    lines: list[str] = []
    for one in seen.items:
        if one.name == "+":
            dishes.append((lines[0], " ".join(lines[1:]), one))
            lines = []
        elif one.is_text and one.role != "heading":
            lines.append(one.name)
    one_each = re.search(r"Order one of each item: (.*)", page.utterance)
    if one_each:
        names = [name.strip() for name in one_each[1].split(",")]
        plus = [one for name, _, one in dishes if name in names]
        await page.do(*(Click(one.ref) for one in plus), Click(seen.the("button").ref))
        return
    found = re.search(r"Order (\d+) items? that (?:is|are) (.*?)\.?$", page.utterance)
    if found is None:
        raise Unsolved(page.utterance)
    count, kind = int(found[1]), found[2]
    fitting = [one for _, marks, one in dishes if kind in marks]
    chosen = [fitting[index % len(fitting)] for index in range(count)]
    await page.do(*(Click(one.ref) for one in chosen), Click(seen.the("button").ref))


@solves("sign-agreement")
async def sign(page: Page) -> None:
    seen = await page.look()
    if "Scroll" not in page.utterance:
        await page.do(Click(seen.the("button", name="Cancel").ref))
        return
    area, name = seen.all("textbox")
    await page.do(
        Scroll(area.ref, 5000),
        Type(name.ref, quoted(page.utterance)[0]),
        Click(seen.the("button", name=quoted(page.utterance)[1]).ref),
    )


@solves("terminal")
async def use_terminal(page: Page) -> None:
    seen = await page.look()
    field = seen.the("textbox")
    found = re.search(r"extension (\S+)", page.utterance)
    await page.do(Click(seen.the("clickable").ref))
    answer = await page.act(Type(field.ref, "ls{Enter}"))
    answer = await page.look()
    words = re.split(r"[\s$]+", answer.text.split("ls", 1)[1])
    wanted = found[1] if found else ""
    file = next(
        word for word in words if (word.endswith(wanted) if wanted else word and "." not in word)
    )
    await page.do(Type(field.ref, f"rm {file}{{Enter}}"))


PRICES = 80
"""Number of prices below the limit to try, in steps of 10 cents, which covers all that occur."""


@solves("stock-market")
async def buy_stock(page: Page) -> None:
    limit = float(re.findall(r"\$([\d.]+\d)", page.utterance)[0])
    seen = await page.look()
    button = seen.the("button", name="Buy")
    low = tuple(f"${limit - step / 10:.2f}" for step in range(1, PRICES))
    await page.do(WaitForAny(low), Click(button.ref))


@solves("resize-textarea")
async def resize(page: Page) -> None:
    seen = await page.look(boxes=True)
    box = seen.the("textbox").box
    corner = (box.left + box.width - 4, box.top + box.height - 4)
    sign = 1 if "larger" in page.utterance else -1
    moved = (corner[0] + 20 * sign, corner[1] + 20 * sign)
    if "width" in page.utterance:
        moved = (moved[0], corner[1])
    elif "height" in page.utterance:
        moved = (corner[0], moved[1])
    await page.do(Mouse("drag", (corner, moved)), submit(seen))
