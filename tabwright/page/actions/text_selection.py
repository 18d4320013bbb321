"""Selecting text on a page, as a person does who drags the mouse over it."""

import attrs

from tabwright.cdp.wire import JSON
from tabwright.page.action_runner import ActionPlan, ActionRunner, performs
from tabwright.page.actions.actionability import (
    ActionabilityReport,
    Point,
    raise_not_actionable,
    wait_element_actionable,
)
from tabwright.page.actions.mouse import OVER, drag_commands, hit_test_failure, release_button
from tabwright.protocol.actions import Outcome, SelectText
from tabwright.protocol.errors import BadInput, Effect, HintKind, PageFailed
from tabwright.text.hints import advised


@attrs.frozen(kw_only=True)
class _SelectionEnds:
    """The points of press and release, from the element's corner; None in a text field."""

    problem: str = ""
    detail: str = ""
    start: Point | None = None
    end: Point | None = None


@attrs.frozen(kw_only=True)
class _Selected:
    length: int = 0


@performs(SelectText)
async def select_text(runner: ActionRunner, request: SelectText) -> Outcome:
    ref = request.ref
    element = await runner.targets.find(ref)
    ends = await runner.documents.call_on(
        element, "selectionEnds", request.text, answer=_SelectionEnds
    )
    if ends.problem == "no such text":
        raise BadInput(
            f"Element {ref} does not contain that text.",
            advice="Give the text as the page shows it, or omit it to select all.",
        )
    if ends.problem:
        raise_not_actionable(ActionabilityReport(problem=ends.problem, detail=ends.detail), ref)
    at: JSON = None if ends.start is None else (ends.start.x, ends.start.y)
    checks: dict[str, JSON] = {**OVER, "at": at}
    reached = await wait_element_actionable(runner.documents, element, checks)

    async def drag_over() -> None:
        """Press, move to the end, select exactly, and release.

        Raises:
            PageFailed: the page changed the text, or prevents its selection.
        """
        await hit_test_failure(runner, reached)  # from here on the mouse may be over other elements
        start = end = reached.point
        if ends.start is not None and ends.end is not None:
            end = Point(start.x + ends.end.x - ends.start.x, start.y + ends.end.y - ends.start.y)
        await runner.session.execute_all(list(drag_commands(start, end)))
        try:
            selected = await runner.documents.call_on(
                element, "selectPassage", request.text, answer=_Selected
            )
        finally:
            await release_button(runner.session, end)
        if not selected.length:
            failure = PageFailed(
                f"The page did not keep the text of element {ref} selected.",
                **advised(HintKind.TAKE_SNAPSHOT),
            )
            failure.effect = Effect.DONE
            raise failure

    text = f'Selected "{request.text}" in' if request.text else "Selected the text of"
    return await runner.act(ActionPlan(f"{text} {reached.what}.", drag_over))
