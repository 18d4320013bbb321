"""The settings as the house sees them; meanings and defaults stand in ``default.yaml``."""

from typing import Annotated, Literal, TypeAlias, get_args

import attrs
from msgspec import Meta

from tabwright.config.extras import meaning_installed
from tabwright.protocol.errors import SettingsError
from tabwright.protocol.fetching import CookieMode
from tabwright.protocol.pages import BlockKind
from tabwright.protocol.proxies import parse_proxy
from tabwright.protocol.snapshots import Tier
from tabwright.protocol.urls import Bounds
from tabwright.protocol.views import LinkStyle

Positive: TypeAlias = Annotated[float, Meta(gt=0)]
Count: TypeAlias = Annotated[int, Meta(ge=1)]
Word: TypeAlias = Annotated[str, Meta(min_length=1)]
Language: TypeAlias = Annotated[str, Meta(pattern="^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")]
QueryJudge: TypeAlias = Literal["auto", "words", "meaning"]
ToolGroup: TypeAlias = Literal[
    "search", "read", "act", "mouse", "forms", "files", "debug", "sessions"
]
BrowserName: TypeAlias = Literal["edge", "chrome", "chromium", "headless-shell"]

TOOL_GROUPS: tuple[ToolGroup, ...] = get_args(ToolGroup)
"""Every group of tools."""


@attrs.frozen(kw_only=True)
class BrowserSettings:
    """Which browser, and how it is started."""

    path: Word | None
    order: tuple[BrowserName, ...]
    extra_args: tuple[str, ...]
    headless: bool
    link: Literal["pipe", "websocket"]
    port_base: Annotated[int, Meta(ge=1024, le=65000)] | None
    profile: Word | None
    profile_prefix: Word
    cdp_endpoint: Word | None
    start_timeout_s: Positive
    memory_bytes_max: Count
    page_memory_bytes_max: Count


def _proxy_or_word(_settings: object, _field: object, value: str) -> None:
    if value not in {"auto", "none"}:
        parse_proxy(value, "network.proxy")


@attrs.frozen(kw_only=True)
class NetworkSettings:
    """What may be loaded, which way, and for how long."""

    allow_private: bool
    guard: bool
    allow_urls: tuple[Word, ...]
    deny_urls: tuple[Word, ...]
    proxy: Word = attrs.field(validator=_proxy_or_word)
    page_timeout_s: Positive
    page_bytes_max: Count
    connect_to: Annotated[str, Meta(pattern=r"^\S+:\d+$")] | None
    ca_file: Word | None
    redirects_max: Annotated[int, Meta(ge=0, le=50)]
    retries: Annotated[int, Meta(ge=0, le=10)]
    robots: bool
    cookies: CookieMode
    do_not_track: bool
    user_agent: Annotated[str, Meta(min_length=1, pattern="^[ -~]+$")] | None
    languages: Annotated[tuple[Language, ...], Meta(min_length=1)]
    cache: Word | None

    @property
    def bounds(self) -> Bounds:
        """Where pages may be."""
        return Bounds(private=self.allow_private, allow=self.allow_urls, deny=self.deny_urls)


def _judge_that_is_there(_settings: object, _field: object, value: QueryJudge) -> None:
    if value == "meaning" and not meaning_installed():
        raise SettingsError(
            "reading.query_judge: what judges by meaning is not installed.",
            advice="Run: pip install 'tabwright[meaning]'. Or leave the setting at auto.",
        )


@attrs.frozen(kw_only=True)
class ReadingSettings:
    """How pages are read where a call does not say."""

    max_tier: Tier
    links: LinkStyle
    max_tokens: Count | None
    query_judge: QueryJudge = attrs.field(validator=_judge_that_is_there)
    pictures_max: Annotated[int, Meta(ge=0)]
    picture_width: Count
    picture_height: Count
    picture_quality: Annotated[int, Meta(ge=1, le=100)]
    video_frames: Annotated[int, Meta(ge=0, le=20)]
    ffmpeg: Word | None
    media_max: Count
    media_bytes_max: Count


@attrs.frozen(kw_only=True)
class ActingSettings:
    """What may be done on pages."""

    max_tokens: Count
    scripts: bool
    downloads: Word | None
    download_bytes_max: Count
    upload_roots: tuple[Word, ...]
    secrets: Word | None


@attrs.frozen(kw_only=True)
class SearchSettings:
    """How searches run."""

    language: Word
    timeout_s: Positive
    sources_max: Count
    consent: Literal["reject", "accept"]
    person_timeout_s: Annotated[float, Meta(ge=0)]
    block: tuple[BlockKind, ...]


@attrs.frozen(kw_only=True)
class EngineSettings:
    """Which files say how engines are asked and read, and which keep what came of it."""

    policy: Word | None
    parsers: Word | None
    failed_pages: Word | None
    counts: Word | None


@attrs.frozen(kw_only=True)
class PoolSettings:
    """How many browsers and tabs there may be."""

    workers: Annotated[int, Meta(ge=1, le=100)]
    max_tabs: Count
    decrease_step: Count
    max_reading_tabs: Count
    max_held_tabs: Count
    hold_expiry_s: Positive


@attrs.frozen(kw_only=True)
class SessionSettings:
    """How long idle things live."""

    idle_timeout_s: Positive
    reading_idle_timeout_s: Positive
    dir: Word


@attrs.frozen(kw_only=True)
class MCPSettings:
    """What an MCP client is offered."""

    tools: Annotated[tuple[ToolGroup, ...], Meta(min_length=1)] | None
    output_schemas: bool
    compat: Literal["playwright"] | None


@attrs.frozen(kw_only=True)
class LogSettings:
    """What is logged, and where to."""

    level: Literal["debug", "info", "warning", "error"]
    dir: Word | None
    queries: bool
    wire: bool


@attrs.frozen(kw_only=True)
class Settings:
    """All settings, resolved and checked."""

    browser: BrowserSettings
    network: NetworkSettings
    reading: ReadingSettings
    acting: ActingSettings
    search: SearchSettings
    engines: EngineSettings
    pool: PoolSettings
    session: SessionSettings
    mcp: MCPSettings
    log: LogSettings

    def __attrs_post_init__(self) -> None:
        if self.browser.cdp_endpoint and self.pool.workers > 1:
            raise SettingsError(
                "pool.workers: the browser at browser.cdp_endpoint is one worker.",
                advice="Leave one of the two out.",
            )
