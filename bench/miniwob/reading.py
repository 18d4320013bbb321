"""Tasks that read or edit text: words, sums, copying, scrolling, highlighting, an editor."""

import re

from forms import submit
from pages import (
    Click,
    Page,
    Pause,
    Press,
    Scroll,
    Seen,
    Step,
    Type,
    Unsolved,
    numbers,
    ordinals,
    same,
)
from solvers import solves


@solves("simple-arithmetic")
async def arithmetic(page: Page) -> None:
    seen = await page.look()
    one, sign, other = re.findall(r"(-?\d+) ?([-+x*/]) ?(-?\d+) ?=", seen.text)[0]
    left, right = int(one), int(other)
    value = {"+": left + right, "-": left - right}.get(sign, left * right)
    await page.do(Type(seen.fields[0].ref, str(value)), submit(seen))


@solves("simple-algebra")
async def algebra(page: Page) -> None:
    seen = await page.look()
    left, sign, right, result = re.findall(r"(x|\d+) ?([-+]) ?(x|\d+) ?= ?(-?\d+)", seen.text)[0]
    known = int(right if left == "x" else left)
    if sign == "+":
        value = int(result) - known
    else:
        value = int(result) + known if left == "x" else known - int(result)
    await page.do(Type(seen.fields[0].ref, str(value)), submit(seen))


def paragraphs(seen: Seen, utterance: str) -> list[str]:
    """Return the texts of the page without those of the task and of its frame."""
    frame = ("Last reward", "Last 10", "Time left", "Episodes done")
    start = next(i for i, one in enumerate(seen.items) if same(one.name, utterance)) + 1
    return [
        one.name
        for one in seen.items[start:]
        if one.role in {"text", "clickable", "paragraph"}
        and one.name
        and not one.name.startswith(frame)
    ]


@solves("find-word")
async def find_word(page: Page) -> None:
    seen = await page.look()
    place = numbers(page.utterance)[0]
    text = next(one for one in paragraphs(seen, page.utterance) if " " in one)
    word = re.findall(r"[a-zA-Z]+", text)[place - 1]
    await page.do(Type(seen.fields[0].ref, word), submit(seen))


@solves("text-transform")
async def type_distorted(page: Page) -> None:
    seen = await page.look()
    letters = []
    for one in paragraphs(seen, page.utterance):
        letters += one.split()
    await page.do(Type(seen.fields[0].ref, "".join(letters)), submit(seen))


@solves("copy-paste", "copy-paste-2")
async def copy_text(page: Page) -> None:
    seen = await page.look()
    sources = [one for one in seen.fields if one.value]
    target = next(one for one in seen.fields if not one.value)
    place = ordinals(page.utterance)
    source = sources[place[0] - 1 if place else 0]
    await page.do(
        Click(source.ref), Press("Control+A", source.ref), Press("Control+C", source.ref),
        Click(target.ref), Press("Control+V", target.ref), submit(seen),
    )  # fmt: skip


@solves("scroll-text")
async def type_last_word(page: Page) -> None:
    seen = await page.look()
    area, field = seen.fields
    text = area.value
    if "characters)" in text or not text:
        text = await page.whole(area)
    word = re.findall(r"[a-zA-Z]+", text)[-1]
    await page.do(Type(field.ref, word), submit(seen))


@solves("scroll-text-2")
async def scroll_text(page: Page) -> None:
    seen = await page.look()
    pixels = 5000 if "bottom" in page.utterance else -5000
    await page.do(Scroll(seen.fields[0].ref, pixels), submit(seen))


@solves("highlight-text", "highlight-text-2")
async def highlight(page: Page) -> None:
    seen = await page.look()
    texts = [one for one in paragraphs(seen, page.utterance) if one != "Submit"]
    place = ordinals(page.utterance)
    text = texts[place[0] - 1 if place else 0]
    await page.do(Click(f'text="{text}"', 3), submit(seen))


@solves("text-editor")
async def style_text(page: Page) -> None:
    found = re.search(
        r"give the text (.*?) the (?:style|color) (\w+)"
        r"|(?:give|make) everything the (?:style|color) (\w+)",
        page.utterance,
    )
    if found is None:
        raise Unsolved(page.utterance)
    word, style = found[1], found[2] or found[3]
    seen = await page.look(boxes=True)
    editor = next(one for one in seen.all("textbox") if one.value)
    if word:
        before = editor.value[: editor.value.index(word)]
        steps: list[Step] = [Click(editor.ref), Press("Control+Home", editor.ref)]
        keys = ["ArrowRight"] * len(before) + ["Shift+ArrowRight"] * len(word)
        steps.append(Press(" ".join(keys), editor.ref))
    else:
        steps = [Click(editor.ref), Press("Control+A", editor.ref)]
    names = {"bold": "bold", "italics": "italic", "underlined": "underline"}
    if style in names:
        button = seen.the(
            "button", where=lambda one: names[style] in (one.name + one.guess).lower()
        )
        await page.do(*steps, Pause(0.3), Click(button.ref), submit(seen))
        return
    picker = seen.the(where=lambda one: "picker" in (one.name + one.guess).lower())
    await page.do(*steps, Click(picker.ref))
    opened = await page.look()
    wanted = COLORS[style]
    item = next(one for one in opened.all() if one.color in wanted)
    await page.do(Click(item.ref), submit(seen))


COLORS = {
    "red": {"e60000", "a10000"}, "orange": {"ff9900"}, "yellow": {"ffff00"}, "green": {"008a00"},
    "blue": {"0066cc"}, "purple": {"9933ff"},
}  # fmt: skip
