"""A page that is used through the tools of @playwright/mcp."""

import base64
import json
import re
from collections.abc import Callable, Iterator

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

LINE = re.compile(
    r"(?P<indent> *)- (?P<quote>')?(?P<role>[a-z]+)(?: \"(?P<name>(?:[^\"\\]|\\.)*)\")?"
    r"(?P<states>(?: \[[^\]]*\])*)(?P<text>.*)"
)
REF = re.compile(r"\[ref=(\w+)\]")
ESCAPED = re.compile(r"\\(.)")
FIELDS = {"textbox", "searchbox", "spinbutton"}
ROLES = {"generic": "clickable"}


class PlaywrightPage(Page):
    """See `Page`."""

    def __init__(self, session: ClientSession, count_tokens: Callable[[str], int]) -> None:
        super().__init__(count_tokens)
        self._session = session
        self._focused = ""

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
        text = await self.call("browser_snapshot", **({"boxes": True} if boxes else {}))
        return Seen(list(items_of(text)))

    async def do(self, *steps: Step) -> None:
        """See `Page`."""
        fields: list[dict[str, object]] = []
        for step in steps:
            match step:
                case Type(target, text):
                    fields.append(
                        {"name": target, "target": target, "type": "textbox", "value": text}
                    )
                    continue
                case Check(target, checked):
                    value = str(checked).lower()
                    fields.append(
                        {"name": target, "target": target, "type": "checkbox", "value": value}
                    )
                    continue
                case _ if fields:
                    await self.call("browser_fill_form", fields=fields)
                    fields = []
                case _:
                    pass
            await self._do(step)
        if fields:
            await self.call("browser_fill_form", fields=fields)

    async def act(self, *steps: Step) -> Seen:
        """See `Page`."""
        await self.do(*steps)
        return await self.look()

    async def whole(self, item: Item) -> str:
        """See `Page`."""
        return item.value or item.name

    async def picture(self) -> Image.Image:
        """See `Page`."""
        arguments = {"type": "png", "scale": "css"}
        result = await self._session.call_tool("browser_take_screenshot", arguments)
        text = "\n".join(part.text for part in result.content if part.type == "text")
        self.pay("browser_take_screenshot", json.dumps(arguments), text)
        data = next(part.data for part in result.content if part.type == "image")
        picture = picture_of(base64.b64decode(data))
        self.pay_picture(picture)
        return picture

    async def at(self, point: Point) -> str:
        """See `Page`."""
        raise Unsolved(f"no tool tells what is at {point}")

    async def _do(self, step: Step) -> None:
        match step:
            case Click(target, count, None, modifiers):
                double = {"doubleClick": True} if count == 2 else {}
                held = {"modifiers": list(modifiers)} if modifiers else {}
                await self.call("browser_click", target=target, **double, **held)
                self._focused = target
            case Select(target, values):
                await self.call("browser_select_option", target=target, values=list(values))
            case Press(key, target):
                if target not in {"", self._focused}:
                    await self._do(Click(target))
                for one in key.split():
                    await self.call("browser_press_key", key=one)
            case Hover(target):
                await self.call("browser_hover", target=target)
            case Drag(target, to):
                await self.call("browser_drag", startTarget=target, endTarget=to)
            case Mouse("move", ((x, y),), _):
                await self.call("browser_mouse_move_xy", x=x, y=y)
            case Mouse("click", ((x, y),), count):
                several = {"clickCount": count} if count != 1 else {}
                await self.call("browser_mouse_click_xy", x=x, y=y, **several)
            case Mouse("drag", ((x, y), (end_x, end_y)), _):
                await self.call("browser_mouse_drag_xy", startX=x, startY=y, endX=end_x, endY=end_y)
            case Mouse("drag", ((x, y), *path), _):
                await self.call("browser_mouse_move_xy", x=x, y=y)
                await self.call("browser_mouse_down")
                for x, y in path:
                    await self.call("browser_mouse_move_xy", x=x, y=y)
                await self.call("browser_mouse_up")
            case Pause(seconds):
                await self.call("browser_wait_for", time=seconds)
            case WaitForAny(texts):  # its tool waits for only one text
                seen = await self.look()
                while not any(text in seen.text for text in texts):
                    seen = await self.look()
            case ClickUntil(target, text):
                while text not in (await self.look()).text:
                    await self.call("browser_click", target=target)
            case ScrollTo(target):
                await self.call("browser_hover", target=target)
            case Scroll(target, pixels):
                await self.call("browser_hover", target=target)
                await self.call("browser_mouse_wheel", deltaX=0, deltaY=pixels)
            case _:
                raise Unsolved(f"no tool does {step}")


def items_of(text: str) -> Iterator[Item]:
    """Return the elements of a snapshot."""
    for line in text.splitlines():
        found = LINE.match(line)
        if found is None or "```" in line:
            continue
        rest = found["text"].removesuffix("'" if found["quote"] else "")
        inner = plain(rest.removeprefix(":").strip())
        ref = REF.search(found["states"])
        role = ROLES.get(found["role"], found["role"])
        name = plain(f'"{found["name"]}"') if found["name"] else ""
        depth = len(found["indent"]) // 2
        value = inner if role in FIELDS else ""
        name = name or (inner if role not in FIELDS else "")
        states = found["states"].replace("][", " ")
        yield Item(ref[1] if ref else "", role, name, "", value, states, depth)


def plain(text: str) -> str:
    if text.startswith('"') and text.endswith('"') and len(text) > 1:
        text = text[1:-1]
    return ESCAPED.sub(lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), text)
