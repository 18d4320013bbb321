"""Crawls from the command line: traps, changed pages, and a process that is killed."""

import csv
import gzip
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import count
from pathlib import Path
from random import Random

import attrs
import pytest
import trio
from mcp.client.client import Client
from mcp.types import TextContent

from tabwright.testing.replica.server import (
    Exchange,
    Seen,
    ServerResponse,
    html,
    open_server,
    redirect,
)

ALLOWED = ("--set", "network.allow_private=true", "--set", "network.proxy=none", "--no-js")
Answer = Callable[[Exchange], ServerResponse]
Command = Callable[..., Awaitable[subprocess.CompletedProcess[bytes]]]
Crawl = Callable[..., Awaitable[str]]
PAGES = 120
SLOW_S = 0.01


@attrs.frozen
class Served:
    url: str
    seen: list[Seen]

    def requests(self) -> Counter[str]:
        return Counter(one.path for one in self.seen)


@asynccontextmanager
async def serving(answer: Answer, slow_s: float = 0) -> AsyncGenerator[Served]:
    seen: list[Seen] = []

    async def handle(exchange: Exchange) -> None:
        await trio.sleep(slow_s)
        await exchange.answer(answer(exchange))

    async with open_server(handle, seen) as port:
        yield Served(f"http://127.0.0.1:{port}", seen)


def page(title: str, *links: str, text: str = "", head: str = "") -> ServerResponse:
    anchors = "".join(f'<li><a href="{one}">{one.partition("?")[0]}</a></li>' for one in links)
    body = f"<main><h1>{title}</h1><p>{text or f'All about {title}.'}</p><ul>{anchors}</ul></main>"
    return html(f"<!doctype html><title>{title}</title>{head}{body}")


def missing() -> ServerResponse:
    return html("<h1>Not found</h1>", status=404)


@pytest.fixture
def tabwright(quick_tabwright: list[str]) -> Command:
    """Run a `tabwright` command to completion."""

    async def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        return await trio.run_process(
            [*quick_tabwright, *arguments], capture_stdout=True, capture_stderr=True, check=False
        )

    return run


@pytest.fixture
def crawl(tabwright: Command) -> Crawl:
    """Crawl a site without a browser, and return what is printed on standard error."""

    async def run(*arguments: str) -> str:
        done = await tabwright("crawl", *arguments, *ALLOWED)
        assert done.returncode == 0, done.stderr.decode()
        return done.stderr.decode()

    return run


def records(path: Path) -> list[Mapping[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def read_paths(path: Path, url: str) -> set[str]:
    return {str(one["url"]).removeprefix(url) for one in records(path) if one["success"]}


def trap_site(exchange: Exchange) -> ServerResponse:
    """Serve a site with common crawler traps around a few pages worth reading."""
    path, query = exchange.path, exchange.query
    match path.split("/")[1:]:
        case [""]:
            return page(
                "Home",
                *("/a", "/a?utm_source=home", "/b?PHPSESSID=1", "/cal/2024/1", "/shop", "/loop"),
                *("/old", "/closed/x", "/hidden", "/stop", "/no-such-page", "/dead", "/deep/deep"),
                *("http://localhost:1/elsewhere", "/picture.png", "/huge", "mailto:a@b.example"),
            )
        case ["a"]:
            return page("A", "/", head='<link rel=canonical href="/a">')
        case ["b"]:
            return page("B", "/b?PHPSESSID=0123456789abcdef", "/a;jsessionid=AB12")
        case ["cal", year, month]:
            number = int(year) * 12 + int(month) - 1
            before, after = divmod(number - 1, 12), divmod(number + 1, 12)
            near = [f"/cal/{year}/{month}?day={day}" for day in range(1, 4)]
            around = [f"/cal/{one}/{rest + 1}" for one, rest in (before, after)]
            return page("Calendar", *near, *around, text=f"{month} of {year}: nothing planned.")
        case ["shop"]:
            chosen = dict(query)
            more = [
                "/shop?" + "&".join(f"{k}={v}" for k, v in sorted({**chosen, name: value}.items()))
                for name in ("color", "size", "sort")
                for value in ("1", "2", "3", "4")
            ]
            shown = sorted({int(value) for value in chosen.values()}) or [1, 2, 3, 4]
            return page("Shop", *(f"/item/{n}" for n in shown), *more, text="Our items.")
        case ["item", number]:
            return page(f"Item {number}", "/shop", text=f"A fine item, number {number} of four.")
        case ["loop"]:
            return redirect("/loop2")
        case ["loop2"]:
            return redirect("/loop")
        case ["old"]:
            return redirect("/a")
        case ["closed", _]:
            return page("Closed")
        case ["hidden"]:
            return page("Hidden", "/found-by-hidden", head="<meta name=robots content=noindex>")
        case ["stop"]:
            return page("Stop", "/never", head="<meta name=robots content=nofollow>")
        case ["found-by-hidden"]:
            rel = '<a rel="nofollow" href="/never">x</a>'
            return page("Found", text=f"Found at last. {rel}")
        case ["deep", *parts]:
            return page("Deep", f"{path}/deep", text=f"{len(parts)} steps down.")
        case ["huge"]:
            return page("Huge", text="word " * 200_000)
        case ["dead"]:
            return missing()
        case ["listed"]:
            return page("Listed", text="Only the sitemap knows this page.")
        case ["robots.txt"]:
            lines = b"User-agent: *\nDisallow: /closed/\nSitemap: /ignored\n"
            host = dict(exchange.seen.headers).get("host", "")
            return ServerResponse(lines + f"Sitemap: http://{host}/index.xml\n".encode())
        case ["index.xml"]:
            host = dict(exchange.seen.headers).get("host", "")
            return ServerResponse(
                f"<sitemap><loc>http://{host}/pages.xml.gz</loc></sitemap>".encode()
            )
        case ["pages.xml.gz"]:
            host = dict(exchange.seen.headers).get("host", "")
            urls = (
                f"<url><loc>http://{host}/listed</loc></url><url><loc>http://{host}/a</loc></url>"
            )
            return ServerResponse(gzip.compress(urls.encode()))
        case _:
            return html("<title>Oops</title><main><h1>Oops</h1><p>Nothing is here.</p></main>")


async def test_crawl_reads_each_page_of_a_site_full_of_traps_once(
    tmp_path: Path, crawl: Crawl
) -> None:
    output = tmp_path / "out.ndjson"
    async with serving(trap_site) as site:
        printed = await crawl(site.url, "-o", str(output), "--max-bytes", "50M")
        requested = site.requests()
    paths = read_paths(output, site.url)
    real = {"/", "/a", "/b", "/stop", "/found-by-hidden", "/listed", "/huge"}
    real |= {f"/item/{number}" for number in range(1, 5)}
    assert real <= paths
    others = Counter(path.partition("?")[0].split("/")[1] for path in paths - real)
    assert set(others) <= {"cal", "shop", "deep"}
    assert others["cal"] <= 60
    assert others["shop"] <= 60
    assert not any(path.startswith(("/closed", "/never", "/picture")) for path in requested)
    assert max(requested[path] for path in real - {"/a"}) == 1  # a redirect leads to /a, too
    [failed] = [one for one in records(output) if not one["success"] and "/dead" in str(one)]
    assert (failed["kind"], failed["code"]) == ("navigation_failed", 200)
    assert (failed["status"], failed["found_on"]) == (404, f"{site.url}/")
    for reason in ("noindex", "robots", "soft_404", "trap", "duplicate"):
        assert reason in printed


def calendar_site(exchange: Exchange) -> ServerResponse:
    """Serve articles, and a calendar with endless links between months and days."""
    match exchange.path.split("/")[1:]:
        case [""]:
            return page("Home", "/month/2024-05", *(f"/article/{n}" for n in range(40)))
        case ["article", number]:
            return page(f"Article {number}", "/", text=f"What {number} is about, {number} times.")
        case ["month", when]:
            year, month = map(int, when.split("-"))
            before, after = divmod(year * 12 + month - 2, 12), divmod(year * 12 + month, 12)
            near = [f"/month/{one}-{rest + 1:02}" for one, rest in (before, after)]
            days = [f"/day/{when}-{day:02}" for day in range(1, 29)]
            return page(f"{month} {year}", *near, *days, text=f"All days of {when}.")
        case ["day", when]:
            return page(when, f"/month/{when[:7]}", text=f"Nothing happens on {when}.")
        case _:
            return missing()


def visit_site(exchange: Exchange) -> ServerResponse:
    """Serve articles that link to each other with a different visit number each time."""
    name = exchange.path.removeprefix("/")
    if name and not name.isdecimal():
        return missing()
    visit = f"xid={next(VISITS)}"
    near = [f"/{(int(name or 0) + step) % 40}?{visit}" for step in range(1, 4)]
    return page(f"Page {name}", *near, text=f"The text of page {name or 'zero'}, and only that.")


def filter_site(exchange: Exchange) -> ServerResponse:
    """Serve a shop whose four filters, six values each, make 2,401 lists of 15 items."""
    if exchange.path.startswith("/item/"):
        name = exchange.path.removeprefix("/item/")
        return page(f"Item {name}", "/shop", text=f"Item {name} is the best of its kind {name}.")
    if exchange.path not in {"/", "/shop"}:
        return missing()
    chosen = dict(exchange.query)
    more = [
        "/shop?" + "&".join(f"{key}={one}" for key, one in {**chosen, name: value}.items())
        for name in ("color", "size", "brand", "sort")
        for value in "123456"
    ]
    first = sum(map(int, chosen.values()))
    return page("Shop", *(f"/item/{(first + n) % 15}" for n in range(5)), *more, text="Choose.")


def member_site(exchange: Exchange) -> ServerResponse:
    """Serve pages that differ only in a parameter, the first ten of them alike."""
    number = int(exchange.query.get("id", 0))
    match exchange.path, number:
        case "/", _:
            return page("Home", *(f"/page?id={n}" for n in range(1, 61)))
        case "/page", _ if number <= 10:
            return page("Members", text="For members only.")
        case "/page", _:
            return page(f"Page {number}", text=f"The text of {number}, for all.")
        case _:
            return missing()


VISITS = count(1_000_000)


@pytest.mark.parametrize(
    ("answer", "real", "requests_max"),
    [
        (calendar_site, [f"/article/{n}" for n in range(40)], 400),
        (visit_site, [f"/{n}" for n in range(40)], 200),
        (filter_site, [f"/item/{n}" for n in range(15)], 400),
    ],
    ids=["calendar", "visits", "filters"],
)
async def test_crawl_of_an_infinite_site_ends_with_all_real_pages(
    tmp_path: Path, crawl: Crawl, answer: Answer, real: list[str], requests_max: int
) -> None:
    output = tmp_path / "out.ndjson"
    limits = ("--max-depth", "100000", "--max-pages", "5000")
    async with serving(answer) as site:
        await crawl(site.url, "-o", str(output), *limits)
    found = {path.partition("?")[0] for path in read_paths(output, site.url)}
    assert set(real) <= found
    assert len(site.seen) <= requests_max


async def test_pages_mistaken_for_variants_are_still_read(tmp_path: Path, crawl: Crawl) -> None:
    output = tmp_path / "out.ndjson"
    async with serving(member_site) as site:
        await crawl(site.url, "-o", str(output))
    assert {f"/page?id={n}" for n in range(11, 61)} <= read_paths(output, site.url)


def plain_site(exchange: Exchange) -> ServerResponse:
    """Serve a tree of pages, each with links to three more and to the first."""
    if exchange.path in {"/robots.txt", "/sitemap.xml"}:
        return missing()
    try:
        number = int(exchange.path.removeprefix("/") or 0)
    except ValueError:
        return missing()
    below = [f"/{child}" for child in range(3 * number + 1, 3 * number + 4) if child < PAGES]
    return page(f"Page {number}", "/", *below, text=f"The text of page {number}.")


@pytest.mark.nightly
async def test_killed_crawl_goes_on_without_losing_or_repeating_a_page(tmp_path: Path) -> None:
    random = Random(7)
    output, kills, at_once = tmp_path / "out.ndjson", 0, 4
    arguments = ["-o", str(output), "--concurrency", str(at_once), *ALLOWED]
    async with serving(plain_site, SLOW_S) as site:
        command = [sys.executable, "-m", "tabwright", "crawl", site.url, *arguments]
        for share in (0.1, 0.4, 0.7):
            process = await trio.lowlevel.open_process(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            enough = share * PAGES + random.randint(0, 12)
            with trio.move_on_after(20):
                while len(site.seen) < enough and process.poll() is None:
                    await trio.sleep(random.uniform(0, 0.005))
            kills += process.poll() is None
            os.kill(process.pid, signal.SIGKILL)
            await process.wait()
        done = await trio.run_process(command, capture_stderr=True)
        requested = site.requests()
    assert kills == 3
    assert f"{PAGES} pages read." in done.stderr.decode()
    urls = Counter(str(one["url"]) for one in records(output))
    assert urls == {f"{site.url}/{number or ''}": 1 for number in range(PAGES)}
    again = sum(requested[f"/{number or ''}"] - 1 for number in range(PAGES))
    assert again <= kills * at_once


async def test_ordered_crawls_write_the_same_file_at_any_concurrency(
    tmp_path: Path, crawl: Crawl
) -> None:
    files: list[bytes] = []
    async with serving(plain_site) as site:
        for number, at_once in enumerate(("1", "7")):
            output = tmp_path / f"{number}.ndjson"
            limits = ("--max-pages", "40", "--concurrency", at_once, "--ordered")
            await crawl(site.url, "-o", str(output), *limits)
            files.append(output.read_bytes())
    assert files[0] == files[1]
    assert len(files[0].splitlines()) == 40


async def test_crawl_stops_at_a_long_retry_after_and_resumes_later(
    tmp_path: Path, crawl: Crawl
) -> None:
    state = {"busy": True}

    def answer(exchange: Exchange) -> ServerResponse:
        if state["busy"] and exchange.path == "/20":
            return ServerResponse(b"", status=429, headers=(("Retry-After", "3600"),))
        return plain_site(exchange)

    output = ("-o", str(tmp_path / "out.ndjson"), "--concurrency", "2")
    async with serving(answer) as site:
        printed = await crawl(site.url, *output)
        state["busy"] = False
        requests = len(site.seen)
        finished = await crawl(site.url, *output)
    assert "asked for a pause" in printed
    assert requests < PAGES
    assert f"{PAGES} pages read." in finished


@pytest.mark.smoke
async def test_crawl_with_since_reports_changed_pages(
    tmp_path: Path, crawl: Crawl, tabwright: Command
) -> None:
    state = {"second": False}

    def answer(exchange: Exchange) -> ServerResponse:
        second = state["second"]
        match exchange.path:
            case "/":
                return page("Home", "/same", "/edited", "/new" if second else "/gone")
            case "/same":
                return page("Same")
            case "/edited":
                return page("Edited", text="After." if second else "Before.")
            case "/new" if second:
                return page("New")
            case "/gone" if not second:
                return page("Gone")
            case _:
                return missing()

    async with serving(answer) as site:
        await crawl(site.url, "-o", str(tmp_path / "one.csv"))
        state["second"] = True
        since = str(tmp_path / "one.csv.crawl")
        printed = await crawl(site.url, "-o", str(tmp_path / "two.csv"), "--since", since)
        listed = await tabwright("crawl", "--list", site.url, *ALLOWED)
    with (tmp_path / "two.csv").open(newline="") as file:
        changes = {
            row["asked"].removeprefix(site.url): row["change"] for row in csv.DictReader(file)
        }
    assert changes == {
        "/": "changed",
        "/same": "same",
        "/edited": "changed",
        "/new": "new",
        "/gone": "gone",
    }
    assert "1 new, 2 changed, 1 same, 1 gone." in printed
    urls = listed.stdout.decode().split()
    assert urls == [f"{site.url}/{name}" for name in ("", "same", "edited", "new")]


@pytest.mark.smoke
async def test_mcp_crawl_tools_read_a_site_and_resume_where_they_stopped(
    tmp_path: Path,
    write_config: Callable[..., Path],
    open_client: Callable[..., AbstractAsyncContextManager[Client]],
) -> None:
    config = write_config(mcp={"tools": ["crawl"]}, session={"dir": str(tmp_path)})

    def answer(exchange: Exchange) -> ServerResponse:
        return missing() if exchange.path == "/7" else plain_site(exchange)

    async with serving(answer) as site, open_client(config) as client:

        async def call(tool: str, **arguments: object) -> dict[str, object]:
            meta = {"tabwright/structured": True}
            result = await client.call_tool(tool, arguments, meta=meta)
            assert not result.is_error, result.content
            assert result.structured_content is not None
            return result.structured_content

        first = await call("crawl", url=site.url, max_pages=5)
        requests = len(site.seen)
        await call("crawl", url=site.url, max_pages=5)
        assert len(site.seen) == requests
        more = await call("crawl", url=site.url, max_pages=12)
        again = max(count for path, count in site.requests().items() if path[1:].isdigit())
        assert again == 1
        mapped = await call("crawl", url=site.url, max_pages=3, urls_only=True)
        urls = [f"{site.url}/{n}" for n in (5, 7, 9)]
        many = await call("crawl", urls=urls)
        [little] = (await client.call_tool("crawl", {"urls": urls, "max_tokens": 1})).content
    assert [len(one["pages"]) for one in (first, more)] == [5, 12]
    assert first["stopped"] == "pages"
    assert len(mapped["urls"]) == 10
    assert "The text of page 5." in str(many["pages"][0])
    assert "error" in many["pages"][1]
    assert "The text of page 9." in str(many["pages"][2])
    assert isinstance(little, TextContent)
    assert urls[0] in little.text
    assert not [line for line in little.text.splitlines() if line.strip() == "#"]


@pytest.mark.chromium
async def test_pages_that_scripts_build_are_crawled_in_a_browser(
    tmp_path: Path, tabwright: Command
) -> None:
    def answer(exchange: Exchange) -> ServerResponse:
        if exchange.path not in {"/", "/one", "/two"}:
            return missing()
        return html(
            "<!doctype html><title>App</title><div id=app></div><script>"
            "const name = location.pathname.slice(1) || 'home';"
            "setTimeout(() => document.getElementById('app').innerHTML ="
            " `<h1>${name}</h1><p>${'All about ' + name + '. '.repeat(20)}</p>"
            "<a href=/one>One</a> <a href=/two>Two</a>`, 50);</script>"
        )

    output = tmp_path / "out"
    async with serving(answer) as site:
        allowed = ALLOWED[:-1]  # with a browser
        done = await tabwright("crawl", site.url, "-o", str(output), *allowed)
    assert done.returncode == 0, done.stderr.decode()
    texts = {path.name: path.read_text() for path in output.rglob("*.md")}
    assert set(texts) == {"index.md", "one.md", "two.md"}
    assert "All about two" in texts["two.md"]
