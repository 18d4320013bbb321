"""What the reading tools have in common: how a page is wanted, and what is given of it."""

from collections.abc import Iterable
from typing import get_args

from tabwright.actors.tools.tool import JSONObject, object_schema
from tabwright.protocol.views import CutReason, KeywordMode, LinkStyle, PageFormat

DEFAULT_SESSION = "default"
"""The session of those who name none."""

_TEXT: JSONObject = {"type": "string"}
_WORDS: JSONObject = {"type": "array", "items": {"type": "string"}}

WISHES: JSONObject = {
    "url": {"type": "string", "description": "An absolute http or https URL."},
    "session": {
        "type": "string",
        "default": DEFAULT_SESSION,
        "description": "Whose cookies, storage, history and page; named as you like.",
    },
    "format": {
        "type": "string",
        "enum": list(get_args(PageFormat)),
        "default": "markdown",
        "description": "What the text is written in; a11y is the accessibility tree.",
    },
    "links": {
        "type": "string",
        "enum": list(get_args(LinkStyle)),
        "default": "numbered",
        "description": "In Markdown: numbers with a list at the end, or URLs where they stand.",
    },
    "selectors": {**_WORDS, "description": "CSS: only what matches one of them."},
    "exclude_selectors": {**_WORDS, "description": "CSS: without what matches one of them."},
    "keywords": {**_WORDS, "description": "Only passages that hold them."},
    "keyword_mode": {
        "type": "string",
        "enum": list(get_args(KeywordMode)),
        "default": "any",
        "description": "Whether a passage must hold any of the keywords, or all.",
    },
    "query": {
        "type": "string",
        "description": "Only the passages nearest to this in meaning, in the page's order.",
    },
    "max_tokens": {
        "type": "integer",
        "description": "What the text may have. What is left out is named, with the offset "
        "to go on from.",
    },
    "offset": {
        "type": "integer",
        "default": 0,
        "description": "Go on from here: next_offset of an answer to the same arguments.",
    },
    "max_tier": {
        "type": "integer",
        "enum": [1, 2, 3],
        "description": "How much may be done for the page: 1 HTTP alone, 2 a browser tab that "
        "runs scripts, 3 one that loads everything. The lowest that shows enough is taken.",
    },
    "min_tier": {
        "type": "integer",
        "enum": [1, 2, 3],
        "default": 1,
        "description": "Where to begin, if you know that less will not do.",
    },
    "readability": {
        "type": "boolean",
        "default": False,
        "description": "The main content alone, without what stands round it.",
    },
    "include_media": {
        "type": "boolean",
        "default": False,
        "description": "Give the page's first pictures too, made small, a few out of its first "
        "video, what is said in its videos where there are captions, and list its media.",
    },
}
"""Every argument that a reading tool may have."""


def wishes(*names: str) -> dict[str, object]:
    """Some of the arguments, for an input schema."""
    return {name: WISHES[name] for name in names}


def session_schema(properties: JSONObject, *names: str, required: Iterable[str] = ()) -> JSONObject:
    """The input schema of a tool that works in a session."""
    return object_schema({**properties, **wishes("session", *names)}, required=list(required))


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

PAGE = object_schema(
    {
        "url": {"type": "string", "description": "After all redirects."},
        "title": _TEXT,
        "status": {"type": "integer", "description": "Of HTTP; 0 where it is not known."},
        "media_type": _TEXT,
        "format": _TEXT,
        "text": _TEXT,
        "tier": {"type": "integer", "description": "How it was read."},
        "tier_reason": {"type": "string", "description": "Why so."},
        "metadata": {"type": "object", "description": "What the page says of itself."},
        "timing": _TIMING,
        "redirects": {**_WORDS, "description": "The URLs that led there."},
        "truncation": {**_TRUNCATION, "description": "Only where something is left out."},
        "notice": {"type": "string", "description": "What the reading had to do without."},
        "session": {"type": "string", "description": "Whose page it is now."},
        "media": {"type": "array", "items": MEDIUM, "description": "Where it was asked for."},
    },
    required=["url", "title", "format", "text", "tier", "tier_reason"],
)
"""What reading a page gives; what is empty is left out."""
