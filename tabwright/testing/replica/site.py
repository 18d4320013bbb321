"""Ordinary pages on plain HTTP, well-formed and faulty ones, for tests of page readers."""

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from html import escape
from itertools import count
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final, TypeAlias

import attrs
import trio

from tabwright.protocol.blocks import Paragraph, TextSpan
from tabwright.testing.replica.answers import (
    Language,
    bytes_of,
    fill,
    language_of,
    source_words,
    text_of,
    truth_of,
    words,
)
from tabwright.testing.replica.server import (
    Exchange,
    Seen,
    ServerResponse,
    html,
    open_server,
    redirect,
)

# The pages that answers cite: short articles on ``*.example`` hosts, in the answer's language.

_PLACE = re.compile(r"/(?P<language>[a-z]{2}-[A-Z]{2})/\d+/(?P<number>\d+)(?:/report\.png)?$")
_TRACKER = '<script async src="https://www.googletagmanager.com/gtm.js?id=GTM-X"></script>'


def article_at(path: str) -> str:
    """Write the article of a source's path; any other path has the first one, in English."""
    place = _PLACE.search(path)
    if place is None:
        return article("en-US", 1)
    return article(
        language_of(place["language"], "en-US"), int(place["number"]), head_html=_TRACKER
    )


def article(language: Language, number: int, *, head_html: str = "") -> str:
    """Write the article of the source of that number; `head_html` goes into its head."""
    title, snippet = source_words(language, number)
    borrowed = [  # from the prose of an answer
        "".join(run.text for run in block.content if isinstance(run, TextSpan))
        for block in truth_of(language, 0, "", 0).blocks
        if isinstance(block, Paragraph)
    ]
    return fill(
        "article.html",
        words(language).page,
        language=language,
        title=f"{title} ({number})",
        snippet=snippet,
        site=f"Site {number}",
        body_html="\n".join(f"<p>{escape(text)}</p>" for text in borrowed),
        head_html=head_html,
    )


# Faulty servers: every path breaks a rule of HTTP.

Route: TypeAlias = Callable[[Exchange], Awaitable[None]]

_HTML = ("Content-Type", "text/html; charset=utf-8")
_HEAD = b"<!doctype html><html lang=en><title>Unfinished</title><main><h1>Unfinished</h1>\n"
_LINE = b"<p>One of many paragraphs, each as good as the next and none of them the last.</p>\n"
_MIB = 1 << 20
_PIECE = _LINE * (65536 // len(_LINE))


async def _never(_: Exchange) -> None:
    """Read the request and never respond."""
    await trio.sleep_forever()


async def _big(exchange: Exchange) -> None:
    """Send ``mb`` MiB, or endless data without ``mb``; ``length=1`` announces the length."""
    size = int(exchange.query["mb"]) * _MIB if "mb" in exchange.query else None
    announced = size is not None and exchange.query.get("length") == "1"
    length = (("Content-Length", str(size)),) if announced else ()
    await exchange.begin(200, (_HTML, *length))
    left = size
    while left is None or left > 0:
        piece = _PIECE if left is None else _PIECE[:left]
        await exchange.send(piece)
        left = None if left is None else left - len(piece)
    await exchange.end()


async def _drip(exchange: Exchange) -> None:
    """Send a line every ``step_s`` seconds, ``count`` of them or endlessly."""
    step_s = float(exchange.query.get("step_s", "0.5"))
    lines = range(int(exchange.query["count"])) if "count" in exchange.query else count()
    await exchange.begin(200, (_HTML,))
    await exchange.send(_HEAD)
    for _ in lines:
        await trio.sleep(step_s)
        await exchange.send(_LINE)
    await exchange.end()


async def _half(exchange: Exchange) -> None:
    """Announce a page, send half of it, and stall."""
    await _send_half(exchange)
    await trio.sleep_forever()


async def _half_close(exchange: Exchange) -> None:
    """Announce a page, send half of it, and disconnect."""
    await _send_half(exchange)
    await exchange.hang_up()


async def _send_half(exchange: Exchange) -> None:
    half = _HEAD + _LINE
    await exchange.begin(200, (_HTML, ("Content-Length", str(2 * len(half)))))
    await exchange.send(half)


async def _garbage(exchange: Exchange) -> None:
    """Answer with something that is not HTTP."""
    await exchange.stream.send_all(b"\x00\xff\x00 this is not HTTP \xfe\r\n\r\n" * 40)


async def _header(exchange: Exchange) -> None:
    """Send a header line of ``kb`` KiB."""
    size = int(exchange.query.get("kb", "1024")) << 10
    await exchange.begin(200, (_HTML, ("X-Long", "x" * size)))
    await exchange.send(_HEAD)
    await exchange.end()


async def _redirects(exchange: Exchange) -> None:
    """Redirect the client ``n`` times, then to the article."""
    left = int(exchange.query.get("n", "3"))
    await exchange.answer(redirect(f"/redirects?n={left - 1}" if left > 1 else "/article"))


MISCONDUCT: Mapping[str, Route] = MappingProxyType(
    {
        "/never": _never,
        "/big": _big,
        "/drip": _drip,
        "/half": _half,
        "/half-close": _half_close,
        "/close": Exchange.hang_up,
        "/reset": Exchange.reset,
        "/garbage": _garbage,
        "/header": _header,
        "/redirects": _redirects,
        "/redirect-loop": lambda exchange: exchange.answer(redirect("/redirect-loop")),
    }
)


_Page: TypeAlias = Callable[[], ServerResponse]

_FRENCH = "<!doctype html><title>Été</title><main><h1>Café à la crème</h1><p>Où ça ?</p></main>"
_JAPANESE = (
    "<!doctype html><title>日本語</title><main><h1>文字の話</h1><p>利用規約です。</p></main>"
)


def _page(name: str) -> ServerResponse:
    return html(text_of(name))


def _status(status: int, *headers: tuple[str, str]) -> ServerResponse:
    page = f"<!doctype html><title>{status}</title><h1>{status}</h1><p>This page is an error.</p>"
    return ServerResponse(page.encode(), status=status, headers=headers)


def _index() -> ServerResponse:
    links = (f'<li><a href="{path}">{path}</a></li>' for path in sorted({*_PAGES, *MISCONDUCT}))
    return html(fill("index.html", links_html="".join(links)))


_PAGES: Mapping[str, _Page] = MappingProxyType(
    {
        "/": _index,
        "/article": lambda: html(article("en-US", 1)),
        "/table": partial(_page, "table.html"),
        "/script": partial(_page, "script.html"),
        "/spa": partial(_page, "spa.html"),
        "/alert": partial(_page, "alert.html"),
        "/alerts": partial(_page, "alerts.html"),
        "/busy": partial(_page, "busy.html"),
        "/leads": partial(_page, "leads.html"),
        "/dead-image": partial(_page, "dead-image.html"),
        "/204": lambda: ServerResponse(status=204),
        "/401": partial(_status, 401, ("WWW-Authenticate", 'Basic realm="replica"')),
        "/404": partial(_status, 404),
        "/429": partial(_status, 429, ("Retry-After", "30")),
        "/500": partial(_status, 500),
        "/pdf": lambda: ServerResponse(bytes_of("paper.pdf"), content_type="application/pdf"),
        "/photo.png": lambda: ServerResponse(bytes_of("photo.png"), content_type="image/png"),
        "/latin-1": lambda: ServerResponse(
            _FRENCH.encode("latin-1"), content_type="text/html; charset=iso-8859-1"
        ),
        "/shift-jis": lambda: ServerResponse(
            _JAPANESE.encode("shift_jis"), content_type="text/html; charset=shift_jis"
        ),
    }
)


async def answer_page(exchange: Exchange, otherwise: _Page) -> None:
    """Answer a request to an ordinary host; unknown paths get `otherwise`."""
    if misconduct := MISCONDUCT.get(exchange.path):
        await misconduct(exchange)
    else:
        await exchange.answer(_PAGES.get(exchange.path, otherwise)())


@attrs.frozen
class Site:
    """A running site, opened by `open_site`.

    Attributes:
        port: its port on 127.0.0.1, without TLS.
        log: every request since the start, oldest first.
    """

    port: int
    log: Sequence[Seen]

    def url(self, path: str = "/") -> str:
        """Return the URL of a page; ``/`` lists all pages."""
        return f"http://127.0.0.1:{self.port}{path}"


@asynccontextmanager
async def open_site() -> AsyncGenerator[Site]:
    """Serve the ordinary pages for the length of the block.

    Leaving the block, or cancelling it, closes every connection, also those that never answer.
    """
    log: list[Seen] = []

    async def answer(exchange: Exchange) -> None:
        """Every host is ordinary here."""
        await answer_page(exchange, otherwise=_PAGES["/404"])

    async with open_server(answer, log) as port:
        yield Site(port, log)


# Subresources that the page can do without.
#
# Google's own pictures, font and sound, and the resources of advertising and tracking, whose hosts
# are on block lists.

RESOURCE_HOSTS: Final = frozenset(
    {
        "www.gstatic.com",
        "fonts.gstatic.com",
        "encrypted-tbn0.gstatic.com",
        "www.googletagmanager.com",
        "www.google-analytics.com",
        "www.googleadservices.com",
        "pagead2.googlesyndication.com",
        "googleads.g.doubleclick.net",
        "connect.facebook.net",
    }
)

_FILES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        ".js": ("tag.js", "text/javascript"),
        ".woff2": ("font.woff2", "font/woff2"),
        ".wav": ("sound.wav", "audio/wav"),
    }
)
_PICTURE: Final = ("photo.png", "image/png")


def resource_at(path: str) -> ServerResponse:
    """Return a resource of the type of the path's extension; by default a picture."""
    name, kind = _FILES.get(PurePosixPath(path).suffix, _PICTURE)
    everyone = (("Access-Control-Allow-Origin", "*"),)
    return ServerResponse(bytes_of(name), content_type=kind, headers=everyone)
