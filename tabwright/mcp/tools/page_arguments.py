"""What the reading tools have in common: how a page is wanted, and what is given of it."""

from typing import TYPE_CHECKING, Annotated, TypeAlias, TypeVar, get_args

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import ADDRESS, ELEMENT, PLAIN, RARE, JSONObject, object_schema
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.page_text import (
    CutReason,
    KeywordMode,
    LinkStyle,
    PageFormat,
    RenderOptions,
)
from tabwright.protocol.snapshot import Tier

if TYPE_CHECKING:
    from tabwright.client import Tabwright

AnyT = TypeVar("AnyT")

Rare: TypeAlias = Annotated[AnyT, Meta(extra_json_schema=RARE)]
"""An argument that `tools/list` leaves out: few calls want it, and each conversation would pay."""

Plain: TypeAlias = Annotated[AnyT, Meta(extra_json_schema=PLAIN)]
"""An argument whose name says enough, with what the server's instructions explain once for all: its
description is for who reads the reference."""

DEFAULT_SESSION = "default"
"""The session of those who name none."""

Session: TypeAlias = Plain[
    Annotated[str, Meta(description="Whose cookies, storage, history and page; named as you like.")]
]
Address: TypeAlias = Annotated[str, Meta(extra_json_schema=ADDRESS)]
Tab: TypeAlias = Plain[
    Annotated[int, Meta(ge=1, description="Which of its tabs, else the current one.")]
]
Ref: TypeAlias = Plain[
    Annotated[str, Meta(description="Of an outline, as 1.5.", extra_json_schema=ELEMENT)]
]
MaxTokens: TypeAlias = Plain[Annotated[int, Meta(ge=1, description="What the text may have.")]]
Offset: TypeAlias = Plain[
    Annotated[int, Meta(ge=0, description="Go on here: next_offset of an answer.")]
]
Query: TypeAlias = Annotated[str, Meta(description="only what is nearest")]
Keywords: TypeAlias = Rare[
    Annotated[tuple[str, ...], Meta(description="Only passages that hold them.")]
]
EitherOrAll: TypeAlias = Rare[
    Annotated[KeywordMode, Meta(description="Whether they must hold any of the keywords, or all.")]
]
Links: TypeAlias = Rare[
    Annotated[
        LinkStyle,
        Meta(description="In Markdown: with a list at the end, or where they stand."),
    ]
]
Selectors: TypeAlias = Rare[
    Annotated[tuple[str, ...], Meta(description="CSS: only what matches one of them.")]
]
Exclusions: TypeAlias = Rare[
    Annotated[tuple[str, ...], Meta(description="CSS: without what matches one of them.")]
]
TierMax: TypeAlias = Rare[
    Annotated[
        Tier,
        Meta(
            description="How much may be done for the page: 1 HTTP alone, 2 a browser tab that "
            "runs scripts, 3 one that loads everything. The lowest that shows enough is taken."
        ),
    ]
]
TierMin: TypeAlias = Rare[
    Annotated[Tier, Meta(description="Where to begin, if you know that less will not do.")]
]
Readability: TypeAlias = Plain[Annotated[bool, Meta(description="main content")]]
Media: TypeAlias = Plain[Annotated[bool, Meta(description="pictures, captions")]]


@attrs.frozen(kw_only=True)
class TabArguments:
    """What every tool takes that works in a tab.

    Attributes:
        session: whose page.
        tab: which of its tabs; None for the current one.
    """

    session: Session = DEFAULT_SESSION
    tab: Rare[Tab] | None = None


def default_reading(tabwright: "Tabwright") -> ReadOptions:
    """How pages are read for a client where its call does not say."""
    reading = tabwright.default_reading
    budget = reading.view.max_tokens or tabwright.settings.mcp.max_tokens
    view = attrs.evolve(reading.view, max_tokens=budget, tells_rest=False)
    return attrs.evolve(reading, view=view)


def page_view(
    default: RenderOptions, page_format: PageFormat, max_tokens: int | None
) -> RenderOptions:
    """How a page is to be written that has just been come to."""
    budget = max_tokens or default.max_tokens
    return attrs.evolve(default, format=page_format, max_tokens=budget)


_TEXT: JSONObject = {"type": "string"}
_WORDS: JSONObject = {"type": "array", "items": {"type": "string"}}

_TRUNCATION = object_schema(
    {
        "reason": {"type": "string", "enum": list(get_args(CutReason))},
        "original_tokens": {"type": "integer"},
        "returned_tokens": {"type": "integer"},
        "items_omitted": {"type": "integer"},
        "next_offset": {"type": "integer", "description": "The offset to go on from."},
    },
    required=["reason"],
)

_TIMING = object_schema(
    {
        "fetch_ms": {"type": "number"},
        "extract_ms": {"type": "number"},
        "total_ms": {"type": "number"},
    },
    required=["fetch_ms", "extract_ms", "total_ms"],
)

MEDIUM = object_schema(
    {
        "number": {"type": "integer"},
        "kind": {"type": "string", "enum": ["image", "video", "audio", "canvas"]},
        "url": _TEXT,
        "alt": _TEXT,
        "title": _TEXT,
        "width": {"type": "integer"},
        "height": {"type": "integer"},
        "captions": _WORDS,
    },
    required=["number", "kind", "url"],
)

COUNTS: JSONObject = {
    "type": "object",
    "description": "Errors and warnings in the console while the page loaded.",
    "properties": {"errors": {"type": "integer"}, "warnings": {"type": "integer"}},
}

PAGE = object_schema(
    {
        "url": {"type": "string", "description": "After all redirects."},
        "title": _TEXT,
        "status": {"type": "integer", "description": "Of HTTP; 0 where it is not known."},
        "media_type": _TEXT,
        "format": {"type": "string", "enum": [*get_args(PageFormat), "outline"]},
        "text": _TEXT,
        "tier": {"type": "integer", "description": "How it was read."},
        "tier_reason": {"type": "string", "description": "Why so."},
        "metadata": {
            "type": "object",
            "description": "What the page says of itself.",
            "properties": {"open_graph": {"type": "object", "additionalProperties": _TEXT}},
        },
        "timing": _TIMING,
        "redirects": {**_WORDS, "description": "The URLs that led there."},
        "truncation": {**_TRUNCATION, "description": "Only where something is left out."},
        "notice": {"type": "string", "description": "What the reading had to do without."},
        "console": COUNTS,
        "session": {"type": "string", "description": "Whose page it is now."},
        "media": {"type": "array", "items": MEDIUM, "description": "Where it was asked for."},
    },
    required=["url", "title", "format", "text", "tier", "tier_reason"],
)
"""What reading a page gives; what is empty is left out."""
