"""Keeping secrets out of the live picture of a page: what shows one is drawn as dots.

The values leave the page to be compared; the secrets never enter it. Passwords are dots anyway.
"""

from contextlib import suppress

import attrs
import trio

from tabwright.cdp.errors import CDPError, CommandFailed
from tabwright.page.action_runner import ActionRunner
from tabwright.page.frames import FrameDocument
from tabwright.protocol.errors import PageFailed


@attrs.frozen
class _Shown:
    """A field or an element with text: what it shows, and the number of a field."""

    text: str
    ref: int


@attrs.frozen
class _Uncovered:
    items: tuple[_Shown, ...]


async def cover_secrets(runner: ActionRunner) -> bool:
    """Cover what shows a secret now; return whether everything was covered before.

    A picture that was taken before such a call shows no secret.

    Raises:
        CDPError, PageFailed, TooSlowError: the page does not report what it shows.
    """
    if not runner.secrets:
        return True
    covered = await _cover(runner, await runner.documents.main())
    for frame in await runner.documents.frames():
        with suppress(CommandFailed):  # it has just disappeared
            covered |= await _cover(runner, frame)
    return not covered


async def uncover_secrets(runner: ActionRunner) -> None:
    """Show everything again."""
    if not runner.secrets:
        return
    with suppress(CDPError, PageFailed, trio.TooSlowError):
        for document in (await runner.documents.main(), *await runner.documents.frames()):
            await runner.documents.call(document, "uncoverAll", answer=bool)


async def _cover(runner: ActionRunner, document: FrameDocument) -> bool:
    """Cover what shows a secret in one document; return whether there was anything."""
    shown = await runner.documents.call(document, "uncovered", answer=_Uncovered)
    secret = tuple(
        place
        for place, one in enumerate(shown.items)
        if f"{document.number}.{one.ref}" in runner.secret_fields
        or runner.secrets.masked(one.text) != one.text
    )
    if secret:
        await runner.documents.call(document, "drawAsDots", secret, answer=bool)
    return bool(secret)
