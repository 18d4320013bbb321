"""Running a script of the user in a page."""

import re

from tabwright.cdp.domains import runtime
from tabwright.cdp.domains.runtime import RawEvaluated
from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.session import CDPSession
from tabwright.page.action_runner import HELD_S, ActionPlan, ActionRunner, answers
from tabwright.page.outline_text import ENTRY_MAX, escape_refs, truncate
from tabwright.page.scripts import PLAIN_VALUE
from tabwright.page.user_scripts import SCRIPT_S
from tabwright.protocol.errors import BadInput, PageFailed
from tabwright.protocol.inspection import Evaluate, Evaluation
from tabwright.protocol.untrusted_text import Quoted

SCRIPT_MS = 9_000
"""Milliseconds for a script, enforced by the browser if we can no longer end it."""

_FOR_CONSOLE = re.compile(r"SyntaxError: (await is only|Identifier '[^']*' has already)")
"""V8's errors for syntax that only its console accepts."""


@answers(Evaluate)
async def evaluate(runner: ActionRunner, request: Evaluate) -> Evaluation:
    value = ""

    async def run() -> None:
        """Run the script, and terminate it if it takes too long.

        Raises:
            PageFailed: it failed, or did not end in time.
        """
        nonlocal value
        elements = [await runner.targets.find(ref) for ref in request.elements]
        if {one.document for one in elements[1:]} - {one.document for one in elements[:1]}:
            raise BadInput(
                "The elements are in different frames.", advice="Run a script for each frame."
            )
        handles = [await runner.documents.page_handle(one) for one in elements]

        async def work() -> str:
            """Return the value of the script."""
            if elements:
                command = runtime.call_on(request.script, handles, by_value=False)
                session = elements[0].document.session
                return await _value(session, await session.execute(command))
            return await _evaluated(runner.session, request.script)

        value = await runner.scripts.run(work)

    held_s = HELD_S + SCRIPT_S
    outcome = await runner.act(ActionPlan("Ran the script.", run, held_s=held_s, looks_only=True))
    return Evaluation(value, outcome)


async def _evaluated(session: CDPSession, script: str) -> str:
    evaluated = await session.execute(runtime.evaluate_for(script, SCRIPT_MS))
    thrown = evaluated.exception_details
    if thrown and thrown.exception and _FOR_CONSOLE.match(thrown.exception.description):
        # Nothing was run: the script uses the syntax of the console.
        evaluated = await session.execute(runtime.evaluate_for(script, SCRIPT_MS, as_console=True))
    return await _value(session, evaluated)


async def _value(session: CDPSession, evaluated: RawEvaluated) -> str:
    """Return the value of a script as JSON, or its description if it is not JSON-able.

    Raises:
        PageFailed: the script threw an error.
        CDPError: the page is gone.
    """
    if thrown := evaluated.exception_details:
        what = escape_refs(truncate(thrown.what, ENTRY_MAX))
        raise PageFailed(("The script failed: ", Quoted(what)), retryable=False)
    result = evaluated.result
    if result.object_id:
        try:
            plain = await session.execute(runtime.call_on(PLAIN_VALUE, [result.object_id]))
        except CommandFailed:  # the script has led to another document
            return result.description
        await session.execute(runtime.release_objects(runtime.RESULTS))
        return await _value(session, plain)
    if result.unserializable_value:
        return result.unserializable_value
    text = bytes(result.value).decode()
    return result.description if text == "null" and result.description else text
