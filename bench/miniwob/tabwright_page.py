"""A page that is used through the tools of tabwright."""

import base64
import json
import re
from collections.abc import Callable, Iterator, Sequence

from mcp import ClientSession
from pages import (
    Check,
    Click,
    ClickUntil,
    Drag,
    Hover,
    Item,
    Mouse,
    Page,
    Pause,
    Point,
    Press,
    Scroll,
    ScrollTo,
    Seen,
    Select,
    Step,
    Type,
    Unsolved,
    WaitForAny,
    picture_of,
)
from PIL import Image

ITEM = re.compile(
    r"\[\*?(?P<ref>\d+\.\d+)\] ?(?P<role>(?!covered)[a-z]+)?"
    r'(?: ?(?P<guess>~)?"(?P<name>(?:[^"\\]|\\.)*)")?(?P<rest>.*)'
)
VALUE = re.compile(r' = "((?:[^"\\]|\\.)*)"')
MORE = "more changes: snapshot shows them"
ESCAPED = re.compile(r"\\(.)")


class TabwrightPage(Page):
    """See `Page`."""

    def __init__(self, session: ClientSession, count_tokens: Callable[[str], int]) -> None:
        super().__init__(count_tokens)
        self._session = session

    async def call(self, tool: str, **arguments: object) -> str:
        """Call a tool that must succeed, and return the text of its answer."""
        result = await self._session.call_tool(tool, arguments)
        text = "\n".join(part.text for part in result.content if part.type == "text")
        self.pay(tool, json.dumps(arguments), text)
        if result.is_error:
            raise Unsolved(f"{tool} {arguments}: {text}")
        return text

    async def look(self, *, boxes: bool = False) -> Seen:
        """See `Page`."""
        options = {"boxes": True} if boxes else {}
        return Seen(list(items_of(await self.call("snapshot", format="outline", **options))))

    async def do(self, *steps: Step) -> None:
        """See `Page`."""
        await self._run(steps)

    async def act(self, *steps: Step) -> Seen:
        """See `Page`."""
        answer = await self._run(steps)
        return await self.look() if MORE in answer else Seen(list(items_of(answer)))

    async def _run(self, steps: Sequence[Step]) -> str:
        if len(steps) > 1 or isinstance(steps[0], ClickUntil):
            return await self.call("run", steps=[*joined(steps)])
        step = step_of(steps[0])
        tool = str(step.pop("do"))
        return await self.call(tool, **step)

    async def whole(self, item: Item) -> str:
        """See `Page`."""
        text = await self.call("snapshot", format="outline", ref=item.ref)
        value = VALUE.search(text)
        return plain(value[1]) if value else text

    async def picture(self) -> Image.Image:
        """See `Page`."""
        return (await self._shot())[0]

    async def at(self, point: Point) -> str:
        """See `Page`."""
        _, text = await self._shot()
        shot = re.findall(r"shot\d+", text)[0]
        return await self.call("hover", ref=f"{shot}@{point[0]:g},{point[1]:g}")

    async def _shot(self) -> tuple[Image.Image, str]:
        """Return a screenshot of the task, and the text of the answer."""
        arguments = {"format": "png", "region": [0, 0, 160, 210]}
        result = await self._session.call_tool("screenshot", arguments)
        text = "\n".join(part.text for part in result.content if part.type == "text")
        self.pay("screenshot", json.dumps(arguments), text)
        data = next(part.data for part in result.content if part.type == "image")
        picture = picture_of(base64.b64decode(data))
        self.pay_picture(picture)
        return picture, text


def items_of(text: str) -> Iterator[Item]:
    """Return the lines and controls of an outline, or of the changes that an action reports.

    Lines outside the marks of untrusted text come from the server, and are skipped.
    """
    from_page = False
    for whole in text.splitlines():
        line = whole.removeprefix("+ ")
        if line.startswith(("<untrusted", "</untrusted")):
            from_page = line.startswith("<untrusted")
        if not from_page or line.startswith(("<untrusted", "- ")):
            continue
        depth = len(line) - len(line.lstrip())
        for part in re.split(r"(?= ?\[\*?\d+\.\d+\])", line.lstrip().removeprefix("| ")):
            found = ITEM.match(part.strip())
            if found is None:
                yield from text_of(part.strip(" |"), depth)
                continue
            value = VALUE.search(found["rest"])
            name = plain(found["name"] or "")
            yield Item(
                found["ref"],
                found["role"] or "link",
                "" if found["guess"] else name,
                name if found["guess"] else "",
                plain(value[1]) if value else "",
                found["rest"].strip(),
                depth,
            )


def text_of(text: str, depth: int) -> Iterator[Item]:
    if text.startswith("## "):
        yield Item("", "heading", text[3:], depth=depth)
    elif " | " in text:
        yield from (Item("", "cell", cell, depth=depth) for cell in text.split(" | "))
    elif text:
        yield Item("", "text", text, depth=depth)


def plain(text: str) -> str:
    return ESCAPED.sub(lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), text)


def joined(steps: Sequence[Step]) -> Iterator[dict[str, object]]:
    """Return the steps of `run`; fields that follow each other are filled in by one."""
    fields: dict[str, object] = {}
    for step in steps:
        match step:
            case Type(target, text):
                fields[target] = text
                continue
            case Check(target, checked):
                fields[target] = checked
                continue
            case _ if fields:
                yield {"do": "fill_form", "fields": fields}
                fields = {}
            case _:
                pass
        yield step_of(step)
    if fields:
        yield {"do": "fill_form", "fields": fields}


def step_of(step: Step) -> dict[str, object]:
    """Return the tool of a step, as ``do``, and its arguments."""
    match step:
        case Click(target, count, at, modifiers):
            more: dict[str, object] = {}
            if count != 1:
                more["count"] = count
            if at is not None:
                more["at"] = list(at)
            if modifiers:
                more["modifiers"] = list(modifiers)
            return {"do": "click", "ref": target, **more}
        case Type(target, text):
            return {"do": "type", "ref": target, "text": text}
        case Check(target, checked):
            return {"do": "fill_form", "fields": {target: checked}}
        case Select(target, values):
            return {"do": "select", "ref": target, "values": list(values)}
        case Press(key, ""):
            return {"do": "press", "keys": key}
        case Press(key, target):
            return {"do": "press", "keys": key, "ref": target}
        case Hover(target):
            return {"do": "hover", "ref": target}
        case Drag(target, to):
            return {"do": "drag", "ref": target, "to": to}
        case Mouse(action, path, count):
            several = {"count": count} if count != 1 else {}
            return {"do": "mouse", "action": action, "path": [list(at) for at in path], **several}
        case Pause(seconds):
            return {"do": "wait_for", "seconds": seconds}
        case WaitForAny(texts):
            return {"do": "wait_for", "text": list(texts), "seconds": 120}
        case Scroll(target, pixels):
            return {"do": "scroll", "ref": target, "y": pixels}
        case ScrollTo(target):
            return {"do": "scroll", "to": "element", "ref": target}
        case ClickUntil(target, text):
            click = {"do": "click", "ref": target}
            return {"do": "repeat", "times": 12, "until": {"text": text}, "steps": [click]}
