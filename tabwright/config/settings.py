"""The settings as values; their meanings and defaults are in ``default.yaml``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, get_args

import attrs
import msgspec
from msgspec import UNSET, Meta, UnsetType

from tabwright.config.endpoints import are_headers, is_endpoint
from tabwright.plugin import installed, plugin_named
from tabwright.protocol.context_options import Permission
from tabwright.protocol.errors import BadInput, SettingsError
from tabwright.protocol.extraction import PictureFormat, PictureShape, ReadOptions
from tabwright.protocol.fetch import CookieMode
from tabwright.protocol.llm import Part
from tabwright.protocol.page_text import LinkStyle, RenderOptions
from tabwright.protocol.proxy import parse_proxy
from tabwright.protocol.snapshot import BlockKind, Selection, Tier
from tabwright.protocol.tasks import Limits
from tabwright.protocol.url_patterns import FORMS, NotAPattern, UrlPattern
from tabwright.protocol.urls import Bounds, checked_url
from tabwright.protocol.web_urls import WebUrl
from tabwright.text.languages import DEFAULT_LANGUAGE
from tabwright.text.similarity import did_you_mean

Positive: TypeAlias = Annotated[float, Meta(gt=0)]
Count: TypeAlias = Annotated[int, Meta(ge=1)]
Word: TypeAlias = Annotated[str, Meta(min_length=1)]
Language: TypeAlias = Annotated[str, Meta(pattern="^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")]

ProviderName: TypeAlias = Literal[
    "auto",
    "client",
    "openai",
    "anthropic",
    "gemini",
    "deepseek",
    "grok",
    "openrouter",
    "groq",
    "azure",
    "ollama",
    "custom",
]
KeyName: TypeAlias = Annotated[str, Meta(pattern="^[A-Za-z][A-Za-z0-9_]*$")]
Temperature: TypeAlias = Annotated[float, Meta(ge=0, le=2)] | Literal["auto"] | None
ToolUse: TypeAlias = Literal["auto", "forced", "offered", "none"]
Repetitions: TypeAlias = Annotated[int, Meta(ge=0, le=10)]

TOOL_GROUPS = (
    "search",
    "read",
    "act",
    "mouse",
    "files",
    "debug",
    "sessions",
    "task",
    "storage",
    "data",
)
"""The groups of tools of the core; plugins have more."""


def _endpoint_or_none(_settings: object, _field: object, value: str | None) -> None:
    """Validate the address of a running browser; the error omits it, as it can contain a token."""
    if value is not None and not is_endpoint(value):
        raise SettingsError(
            "browser.cdp_endpoint is not a valid address.",
            advice="Write host:port, http://host:port or ws://host:port/….",
        )


def _header_lines(_settings: object, _field: object, value: tuple[str, ...]) -> None:
    """Validate headers; the error omits them, as they can contain a token."""
    if not are_headers(value):
        raise SettingsError(
            "browser.cdp_headers contains an invalid HTTP header.",
            advice="Write each as 'Name: value', for example 'Authorization: Bearer …'.",
        )


@attrs.frozen(kw_only=True)
class BrowserSettings:
    """The browser and its launch options."""

    path: Word | None
    extra_args: tuple[str, ...]
    headless: bool
    viewport: Annotated[str, Meta(pattern=r"^[1-9]\d{1,4}x[1-9]\d{1,4}$")] | None
    identity: Literal["honest", "ordinary"]
    port_base: Annotated[int, Meta(ge=0, le=65000)] | None
    profile: Word | None
    cdp_endpoint: Word | None = attrs.field(validator=_endpoint_or_none, repr=False)
    cdp_headers: tuple[Word, ...] = attrs.field(validator=_header_lines, repr=False)
    start_timeout_s: Positive
    memory_bytes_max: Count | None

    @property
    def page_size(self) -> tuple[int, int] | None:
        """The width and height of pages in CSS pixels; None for those that the browser chooses."""
        if self.viewport is None:
            return None
        width, height = map(int, self.viewport.split("x"))
        return width, height


def _proxy_or_word(_settings: object, _field: object, value: str) -> None:
    if value not in {"auto", "none"}:
        parse_proxy(value, "network.proxy")


def _patterns_or_none(
    _settings: object, field: "attrs.Attribute[tuple[str, ...]]", value: tuple[str, ...]
) -> None:
    for text in value:
        try:
            UrlPattern.read(text)
        except NotAPattern as error:
            raise SettingsError(
                f"network.{field.name}: {text!r} is not a valid URL pattern: {error}.", advice=FORMS
            ) from error


class SigningSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file with the key of signed requests, and the site that publishes its public key."""

    key: Word
    agent: Word | None = None


def _by_https_origin(_settings: object, _field: object, value: SigningSettings | None) -> None:
    """Validate the site of the public key; the error omits it, as it can contain a password."""
    if value is None or value.agent is None:
        return
    try:
        read = WebUrl.read(value.agent)
    except BadInput:
        read = None
    if read is None or read.scheme != "https" or read.text != f"https://{read.authority}/":
        raise SettingsError(
            "network.signing: the agent is not the address of a site.",
            advice="Write https://host, without a path.",
        )


PAGE_LANGUAGES = ("en-US",)
"""The default page languages."""


@attrs.frozen(kw_only=True)
class NetworkSettings:
    """Allowed requests, the proxy, and timeouts."""

    allow_private: bool
    guard: bool
    allow_urls: tuple[Word, ...] = attrs.field(validator=_patterns_or_none)
    deny_urls: tuple[Word, ...] = attrs.field(validator=_patterns_or_none)
    block: tuple[BlockKind, ...]
    proxy: Word = attrs.field(validator=_proxy_or_word)
    page_timeout_s: Positive
    page_bytes_max: Count
    ca_file: Word | None
    signing: SigningSettings | None = attrs.field(validator=_by_https_origin)
    do_not_track: bool
    redirects_max: Annotated[int, Meta(ge=0, le=50)]
    retries: Repetitions
    robots: bool
    cookies: CookieMode
    user_agent: Annotated[str, Meta(min_length=1, pattern="^[ -~]+$")] | None
    languages: Annotated[tuple[Language, ...], Meta(min_length=1)] | None
    cache: Word | None

    @property
    def page_languages(self) -> tuple[str, ...]:
        """The languages that pages are requested in, the preferred one first."""
        return self.languages or PAGE_LANGUAGES

    @property
    def bounds(self) -> Bounds:
        """The URLs that pages can have."""
        return Bounds(private=self.allow_private, allow=self.allow_urls, deny=self.deny_urls)


OUTLINE_TOKENS, RESULT_TOKENS = 4_000, 10_000
"""The lengths of an outline and of an MCP result if neither settings nor the call set one."""


@attrs.frozen(kw_only=True)
class ReadingSettings:
    """Defaults for reading pages."""

    max_tier: Tier
    format: Literal["markdown", "text", "html", "json"]
    readability: bool
    exclude_selectors: tuple[Word, ...]
    links: LinkStyle
    max_tokens: Count | None
    pictures_max: Annotated[int, Meta(ge=0)]
    picture_width: Count
    picture_height: Count
    picture_format: PictureFormat
    picture_quality: Annotated[int, Meta(ge=1, le=100)]
    video_frames: Annotated[int, Meta(ge=0, le=20)]
    video_interval_s: Positive | None

    @property
    def options(self) -> ReadOptions:
        """The options of a read whose call sets nothing."""
        view = RenderOptions(format=self.format, links=self.links, max_tokens=self.max_tokens)
        selection = Selection(
            exclude_selectors=self.exclude_selectors, readability=self.readability
        )
        return ReadOptions(selection=selection, view=view, max_tier=self.max_tier)

    @property
    def outline_tokens_max(self) -> int:
        """The maximum number of tokens of an outline."""
        return self.max_tokens or OUTLINE_TOKENS

    @property
    def result_tokens_max(self) -> int:
        """The maximum number of tokens of an MCP result."""
        return self.max_tokens or RESULT_TOKENS

    @property
    def picture_shape(self) -> PictureShape:
        """The size, format and quality of pictures of a page."""
        size = self.picture_width, self.picture_height
        return PictureShape(size, self.picture_quality, self.picture_format)


def _existing_files(
    _settings: object, field: "attrs.Attribute[tuple[str, ...]]", value: tuple[str, ...]
) -> None:
    for path in value:
        if not Path(path).expanduser().is_file():
            raise SettingsError(
                f"acting.{field.name}: there is no file {path}.", advice="Check the path."
            )


def _known_device(_settings: object, _field: object, value: str | None) -> None:
    if value is not None:
        from tabwright.config.devices import device  # noqa: PLC0415  (rarely set)

        try:
            device(value)
        except BadInput as error:
            raise SettingsError(f"acting.device: {error.message}", advice=error.advice) from error


@attrs.frozen(kw_only=True)
class ActingSettings:
    """Limits for actions on pages."""

    scripts: bool
    downloads: Word | None
    file_bytes_max: Count
    upload_roots: tuple[Word, ...]
    secrets: Word | None
    init_scripts: tuple[Word, ...] = attrs.field(validator=_existing_files)
    device: Word | None = attrs.field(validator=_known_device)
    permissions: tuple[Permission, ...]
    page_tools: Literal["off", "confirm", "allow"]


@attrs.frozen(kw_only=True)
class SearchSettings:
    """Options of searches."""

    language: Word | None
    timeout_s: Positive
    sources_max: Count
    consent: Literal["reject", "accept"]
    person_timeout_s: Annotated[float, Meta(ge=0)]
    block: tuple[BlockKind, ...]


@attrs.frozen(kw_only=True)
class EngineSettings:
    """Files with rate policies, parsers, failed pages and request counts; and SearXNG."""

    policy: Word | None
    parsers: Word | None
    failed_pages: Word | None
    counts: Word | None
    searxng: Word | None
    cache_s: Annotated[float, Meta(ge=0, le=86400)]


@attrs.frozen(kw_only=True)
class PoolSettings:
    """Limits of browsers and tabs."""

    workers: Annotated[int, Meta(ge=1, le=100)]
    max_tabs: Count
    decrease_step: Count
    max_reading_tabs: Count
    max_session_tabs: Count | None
    max_held_tabs: Count
    hold_expiry_s: Positive


def _existing_file(_settings: object, _field: object, value: str | None) -> None:
    if value is not None and not Path(value).expanduser().is_file():
        raise SettingsError(
            f"session.storage_state: there is no file {value}.", advice="Check the path."
        )


DEFAULT_SESSION = "default"
"""The session of callers that name none."""

SessionName: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]


@attrs.frozen(kw_only=True)
class SessionSettings:
    """Lifetimes of idle objects."""

    sleep_after_s: Positive
    close_after_s: Positive
    dir: Word
    own: SessionName | None
    storage_state: Word | None = attrs.field(validator=_existing_file)


def _known_groups(_settings: object, _field: object, value: tuple[str, ...] | None) -> None:
    unknown = {*(value or ())} - {*TOOL_GROUPS}
    if not unknown:
        return
    added = (group for plugin in installed() for group in plugin.groups)
    known = tuple(dict.fromkeys((*TOOL_GROUPS, *added)))
    for name in sorted(unknown - {*known}):
        raise SettingsError(
            f"mcp.tools: there is no group {name!r}.{did_you_mean(name, known)}",
            advice=f"There are: {', '.join(known)}.",
        )


def _known_names(_settings: object, _field: object, value: str | None) -> None:
    plugin = plugin_named(value) if value else None
    if value and (plugin is None or not plugin.has_toolset):
        raise SettingsError(
            f"mcp.compat: there are no tools with the names of {value!r}.",
            advice="Set it to playwright.",
        )


@attrs.frozen(kw_only=True)
class MCPSettings:
    """The features that are offered to MCP clients."""

    tools: Annotated[tuple[Word, ...], Meta(min_length=1)] | None = attrs.field(
        validator=_known_groups
    )
    structured_content: bool
    compat: Word | None = attrs.field(validator=_known_names)


def _api_or_none(_settings: object, _field: object, value: str | None) -> None:
    """Validate a base URL; the error omits it, as it can contain a password."""
    try:
        is_whole = value is None or bool(checked_url(value, Bounds(private=True)))
    except BadInput:
        is_whole = False
    if not is_whole or set("?# ") & set(value or ""):
        raise SettingsError(
            "models.base_url is not a valid API URL.",
            advice="Write https://host/path, without a user name, ? or #.",
        )


PLACE_OF_MODEL = ("name", "base_url", "key")
"""Settings that apply to one provider only."""

UNNAMED = frozenset(("auto", "client"))
"""Providers that can be any service."""


@attrs.frozen(kw_only=True)
class ModelChoice:
    """A model and its parameters."""

    provider: ProviderName
    name: Word | None
    base_url: Word | None = attrs.field(validator=_api_or_none)
    key: KeyName | None = attrs.field(repr=False)
    temperature: Temperature
    output_tokens_max: Count | None
    tools: ToolUse
    timeout_s: Positive

    def __attrs_post_init__(self) -> None:
        given = [name for name in PLACE_OF_MODEL if getattr(self, name) is not None]
        if given and self.provider in UNNAMED:
            raise SettingsError(
                f"models.{given[0]}: models.provider is missing.", advice="Set models.provider."
            )


class ModelOverride(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings that differ for one part of the agent.

    A msgspec struct and not an attrs class, because msgspec then refuses unknown keys, and
    distinguishes unset from null.
    """

    provider: ProviderName | UnsetType = UNSET
    name: Word | UnsetType | None = UNSET
    base_url: Word | UnsetType | None = UNSET
    key: KeyName | UnsetType | None = UNSET
    temperature: Temperature | UnsetType = UNSET
    output_tokens_max: Count | UnsetType | None = UNSET
    tools: ToolUse | UnsetType = UNSET
    timeout_s: Positive | UnsetType = UNSET

    @property
    def given(self) -> dict[str, object]:
        """The values that are set."""
        fields = {name: getattr(self, name) for name in self.__struct_fields__}
        return {name: value for name, value in fields.items() if value is not UNSET}


class ModelRoles(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings that differ for each part of the agent."""

    planner: ModelOverride = ModelOverride()
    navigator: ModelOverride = ModelOverride()
    validator: ModelOverride = ModelOverride()
    extractor: ModelOverride = ModelOverride()


@attrs.frozen(kw_only=True)
class ModelSettings(ModelChoice):
    """The models of the agent; each part can have a separate one."""

    roles: ModelRoles

    def __attrs_post_init__(self) -> None:
        for part in get_args(Part):
            self.of(part)

    def of(self, part: Part) -> ModelChoice:
        """Return the model of a part; another provider discards all settings of the first one.

        Raises:
            SettingsError: the settings contradict each other.
        """
        override: ModelOverride = getattr(self.roles, part)
        values: dict[str, object] = {
            field.name: getattr(self, field.name) for field in attrs.fields(ModelChoice)
        }
        if "provider" in override.given:
            values |= dict.fromkeys(PLACE_OF_MODEL)
        return msgspec.convert(values | override.given, ModelChoice)


@attrs.frozen(kw_only=True)
class AgentSettings:
    """Limits of a task."""

    steps_max: Count
    actions_max: Count
    failures_max: Count
    validations_max: Count
    planning_interval: Count
    validate: bool
    pictures: tuple[Literal["planner", "navigator"], ...]

    @property
    def limits(self) -> Limits:
        """The limits as a value for the agent."""
        return Limits(
            steps_max=self.steps_max,
            actions_max=self.actions_max,
            failures_max=self.failures_max,
            validations_max=self.validations_max,
            planning_interval=self.planning_interval,
            validates=self.validate,
            pictures=self.pictures,
        )


@attrs.frozen(kw_only=True)
class ViewSettings:
    """The live view, where people watch tabs and act in them."""

    address: Annotated[str, Meta(pattern=r"^\S+:\d+$")] | None
    url: Annotated[str, Meta(pattern=r"^https?://\S+$")] | None


@attrs.frozen(kw_only=True)
class DaemonSettings:
    """The process that keeps a browser for the commands of a user."""

    autostart: bool
    idle_s: Positive


@attrs.frozen(kw_only=True)
class LogSettings:
    """The log: its contents and destination."""

    level: Literal["wire", "debug", "info", "warning", "error"]
    dir: Word | None
    queries: bool
    format: Literal["text", "json"]
    traces: bool


@attrs.frozen(kw_only=True)
class PluginsSettings:
    """The plugins of others."""

    enabled: tuple[Word, ...]


@attrs.frozen(kw_only=True)
class Settings:
    """All settings, resolved and validated.

    Attributes:
        of_plugins: the settings of plugins that were changed; `SettingsGroup.of` returns them.
    """

    browser: BrowserSettings
    network: NetworkSettings
    reading: ReadingSettings
    acting: ActingSettings
    search: SearchSettings
    engines: EngineSettings
    pool: PoolSettings
    session: SessionSettings
    mcp: MCPSettings
    models: ModelSettings
    agent: AgentSettings
    view: ViewSettings
    daemon: DaemonSettings
    log: LogSettings
    plugins: PluginsSettings
    of_plugins: Mapping[str, object] = attrs.field(factory=dict[str, object])

    @property
    def language(self) -> str:
        """The language of answers and of messages about them."""
        preferred = self.network.languages or (DEFAULT_LANGUAGE,)
        return self.search.language or preferred[0]

    @property
    def own_session(self) -> str | None:
        """The session that acts in the user's browser or profile; None if there is none.

        Clients of other servers expect it by default.
        """
        browser, session = self.browser, self.session
        is_kept = browser.profile is not None or browser.cdp_endpoint is not None
        if session.own is None and is_kept and session.storage_state is None:
            return DEFAULT_SESSION if self.mcp.compat else None
        return session.own

    @property
    def listed_bounds(self) -> Bounds | None:
        """The URLs that pages are limited to by lists; None if there are no lists."""
        bounds = self.network.bounds
        return bounds if bounds.are_listed else None

    def __attrs_post_init__(self) -> None:
        if self.browser.cdp_endpoint and self.pool.workers > 1:
            raise SettingsError(
                "pool.workers: browser.cdp_endpoint is a single browser.",
                advice="Remove one of the two.",
            )
