"""Fixtures for reading: a site that is hard to read, and clients that may read it."""

import csv
import json
import zlib
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from io import BytesIO, StringIO
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import attrs
import pytest
import trio
from openpyxl import Workbook
from PIL import Image

from tabwright import Tabwright
from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.testing.replica.server import (
    Exchange,
    Handler,
    Seen,
    ServerResponse,
    open_server,
    redirect,
)

OpenClient = Callable[..., AbstractAsyncContextManager[Tabwright]]

SENTENCE = "Every task has a parent that waits for it, and no error is lost."
PROSE = f"<p>{SENTENCE * 4}</p>" * 5
"""Enough for any tier."""

RUSSIAN = (
    "Структурная параллельность означает, что каждая задача имеет родителя, который её ждёт. "
    "Поэтому ни одна ошибка не теряется, и программа всегда знает, что ещё выполняется. "
)
CHINESE = "结构化并发意味着每个任务都有一个等待它的父任务。因此不会丢失任何错误。"
JAPANESE = "構造化並行性とは、すべてのタスクに、それを待つ親があるということです。"
POLISH = "Zażółć gęślą jaźń: każde zadanie ma rodzica, który na nie czeka, i żaden błąd nie ginie. "

LARGE_BYTES = 50_000_000
PARAGRAPH = f"<p>{SENTENCE * 8}</p>\n".encode()
MEGABYTE = PARAGRAPH * (1_000_000 // len(PARAGRAPH))
BOMB_MEGABYTES = 400
DRIP_S = 0.1
LATE_S = 0.3


def document(body: str, title: str = "Hard to read", head: str = "") -> str:
    return (
        f"<!doctype html><html lang=en><head><title>{title}</title>{head}</head>"
        f"<body>{body}</body></html>"
    )


def page(body: str, title: str = "Hard to read", head: str = "") -> ServerResponse:
    return ServerResponse(document(body, title, head).encode())


def build(html: str) -> str:
    """Return a JavaScript statement that shows `html` in the root element."""
    return f"document.getElementById('root').innerHTML = {json.dumps(html)};"


ROOT = "<div id=root></div>"


def app(script: str, shown: str = "") -> ServerResponse:
    """Return a page that shows only `shown` until its script has run."""
    return page(f"{shown}{ROOT}<script>{script}</script>")


LOCK = (
    "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4"
    f" /O <{'ab' * 32}> /U <{'cd' * 32}> >> /ID [<{'00' * 16}> <{'00' * 16}>]"
)
"""What a document says that wants a password, which nobody knows (ISO 32000-1, section 7.6)."""


def workbook() -> bytes:
    """Return a workbook with one sheet."""
    book = Workbook()
    sheet = book.active
    sheet.title = "Nurseries"
    sheet.append(["name", "price"])
    sheet.append(["nursery, large", 12])
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def pdf(*pages: str, lock: str = "") -> bytes:
    """Return a PDF with a line on each page (ISO 32000-1, section 7.5)."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {count} /Kids [{kids}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, line in enumerate(pages):
        text = f"BT /F1 12 Tf 72 720 Td ({line}) Tj ET"
        look = "/MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>"
        objects += [
            f"<< /Type /Page /Parent 2 0 R {look} /Contents {5 + 2 * number} 0 R >>",
            f"<< /Length {len(text)} >>\nstream\n{text}\nendstream",
        ]
    objects.append("<< /Title (On Nurseries) /Author (A. Writer) >>")
    written, places = b"%PDF-1.4\n", list[int]()
    for number, content in enumerate(objects, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n{content}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    trailer = f"trailer << /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R {lock}>>"
    return written + f"{head}{trailer}\nstartxref\n{len(written)}\n%%EOF\n".encode()


def picture() -> bytes:
    written = BytesIO()
    Image.linear_gradient("L").resize((800, 600)).save(written, "PNG")
    return written.getvalue()


def table() -> bytes:
    written = StringIO()
    csv.writer(written).writerows([["name", "price"], ["nursery, large", 12], ["scope", 3]])
    return written.getvalue().encode()


RSS = f"""<?xml version="1.0"?><rss version="2.0"><channel><title>News of tasks</title>
<item><title>A nursery opens</title><link>/first</link><description>{SENTENCE}</description></item>
<item><title>A scope closes</title><link>/second</link><description>Done.</description></item>
</channel></rss>"""

FORMS = document(
    f"""<h1>Forms</h1>{PROSE}
    <form id=search action=/echo><input name=q required><input type=submit></form>
    <form id=order action=/echo method=post>
      <input name=who required><input type=hidden name=token value=t0k3n>
      <input type=checkbox name=gift value=yes>
      <select name=size><option value=s>Small<option value=l>Large</select>
      <textarea name=note></textarea><button name=go value=1>Send</button></form>
    <form id=parts action=/echo method=post enctype=multipart/form-data>
      <input name=who value="J&uuml;rgen &quot;J&quot;"><input type=submit></form>
    <a href="/static?from=forms">Somewhere else</a> <a href="#top">Up</a>
    <a href="/report.pdf">The report</a>"""
)

CHECKED_FORM = document(
    f"""{PROSE}<form id=mail action=/echo><label>Mail <input name=to type=email></label>
    <button>Go</button></form>"""
)

CYRILLIC_FORMS = document(
    f"""{PROSE}
    <form id=own action=/echo><input name=q><input type=hidden name=_charset_></form>
    <form id=other action=/echo accept-charset="odd koi8-r"><input name=q></form>
    <form id=odd action=/echo accept-charset="odd"><input name=q></form>
    <form id=chinese action=/echo accept-charset="gb2312"><input name=q></form>
    <form id=wide action=/echo accept-charset="utf-16"><input name=q></form>"""
)

REPLIES: Mapping[str, ServerResponse] = {
    "/robots.txt": ServerResponse(
        b"User-agent: *\nDisallow: /private/\n", content_type="text/plain"
    ),
    "/static": page(f"<h1>Static</h1>{PROSE}<a href=/forms>All forms</a>"),
    "/private/page": page(PROSE),
    "/gbk": ServerResponse(
        document(f"<p>{CHINESE}</p>").encode("gbk"), content_type="text/html;charset=GBK"
    ),
    "/shift-jis": ServerResponse(
        document(f"<p>{JAPANESE}</p>", head="<meta charset=Shift_JIS>").encode("shift_jis"),
        content_type="text/html",
    ),
    "/latin-2": ServerResponse(
        document(
            f"<p>{POLISH}</p>",
            head="<meta http-equiv=Content-Type content='text/html; charset=iso-8859-2'>",
        ).encode("iso-8859-2"),
        content_type="text/html",
    ),
    "/windows-1251": ServerResponse(
        document(f"<p>{RUSSIAN * 8}</p>").encode("windows-1251"), content_type="text/html"
    ),
    "/utf-16": ServerResponse(
        document(f"<p>{CHINESE}</p>").encode("utf-16"), content_type="text/html"
    ),
    "/redirect/3": redirect("/redirect/2"),
    "/redirect/2": redirect("/redirect/1", status=307),
    "/redirect/1": redirect("/static", status=301),
    "/circle": redirect("/circle/back"),
    "/circle/back": redirect("/circle"),
    "/app": app(f"setTimeout(() => {{ {build(PROSE)} }}, 200);"),
    "/app/after-load": app(
        f"onload = () => setTimeout(() => {{ {build('<p>Late</p>')} }}, 300);", shown=PROSE * 4
    ),
    "/app/fetching": app(
        "fetch('/late').then((reply) => reply.text()).then((text) => {"
        "document.getElementById('root').innerHTML = text; });"
    ),
    "/app/looking": app(
        "new IntersectionObserver((seen, me) => { if (seen.some((one) => one.isIntersecting)) {"
        f"me.disconnect(); {build(PROSE)} }} }}).observe(document.querySelector('img'));",
        shown="<img src=/picture.png style='min-width:0'>",
    ),
    "/app/pictured": app(
        "const whenLooked = 'IntersectionObserver' in window;"
        "const picture = document.querySelector('img');"
        "picture.addEventListener('load', () => {"
        f" if (picture.naturalWidth === 800) {{ {build(PROSE)} }} }});"
        "picture.src = '/picture.png';",
        shown="<img>",
    ),
    "/app/styled": app(
        "const load = (tag, values) => new Promise((resolve, reject) => document.head.append("
        "Object.assign(document.createElement(tag), values,"
        " { onload: resolve, onerror: reject })));"
        "const other = location.origin.replace('127.0.0.1', 'localhost');"
        "Promise.all([load('link', { rel: 'stylesheet', href: '/route.css' }),"
        " load('link', { rel: 'stylesheet', href: `${other}/route.css`, crossOrigin: '' }),"
        " load('link', { rel: 'preload', as: 'style', href: '/next.css' }),"
        " load('img', { src: '/picture.png' }),"
        " load('img', { src: `${other}/picture.png`, crossOrigin: 'use-credentials' }),"
        f"]).then(() => {{ {build(PROSE)} }}, () => {{ {build('<h1>Oops</h1>')} }});",
    ),
    "/app/captioned": app(
        build(
            "<figure><img src=/picture.png onerror='this.parentElement.remove()'>"
            f"<figcaption>{SENTENCE * 4}</figcaption></figure>"
        )
    ),
    "/app/dialog": app(f"alert('Are you there?'); confirm('Really?'); {build(PROSE)}"),
    "/app/endless": app("while (true);", shown=f"<p>{SENTENCE * 3}</p>"),
    "/app/broken": app("nothing.at.all();", shown=f"<p>{SENTENCE * 3}</p>"),
    "/hanging": page(f"{PROSE}<img src=/never alt='A picture that never comes'>"),
    "/hanging/script": page(f"{PROSE}<script src=/never></script><p>Behind the script.</p>"),
    "/shadow": page(
        "<x-card></x-card><script>customElements.define('x-card', class extends HTMLElement {"
        "connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML ="
        f" {json.dumps(f'<h2>In the shadow</h2>{PROSE}')}; }} }});</script>"
    ),
    "/shadow/declared": page(
        f"<x-card><template shadowrootmode=open><h2>In the shadow</h2>{PROSE}<slot></slot>"
        "</template><p>In the light.</p></x-card>"
    ),
    "/frames": page(f"<h1>Framed</h1>{PROSE}<iframe src=/frames/inner></iframe>"),
    "/frames/inner": page("<p>Inside the frame.</p><a href=deeper>Deeper</a>"),
    "/frames/elsewhere": page(
        f"<h1>Framed</h1>{PROSE}<iframe title=Elsewhere></iframe><script>"
        "document.querySelector('iframe').src = `//localhost:${location.port}/frames/inner`;"
        "</script>"
    ),
    "/frames/slow": page(
        f"<h1>Framed</h1>{PROSE}<iframe src=/frames/slow/inner></iframe>"
        "<iframe src=/never title='Never there'></iframe>"
    ),
    "/lazy": page(
        f"<h1>Lazy</h1>{PROSE}<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw=' alt='A chart'"
        " data-src=/picture.png width=800 height=600>"
        "<img loading=lazy src=/picture.png?eager alt='Another chart'>"
    ),
    "/gone/picture": page(f"{PROSE}<img src=/status/404 alt='What is no longer there'>"),
    "/report.pdf": ServerResponse(
        pdf("Nurseries hold tasks.", "Scopes end them."), content_type="application/pdf"
    ),
    "/locked.pdf": ServerResponse(pdf("Secret.", lock=LOCK), content_type="application/pdf"),
    "/broken.pdf": ServerResponse(
        b"%PDF-1.4\n1 0 obj\n(A line that can still be read)\n", content_type="application/pdf"
    ),
    "/picture.png": ServerResponse(picture(), content_type="image/png"),
    "/table.csv": ServerResponse(table(), content_type="text/csv"),
    "/plan.xlsx": ServerResponse(workbook(), content_type="application/octet-stream"),
    "/data.json": ServerResponse(
        b'{"name":"nursery","tasks":[1,2]}', content_type="application/json"
    ),
    "/feed.rss": ServerResponse(RSS.encode(), content_type="application/rss+xml"),
    "/notes.txt": ServerResponse(
        b"First line.\n  Second line, indented.\n", content_type="text/plain"
    ),
    "/file.bin": ServerResponse(b"\0\1\2" * 100, content_type="application/octet-stream"),
    "/garbled": ServerResponse(b"this is not gzip", headers=(("Content-Encoding", "gzip"),)),
    "/forms": ServerResponse(FORMS.encode()),
    "/forms/checked": ServerResponse(CHECKED_FORM.encode()),
    "/forms/cyrillic": ServerResponse(
        CYRILLIC_FORMS.encode(), content_type="text/html; charset=windows-1251"
    ),
    "/bare": page(
        f"{PROSE}<canvas></canvas><form><select name=size><option value=''>Any<option></option>"
        "</select><button>Go</button></form>"
    ),
    "/drawings": page(
        f"{PROSE}<canvas id=chart width=2048 height=1024></canvas><canvas width=300 height=200>"
        "</canvas><canvas id=dot width=20 height=20></canvas><canvas id=map width=300 height=200>"
        "</canvas><script>const pens = [...document.querySelectorAll('canvas')].map((one) =>"
        " one.getContext('2d')); for (const pen of [pens[0], pens[2]]) {"
        " pen.fillStyle = 'red'; pen.fillRect(0, 0, 10, 10); }"
        " const tile = new Image(); tile.onload = () => pens[3].drawImage(tile, 0, 0, 99, 99);"
        " tile.src = location.origin.replace('127.0.0.1', 'localhost') + '/picture.png';</script>"
    ),
    "/many-drawings": page(
        f"{PROSE}<img src=/picture.png width=640 height=480>"
        f"{'<canvas width=900 height=900></canvas>' * 2}"
        f"{'<canvas width=60 height=60></canvas>' * 7}"
        "<iframe width=600 height=300 srcdoc='<p>A frame<canvas width=70 height=70></canvas>'>"
        "</iframe><script>let noise = 1; const draw = (canvas, place) => {"
        " const pen = canvas.getContext('2d'); pen.fillRect(0, 0, 9, 9); if (place > 1) return;"
        " const dots = pen.createImageData(900, 900); for (let at = 0; at < dots.data.length;"
        " at++) dots.data[at] = at % 4 < 3 ? (noise = 16807 * noise % 2147483647) % 256 : 255;"
        " pen.putImageData(dots, 0, 0); }; document.querySelectorAll('canvas').forEach(draw);"
        " const frame = document.querySelector('iframe');"
        " frame.onload = () => draw(frame.contentDocument.querySelector('canvas'), 9);</script>"
    ),
    "/status/404": ServerResponse(document(PROSE).encode(), status=404),
    "/status/500": ServerResponse(document(PROSE).encode(), status=500),
    "/status/429": ServerResponse(b"", status=429, headers=(("Retry-After", "120"),)),
}


def bomb() -> bytes:
    """Return a gzip bomb (RFC 1952) that expands more than a hundredfold."""
    squeezed = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    block = squeezed.compress(MEGABYTE) + squeezed.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + block * BOMB_MEGABYTES


@attrs.define(eq=False)
class HardSite:
    """A site on loopback with pages that are hard to read.

    Attributes:
        log: every request.
        held: how many requests for pages of a batch it has held back.
        released: once it is set, the pages of a batch from `HELD_FROM` on are answered too.
    """

    HELD_FROM = 5

    port: int = 0
    log: list[Seen] = attrs.field(factory=list[Seen])
    held: int = 0
    released: trio.Event = attrs.field(factory=trio.Event)

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def asked(self, path: str) -> int:
        """Return how often a path was requested, with any query."""
        return sum(urlsplit(seen.path).path == path for seen in self.log)

    def sent(self, path: str) -> bytes:
        """Return the body of the response for a path."""
        return REPLIES[path].body

    def queries(self, path: str) -> list[str]:
        """Return the raw query of each request for a path."""
        asked = (urlsplit(seen.path) for seen in self.log)
        return [parts.query for parts in asked if parts.path == path]

    async def answer(self, exchange: Exchange) -> None:
        name = exchange.path
        if reply := REPLIES.get(name):
            await exchange.answer(reply)
        elif name.startswith("/batch/"):
            await self._in_turn(exchange)
        elif handler := HANDLERS.get(name):
            await handler(exchange)
        else:
            await exchange.answer(ServerResponse(b"", status=404))

    async def _in_turn(self, exchange: Exchange) -> None:
        number = exchange.path.rpartition("/")[2]
        if int(number) >= self.HELD_FROM:
            self.held += 1
            await self.released.wait()
        await exchange.answer(page(f"<h1>Page {number}</h1>{PROSE}", title=f"Page {number}"))


async def explode(exchange: Exchange) -> None:
    await exchange.answer(ServerResponse(bomb(), headers=(("Content-Encoding", "gzip"),)))


async def drip(exchange: Exchange) -> None:
    await begin(exchange)
    await exchange.send(document(PROSE).partition("</body>")[0].encode())
    while True:
        await trio.sleep(DRIP_S)
        await exchange.send(b"<p>And so on.</p>")


async def break_off(exchange: Exchange) -> None:
    """Send half of a document, with twice its length as ``Content-Length``."""
    whole = document(PROSE + "<p>The very end.</p>").encode()
    await begin(exchange, ("Content-Length", str(2 * len(whole))))
    await exchange.send(whole[: len(whole) // 2])


async def go_on_and_on(exchange: Exchange) -> None:
    await begin(exchange)
    await exchange.send(b"<!doctype html><title>Large</title><h1>Large</h1>")
    for _ in range(LARGE_BYTES // len(MEGABYTE)):
        await exchange.send(MEGABYTE)
    await exchange.end()


async def begin(exchange: Exchange, *headers: tuple[str, str]) -> None:
    await exchange.begin(200, (("Content-Type", "text/html; charset=utf-8"), *headers))


async def be_late(exchange: Exchange) -> None:
    await trio.sleep(LATE_S)
    await exchange.answer(ServerResponse(PROSE.encode()))


async def be_late_inside(exchange: Exchange) -> None:
    await trio.sleep(LATE_S)
    await exchange.answer(page("<p>Late inside the frame.</p>"))


async def be_silent(_exchange: Exchange) -> None:
    await trio.sleep_forever()


async def give_cookies(exchange: Exchange) -> None:
    cookies = tuple(
        ("Set-Cookie", f"{name}={value}; Path=/") for name, value in exchange.query.items()
    )
    await exchange.answer(attrs.evolve(page(PROSE), headers=cookies))


async def show_cookies(exchange: Exchange) -> None:
    named = ", ".join(f"{name} is {value}" for name, value in sorted(exchange.cookies.items()))
    await exchange.answer(page(f"<h1>Cookies: {named or 'none'}</h1>{PROSE}"))


async def bake_in_script(exchange: Exchange) -> None:
    await exchange.answer(app(f"document.cookie = 'baked=script; path=/'; {build(PROSE)}"))


async def show_bearing(exchange: Exchange) -> None:
    seen = exchange.seen
    shown = f"<p>languages: {seen.accept_language}</p><p>agent: {seen.user_agent}</p>"
    await exchange.answer(page(f"<h1>Bearing</h1>{shown}{PROSE}"))


async def ask_for_browser(exchange: Exchange) -> None:
    """Redirect in a loop, except a browser."""
    is_browser = "Chrome" in exchange.seen.user_agent
    await exchange.answer(page(PROSE) if is_browser else redirect("/circle/browser"))


async def wall(exchange: Exchange) -> None:
    if exchange.cookies.get("consent") == "yes":
        await exchange.answer(page(f"<h1>Behind the wall</h1>{PROSE}"))
    else:
        form = "<form action=/wall/accept method=post><button name=consent value=yes>OK</button>"
        await exchange.answer(page(f"<h1>We value your privacy</h1>{PROSE}{form}</form>"))


async def accept(exchange: Exchange) -> None:
    consent = exchange.form.get("consent", "")
    cookie = f"consent={consent}; Path=/"
    await exchange.answer(redirect("/wall", status=303, cookie=cookie))


async def echo(exchange: Exchange) -> None:
    fields = exchange.query or dict(fields_of(exchange.body))
    shown = "".join(f"<li>{name} = {value}</li>" for name, value in fields.items())
    method = exchange.seen.method
    await exchange.answer(page(f"<h1>{method} received</h1><ul>{shown}</ul>{PROSE}"))


def fields_of(body: bytes) -> Iterator[tuple[str, str]]:
    """Yield the fields of a posted form, in either of the two encodings."""
    if not body.startswith(b"--"):
        yield from parse_qsl(body.decode(), keep_blank_values=True)
        return
    boundary = body.partition(b"\r\n")[0]
    for part in body.split(boundary)[1:-1]:
        head, _, value = part.partition(b"\r\n\r\n")
        name = head.partition(b'name="')[2].partition(b'"')[0]
        yield name.decode(), value.removesuffix(b"\r\n").decode()


HANDLERS: Mapping[str, Handler] = {
    "/bomb": explode,
    "/drip": drip,
    "/half": break_off,
    "/large": go_on_and_on,
    "/late": be_late,
    "/frames/slow/inner": be_late_inside,
    "/never": be_silent,
    "/cookies/set": give_cookies,
    "/cookies/script": bake_in_script,
    "/cookies": show_cookies,
    "/bearing": show_bearing,
    "/circle/browser": ask_for_browser,
    "/wall": wall,
    "/wall/accept": accept,
    "/echo": echo,
}


@pytest.fixture
async def site() -> AsyncGenerator[HardSite]:
    hard = HardSite()
    async with open_server(hard.answer, hard.log) as port:
        hard.port = port
        yield hard


@pytest.fixture
def open_reading_client(
    tmp_path: Path,
) -> OpenClient:
    """Open clients that may read pages on loopback."""

    @asynccontextmanager
    async def opened(**settings: object) -> AsyncGenerator[Tabwright]:
        chosen = {
            "browser__profile": None,
            "network__allow_private": True,
            "network__proxy": "none",
            "session__dir": str(tmp_path / "sessions"),
            **settings,
        }
        async with open_tabwright(settings_from(override(**chosen))) as tabwright:
            yield tabwright

    return opened


@pytest.fixture
async def tabwright(open_reading_client: OpenClient) -> AsyncGenerator[Tabwright]:
    """A client with the usual settings."""
    async with open_reading_client() as client:
        yield client
