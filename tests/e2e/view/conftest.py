"""A person with a separate browser and only the link to the live view."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import attrs
import pytest
import trio

from tabwright import Tabwright
from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.protocol.actions import Click, Emulate, Press, UseMouse, WaitFor
from tabwright.protocol.inspection import Evaluate, LocateOnPage

WITHIN_S = 120.0

BOX = """(() => {
  const canvas = document.getElementById("canvas"), box = canvas.getBoundingClientRect();
  return [box.left, box.top, box.width / canvas.width, box.height / canvas.height];
})()"""


@attrs.frozen(eq=False)
class Person:
    """A person on the page of the live view."""

    tabwright: Tabwright
    name: str = "person"

    async def open(self, link: str, *, phone: bool = False) -> None:
        if phone:
            await self.tabwright.session(self.name).inspect(LocateOnPage(), blank=True)
            size = Emulate(viewport=(390, 780), scale=2, mobile=True)
            await self.tabwright.session(self.name).act(size)
        await self.tabwright.session(self.name).enter(link)

    async def read(self, script: str) -> object:
        evaluated = await self.tabwright.session(self.name).inspect(Evaluate(script))
        return json.loads(evaluated.json)

    async def sees(self, script: str) -> object:
        """Wait until a script is true on the page of the live view; return its value."""
        with trio.fail_after(WITHIN_S):
            while not (found := await self.read(script)):
                await trio.sleep(0.05)
            return found

    async def click(self, selector: str) -> None:
        await self.click_on(f"css={selector}")

    async def press_button(self, name: str) -> None:
        await self.click_on(f'role=button[name="{name}"]')

    async def click_on(self, target: str) -> None:
        """Click a target once the page has rendered it."""
        there = WaitFor(selector=target, seconds=WITHIN_S)
        await self.tabwright.session(self.name).act(there)
        await self.tabwright.session(self.name).act(Click(target))

    async def press(self, keys: str) -> None:
        await self.tabwright.session(self.name).act(Press(keys))

    async def take_over(self) -> None:
        await self.sees("document.getElementById('take').offsetParent !== null")
        await self.click("#take")
        await self.sees("document.getElementById('live').className === 'mine'")

    async def point(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point of the watched page is on the screen."""
        box = await self.read(BOX)
        assert isinstance(box, list)
        left, top, across, down = map(float, box)
        return left + x * across, top + y * down

    async def click_at(self, x: float, y: float) -> None:
        """Click at a point of the watched page."""
        at = await self.point(x, y)
        await self.tabwright.session(self.name).act(UseMouse("click", (at,)))

    async def color_at(self, x: float, y: float) -> list[int]:
        """Return the RGB color of the live picture at a point of the watched page."""
        found = await self.read(
            "[...document.getElementById('canvas').getContext('2d')"
            f".getImageData({x}, {y}, 1, 1).data].slice(0, 3)"
        )
        assert isinstance(found, list)
        return found


OpenLocal = Callable[..., AbstractAsyncContextManager[Tabwright]]


@pytest.fixture
def open_local(tmp_path: Path) -> OpenLocal:
    """Return a function that opens clients which can reach this machine."""

    @asynccontextmanager
    async def opened(name: str, **settings: object) -> AsyncGenerator[Tabwright]:
        chosen: dict[str, object] = {
            "browser__profile": None,
            "network__allow_private": True,
            "network__proxy": "none",
            "session__dir": str(tmp_path / name),
            "acting__scripts": True,
            **settings,
        }
        async with open_tabwright(settings_from(override(**chosen))) as tabwright:
            yield tabwright

    return opened


@pytest.fixture
async def person(open_local: OpenLocal) -> AsyncGenerator[Person]:
    async with open_local("person", browser__extra_args=("--window-size=1280,900",)) as tabwright:
        yield Person(tabwright)
