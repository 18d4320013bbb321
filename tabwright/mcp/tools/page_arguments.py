"""Arguments and results that the tools for pages share."""

from typing import Annotated, TypeAlias, TypeVar, get_args

import attrs
from msgspec import Meta

from tabwright.config.session_settings import SESSION_KEYS
from tabwright.config.settings import DEFAULT_SESSION, Settings
from tabwright.mcp.arguments import ADDRESS, ELEMENT, RARE, JSONObject, object_schema
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.page_text import KeywordMode, LinkStyle, PageFormat
from tabwright.protocol.snapshot import CutReason, Tier

AnyT = TypeVar("AnyT")

Rare: TypeAlias = Annotated[AnyT, Meta(extra_json_schema=RARE)]
"""An argument that few calls need: `tools/list` omits it in the groups that all clients see."""

Session: TypeAlias = Annotated[str, Meta(description="Session name.")]
Address: TypeAlias = Annotated[str, Meta(extra_json_schema=ADDRESS)]
Tab: TypeAlias = Annotated[
    int, Meta(ge=1, description="Number of a tab, as listed by tabs; default: the current tab.")
]
Ref: TypeAlias = Annotated[str, Meta(description="Ref or locator.", extra_json_schema=ELEMENT)]
MaxTokens: TypeAlias = Annotated[int, Meta(ge=1, description="Maximum tokens.")]
Offset: TypeAlias = Annotated[int, Meta(ge=0, description="Offset to continue from.")]
Query: TypeAlias = Annotated[str, Meta(description="Only passages relevant to this question.")]
Keywords: TypeAlias = Rare[
    Annotated[tuple[str, ...], Meta(description="Return only passages that contain these words.")]
]
EitherOrAll: TypeAlias = Rare[
    Annotated[KeywordMode, Meta(description="Match any of the keywords, or all of them.")]
]
Links: TypeAlias = Rare[
    Annotated[
        LinkStyle,
        Meta(description="Links in Markdown: numbered with a list at the end, or inline."),
    ]
]
Selectors: TypeAlias = Rare[
    Annotated[tuple[str, ...], Meta(description="CSS selectors: return only matching elements.")]
]
Exclusions: TypeAlias = Rare[
    Annotated[tuple[str, ...], Meta(description="CSS selectors: leave out matching elements.")]
]
TierMax: TypeAlias = Rare[
    Annotated[
        Tier,
        Meta(
            description="Highest tier to use: 1 is plain HTTP, 2 a browser tab that runs scripts, "
            "3 a tab that loads everything. The lowest tier that returns the content is used."
        ),
    ]
]
TierMin: TypeAlias = Rare[
    Annotated[Tier, Meta(description="Lowest tier to use, if the page is known to need a browser.")]
]
WaitForContent: TypeAlias = Rare[
    Annotated[
        str,
        Meta(
            description="Text that the page must show before it is read, or css= and a selector. "
            "Needs a browser tab."
        ),
    ]
]
ScrollThrough: TypeAlias = Rare[
    Annotated[
        bool,
        Meta(description="Scroll to the end first, so that lists which load on scrolling load."),
    ]
]
ScreenshotToo: TypeAlias = Rare[
    Annotated[
        bool,
        Meta(description="Also return a screenshot of the top of the page, from a browser tab."),
    ]
]
MaxAge: TypeAlias = Rare[
    Annotated[
        float,
        Meta(
            ge=0,
            description="Accept a cached response of at most this age in seconds; 0 for a new one. "
            "The cache is off unless network.cache is set, and is not used in sessions.",
        ),
    ]
]
SettingValue: TypeAlias = bool | int | float | str | None
SessionValues: TypeAlias = Rare[
    Annotated[
        dict[str, SettingValue],
        Meta(
            description="Settings for the session that this call opens, e.g. "
            f'{{"reading.max_tier": 1}}. Keys: {", ".join(SESSION_KEYS)}. A session cannot allow '
            "scripts that the user forbids."
        ),
    ]
]
Readability: TypeAlias = Annotated[bool, Meta(description="Only the main content.")]
Media: TypeAlias = Annotated[bool, Meta(description="Also images and video captions.")]


@attrs.frozen(kw_only=True)
class TabArguments:
    """Arguments of every tool that works in a tab.

    Attributes:
        session: name of the session.
        tab: number of its tab; None for the current one.
    """

    session: Session = DEFAULT_SESSION
    tab: Rare[Tab] | None = None


def default_reading(settings: Settings) -> ReadOptions:
    """Return the read options of a call that has these settings."""
    reading, tokens_max = settings.reading.options, settings.reading.result_tokens_max
    view = attrs.evolve(reading.view, max_tokens=tokens_max, tells_rest=False)
    return attrs.evolve(reading, view=view)


def chosen_readability(given: bool | None, default: ReadOptions) -> bool:  # noqa: FBT001
    """Return whether only the main content is read: as the call says, or else the settings."""
    return default.selection.readability if given is None else given


_TEXT: JSONObject = {"type": "string"}
_WORDS: JSONObject = {"type": "array", "items": {"type": "string"}}

_TRUNCATION = object_schema(
    {
        "reason": {"type": "string", "enum": list(get_args(CutReason))},
        "original_tokens": {"type": "integer"},
        "returned_tokens": {"type": "integer"},
        "items_omitted": {"type": "integer"},
        "next_offset": {"type": "integer", "description": "Offset to continue from."},
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
    "description": "Number of console errors and warnings while the page loaded.",
    "properties": {"errors": {"type": "integer"}, "warnings": {"type": "integer"}},
}

PAGE_FIELDS: JSONObject = {
    "url": {"type": "string", "description": "URL after all redirects."},
    "title": _TEXT,
    "status": {"type": "integer", "description": "HTTP status; 0 if unknown."},
    "media_type": _TEXT,
    "format": {"type": "string", "enum": [*get_args(PageFormat), "outline"]},
    "text": _TEXT,
    "tier": {"type": "integer", "description": "Tier that the page was read with."},
    "tier_reason": {"type": "string", "description": "Why that tier was used."},
    "metadata": {
        "type": "object",
        "description": "Metadata of the page.",
        "properties": {
            "open_graph": {"type": "object", "additionalProperties": _TEXT},
            "facts": {
                "type": "object",
                "description": "Price, availability, rating, times, as the page declares them.",
                "additionalProperties": _TEXT,
            },
        },
    },
    "timing": _TIMING,
    "redirects": {**_WORDS, "description": "URLs that redirected to this page."},
    "truncation": {**_TRUNCATION, "description": "Present only if something was left out."},
    "notice": {"type": "string", "description": "What is missing from the text, and why."},
    "controls": {"type": "integer"},
    "console": COUNTS,
    "session": {"type": "string", "description": "Session that has the page open."},
    "media": {
        "type": "array",
        "items": MEDIUM,
        "description": "If include_media was set.",
    },
}

PAGE = object_schema(
    PAGE_FIELDS, required=["url", "title", "format", "text", "tier", "tier_reason"]
)
"""The record of a page. Empty fields are left out."""
