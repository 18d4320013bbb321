"""Results of the tools that show a page or act on it.

The modules that render them are imported in the functions, because tools are listed before.
"""

from collections.abc import Iterator
from pathlib import Path

import attrs
import msgspec

from tabwright.mcp.arguments import JSONObject
from tabwright.mcp.tool import ToolContext, ToolResult
from tabwright.protocol.actions import ConsoleCounts, Outcome
from tabwright.protocol.inspection import Evaluation, OutlineText, Screenshot
from tabwright.protocol.page_text import CUTS, PageText
from tabwright.protocol.untrusted_text import Part, Quoted, quoted
from tabwright.text.hints import ToolNames
from tabwright.text.lines import counted, shortened
from tabwright.text.token_budget import opening

HEAD_CHARACTERS = 300
"""A page whose text begins with its title does not need it twice."""

INCLUDE_MEDIA = "include_media returns them"
ASK_AGAIN = "ask again with offset={1}."
TAKE_SNAPSHOT = "call snapshot with format {} and offset={}."


def outcome_result(outcome: Outcome, names: ToolNames) -> ToolResult:
    """Return the result of an action."""
    from tabwright.page.render import outcome_parts  # noqa: PLC0415  (heavy)

    return ToolResult(outcome_parts(outcome, names), outcome_fields(outcome))


def outcome_fields(outcome: Outcome) -> dict[str, object]:
    """Return the outcome of an action for programs."""
    from tabwright.content.render.json_record import without_empty  # noqa: PLC0415  (heavy)
    from tabwright.page.render import outcome_record  # noqa: PLC0415  (heavy)

    return {"url": "", "title": "", **without_empty(outcome_record(outcome))}


def evaluation_result(  # noqa: PLR0913
    evaluation: Evaluation,
    text: str,
    names: ToolNames,
    tokens_max: int,
    advice: str = "",
    *,
    path: Path | None = None,
) -> ToolResult:
    """Return the result of a script or of a tool of a page, and what changed on the page.

    Args:
        evaluation: the result.
        text: the result for the model, without secrets.
        names: how hints name the tools.
        tokens_max: the budget of the text.
        advice: how to get the rest of it.
        path: the file that has the result; None if it is shown instead.
    """
    from tabwright.page.render import outcome_parts  # noqa: PLC0415  (heavy)

    changes = outcome_parts(attrs.evolve(evaluation.outcome, description=""), names)
    outcome = outcome_fields(evaluation.outcome)
    if path is not None:
        line = f"Saved to {path} ({len(text.encode())} bytes)."
        return ToolResult((line, *changes), {"path": str(path), "outcome": outcome})
    shown = opening(text, tokens_max, advice)
    record = {"json": evaluation.json, "outcome": outcome}
    return ToolResult((*shown[:1], *changes, *shown[1:]), record)


def outline_result(
    taken: OutlineText,
    session: str,
    names: ToolNames,
    status: int = 0,
    console: ConsoleCounts | None = None,
) -> ToolResult:
    """Return an outline as a result; after a navigation with its status and console counts."""
    from tabwright.page.render import (  # noqa: PLC0415  (heavy)
        background_parts,
        console_hints,
        render_events,
        status_text,
    )
    from tabwright.reader.tiers import FULL_LOAD_TIER  # noqa: PLC0415  (heavy)

    text = "\n".join(filter(None, (taken.text, render_events(taken.meanwhile))))
    notes = (*taken.notes, *filter(None, [status_text(status)]), *console_hints(console))
    parts = (*quoted(taken.text), *background_parts(taken.meanwhile, names), *names.lines(notes))
    record: dict[str, object] = {
        "url": taken.url,
        "title": taken.title,
        "status": status,
        "format": "outline",
        "text": text,
        "tier": FULL_LOAD_TIER,
        "tier_reason": "a tab has it open",
        "session": session,
    }
    if console:
        record["console"] = attrs.asdict(console)
    if taken.next_offset is not None:
        record["truncation"] = {"reason": "token_budget", "next_offset": taken.next_offset}
    return ToolResult(parts, record)


LEGIBLE = 0.4
"""The scale below which text in a screenshot is hard to read."""


def picture_result(picture: Screenshot, *, shown: bool = True) -> ToolResult:
    """Return a screenshot as a result, with its scale relative to the requested size.

    Args:
        picture: the screenshot.
        shown: whether to include the picture itself.
    """
    text = f"{picture.shot}: {picture.width}x{picture.height}, {len(picture.data)} bytes"
    if picture.reduced < 1:
        text += f", scaled down to {picture.reduced:.0%} to fit"
        if picture.reduced < LEGIBLE:
            text += "; a screenshot of one element or of the visible page can be read"
    if not shown:
        text = f"{picture.shot}: the same as the last screenshot"
    record: dict[str, object] = {
        "width": picture.width,
        "height": picture.height,
        "shot": picture.shot,
        "changed": picture.is_changed,
    }
    return ToolResult(text, record, (picture,) if shown else ())


def page_result(page: PageText, goes_on: str, *, media: bool = False) -> ToolResult:
    """Return the text of a page as a result, followed by our notes.

    Args:
        page: the page.
        goes_on: how to read the rest, with a format and an offset.
        media: whether to include its media in the structured content.
    """
    from tabwright.content.render.json_record import page_record  # noqa: PLC0415  (heavy)

    text = page.text.strip()
    shown = "\n\n".join(filter(None, (_head(page, text), text)))
    parts: tuple[Part, ...] = (*quoted(shown), *_rest(page, goes_on), *notice_parts(page.notice))
    images = (page.screenshot,) if page.screenshot else ()
    return ToolResult(parts, page_record(page, media=media), images)


def opened_page_result(page: PageText) -> ToolResult:
    """Return the text of a page that was opened to act on it, and how many controls it has."""
    result = page_result(page, TAKE_SNAPSHOT)
    if not page.controls:
        return result
    controls = f"(Links, buttons and fields: {page.controls}; snapshot returns their refs.)"
    return attrs.evolve(result, parts=(*result.parts, controls))


def notice_parts(notice: str) -> Iterator[Part]:
    """Yield the notice of a page in a fence of its own, which no page can imitate, if there is one.

    It can quote the page, for example the URL of a frame.
    """
    if notice:
        yield "Notice, which may quote the page:"
        yield Quoted(notice)


def _head(page: PageText, text: str) -> str:
    """Return the title, the URL, the author, the date and facts that the text of a page lacks.

    A page that is requested as data has them among its data.
    """
    if page.format not in {"markdown", "text"}:
        return ""
    title = page.title if page.title and page.title not in text[:HEAD_CHARACTERS] else ""
    author = shortened(page.metadata.author)
    byline = author if author not in text else ""
    facts = [
        f"{name}: {value}"
        for name, value in page.metadata.facts.items()
        if name != "type" and value.partition(" ")[0] not in text
    ]
    dated = ", ".join(filter(None, (byline, page.metadata.published)))
    return "\n".join(filter(None, (title, page.url, dated, "; ".join(facts))))


def _rest(page: PageText, goes_on: str) -> Iterator[str]:
    """Return notes about the omitted part, and how to read it."""
    cut = page.truncation
    if cut is None:
        return
    if cut.next_offset is None:
        yield f"({CUTS[cut.reason]})"
        return
    left = (cut.original_tokens or 0) - (cut.returned_tokens or 0)
    size = f", about {left} tokens," if left > 0 else ""
    items = counted(cut.items_omitted, "item") if cut.items_omitted else "More items"
    yield f"({items}{size} omitted: {goes_on.format(page.format, cut.next_offset)})"


async def page_result_with_media(page: PageText, context: ToolContext) -> ToolResult:
    """Return the text of a page as a result, with its pictures and frames of its video."""
    from tabwright.reader.media import (  # noqa: PLC0415  (not for listing tools)
        canvas_notice,
        picture_notice,
        with_notices,
    )

    pictures = await context.tabwright.pictures(page)
    frames = await context.tabwright.frames(page)
    is_wanted = context.tabwright.settings.reading.pictures_max > 0
    missing = picture_notice(page, pictures) if is_wanted else ""
    page = with_notices(page, frames.notice, missing, canvas_notice(page, pictures, INCLUDE_MEDIA))
    result = page_result(page, ASK_AGAIN, media=True)
    return attrs.evolve(result, images=(*result.images, *pictures, *frames.pictures))


def json_result(record: JSONObject) -> ToolResult:
    """Return a result whose text is its structured content."""
    whole = msgspec.json.format(msgspec.json.encode(record), indent=1).decode()
    return ToolResult((Quoted(whole),), record)
