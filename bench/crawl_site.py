"""A local site of 2,000 articles for `bench/crawl.py`: ``python bench/crawl_site.py PAGES``.

It prints its URL, and serves every page from memory over persistent connections, so that the
crawlers wait as little as possible for it. The home page lists sections, each section lists its
articles over several pages, and each article has navigation, a sidebar, a table and related
articles.
"""

import asyncio
import sys
from random import Random

WORDS = [
    "tide",
    "harbour",
    "vessel",
    "captain",
    "lantern",
    "archive",
    "survey",
    "granite",
    "meadow",
    "orchard",
    "kettle",
    "signal",
    "measure",
    "valley",
    "bridge",
    "station",
    "ledger",
    "window",
    "garden",
    "market",
    "river",
    "letter",
    "record",
    "winter",
    "summer",
    "of",
    "the",
    "and",
    "in",
    "a",
    "to",
    "for",
    "with",
    "on",
    "by",
    "at",
    "from",
    "as",
    "is",
    "was",
    "were",
    "has",
    "had",
    "will",
    "can",
    "over",
    "under",
]
SECTIONS = 20
PER_LIST = 25
SCRIPT = (
    "<script>window.dataLayer=window.dataLayer||[];" + "dataLayer.push({a:1});" * 60 + "</script>"
)


def paragraph(random: Random) -> str:
    sentences = (
        " ".join(random.choices(WORDS, k=random.randint(8, 22))).capitalize() + "."
        for _ in range(random.randint(3, 6))
    )
    return f"<p>{' '.join(sentences)}</p>"


def layout(title: str, main: str, links: str) -> bytes:
    nav = "".join(f'<li><a href="/section/{n}">Section {n}</a></li>' for n in range(SECTIONS))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="description" content="About {title}"><link rel="stylesheet" href="/s.css">'
        f'{SCRIPT}</head><body><header><a href="/">Home</a><nav><ul>{nav}</ul></nav></header>'
        f"<main><article><h1>{title}</h1>{main}</article></main>"
        f"<aside><h2>Related</h2><ul>{links}</ul></aside>"
        '<footer><p>All rights reserved.</p><a href="/about">About</a></footer></body></html>'
    ).encode()


def site(pages: int) -> dict[str, bytes]:
    """Return all pages by path."""
    random = Random(7)  # noqa: S311
    made: dict[str, bytes] = {}
    per_section = pages // SECTIONS
    lists = -(-per_section // PER_LIST)
    articles = max(pages - SECTIONS * lists - 2, 0)
    by_section = [range(n, articles, SECTIONS) for n in range(SECTIONS)]
    links = "".join(f'<li><a href="/section/{n}">Section {n}</a></li>' for n in range(SECTIONS))
    made["/"] = layout("Harbour news", paragraph(random), links)
    made["/about"] = layout("About us", paragraph(random), links)
    for number, own in enumerate(by_section):
        for part in range(lists):
            shown = own[part * PER_LIST : (part + 1) * PER_LIST]
            items = "".join(f'<li><a href="/article/{n}">Article {n}</a></li>' for n in shown)
            path = f"/section/{number}" + (f"?page={part}" if part else "")
            after = (
                f'<a href="/section/{number}?page={part + 1}">Next</a>' if part + 1 < lists else ""
            )
            made[path] = layout(f"Section {number}, part {part}", f"<ul>{items}</ul>{after}", links)
    for number in range(articles):
        rows = "".join(
            f"<tr><td>{random.choice(WORDS)}</td><td>{random.randint(1, 999)}</td></tr>"
            for _ in range(8)
        )
        body = "".join(
            (f"<h2>{random.choice(WORDS).title()}</h2>" if n % 4 == 0 else "") + paragraph(random)
            for n in range(14)
        )
        table = f"<table><tr><th>Name</th><th>Value</th></tr>{rows}</table>"
        related = "".join(
            f'<li><a href="/article/{random.randrange(articles)}">More</a></li>' for _ in range(8)
        )
        made[f"/article/{number}"] = layout(f"Article {number}", body + table, related)
    return made


async def main() -> None:
    pages = site(int(sys.argv[1]))

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                path = head.split(b" ", 2)[1].decode()
                body = pages.get(path)
                status = "200 OK" if body is not None else "404 Not Found"
                body = body if body is not None else b"<h1>Not found</h1>"
                writer.write(
                    f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n"
                    f"Content-Length: {len(body)}\r\n\r\n".encode()
                    + body
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
