"""Ordinary pages on plain HTTP, good ones and bad ones, for readers of pages to be tested on."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

import attrs

from tabwright.testing.replica.articles import article
from tabwright.testing.replica.misconduct import MISCONDUCT
from tabwright.testing.replica.server import Exchange, Response, Seen, html, open_server
from tabwright.testing.replica.templates import bytes_of, fill, text_of

_Page: TypeAlias = Callable[[], Response]

_FRENCH = "<!doctype html><title>Été</title><main><h1>Café à la crème</h1><p>Où ça ?</p></main>"
_JAPANESE = (
    "<!doctype html><title>日本語</title><main><h1>文字の話</h1><p>利用規約です。</p></main>"
)


def _page(name: str) -> Response:
    return html(text_of(name))


def _status(status: int, *headers: tuple[str, str]) -> Response:
    page = f"<!doctype html><title>{status}</title><h1>{status}</h1><p>This page is an error.</p>"
    return Response(page.encode(), status=status, headers=headers)


def _index() -> Response:
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
        "/204": lambda: Response(status=204),
        "/401": partial(_status, 401, ("WWW-Authenticate", 'Basic realm="replica"')),
        "/404": partial(_status, 404),
        "/429": partial(_status, 429, ("Retry-After", "30")),
        "/500": partial(_status, 500),
        "/pdf": lambda: Response(bytes_of("paper.pdf"), content_type="application/pdf"),
        "/photo.png": lambda: Response(bytes_of("photo.png"), content_type="image/png"),
        "/latin-1": lambda: Response(
            _FRENCH.encode("latin-1"), content_type="text/html; charset=iso-8859-1"
        ),
        "/shift-jis": lambda: Response(
            _JAPANESE.encode("shift_jis"), content_type="text/html; charset=shift_jis"
        ),
    }
)


async def answer_page(exchange: Exchange, otherwise: _Page) -> None:
    """Answers a request to an ordinary host; paths that nobody knows get `otherwise`."""
    if misconduct := MISCONDUCT.get(exchange.path):
        await misconduct(exchange)
    else:
        await exchange.answer(_PAGES.get(exchange.path, otherwise)())


@attrs.frozen
class Site:
    """A running site, as `open_site` gives it.

    Attributes:
        port: where it listens, on 127.0.0.1, without TLS.
        log: every request since the start, oldest first.
    """

    port: int
    log: Sequence[Seen]

    def url(self, path: str = "/") -> str:
        """Gives the address of a page; ``/`` lists them all."""
        return f"http://127.0.0.1:{self.port}{path}"


@asynccontextmanager
async def open_site() -> AsyncGenerator[Site]:
    """Serves the ordinary pages for the length of the block.

    Leaving the block, or cancelling it, closes every connection, also those that never answer.
    """
    log: list[Seen] = []

    async def answer(exchange: Exchange) -> None:
        """Every host is ordinary here."""
        await answer_page(exchange, otherwise=_PAGES["/404"])

    async with open_server(answer, log) as port:
        yield Site(port, log)
