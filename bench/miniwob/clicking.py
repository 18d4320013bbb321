"""Tasks that click what the utterance names: buttons, links, tabs, menus, lists."""

import re
from typing import TypeAlias

from games import pixel
from pages import (
    Check,
    Click,
    Hover,
    Item,
    Mouse,
    Page,
    Pause,
    Select,
    Type,
    Unsolved,
    ordinals,
    quoted,
    same,
)
from PIL import Image
from solvers import solves

BOXES = ("checkbox", "radio")


def listed(utterance: str) -> list[str]:
    """Return the names in ``Select a, b and click Submit.``; ``nothing`` names none."""
    found = re.search(r"(?:Select|similar to) (.*?) and click Submit", utterance)
    names = re.split(r", ", re.sub(r"^words similar to ", "", found[1])) if found else []
    return [name for name in names if name != "nothing"]


@solves("click-test")
async def click_only_button(page: Page) -> None:
    seen = await page.look()
    await page.do(Click(seen.the("button").ref))


@solves("click-test-2", "click-test-transfer")
async def click_button_in_capitals(page: Page) -> None:
    seen = await page.look()
    name = re.findall(r"button (\w+)", page.utterance)[-1]
    await page.do(Click(seen.the("button", name=name).ref))


@solves("click-button-sequence", "button-delay")
async def click_buttons_in_turn(page: Page) -> None:
    seen = await page.look()
    one, two = (seen.the("button", name=name).ref for name in ("ONE", "TWO"))
    delay = re.search(r"wait (\d+) second", page.utterance)
    waits = [Pause(int(delay[1]) + 0.1)] if delay else []
    await page.do(Click(one), *waits, Click(two))


@solves("click-button", "unicode-test", "click-dialog-2", "click-link")
async def click_quoted(page: Page) -> None:
    seen = await page.look()
    name = quoted(page.utterance)[0]
    wanted = {"x": "Close"}.get(name, name)
    await page.do(Click(seen.target("button", "link", "clickable", name=wanted)))


@solves("click-dialog")
async def close_dialog(page: Page) -> None:
    seen = await page.look()
    await page.do(Click(seen.the("button", name="Close").ref))


@solves("click-checkboxes", "click-checkboxes-large", "click-checkboxes-transfer")
async def check_listed(page: Page) -> None:
    seen = await page.look()
    boxes = [Check(seen.the("checkbox", name=name).ref) for name in listed(page.utterance)]
    await page.do(*boxes, Click(seen.the("button", name="Submit").ref))


SYNONYMS = (
    "big large huge enormous gigantic giant massive", "small tiny little mini petite",
    "red scarlet crimson vermillion", "happy cheerful joyful gleeful delighted glad merry",
    "sad unhappy sorrowful miserable tragic gloomy", "angry mad furious irritated enraged",
    "evil wicked immoral sinful corrupt depraved vicious", "wrong incorrect mistaken erroneous",
    "real genuine actual", "strange odd peculiar unusual weird bizarre",
    "stop cease halt end finish", "scared terrified panicked fearful frightened afraid",
    "quiet calm peaceful serene mild", "old aged archaic ancient", "love like adore favor",
    "kill murder assassinate", "keep retain preserve sustain maintain",
    "hide conceal camouflage", "hate despise loathe detest dislike",
    "funny humorous amusing comical laughable", "fat fleshy plump chubby stout obese",
    "stupid dumb dull unwise", "delicious savory delectable appetizing tasty",
    "cut slice carve chop", "brave courageous fearless bold", "begin start initiate launch",
    "answer reply response", "television televisions tv tvs", "house home houses homes",
    "fire flame fires flames blaze", "pig pork swine hog", "rabbit rabbits bunny bunnies",
    "car cars automobile automobiles vehicle vehicles", "water",
)  # fmt: skip
"""A small thesaurus, in place of a model's knowledge."""


@solves("click-checkboxes-soft")
async def check_similar(page: Page) -> None:
    seen = await page.look()
    wanted = {word.lower() for word in listed(page.utterance)}
    similar = set(wanted)
    for group in SYNONYMS:
        if wanted & set(group.split()):
            similar |= set(group.split())
    boxes = [Check(one.ref) for one in seen.all("checkbox") if one.name.lower() in similar]
    await page.do(*boxes, Click(seen.the("button", name="Submit").ref))


@solves("click-option")
async def choose_option(page: Page) -> None:
    seen = await page.look()
    name = listed(page.utterance)[0]
    await page.do(
        Click(seen.the("radio", name=name).ref), Click(seen.the("button", name="Submit").ref)
    )


@solves("click-widget")
async def click_widget(page: Page) -> None:
    seen = await page.look()
    kind = quoted(page.utterance)[0]
    role = {"text": "textbox", "textarea": "textbox"}.get(kind, kind)
    found = seen.all(role)
    if kind == "textarea":  # an outline with the value alone does not tell them from each other
        found = [one for one in found if one.has("multiline")] or found
    elif kind == "text":
        found = [one for one in found if not one.has("multiline")] or found
    await page.do(Click(found[0].ref))


@solves("click-collapsible", "click-collapsible-nodelay")
async def expand_and_submit(page: Page) -> None:
    seen = await page.look()
    section = seen.the("tab", where=lambda one: "Section" in one.name)
    opened = await page.act(Click(section.ref))
    await page.do(
        Click(
            (opened if opened.has("button", name="Submit") else seen)
            .the("button", name="Submit")
            .ref
        )
    )


@solves(
    "click-collapsible-2", "click-collapsible-2-nodelay", "click-tab-2", "click-tab-2-easy",
    "click-tab-2-medium", "click-tab-2-hard",
)  # fmt: skip
async def find_link_in_sections(page: Page) -> None:
    name = quoted(page.utterance)[0]
    seen = await page.look()
    tabs = seen.all("tab")
    for tab in [None, *(tab for tab in tabs if not tab.has("selected"))]:
        if tab is not None:
            seen = await page.act(Click(tab.ref), Pause(0.4))  # it unfolds slowly
        found = [one for one in seen.all("clickable", "link") if is_link(one, name)]
        if found:
            await page.do(Click(found[0].ref))
            return
        if name in seen.text.replace(page.utterance, ""):
            await page.do(Click(f'text="{name}"'))
            return
    raise Unsolved(f"no link {name!r}")


def is_link(one: Item, name: str) -> bool:
    return same(one.name.strip(".,"), name.strip(".,")) and "#tabs" not in one.states


@solves("click-tab")
async def click_tab(page: Page) -> None:
    name = re.findall(r"Tab #\d+", page.utterance)[0]
    seen = await page.look()
    found = seen.all("tab", name=name) or seen.all("link", name=name)
    await page.do(Click(found[0].ref))


@solves("click-menu")
async def click_menu(page: Page) -> None:
    path = page.utterance.removeprefix("Select ").split(">")
    seen = await page.look()
    for name in path[:-1]:
        item = seen.the("menuitem", name=name)
        seen = await page.act(Hover(item.ref), Pause(0.5))
    await page.do(Click(seen.the("menuitem", name=path[-1]).ref))


PLAYBACK = ("Prev", "Stop", "Play", "Next")

Icon: TypeAlias = frozenset[tuple[int, int]]
"""The dark pixels of an icon, from its top left corner."""


def icon_in(picture: Image.Image, left: int, top: int, right: int, bottom: int) -> Icon:
    found = [
        (x, y)
        for x in range(left, right)
        for y in range(top, bottom)
        if sum(pixel(picture, x, y)) < 330
    ]
    first, upper = min((x for x, _ in found), default=0), min((y for _, y in found), default=0)
    return frozenset((x - first, y - upper) for x, y in found)


def likeness(one: Icon, other: Icon) -> float:
    return len(one & other) / max(len(one | other), 1)


@solves("click-menu-2")
async def click_menu_item(page: Page) -> None:
    seen = await page.look()
    opened = await page.act(Click(seen.the("button", name="Menu").ref))
    name = quoted(page.utterance)[-1]
    if "labeled" in page.utterance and name not in PLAYBACK:
        await page.do(Click(opened.the("menuitem", name=name).ref))
        return
    shown = await page.act(Hover(opened.the("menuitem", name="Playback").ref), Pause(0.6))
    if "labeled" in page.utterance:
        await page.do(Click(shown.the("menuitem", name=name).ref))
        return
    shown = await page.look(boxes=True)
    picture = await page.picture()
    wanted = icon_in(picture, 5, 25, 20, 41)  # after the second line of the utterance

    def fitness(one: Item) -> float:
        left, top = round(one.box.left), round(one.box.top)
        return likeness(
            wanted, icon_in(picture, left + 3, top + 2, left + 18, round(top + one.box.height) - 2)
        )

    await page.do(Click(max(shown.all("menuitem"), key=fitness).ref))


@solves("click-pie", "click-pie-nodelay")
async def click_pie(page: Page) -> None:
    name = quoted(page.utterance)[0]
    seen = await page.look()
    plus = seen.all(name="+")
    if not seen.all(where=lambda one: one.name == name):
        seen = await page.act(Click(plus[0].ref), Pause(1))
        seen = await page.look()
    elif plus:
        await page.do(Click(plus[0].ref), Pause(1))
    target = seen.all(where=lambda one: one.name == name)[0]
    await page.do(Click(target.ref))


@solves("choose-list", "click-scroll-list")
async def choose_in_list(page: Page) -> None:
    found = re.search(r"Select (.*?) from the (?:scroll )?list", page.utterance)
    names = tuple(found[1].split(", ")) if found else ()
    seen = await page.look()
    field = seen.the("combobox", "listbox")
    await page.do(Select(field.ref, names), Click(seen.the("button", name="Submit").ref))


@solves("focus-text")
async def focus_field(page: Page) -> None:
    seen = await page.look()
    await page.do(Click(seen.the("textbox").ref))


@solves("focus-text-2")
async def focus_numbered_field(page: Page) -> None:
    seen = await page.look()
    number = ordinals(page.utterance)[0]
    await page.do(Click(seen.all("textbox")[number - 1].ref))


@solves("ascending-numbers")
async def click_ascending(page: Page) -> None:
    seen = await page.look(boxes=True)
    found = seen.all(where=lambda one: one.name.lstrip("-").isdigit())
    found.sort(key=lambda one: int(one.name))  # the numbers are hidden after the first click
    await page.do(*(Mouse("click", (one.box.center,)) for one in found))


@solves("navigate-tree")
async def open_folders(page: Page) -> None:
    name = quoted(page.utterance)[0]
    seen = await page.look()
    opened = set[str]()
    while True:
        found = seen.all(where=lambda one: one.name == name)
        if found:
            await page.do(Click(found[-1].ref))
            return
        folders = [
            one
            for one in seen.all("clickable")
            if one.guess == "treeview" and one.ref not in opened
        ]
        if not folders:
            raise Unsolved(f"no folder to open in {seen.text}")
        opened.add(folders[0].ref)
        await page.do(Click(folders[0].ref))
        seen = await page.look()


@solves("phone-book")
async def find_contact(page: Page) -> None:
    found = re.search(r"Find (\w+) in the contact book and click on their (.*)\.", page.utterance)
    if found is None:
        raise Unsolved(page.utterance)
    name, kind = found.groups()
    label = {"phone number": "Phone", "address": "Address", "email": "Email"}[kind]
    seen = await page.look()
    for _ in range(5):
        texts = [one.name for one in seen.items]
        if name in texts:
            after = seen.items[
                next(i for i, one in enumerate(seen.items) if one.name.startswith(label)) :
            ]
            await page.do(Click(next(one for one in after if one.ref).ref))
            return
        await page.do(Click(seen.the("link", "clickable", name=">").ref))
        seen = await page.look()


@solves("search-engine")
async def search(page: Page) -> None:
    found = re.search(r'enter "(.*?)".*the (\d+)\w+ search result', page.utterance)
    if found is None:
        raise Unsolved(page.utterance)
    word, number = found[1].strip(), int(found[2]) - 1
    seen = await page.look()
    field = seen.the("textbox", "searchbox")
    seen = await page.act(Type(field.ref, word), Click(seen.the("button", name="Search").ref))
    if number >= 3:
        await page.do(Click(seen.the("link", name=str(number // 3 + 1)).ref))
        seen = await page.look()
    links = [one for one in seen.all("link") if one.name not in {"1", "2", "3", "<", ">", "«", "»"}]
    await page.do(Click(links[number % 3].ref))


@solves("social-media", "social-media-all", "social-media-some")
async def act_on_posts(page: Page) -> None:
    user = re.findall(r"@\w+", page.utterance)[0]
    kind = quoted(page.utterance)[0]
    seen = await page.look()
    posts: list[list[Item]] = []
    for one in seen.items:
        if one.name.startswith(("For the user", "Click the")):  # the utterance
            continue
        if one.is_text and "@" in one.name:
            posts.append([one])
        elif posts:
            posts[-1].append(one)
    mine = [post for post in posts if user in post[0].name.split()]
    if "all posts" not in page.utterance:
        number = re.search(r"on (\d+) post", page.utterance)
        mine = mine[: int(number[1]) if number else 1]
    icons = {"Reply": "reply", "Retweet": "retweet", "Like": "like", "Share": "share"}
    if kind in icons:
        steps = [
            Click(next(one for one in post if icons[kind] in {one.guess, one.name}).ref)
            for post in mine
        ]
        if seen.has("button", name="Submit"):
            steps.append(Click(seen.the("button", name="Submit").ref))
        await page.do(*steps)
        return
    more = next(one for one in mine[0] if "more" in {one.guess, one.name})
    opened = await page.act(Click(more.ref))
    await page.do(Click(opened.the(where=lambda one: one.name.startswith(kind)).ref))
