"""Which requests to a session are recorded, and as which events."""

import attrs
import msgspec

from tabwright.protocol.actions import Action, RunSteps
from tabwright.protocol.inspection import CallPageTool, Evaluate
from tabwright.protocol.sessions import ChangeTabs, FollowLink, SubmitForm
from tabwright.protocol.tab import Act, Inspect
from tabwright.trace.events import EventKind, JSONRecord
from tabwright.trace.masking import HIDDEN


@attrs.frozen
class EventRequest:
    """A request to a session: its kind, its values, and the number of its tab."""

    kind: EventKind
    values: JSONRecord
    tab: int | None = None


TYPED = frozenset({"text", "keys", "fields"})
"""Fields of actions that can contain passwords; the performed actions have them, without those."""


def navigate_event(url: str, *, new_tab: bool = False) -> EventRequest:
    """Return the event of opening a page."""
    return EventRequest("navigate", {"url": url, "new_tab": new_tab})


def follow_event(request: FollowLink) -> EventRequest:
    """Return the event of following a link: it opens the page that the link leads to."""
    values: JSONRecord = {"number": request.number, "text": request.text, "url": request.url}
    return EventRequest("navigate", {name: value for name, value in values.items() if value})


def submit_event(request: SubmitForm) -> EventRequest:
    """Return the event of submitting a form."""
    return EventRequest("form", {"form": request.form.index, "id": request.form.id})


def tabs_event(request: ChangeTabs) -> EventRequest:
    """Return the event of switching to a tab or closing it."""
    return EventRequest("tab", {"action": request.action, "tab": request.tab})


def tab_event(request: object, tab: int | None) -> EventRequest | None:
    """Return the event of a request to a tab, or None if it only looks at the page."""
    match request:
        case Act(action=action):
            return EventRequest("action", action_values(action), tab)
        case Inspect(inspection=Evaluate() as evaluate):
            values: JSONRecord = {
                "script": evaluate.script,
                "ref": evaluate.ref,
                "refs": list(evaluate.refs),
            }
            return EventRequest("script", values, tab)
        case Inspect(inspection=CallPageTool() as called):
            return EventRequest("tool", {"name": called.name, "origin": called.origin}, tab)
        case _:
            return None


def action_values(action: Action) -> JSONRecord:
    """Return an action without what it types: it is not known yet whether that is a password."""
    if isinstance(action, RunSteps):
        return {"type": "RunSteps", "steps": len(action.steps)}
    fields = msgspec.convert(msgspec.to_builtins(action), JSONRecord)
    hidden = {name: HIDDEN if name in TYPED and value else value for name, value in fields.items()}
    return {"type": type(action).__name__, **hidden}
