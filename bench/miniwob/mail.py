"""Tasks in an e-mail program."""

import re

from pages import Click, Item, Page, Seen, Type, Unsolved, quoted
from solvers import solves


def row(seen: Seen, name: str) -> list[Item]:
    """Return the e-mail of a sender in the list, and the controls in it."""
    for index, one in enumerate(seen.items):
        if one.ref and one.name.split()[:1] == [name]:
            inner = []
            for following in seen.items[index + 1 :]:
                if following.depth <= one.depth:
                    break
                inner.append(following)
            return [one, *inner]
    raise Unsolved(f"no e-mail by {name}")


def icon(items: list[Item] | Seen, *names: str) -> Item:
    every = items.items if isinstance(items, Seen) else items
    for one in every:
        if one.ref and any(name in (one.guess + " " + one.name).lower() for name in names):
            return one
    raise Unsolved(f"no {names} in {every}")


async def forward(page: Page, sender: str, to: str) -> None:
    seen = await page.look()
    opened = await page.act(Click(row(seen, sender)[0].ref))
    form = await page.act(Click(icon(opened, "forward").ref))
    await page.do(Type(form.all("textbox")[0].ref, to), Click(icon(form, "send").ref))


async def reply(page: Page, sender: str, text: str) -> None:
    seen = await page.look()
    opened = await page.act(Click(row(seen, sender)[0].ref))
    form = await page.act(Click(icon(opened, "reply").ref))
    await page.do(Type(form.all("textbox")[-1].ref, text), Click(icon(form, "send").ref))


async def mark(page: Page, sender: str, *icons: str) -> None:
    seen = await page.look()
    await page.do(Click(icon(row(seen, sender)[1:], *icons).ref))


@solves(
    "email-inbox", "email-inbox-delete", "email-inbox-forward", "email-inbox-important",
    "email-inbox-noscroll", "email-inbox-reply", "email-inbox-star-reply",
)  # fmt: skip
async def use_inbox(page: Page) -> None:
    found = re.search(r"email by (\w+) and (.*)", page.utterance)
    if found is None:
        raise Unsolved(page.utterance)
    sender, order = found.groups()
    if "forward" in order:
        await forward(page, sender, re.findall(r"to (\w+)\W*$", order)[0])
    elif "reply" in order:
        await reply(page, sender, quoted(order)[0])
    else:
        await mark(page, sender, *(("star",) if "star" in order else ("delete", "trash")))


@solves("email-inbox-forward-nl", "email-inbox-forward-nl-turk", "email-inbox-nl-turk")
async def use_inbox_by_fields(page: Page) -> None:
    fields = page.fields
    match fields.get("task", "forward"):
        case "forward":
            await forward(page, fields["by"], fields["to"])
        case "reply":
            await reply(page, fields["by"], fields["message"])
        case "delete":
            await mark(page, fields["by"], "delete", "trash")
        case _:
            await mark(page, fields["by"], "star")
