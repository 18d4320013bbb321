"""``tabwright read`` at a shell: a page, a pipe of URLs, an interrupted batch."""

import csv
import json
import signal
import socket
import ssl
import sys
from functools import partial
from pathlib import Path

import attrs
import pytest
import trio
import trustme
import yaml
from PIL import Image

from tabwright.protocol.page_text import CUTS
from tabwright.testing.replica.server import ServerResponse, open_server

SENTENCE = "Every task has a parent that waits for it, and no error is lost."
AT_ONCE = 3
PAGES = 12
PATIENCE_S = 180
MEMORY_MB = 400

PEAK = """
import runpy, sys
try:
    runpy.run_module("tabwright", run_name="__main__", alter_sys=True)
finally:
    lines = open("/proc/self/status").read().splitlines()
    print(*(line for line in lines if line.startswith("VmHWM")), file=sys.stderr)
"""
"""The command, which says at its end how much memory it had at most (proc(5))."""


@attrs.frozen
class Ended:
    code: int
    stdout: str
    stderr: str


async def run(*command: str | Path, stdin: str = "") -> Ended:
    with trio.fail_after(PATIENCE_S):
        done = await trio.run_process(
            list(map(str, command)),
            stdin=stdin.encode(),
            capture_stdout=True,
            capture_stderr=True,
            check=False,
        )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def arguments(write_config, tmp_path):
    """The arguments of ``tabwright read`` without the test's own options."""
    sessions = {"dir": str(tmp_path / "sessions")}
    config = write_config(session=sessions, network={"retries": 0}, log={"dir": None})
    return ["read", "--config", str(config)]


@pytest.fixture
def browse(arguments, quick_tabwright):
    """The command line of ``tabwright read`` without the test's own options."""
    return [*quick_tabwright, *arguments]


async def run_all(commands):
    """Run commands concurrently, and return how each of them ended."""
    ended = dict.fromkeys(commands)
    limit = trio.CapacityLimiter(AT_ONCE)

    async def run_one(name):
        async with limit:
            ended[name] = await run(*commands[name])

    async with trio.open_nursery() as nursery:
        for name in commands:
            nursery.start_soon(run_one, name)
    return ended


def size_of(picture: str | Path) -> tuple[int, int]:
    with Image.open(picture) as opened:
        return opened.size


def unused_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


async def test_browse_exit_code_names_the_cause_of_a_failed_read(site, browse):
    stranger = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("localhost").configure_cert(stranger)

    async def secret(exchange):
        await exchange.answer(ServerResponse(b""))

    async with open_server(secret, [], tls=stranger) as tls_port:
        ended = await run_all(
            {
                0: [*browse, site.url("/static")],
                2: [*browse, "ftp://somewhere"],
                10: [*browse, f"http://127.0.0.1:{unused_port()}/"],
                11: [*browse, "http://nowhere.invalid/"],
                12: [*browse, "--timeout", "0.5", site.url("/never")],
                13: [*browse, f"https://localhost:{tls_port}/"],
                20: [*browse, site.url("/status/404")],
                21: [*browse, site.url("/status/500")],
                31: [*browse, site.url("/private/page")],
                40: [*browse, site.url("/file.bin")],
                41: [*browse, site.url("/garbled")],
                42: [*browse, site.url("/locked.pdf")],
            }
        )
    assert {code: one.code for code, one in ended.items()} == {code: code for code in ended}
    assert SENTENCE in ended[0].stdout
    assert ended[0].stderr == ""
    refused = [one for code, one in ended.items() if code]
    assert [one.stdout for one in refused] == [""] * len(refused)
    assert [one.stderr.count("\n") for one in refused] == [1] * len(refused)


async def test_browse_options_control_fetching_selection_and_output(site, browse, tmp_path):
    forms, static = site.url("/forms"), site.url("/static")
    pictures = tmp_path / "pictures"
    ended = await run_all(
        {
            "json": [*browse, "--json", static],
            "format": [*browse, "-f", "json", static],
            "text": [*browse, "-f", "text", "-s", "h1", static],
            "a11y": [*browse, "--no-js", "-f", "a11y", forms],
            "without": [*browse, "--exclude-selector", "h1, form", "--links", "inline", forms],
            "keyword": [*browse, "-k", "else", "-k", "Somewhere", "--keyword-mode", "all", forms],
            "query": [*browse, "--query", "what opens", site.url("/feed.rss")],
            "short": [*browse, "--json", "--max-tokens", "100", static],
            "bearing": [
                *browse, "-r", "-u", "Reader/2", "-H", "Accept-Language: eo", site.url("/bearing")
            ],
            "media": [
                *browse, "--media-dir", pictures, "--image-size", "40x30", "--image-quality", "50",
                site.url("/picture.png"),
            ],
            "download": [
                *browse, "--json", "--download-media", "--media-dir", tmp_path / "media",
                site.url("/picture.png"),
            ],
            "capped": [*browse, "--max-tier", "1", "--json", site.url("/app")],
        }
    )  # fmt: skip
    assert {name: one.code for name, one in ended.items()} == dict.fromkeys(ended, 0)
    shown = {name: one.stdout for name, one in ended.items()}
    record = json.loads(shown["json"])
    assert (record["tier"], record["title"], record["status"]) == (1, "Hard to read", 200)
    assert json.loads(shown["format"])["title"] == "Hard to read"
    assert shown["text"] == "Static\n"
    assert shown["a11y"].startswith('- RootWebArea "Hard to read"')
    assert "# Forms" not in shown["without"]
    assert f"[Somewhere else]({site.url('/static?from=forms')})" in shown["without"]
    assert "Somewhere else" in shown["keyword"]
    assert SENTENCE not in shown["keyword"]
    assert "A nursery opens" in shown["query"]
    short = json.loads(shown["short"])
    assert short["truncation"]["reason"] == "token_budget"
    assert "agent: Reader/2" in shown["bearing"]
    assert "languages: eo" in shown["bearing"]
    (picture,) = pictures.iterdir()
    assert picture.name == "001.jpeg"
    assert max(size_of(picture)) <= 40
    assert str(pictures) in ended["media"].stderr
    (file,) = json.loads(shown["download"])["files"]
    assert file["path"] == str(tmp_path / "media" / "001.png")
    assert max(size_of(file["path"])) > 40
    assert json.loads(shown["capped"])["tier"] == 1
    rest = await run(*browse, "--offset", str(short["truncation"]["next_offset"]), static)
    assert rest.code == 0
    assert "# Static" not in rest.stdout
    assert SENTENCE in rest.stdout


async def test_a_session_is_kept_from_command_to_command(site, browse):
    await run(*browse, "--session", "mine", site.url("/cookies/set?kept=1"))
    again = await run(*browse, "--session", "mine", site.url("/cookies"))
    other = await run(*browse, "--session", "other", site.url("/cookies"))
    assert "# Cookies: kept is 1\n" in again.stdout
    assert "# Cookies: none\n" in other.stdout


async def test_batch_urls_from_arguments_or_stdin_are_printed_in_order(site, browse):
    good, bad = site.url("/static"), site.url("/status/404")
    named = await run(*browse, "--batch-concurrency", "3", good, bad, site.url("/notes.txt"))
    piped = await run(*browse, "--json", stdin=f"# what to read\n{bad}\n\n{good}\n{good}\n")
    nothing = await run(*browse, stdin="\n")
    assert (named.code, piped.code, nothing.code) == (1, 1, 2)
    assert named.stdout.index(good) < named.stdout.index(site.url("/notes.txt"))
    assert named.stderr.count(bad) == 1
    assert named.stderr.endswith("2 of 3 pages read.\n")
    assert piped.stderr.startswith("1 duplicate URL skipped.\n")
    records = [json.loads(line) for line in piped.stdout.splitlines()]
    assert [(one["asked"], one["success"]) for one in records] == [(bad, False), (good, True)]
    assert (records[0]["code"], records[0]["status"]) == (200, 404)
    assert site.asked("/static") == 2


async def test_batch_reads_equivalent_spellings_of_a_url_once(site, browse):
    good = site.url("/static")
    other = good.replace("http://", "HTTP:\\\\").replace("/static", "/a/../static")
    done = await run(*browse, "--json", stdin=f" {good}\n{other}\n{good.upper()}\n")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert records[0]["url"] == good
    assert [one["asked"] for one in records] == [good, good.upper()]
    assert site.asked("/static") == 1


async def test_batch_output_format_follows_the_file_extension(site, browse, tmp_path):
    good, bad = site.url("/static"), site.url("/status/500")
    batch = tmp_path / "urls.txt"
    batch.write_text(f"{good}\n{bad}\n{good}\n")
    outputs = {end: tmp_path / f"pages.{end}" for end in ("json", "ndjson", "csv")}
    asked = {
        end: [*browse, "--batch", batch, "--batch-output", out] for end, out in outputs.items()
    }
    ended = await run_all(asked)
    wrong = await run(*browse, "--batch", batch, "--batch-output", tmp_path / "pages.doc")
    as_json = json.loads(outputs["json"].read_text())
    lines = [json.loads(line) for line in outputs["ndjson"].read_text().splitlines()]
    with outputs["csv"].open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [one.code for one in ended.values()] == [1, 1, 1]
    assert [one.stdout for one in ended.values()] == ["", "", ""]
    for records in (as_json, lines):
        assert [(one["asked"], one["success"]) for one in records] == [(good, True), (bad, False)]
        assert SENTENCE in records[0]["text"]
        assert (records[1]["code"], records[1]["status"]) == (201, 500)
    assert [(row["asked"], row["success"], row["reason"]) for row in rows] == [
        (good, "True", ""),
        (bad, "False", "http_server"),
    ]
    assert SENTENCE in rows[0]["text"]
    assert wrong.code == 2
    assert sorted(path.name for path in tmp_path.glob("pages.*")) == [
        "pages.csv", "pages.json", "pages.ndjson"
    ]  # fmt: skip


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
async def test_interrupted_batch_resumes_where_it_stopped(number, site, arguments, tmp_path):
    browse = [sys.executable, "-m", "tabwright", *arguments]
    urls = [site.url(f"/batch/{page}") for page in range(PAGES)]
    output = tmp_path / "pages.json"
    options = ["--batch-output", output, "--batch-concurrency", "2"]
    async with trio.open_nursery() as nursery:
        with (tmp_path / "stderr.txt").open("wb") as printed:
            begin = partial(trio.run_process, check=False, stderr=printed)
            process = await nursery.start(begin, list(map(str, [*browse, *options, *urls])))
        with trio.fail_after(PATIENCE_S):
            while site.held < 2:
                await trio.sleep(0.02)
        process.send_signal(number)
    assert not output.exists()
    interrupted = f"Interrupted: {site.HELD_FROM} of {PAGES} pages done."
    assert (interrupted in (tmp_path / "stderr.txt").read_text()) is (number == signal.SIGINT)
    site.released.set()
    other = await run(*browse, *options, "-f", "text", *urls)
    resumed = await run(*browse, *options, *urls)
    first = site.HELD_FROM
    asked = [site.asked(f"/batch/{page}") for page in range(PAGES)]
    assert asked == [1] * first + [2, 2] + [1] * (PAGES - first - 2)
    assert other.code == 2
    assert "other options" in other.stderr
    assert resumed.code == 0
    assert resumed.stderr == (
        f"{first} of {PAGES} pages are already done.\n{PAGES} of {PAGES} pages read.\n"
    )
    records = json.loads(output.read_text())
    assert [record["asked"] for record in records] == urls
    assert [record["title"] for record in records] == [f"Page {page}" for page in range(PAGES)]
    assert list(tmp_path.glob("pages.*")) == [output]


async def test_batch_with_unwritable_journal_reports_it_and_can_be_resumed(
    site, arguments, tmp_path
):
    site.released.set()
    output = tmp_path / "pages.json"
    urls = [site.url(f"/batch/{page}") for page in range(PAGES)]
    browse = [sys.executable, "-m", "tabwright", *arguments, "--batch-output", output, *urls]
    full = await run("sh", "-c", 'ulimit -f 4; exec "$@"', "sh", *browse)
    assert full.code == 2
    assert full.stderr.startswith(f"{output}.part cannot be written")
    assert "Traceback" not in full.stderr
    assert not output.exists()
    resumed = await run(*browse)
    assert resumed.code == 0
    assert f"of {PAGES} pages are already done." in resumed.stderr
    assert [record["asked"] for record in json.loads(output.read_text())] == urls


async def test_page_of_50_megabytes_is_read_within_the_memory_limit(site, arguments):
    ended = await run(sys.executable, "-c", PEAK, *arguments, "--no-js", site.url("/large"))
    record, _, peak = ended.stderr.rpartition("VmHWM:")
    assert (ended.code, record) == (0, "")
    assert len(ended.stdout) > 10_000_000
    assert ended.stdout.endswith(f"[... {CUTS['size_limit']}]\n")
    assert int(peak.split()[0]) < MEMORY_MB * 1000


@pytest.mark.chromium
async def test_browse_uses_a_tab_if_requested_or_needed_for_scripts(site, browse):
    ended = await run_all(
        {
            "app": [*browse, "--json", site.url("/shadow")],
            "second": [*browse, "-t", "2", "--json", site.url("/static")],
        }
    )
    records = {name: json.loads(one.stdout) for name, one in ended.items()}
    assert {name: record["tier"] for name, record in records.items()} == {"app": 2, "second": 2}
    assert all(SENTENCE in record["text"] for record in records.values())


@pytest.mark.chromium
async def test_unsaved_canvas_drawings_are_reported_on_stderr(site, browse, tmp_path):
    command = [*browse, "-t", "2", site.url("/drawings")]
    ended = await run_all({"told": command, "saved": [*command, "--media-dir", tmp_path / "media"]})
    reported = {name: "--media-dir" in one.stderr for name, one in ended.items()}
    assert reported == {"told": True, "saved": False}
    assert list((tmp_path / "media").iterdir())


@pytest.mark.chromium
async def test_page_too_large_for_a_tab_ends_the_command_with_exit_code_30(site, browse):
    ended = await run(*browse, "-t", "2", "--json", site.url("/large"))
    record = json.loads(ended.stdout)
    assert (ended.code, record["code"], record["kind"]) == (30, 300, "page_failed")


async def test_script_page_falls_back_to_http_text_without_a_browser(site, browse, tmp_path):
    config = tmp_path / "settings.yaml"
    settings = yaml.safe_load(config.read_text())
    settings["browser"]["path"] = str(tmp_path / "no-browser")
    config.write_text(yaml.safe_dump(settings))
    given = await run(*browse, "--json", site.url("/app/broken"))
    none = await run(*browse, "-t", "2", site.url("/app/broken"))
    record = json.loads(given.stdout)
    assert (given.code, record["tier"]) == (0, 1)
    assert "Read without a browser" in record["notice"]
    assert SENTENCE in record["text"]
    assert none.code == 3
