"""Cassettes of real pages in a real browser, and the test of the how-to guide."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tabwright import Tabwright
from tabwright.protocol.actions import Click, Type
from tabwright.protocol.inspection import TakeOutline
from tabwright.testing import Cassette, CassetteMismatch

pytestmark = [pytest.mark.chromium, pytest.mark.own_browser]

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "test-with-cassettes.md"
PLAYS = 5
PAGES = {
    "form": """<title>Form</title><form><label>Name <input name=n></label>
        <input type=submit value=Send></form>""",
    "frames": """<title>Frames</title><h1>Outside</h1><button onclick="
        setTimeout(() => document.body.append('Loaded later'), 300)">Load</button>
        <iframe srcdoc="<p>Inside</p>"></iframe>""",
    "app": """<title>App</title><main></main><script>
        let count = 0;
        const show = () => { document.querySelector('main').innerHTML =
          `<button>Add</button><p>${count} things, ${document.cookie}</p>`;
          document.querySelector('button').onclick = () => { count += 1; show(); }; };
        document.cookie = 'sid=s3cret-cookie'; show();</script>""",
}


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("name", PAGES)
def test_cassette_of_a_real_page_plays_the_same_each_time(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.html").write_text(f"<!doctype html>{PAGES[name]}")
    cassette = Cassette(path=tmp_path / "page.jsonl", secrets={"NAME": "Ada Lovelace"})
    with served(tmp_path) as origin:
        url = f"{origin}/{name}.html"

        async def use(tabwright: Tabwright) -> list[str]:
            await tabwright.session("s").enter(url)
            texts: list[str] = []
            for _ in range(2):
                outline = await tabwright.session("s").inspect(TakeOutline())
                texts.append(outline.text)
                control = outline.controls[0]
                act = Type(control.ref, "Ada Lovelace") if name == "form" else Click(control.ref)
                texts.append((await tabwright.session("s").act(act)).changes)
            return texts

        recorded = cassette.run(use)
    # From here on, nothing serves the page.
    played = cassette.run(use)
    trace = list(cassette.trace)
    masked = [text.replace("s3cret-cookie", "masked") for text in recorded]
    assert played == [text.replace("Ada Lovelace", "{{NAME}}") for text in masked]
    for _ in range(PLAYS):
        assert cassette.run(use) == played
        assert cassette.trace == trace
    written = cassette.path.read_text()
    assert "s3cret-cookie" not in written
    assert "Ada Lovelace" not in written

    async def other(tabwright: Tabwright) -> None:
        await tabwright.session("s").enter(f"{url}?other")

    with pytest.raises(CassetteMismatch, match="other"):
        cassette.run(other)


@pytest.mark.nightly
def test_guide_example_test_fails_on_the_bug_and_passes_when_fixed(tmp_path: Path) -> None:
    blocks = re.findall(r"```(\w+)\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    [page] = [text for kind, text in blocks if kind == "html"]
    program, test, fixed_line = [text for kind, text in blocks if kind == "python"][-3:]
    (tmp_path / "shop.html").write_text(page)
    (tmp_path / "test_shop.py").write_text(test)
    with served(tmp_path) as origin:
        program = program.replace("http://127.0.0.1:8000", origin)
        (tmp_path / "shop.py").write_text(program)
        done = run_pytest(tmp_path)
    assert "1 failed, 1 passed" in done
    assert "DID NOT RAISE" in done

    fixed = program.replace("import Tabwright", "import Effect, Tabwright")
    old_line = next(line for line in fixed.splitlines() if "error.retryable" in line)
    (tmp_path / "shop.py").write_text(fixed.replace(old_line, fixed_line.splitlines()[0]))
    assert "2 passed" in run_pytest(tmp_path)


def run_pytest(folder: Path) -> str:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_shop.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return re.sub(r" in [\d.]+s", "", done.stdout)
