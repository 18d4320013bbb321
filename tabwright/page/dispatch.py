"""Performing an action on a page, and answering an inspection of it, each looked up by its type."""

from typing import cast

from tabwright.page import (
    evaluation,
    inspect,
    page_state,
    page_tools,
    screenshot,
)
from tabwright.page.action_runner import ANSWERERS, PERFORMERS, ActionRunner
from tabwright.page.actions import (
    field,
    fill_form,
    mouse,
    run_steps,
    text_selection,
    touch,
    upload,
    viewport,
)
from tabwright.protocol.actions import Action, Outcome
from tabwright.protocol.actor import AnswerT
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import Inspection

KINDS = (
    mouse,
    field,
    fill_form,
    text_selection,
    touch,
    upload,
    viewport,
    run_steps,
    inspect,
    evaluation,
    page_tools,
    screenshot,
    page_state,
)
"""The modules of the core that fill the tables when they are imported.

Those of a plugin stand beside the values that they answer: one is never there without the other.
"""


async def perform(runner: ActionRunner, action: Action) -> Outcome:
    """Perform an action. Cancellation stops what can still be stopped: a completed press stays.

    Raises:
        BadInput: the request is not an action.
        TabwrightError: see the action.
    """
    performer = PERFORMERS.get(type(action))
    if performer is None:
        raise BadInput(f"{type(action).__name__} is not an action of a page.")
    before = runner.last
    outcome = await performer(runner, action)
    if runner.last is not before:
        is_partial = any(map(run_steps.is_about_changes, outcome.notes))
        runner.documents.show(outcome.changes if is_partial else None)
    return outcome


async def answer(runner: ActionRunner, inspection: Inspection[AnswerT]) -> AnswerT:
    """Answer an inspection.

    Raises:
        BadInput: the request is not an inspection.
        TabwrightError: see the inspection.
    """
    answerer = ANSWERERS.get(type(inspection))
    if answerer is None:
        raise BadInput(f"{type(inspection).__name__} is not an inspection of a page.")
    # The table holds functions with answers of all types. A test compares the type that each
    # returns with the one that its inspection names.
    return cast("AnswerT", await answerer(runner, inspection))
