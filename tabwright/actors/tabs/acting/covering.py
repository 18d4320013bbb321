"""Keeping secrets out of pictures: fields that hold one are black while it is taken."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import attrs
import trio

from tabwright.cdp.errors import CDPError, CommandFailed
from tabwright.page.action_runner import Stage
from tabwright.page.frames import Document
from tabwright.protocol.errors import PageFailed

RESTORE_S = 3.0
"""For a page to show its fields again as they were."""


@attrs.frozen
class _Field:
    """A field: its number, and what it shows; None where that is too much to be looked through."""

    ref: int
    value: str | None


@attrs.frozen
class _Fields:
    fields: tuple[_Field, ...]


@asynccontextmanager
async def secrets_covered(stage: Stage) -> AsyncGenerator[None]:
    """For the block the page shows no field that holds a secret, or that one was typed into.

    The fields are as before when it is left, also when it is cancelled.

    Raises:
        CDPError, PageFailed, TooSlowError: that cannot be brought about.
    """
    covered: list[Document] = []
    try:
        if stage.secrets:
            covered.append(await stage.documents.main())
            await _cover(stage, covered[0])
            for frame in await stage.documents.frames():
                covered.append(frame)
                with suppress(CommandFailed):  # it has just gone
                    await _cover(stage, frame)
        yield
    finally:
        with trio.move_on_after(RESTORE_S, shield=True):
            for document in covered:
                with suppress(CDPError, PageFailed, trio.TooSlowError):
                    await stage.documents.call(document, "restore", answer=bool)


async def _cover(stage: Stage, document: Document) -> None:
    listed = await stage.documents.call(document, "fieldValues", answer=_Fields)
    secret = tuple(one.ref for one in listed.fields if _is_secret(stage, document, one))
    if secret:
        await stage.documents.call(document, "blacken", secret, answer=bool)


def _is_secret(stage: Stage, document: Document, field: _Field) -> bool:
    typed = f"{document.number}.{field.ref}" in stage.secret_fields
    return typed or field.value is None or stage.secrets.masked(field.value) != field.value
