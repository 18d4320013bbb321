"""Fixtures for tasks: a small site, and a scripted model that sees real prompts."""

import json
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import TypeAlias

import attrs
import pytest

from tabwright.testing.replica.server import Exchange, ServerResponse, html, open_server
from tabwright.testing.scripted_model import Replies

Actions: TypeAlias = list[dict[str, object]]
StepOf: TypeAlias = Callable[["Sight"], Actions]

LAMPS = {"Ada": "40.90", "Bob": "38.50"}

PAGES = {
    "/": "<h1>Shop</h1><form action=/found><input name=q aria-label=Search><button>Find</button>"
    "</form><a href=/order/1>Order</a>",
    "/order/1": "<h1>Who</h1><form action=/order/2><label>Name <input name=name required></label>"
    "<button>Next</button></form>",
    "/order/2": "<h1>What</h1><form action=/order/3><label>Lamp <select name=lamp><option>Ada"
    "<option>Bob</select></label><label><input type=checkbox name=gift> As a gift</label>"
    "<button>Next</button></form>",
    "/order/3": "<h1>Check</h1><form action=/order/4 method=post><button>Send</button></form>",
    "/order/4": "<h1>Thank you</h1><p>Your order has number 4711.",
    **{f"/lamp/{name}": f"<h1>Lamp {name}</h1><p>It costs {price} euros." for name, price in
       LAMPS.items()},
}  # fmt: skip


@attrs.define(eq=False)
class SmallWeb:
    """A small site that logs the requests it receives."""

    port: int = 0
    pages: dict[str, str] = attrs.field(factory=lambda: dict(PAGES))
    asked: list[str] = attrs.field(factory=list[str])

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    async def answer(self, exchange: Exchange) -> None:
        self.asked.append(f"{exchange.seen.method} {exchange.seen.path}")
        page = self.pages.get(exchange.path)
        if exchange.path == "/found":
            page = "".join(f"<p><a href=/lamp/{name}>Lamp {name}</a>" for name in LAMPS)
        if page is None:
            await exchange.answer(ServerResponse(status=404))
        else:
            icon = "<link rel=icon href=data:,>"
            await exchange.answer(html(f"<!doctype html><title>Shop</title>{icon}{page}"))


@pytest.fixture
async def web() -> AsyncGenerator[SmallWeb]:
    small = SmallWeb()
    async with open_server(small.answer, []) as small.port:
        yield small


@attrs.frozen
class Sight:
    """The prompt that a part of the agent sends to the model."""

    form: str
    text: str

    def ref(self, name: str) -> str:
        """Return the last shown ref of the control with this name in the outline."""
        return re.findall(rf'\[\*?([\d.]+)\][^\[\n]*"{re.escape(name)}"', self.text)[-1]


@attrs.define(eq=False)
class Mind:
    """A scripted model: each step comes from the next function of `steps`.

    Attributes:
        finding: what it extracts from a page.
        sights: all prompts that it received.
    """

    steps: Sequence[StepOf]
    verdicts: list[bool] = attrs.field(factory=list[bool])
    finding: str = ""
    sights: list[Sight] = attrs.field(factory=list[Sight])
    _next: int = attrs.field(default=0, init=False)

    def think(self, form: str, text: str) -> str:
        """Record the prompt and return the model's answer as JSON."""
        sight = Sight(form, text)
        self.sights.append(sight)
        match form:
            case "plan":
                return json.dumps({"done": False, "web_task": True, "next_steps": "Go on."})
            case "extract":
                return json.dumps({"found": bool(self.finding), "content": self.finding})
            case "validate":
                valid = self.verdicts.pop(0) if self.verdicts else True
                return json.dumps({"is_valid": valid, "reason": "Seen.", "answer": ""})
            case _:
                step = self.steps[min(self._next, len(self.steps) - 1)]
                self._next += 1
                state = {"evaluation_previous_goal": "", "memory": "", "next_goal": ""}
                return json.dumps({"current_state": state, "action": step(sight)})

    def __call__(self, question) -> Replies:
        """Answer a question, as a script of `open_scripted_model`."""
        return Replies(self.think(question.form, question.text))


@pytest.fixture
def mind() -> type[Mind]:
    return Mind
