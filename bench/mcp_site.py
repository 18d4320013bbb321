"""The site of bench/mcp.py: five pages of the kinds that agents meet, on loopback.

Each page has needles: texts that a complete snapshot of it must contain.
"""

import json
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import attrs

WORDS = (
    *("tide", "came", "in", "slowly", "over", "the", "flat", "sand", "while", "every", "boat"),
    *("that", "lay", "there", "began", "to", "lift", "and", "turn", "toward", "wind", "at", "noon"),
)
PARAGRAPHS, PARAGRAPH_WORDS = 40, 75
ROWS, LINKS, ITEMS, COUNTRIES = 500, 300, 40, 40
CITIES = ("Lisbon", "Nairobi", "Osaka", "Quito", "Tallinn")


@attrs.frozen
class Page:
    """A page.

    Attributes:
        what: its name in the table.
        needles: texts that a complete snapshot of it contains.
    """

    what: str
    html: str
    needles: tuple[str, ...]


def _whole(title: str, body: str) -> str:
    head = f"<meta charset=utf-8><title>{title}</title>"
    return f"<!doctype html><html lang=en><head>{head}</head><body>{body}</body></html>"


def _paragraph(number: int) -> str:
    words = [WORDS[(number * 7 + place * 5) % len(WORDS)] for place in range(PARAGRAPH_WORDS)]
    words[-10] = f"wave-{number}"
    link = f'<a href="/ref-{number}.html">source {number}</a>'
    heading = f"<h2>Part {number // 8 + 1}</h2>" if number % 8 == 0 else ""
    return f"{heading}<p>{' '.join(words).capitalize()} ({link}).</p>"


def _article() -> Page:
    paragraphs = "".join(map(_paragraph, range(PARAGRAPHS)))
    body = f"<article><h1>Tides</h1><p>By A. Writer</p>{paragraphs}</article>"
    needles = ("Tides", "Part 5", "source 0", f"wave-{PARAGRAPHS - 1}", "By A. Writer")
    return Page("article, 3,000 words", _whole("Tides", body), needles)


def _table() -> Page:
    cells = (
        (
            f"Order {row}",
            f"Customer {row * 37 % 997}",
            CITIES[row % 5],
            f"2026-{row % 12 + 1:02}-15",
            f"{row * 13 % 900 + 10}.50",
        )
        for row in range(1, ROWS + 1)
    )
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in cells)
    heads = "".join(f"<th>{head}</th>" for head in ("Order", "Customer", "City", "Date", "Sum"))
    body = f"<h1>Orders</h1><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    return Page("table, 500 rows", _whole("Orders", body), ("Order 1", "Order 250", "Order 500"))


def _form() -> Page:
    countries = "".join(f"<option value=c{n}>Country {n}</option>" for n in range(COUNTRIES))
    fields = "".join(
        f"<p><label for={name}>{label}</label> <input id={name} name={name} type={kind}{more}></p>"
        for name, label, kind, more in (
            ("first", "First name", "text", " required"),
            ("last", "Last name", "text", " required"),
            ("mail", "E-mail", "email", " required"),
            ("town", "Town", "text", ""),
            ("phone", "Phone", "tel", ""),
            ("born", "Date of birth", "date", ""),
            ("guests", "Guests", "number", " value=2"),
            ("news", "Send me news", "checkbox", ""),
            ("terms", "I accept the terms", "checkbox", " required"),
        )
    )
    land = f"<select id=land name=land>{countries}</select>"
    choice = f"<p><label for=land>Country</label> {land}</p>"
    text = "<p><label for=note>Note</label> <textarea id=note name=note></textarea></p>"
    count = "<p><button type=button id=more onclick='add()'>Add</button> <output>0</output></p>"
    script = "<script>function add() { document.querySelector('output').value++ }</script>"
    body = f"<h1>Book</h1><form>{fields}{choice}{text}{count}<button>Send</button></form>{script}"
    labels = ("First name", "Country", "I accept the terms", "Note", "Add", "Send")
    return Page("form, 11 fields", _whole("Book", body), labels)


def _links() -> Page:
    items = "".join(
        f'<li><a href="/topics/{n}/an-entry-with-a-name">Entry {n} of the list</a></li>'
        for n in range(1, LINKS + 1)
    )
    return Page(
        "300 links",
        _whole("Index", f"<h1>Index</h1><ul>{items}</ul>"),
        ("Entry 1 of", "Entry 300 of", "/topics/300/"),
    )


def _rendered() -> Page:
    script = """<script>
    setTimeout(async () => {
      const items = await (await fetch("/items.json")).json();
      document.querySelector("main").innerHTML = items.map(({name, price}) =>
        `<div class=card><h3>${name}</h3><p>${price} €</p><button>Buy ${name}</button></div>`
      ).join("");
    }, 20);
    </script>"""
    body = f"<h1>Shop</h1><main>Loading items</main>{script}"
    return Page("by script, 40 items", _whole("Shop", body), ("Buy Lamp 1", "Buy Lamp 40", "40.90"))


PAGES: Mapping[str, Page] = {
    "article": _article(),
    "table": _table(),
    "form": _form(),
    "links": _links(),
    "spa": _rendered(),
}
ITEMS_JSON = json.dumps([{"name": f"Lamp {n}", "price": f"{n}.90"} for n in range(1, ITEMS + 1)])


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        name = self.path.strip("/")
        if name == "items.json":
            self._answer(200, "application/json", ITEMS_JSON)
        elif name in PAGES:
            self._answer(200, "text/html; charset=utf-8", PAGES[name].html)
        else:
            self._answer(404, "text/plain", "nothing")

    def _answer(self, status: int, content_type: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (http.server's)
        """Log nothing."""


@contextmanager
def open_site() -> Generator[str]:
    """Serve the site while the block runs; yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
