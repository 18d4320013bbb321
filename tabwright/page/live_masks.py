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
    """The uncovered texts of a document, and when they were read, in seconds since the epoch."""

    items: tuple[_Shown, ...]
    at: float


async def cover_secrets(runner: ActionRunner) -> float | None:
    """Cover what shows a secret now; return None if anything did.

    Otherwise return when that was checked, in seconds since the epoch, on the clock of the browser;
    0 if there are no secrets. A picture that was taken between two such checks shows no secret, but
    for one that the page has removed before the second.

    Raises:
        CDPError, PageFailed, TooSlowError: the page does not report what it shows.
    """
    if not runner.secrets:
        return 0
    covered, checked_at = await _cover(runner, await runner.documents.main())
    for frame in await runner.documents.frames():
        with suppress(CommandFailed):  # it has just disappeared
            covered |= (await _cover(runner, frame))[0]
    return None if covered else checked_at


async def uncover_secrets(runner: ActionRunner) -> None:
    """Show everything again."""
    if not runner.secrets:
        return
    with suppress(CDPError, PageFailed, trio.TooSlowError):
        for document in (await runner.documents.main(), *await runner.documents.frames()):
            await runner.documents.call(document, "uncoverAll", answer=bool)


async def _cover(runner: ActionRunner, document: FrameDocument) -> tuple[bool, float]:
    """Cover what shows a secret in a document; return whether anything did, and when."""
    shown = await runner.documents.call(document, "uncovered", answer=_Uncovered)
    secret = tuple(
        place
        for place, one in enumerate(shown.items)
        if f"{document.number}.{one.ref}" in runner.secret_fields
        or runner.secrets.masked(one.text) != one.text
    )
    if shown.items:  # also without a secret: so the page knows that its texts were judged
        await runner.documents.call(document, "drawAsDots", secret, answer=bool)
    return bool(secret), shown.at
