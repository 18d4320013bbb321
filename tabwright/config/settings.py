"""The settings as the house sees them; meanings and defaults stand in ``default.yaml``."""

from typing import Annotated, Literal, TypeAlias

import attrs
from msgspec import Meta

from tabwright.config.blocking import BlockKind
from tabwright.protocol.proxies import parse_proxy

Positive: TypeAlias = Annotated[float, Meta(gt=0)]
Count: TypeAlias = Annotated[int, Meta(ge=1)]
Word: TypeAlias = Annotated[str, Meta(min_length=1)]
BrowserName: TypeAlias = Literal["edge", "chrome", "chromium", "headless-shell"]


@attrs.frozen(kw_only=True)
class BrowserSettings:
    """Which browser, and how it is started."""

    path: Word | None
    order: tuple[BrowserName, ...]
    extra_args: tuple[str, ...]
    headless: bool
    link: Literal["pipe", "websocket"]
    profile: Word | None
    cdp_endpoint: Word | None
    tabs_max: Annotated[int, Meta(ge=2)]
    start_timeout_s: Positive


def _proxy_or_word(_settings: object, _field: object, value: str) -> None:
    if value not in {"auto", "none"}:
        parse_proxy(value, "network.proxy")


@attrs.frozen(kw_only=True)
class NetworkSettings:
    """What may be loaded, which way, and for how long."""

    allow_private: bool
    proxy: Word = attrs.field(validator=_proxy_or_word)
    page_timeout_s: Positive
    page_bytes_max: Count


@attrs.frozen(kw_only=True)
class SearchSettings:
    """How searches run."""

    language: Word
    timeout_s: Positive
    at_once_max: Count
    sources_max: Count
    consent: Literal["reject", "accept"]
    person_timeout_s: Annotated[float, Meta(ge=0)]
    block: tuple[BlockKind, ...]


@attrs.frozen(kw_only=True)
class SessionSettings:
    """How long idle things live."""

    idle_timeout_s: Positive


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
    search: SearchSettings
    session: SessionSettings
    log: LogSettings
