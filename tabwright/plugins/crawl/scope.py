"""The scope of a crawl: which URLs belong to it, and which of them name the same page."""

import re
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from urllib.parse import unquote

import attrs

from tabwright.content.html.links import FILES
from tabwright.plugins.crawl.parameters import GENERATED, generated_parts, part_name, qualified
from tabwright.protocol.errors import BadInput
from tabwright.protocol.url_patterns import NotAPattern, UrlPattern
from tabwright.protocol.web_urls import PORTS, WebUrl, completed, served_path

# The normal form of a URL: two URLs with the same normal form name the same page.

TRACKING = re.compile(
    r"utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|igshid|mc_[ce]id"
    r"|_ga|_gl|_hs(?:enc|mi)|mkt_tok|oly_(?:anon|enc)_id|vero_id|wickedid",
    re.IGNORECASE,
)
"""Parameters that tell where a visitor came from, and change nothing on the page."""

SESSION = re.compile(
    r"phpsessid|jsessionid|aspsessionid\w*|cfid|cftoken|zenid|oscsid|osCsid|sessid|session_?id",
    re.IGNORECASE,
)
"""Parameters that name a visit."""

SHORT_SESSION = re.compile(r"sid|s|session|token", re.IGNORECASE)
"""The same, if their value looks like one."""

_PATH_SESSION = re.compile(r"(?i);jsessionid=[^/?;]*|/\([sxf]\([\w-]+\)\)(?=/)")

URL_MAX = 2_000
"""A longer URL is made by a page that adds to its own."""

REPEATS_MAX = 3
"""The maximum number of times that the same part of a path follows itself."""

SEGMENTS_MAX = 20

PAGES = frozenset({"doc", "docx", "epub", "odp", "ods", "odt", "pdf", "pptx", "xlsx", "csv"})
"""Files that can be read as pages."""

NOT_PAGES = (FILES - PAGES) | {
    *("jpg", "jpeg", "png", "gif", "webp", "avif", "svg", "ico", "bmp", "tif", "tiff"),
    *("css", "js", "mjs", "map", "woff", "woff2", "ttf", "otf", "eot", "wasm"),
}


def normal_form(url: WebUrl, incidental: Collection[str] = ()) -> str:
    """Return the normal form: without scheme, fragment, visits, visitors and order of parameters.

    It only compares pages; `requested_form` is what is asked for. `incidental` are parameters that
    change nothing either; see `tabwright.crawl.parameters`.
    """
    path = served_path(_PATH_SESSION.sub("", url.path))
    parameters = sorted(_parameters(url.query))
    if incidental:
        parameters = [one for one in parameters if qualified(url, one) not in incidental]
        parts = path.split("/")
        for place in generated_parts(parts):
            if part_name(url, place) in incidental:
                parts[place] = "*"
        path = "/".join(parts)
    port = "" if url.port in PORTS.values() else f":{url.port}"
    mark = "?" if parameters else ""
    return f"{url.host}{port}{path}{mark}{'&'.join(parameters)}"


def requested_form(url: WebUrl) -> str:
    """Return the URL to request: without fragment, visits and visitors."""
    path, parameters = _PATH_SESSION.sub("", url.path), _parameters(url.query)
    mark = "?" if parameters else ""
    return f"{url.scheme}://{url.authority}{path}{mark}{'&'.join(parameters)}"


def _parameters(query: str) -> list[str]:
    return [one for one in query[1:].split("&") if one and not _is_incidental(one)]


def _is_incidental(parameter: str) -> bool:
    """Return whether a parameter names a visitor or a visit."""
    name, _, value = parameter.partition("=")
    name = unquote(name)
    if TRACKING.fullmatch(name) or SESSION.fullmatch(name):
        return True
    return bool(SHORT_SESSION.fullmatch(name) and GENERATED.fullmatch(value))


def shape_of(url: WebUrl) -> str:
    """Return the shape of a URL, which pages of the same kind share: ``a.example/shop/*``.

    Numbers and generated names in the path become ``#``, and its last part and the query ``*``.
    """
    *parts, _last = url.path.split("/")
    kinds = ["#" if part.isdecimal() or GENERATED.fullmatch(part) else part for part in parts]
    return f"{url.host}{'/'.join(kinds)}/*"


# The scope.


class Skip(StrEnum):
    """Why a URL is not requested, or its page is not part of the result."""

    OTHER_HOST = "other_host"
    EXCLUDED = "excluded"
    TOO_DEEP = "too_deep"
    FILE = "file"
    ODD = "odd_url"
    TRAP = "trap"
    ROBOTS = "robots"
    NOINDEX = "noindex"
    DUPLICATE = "duplicate"
    VARIANT = "variant"
    SOFT_404 = "soft_404"


@attrs.frozen(kw_only=True)
class CrawlScope:
    """The URLs that belong to a crawl.

    Attributes:
        hosts: the hosts with their ports; ``www.`` makes no difference.
        subdomains: whether the subdomains of these hosts belong to it, too.
        include: patterns, of which a URL must match at least one; none for any.
        exclude: patterns, of which a URL must match none.
        depth_max: the maximum number of links from a start to a page.
    """

    hosts: frozenset[str]
    subdomains: bool = False
    include: tuple[UrlPattern, ...] = ()
    exclude: tuple[UrlPattern, ...] = ()
    depth_max: int

    def refusal(self, url: WebUrl, depth: int) -> Skip | None:
        """Return why a URL does not belong to the crawl; None if it does."""
        if not self._is_on_site(url):
            return Skip.OTHER_HOST
        if depth > self.depth_max:
            return Skip.TOO_DEEP
        if len(url.text) > URL_MAX or _repeats(url.path):
            return Skip.ODD
        if depth > 0:  # a start is requested as it was given
            if _ending(url.path) in NOT_PAGES:
                return Skip.FILE
            if not self.includes(url):
                return Skip.EXCLUDED
        return Skip.EXCLUDED if any(one.touches(url) for one in self.exclude) else None

    def includes(self, url: WebUrl) -> bool:
        """Return whether a URL matches one of the patterns to include, if there are any.

        A start that does not is requested for its links, but is not part of the result.
        """
        return not self.include or any(one.covers(url) for one in self.include)

    def _is_on_site(self, url: WebUrl) -> bool:
        place = _site(url)
        return place in self.hosts or (
            self.subdomains and any(place.endswith(f".{host}") for host in self.hosts)
        )


def scope_of(
    start: Sequence[str],
    *,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    subdomains: bool = False,
    depth_max: int,
) -> tuple[CrawlScope, tuple[WebUrl, ...]]:
    """Return the scope of a crawl from its arguments, and its start URLs.

    Args:
        start: URLs; those without a scheme are completed.
        include: patterns; see `CrawlScope`. A pattern that begins with a slash is a path of any
            host of the crawl.
        exclude: the same.
        subdomains: see `CrawlScope`.
        depth_max: see `CrawlScope`.

    Raises:
        BadInput: a URL or a pattern is not valid.
    """
    if not start:
        raise BadInput("No URL was given.", advice="Give the URL where the crawl starts.")
    urls = tuple(WebUrl.read(completed(one)) for one in start)
    return (
        CrawlScope(
            hosts=frozenset(map(_site, urls)),
            subdomains=subdomains,
            include=tuple(map(_pattern, include)),
            exclude=tuple(map(_pattern, exclude)),
            depth_max=depth_max,
        ),
        urls,
    )


def _pattern(text: str) -> UrlPattern:
    try:
        return UrlPattern.read(f"*{text}" if text.startswith("/") else text)
    except NotAPattern as error:
        raise BadInput(
            f"The pattern {text!r} is not valid: {error}.",
            advice="Write a path such as /docs/*, or a host and a path.",
        ) from error


def _site(url: WebUrl) -> str:
    return url.authority.removeprefix("www.")


def _ending(path: str) -> str:
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    return ending.lower() if dot else ""


def _repeats(path: str) -> bool:
    """Return whether a path goes in circles, as relative links of a broken page make it."""
    parts = [part for part in path.split("/") if part]
    if len(parts) > SEGMENTS_MAX:
        return True
    run = REPEATS_MAX + 1
    return any(len(set(parts[at : at + run])) == 1 for at in range(len(parts) - REPEATS_MAX)) or (
        # /a/b/a/b/a/b/a/b
        any(
            parts[at : at + 2] * run == parts[at : at + 2 * run]
            for at in range(len(parts) - 2 * run + 1)
        )
    )
