from collections.abc import Callable

import attrs
import pytest

from tabwright.protocol.actions import Click, TabInfo, Type, Upload
from tabwright.protocol.actor import Invoke
from tabwright.protocol.inspection import (
    Capture,
    ListedControl,
    ListOptions,
    LocateOnPage,
    OutlineText,
    PageLocation,
    TakeOutline,
)
from tabwright.protocol.sessions import ChangeTabs, InTab, OpenSession
from tabwright.protocol.tab import Act, Inspect

KINDS = {
    "tabs": ChangeTabs,
    "look": LocateOnPage,
    "outline": TakeOutline,
    "picture": Capture,
    "click": Click,
    "type": Type,
    "upload": Upload,
    "options": ListOptions,
    "enter": OpenSession,
    "sessions": Invoke,
}
TABS = (TabInfo(1, "", ""), TabInfo(2, "https://a.example/", "A", current=True))
PAGE = OutlineText("[1.5] button", controls=(ListedControl("1.5", "button", "Buy"),))


@attrs.frozen
class ScriptedSessions:
    """Fake sessions that answer by the kind of request.

    An answer that is an error is raised; one that is a function is called with the request.
    """

    answers: dict[type, object]
    asked: list[object] = attrs.field(factory=list[object])

    async def ask(self, request):
        self.asked.append(request)
        match request:
            case InTab(request=Act(action=inner)) | InTab(request=Inspect(inspection=inner)):
                pass
            case inner:
                pass
        answer = self.answers[type(inner)]
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
