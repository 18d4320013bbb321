"""Web search on several engines: queries, parsers of result pages, and results."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, TypeAlias, get_args

import attrs

from tabwright.protocol.errors import BadInput

# Result pages: how they are requested and parsed, and what they contain.

TimeRange: TypeAlias = Literal["day", "week", "month", "year"]
TIME_RANGES: tuple[TimeRange, ...] = get_args(TimeRange)

Category: TypeAlias = Literal["web", "news", "images", "science"]
CATEGORIES: tuple[Category, ...] = get_args(Category)
SafeSearch: TypeAlias = Literal["off", "moderate", "strict"]
SAFE_SEARCH: tuple[SafeSearch, ...] = get_args(SafeSearch)
Operator: TypeAlias = Literal["site", "filetype"]

_REGION = re.compile(r"[A-Za-z]{2}")
_SITE = re.compile(r"[\w-]+(\.[\w-]+)+(/[\w./~%-]*)?")
_FILETYPE = re.compile(r"[A-Za-z0-9]{1,8}")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@attrs.frozen
class WebQuery:
    """A query to an engine.

    Attributes:
        page: counted from 1.
        language: a BCP 47 tag such as ``de-AT``; None leaves it to the engine.
        time_range: the maximum age of results; None for any.
        category: the kind of the results.
        safe: how much explicit content is left out; None leaves it to the engine.
        region: two letters (ISO 3166), such as ``AT``; None leaves it to the engine.
        limits: values of operators, such as a host for ``site``.
    """

    query: str
    page: int = 1
    language: str | None = None
    time_range: TimeRange | None = None
    category: Category = "web"
    safe: SafeSearch | None = None
    region: str | None = None
    limits: tuple[tuple[Operator, str], ...] = ()


@attrs.frozen
class FormEntry:
    """A form of the page to fill in and submit; its other fields keep their values.

    Attributes:
        selector: of the form; the first match is used.
        fields: values by name; names that the form does not have are added to it.
    """

    selector: str
    fields: Mapping[str, str]


@attrs.frozen
class SerpRequest:
    """The steps to a result page.

    Attributes:
        url: the first page to open.
        form: the form to submit on it.
        next_forms: selectors of forms to submit next, each on the page that the previous one led
            to. If one is missing, there are no further pages.
    """

    url: str
    form: FormEntry | None = None
    next_forms: tuple[str, ...] = ()


class UrlTemplate(str):
    """An absolute http or https URL."""

    __slots__ = ()


class Ordinal(int):
    """A number of at least 1."""

    __slots__ = ()


class Css(str):
    """A selector that has been compiled successfully."""

    __slots__ = ()


class Selectors(tuple[Css, ...]):
    """Selectors in order of preference: the first that matches is used."""

    __slots__ = ()


class Template(str):
    """A text with placeholders such as ``{query}``."""

    __slots__ = ()

    def placeholders(self) -> frozenset[str]:
        """Return the names in braces."""
        return frozenset(_PLACEHOLDER.findall(self))

    def filled(self, values: Mapping[str, str]) -> str | None:
        """Return the text with its placeholders filled in; None if one of them has no value."""
        if not self.placeholders() <= values.keys():
            return None
        return _PLACEHOLDER.sub(lambda match: values[match[1]], str(self))


class SelectorTemplate(Template):
    """A selector with placeholders."""

    __slots__ = ()


@attrs.frozen
class FormTemplate:
    """The forms of an engine that must be queried by its own forms.

    Attributes:
        selector: of the form on its start page.
        next: of the form on a result page that leads to page ``{page}``.
    """

    selector: Css
    next: SelectorTemplate


@attrs.frozen
class Offset:
    """The number by which an engine identifies a page: none on page 1, `second` on page 2."""

    second: Ordinal
    step: Ordinal

    def on_page(self, page: int) -> int:
        """Return the offset of page 2 or a later one."""
        return self.second + (page - 2) * self.step


@attrs.frozen
class Part:
    """The location of a part of a result.

    Attributes:
        selector: within the result.
        required: whether a result must have it.
        diagnostic: the message if no result has it.
        attribute: the attribute that contains it; empty for the text. The text is used if the
            attribute is missing.
    """

    selector: Selectors
    required: bool = False
    diagnostic: str = ""
    attribute: str = ""


@attrs.frozen
class Parts:
    """The parts of a result, and the results on the page."""

    result: Part
    title: Part
    url: Part
    snippet: Part
    date: Part | None = None

    def named(self) -> Mapping[str, Part]:
        """Return the existing parts by name."""
        return {**self.within(), "result": self.result}

    def within(self) -> Mapping[str, Part]:
        """Return the parts within a result by name."""
        parts = {"title": self.title, "url": self.url, "snippet": self.snippet}
        return parts if self.date is None else {**parts, "date": self.date}


@attrs.frozen
class Drop:
    """Page content that is not a result, such as advertisements.

    Attributes:
        selectors: of elements to remove from the page.
        urls: patterns for the link targets of advertisements.
    """

    selectors: tuple[Css, ...] = ()
    urls: tuple[re.Pattern[str], ...] = ()


@attrs.frozen
class Marks:
    """Marks that identify a kind of page; URL patterns ignore query and fragment.

    Attributes:
        words: patterns for the visible text; used only on a short page without results.
    """

    urls: tuple[re.Pattern[str], ...] = ()
    selectors: tuple[Css, ...] = ()
    words: tuple[re.Pattern[str], ...] = ()


@attrs.frozen
class Wrapping:
    """The redirect URLs in which an engine wraps its links.

    Attributes:
        url: a pattern for such links, without query.
        parameters: of the query; the first that contains a target is used.
        base64_after: the prefix of a target in base64url; None for a plain target.
        asks: whether the engine is asked for targets that cannot be read, with one request each.
    """

    url: re.Pattern[str]
    parameters: tuple[str, ...]
    base64_after: str | None = None
    asks: bool = False


@attrs.frozen
class Counter:
    """The place where a page shows the numbers of its results.

    Attributes:
        first: a pattern that begins with the number of the page's first result.
    """

    selector: Css
    first: re.Pattern[str]


@attrs.frozen(kw_only=True)
class ResultParser:
    """How an engine is queried and its result pages are parsed; see ``search_parsers.yaml``.

    Attributes:
        name: of the engine, for messages.
        url: of the search, or of the start page if there is a form.
        fields: of the query or the form; a field whose placeholder has no value is omitted.
        times: ``{time}`` for each time range that the engine supports.
        languages: ``{language}`` by BCP 47 tag, or by language only.
        safe: ``{safe}`` for each level of filtering that the engine supports.
        operators: what is appended to the query to limit it.
    """

    name: str
    url: UrlTemplate
    fields: Mapping[str, Template]
    form: FormTemplate | None = None
    offset: Offset
    times: Mapping[TimeRange, Template] = attrs.Factory(dict[TimeRange, Template])
    languages: Mapping[str, str] = attrs.Factory(dict[str, str])
    safe: Mapping[SafeSearch, str] = attrs.Factory(dict[SafeSearch, str])
    operators: Mapping[Operator, Template] = attrs.Factory(dict[Operator, Template])
    query_chars_max: Ordinal | None = None
    selectors: Parts
    drop: Drop = Drop()
    wrapping: Wrapping | None = None
    captcha: Marks = Marks()
    refused: Marks = Marks()
    no_results: Marks = Marks()
    counter: Counter | None = None


class ResultPageStatus(StrEnum):
    """The kind of a result page.

    A person can solve ``CAPTCHA``, but not lift ``REFUSED``; ``CHANGED`` is a page that the
    selectors do not match.
    """

    RESULTS = "results"
    NO_RESULTS = "no_results"
    CAPTCHA = "captcha"
    REFUSED = "refused"
    CHANGED = "changed"


@attrs.frozen
class SerpEntry:
    """A result as one engine shows it.

    Attributes:
        title: its title.
        url: absolute, http or https, without the engine's wrapping.
        snippet: an excerpt; may be empty.
        date: as the engine writes it; may be empty.
    """

    title: str
    url: str
    snippet: str = ""
    date: str = ""


class SearchNoticeKind(StrEnum):
    """The subject of a notice.

    ``PART_MISSING``: no result has a part that results usually have, such as the excerpt.
    ``ROWS_UNREAD``: some rows of the result page could not be read.
    ``NO_RESULTS``: the engine lists nothing for the query.
    ``NO_SUCH_PAGE``: its results end before the requested page.
    ``OTHER_SITES``: results of other sites than the requested one are left out.
    ``PARSERS_FILE``: the file of parsers has mistakes, and its last valid version is used.
    """

    PART_MISSING = "part_missing"
    ROWS_UNREAD = "rows_unread"
    NO_RESULTS = "no_results"
    NO_SUCH_PAGE = "no_such_page"
    OTHER_SITES = "other_sites"
    PARSERS_FILE = "parsers_file"


@attrs.frozen
class SearchNotice:
    """A limit of the results of an engine that has not failed.

    Attributes:
        kind: what the notice is about.
        message: what is missing and why, in English.
        engine: its key, such as ``brave``; empty if the notice concerns all engines.
        unread: the number of rows that could not be read.
        rows: the number of rows of the pages, with those.
    """

    kind: SearchNoticeKind
    message: str
    engine: str = ""
    unread: int = 0
    rows: int = 0


@attrs.frozen
class ResultPage:
    """A parsed result page.

    Attributes:
        verdict: its kind.
        found: its results, in the order of the page.
        message: a detail, for example which selector found nothing.
        notices: limits of the results, or why there are none; their `engine` is empty.
        hidden: redirects of results whose targets the engine can be asked for.
    """

    verdict: ResultPageStatus
    found: tuple[SerpEntry, ...] = ()
    message: str = ""
    notices: tuple[SearchNotice, ...] = ()
    hidden: tuple[str, ...] = ()


@attrs.frozen
class Ranking:
    """The rank of a page at an engine; the first result that was read has rank 1."""

    engine: str
    rank: int


@attrs.frozen
class WebResult:
    """A page that one or more engines list.

    Attributes:
        title: of the engine that ranks it best, as `snippet` and `date`.
        url: absolute, http or https, without the engine's wrapping and without tracking.
        snippet: an excerpt; may be empty.
        rankings: the engines that list it, best rank first.
        score: the sum of 1 / (60 + rank) over them.
        date: as the engine writes it; usually empty.
    """

    title: str
    url: str
    snippet: str
    rankings: tuple[Ranking, ...]
    score: float
    date: str = ""


@attrs.frozen
class EngineFailure:
    """Why an engine has no results.

    Attributes:
        engine: its key, such as ``brave``.
        kind: of the error, such as ``search_blocked`` or ``markup_changed``.
        message: what happened, and what to do next.
        retryable: whether the same request can succeed later.
        intervention: the id of the intervention that is open for it; empty for none.
        paused_for_s: seconds in which the engine is not asked again; 0 if it is not paused.
    """

    engine: str
    kind: str
    message: str
    retryable: bool
    intervention: str = ""
    paused_for_s: float = 0.0


@attrs.frozen
class ReadResult:
    """The passages of a result that answer the query, or why it could not be read.

    Attributes:
        number: the place of the result in the list, from 1.
        url: of the page, after redirects.
        title: of the page, or of the result if the page has none.
        text: the passages, in the order of the page; empty if it could not be read.
        notice: what is missing from the page; usually empty.
        shortened: whether the page has more relevant passages than fit the budget.
        kind: of the error, such as ``navigation_failed``; empty if there is none.
        message: what happened, and what to do next.
        retryable: whether the page can be read later.
    """

    number: int
    url: str
    title: str
    text: str = ""
    notice: str = ""
    shortened: bool = False
    kind: str = ""
    message: str = ""
    retryable: bool = False


@attrs.frozen
class WebResults:
    """The results of a web search.

    Attributes:
        query: the query.
        engines: the engines that were asked, in order of priority.
        page: the page of results, from 1.
        results: best match first.
        failures: of engines without results.
        notices: limits of the results of the others, and engines that list nothing.
        read: the passages of the first results, if requested.
    """

    query: str
    engines: tuple[str, ...]
    page: int
    results: tuple[WebResult, ...]
    failures: tuple[EngineFailure, ...] = ()
    notices: tuple[SearchNotice, ...] = ()
    read: tuple[ReadResult, ...] = ()


READ_MAX = 10
"""The maximum number of results that one search reads."""

READ_TOKENS = 6000
"""The usual budget for the passages of all of them."""


@attrs.frozen
class WebSearch:
    """A search with several engines.

    Attributes:
        query: search terms.
        engines: the engines to ask; None for those of the settings.
        page: the page of results, from 1.
        limit: the maximum number of results, 1 to 50; more than 10 need several pages per engine.
        time_range: the maximum age of results; None for any.
        language: of the results, a BCP 47 tag such as ``de-AT``; None for the engines' choice.
        category: the kind of results: it selects the engines if none are named.
        region: of the results, two letters such as ``AT``; None for the engines' choice.
        safe_search: how much explicit content is left out; None for the engines' choice.
        site: return only results of this host and its subdomains.
        filetype: return only files of this type, such as ``pdf``.
        read: how many of the first results to read, at most `READ_MAX`: the passages of their
            pages that are relevant to the query.
        read_tokens: the maximum number of tokens of these passages in total.
    """

    query: str
    engines: tuple[str, ...] | None = None
    page: int = 1
    limit: int = 10
    time_range: TimeRange | None = None
    language: str | None = None
    read: int = 0
    read_tokens: int = READ_TOKENS
    category: Category = "web"
    region: str | None = None
    safe_search: SafeSearch | None = None
    site: str = ""
    filetype: str = ""

    def __attrs_post_init__(self) -> None:
        if self.region is not None and not _REGION.fullmatch(self.region):
            raise BadInput(f"{self.region!r} is not a region.", advice="Use two letters, e.g. AT.")
        if self.site and not _SITE.fullmatch(self.site):
            raise BadInput(f"{self.site!r} is not a host.", advice="Use a host, e.g. docs.rs.")
        if self.filetype and not _FILETYPE.fullmatch(self.filetype):
            raise BadInput(f"{self.filetype!r} is not a file type.", advice="For example, pdf.")
        if not 0 <= self.read <= READ_MAX:
            raise BadInput(f"read is {self.read}; it must be from 0 to {READ_MAX}.")
        if self.read_tokens < 1:
            raise BadInput(f"read_tokens is {self.read_tokens}; it must be at least 1.")

    @property
    def limits(self) -> tuple[tuple[Operator, str], ...]:
        """Return the values of operators."""
        named: tuple[tuple[Operator, str], ...] = (("site", self.site), ("filetype", self.filetype))
        return tuple((operator, value) for operator, value in named if value)
