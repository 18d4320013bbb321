from collections.abc import Callable

import attrs
import pytest

from tabwright.protocol.actions import Click, TabInfo, Type, Upload
from tabwright.protocol.inspection import (
    Capture,
    ListedControl,
    ListOptions,
    LocateOnPage,
    OutlineText,
    PageLocation,
    TakeOutline,
)

KINDS = {
    "tabs": "change_tabs",
    "look": LocateOnPage,
    "outline": TakeOutline,
    "picture": Capture,
    "click": Click,
    "type": Type,
    "upload": Upload,
    "options": ListOptions,
    "enter": "enter",
    "sessions": "list",
}
TABS = (TabInfo(1, "", ""), TabInfo(2, "https://a.example/", "A", current=True))
PAGE = OutlineText("[1.5] button", controls=(ListedControl("1.5", "button", "Buy"),))


@attrs.frozen
class ScriptedSessions:
    """Fake sessions that answer by the kind of request.

    An answer that is an error is raised; one that is a function is called with the inspection.

    Attributes:
        answers: by the type of an action or inspection, or by the name of another method.
        asked: the method, the arguments after the session, and the tab of each request.
    """

    answers: dict[type | str, object]
    asked: list[object] = attrs.field(factory=list[object])

    async def ask(self, method, *arguments, tab=None, **others):
        name = method.__name__
        self.asked.append((name, *arguments[1:], *others.values(), *([tab] if tab else [])))
        inner = arguments[1] if name in {"act", "inspect"} else None
        answer = self.answers[name if inner is None else type(inner)]
        answer = answer(inner) if callable(answer) else answer
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def sessions_with() -> Callable[..., ScriptedSessions]:
    """Return a function that builds sessions with two tabs, a page and given answers."""

    def scripted(**answers: object) -> ScriptedSessions:
        given = {
            "tabs": TABS,
            "look": PageLocation("", ""),
            "outline": PAGE,
            "sessions": (),
            **answers,
        }
        return ScriptedSessions({KINDS[name]: answer for name, answer in given.items()})

    return scripted
