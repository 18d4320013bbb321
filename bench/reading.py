"""Measure how well and how fast tabwright and other readers find the main content of pages.

Run as ``python bench/reading.py PAGES``, with a file of labelled pages (see `reading_truth`), and
with ``--peers .peers/bin/python`` for other readers too; see README.md. Each reader runs in a
process of its own (see `peers`) and measures itself. They take turns at every batch of pages, so
that other load on the machine affects all of them equally.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import fmean
from typing import Final

import attrs
from reading_truth import SETS, Page, Score, load, mean_f1, score

CASES: Final = Path(__file__).parent / "peers" / "reading_cases.py"
OURS: Final = ("tabwright", "tabwright_snapshot")
THEIRS: Final = (
    "trafilatura",
    "trafilatura_fast",
    "readability_lxml",
    "resiliparse",
    "html2text",
    "markdownify",
    "markitdown",
)
MEASURE: Final = "trafilatura"
"""The reader whose pace is 1.0."""

TYPED: Final = "wcxb"
"""The set that has a type for each page."""

BATCH_PAGES: Final = 20
LEAVE_S: Final = 5


@attrs.define
class Reader:
    """A reader in a process of its own, with its CPU time and scores so far."""

    name: str
    process: subprocess.Popen[str]
    spent_s: float = 0.0
    scores: list[Score] = attrs.field(factory=list)

    def read(self, first: int, pages: Sequence[Page]) -> None:
        """Let it read a batch, and score the texts."""
        assert self.process.stdin is not None  # noqa: S101 - it was opened with a pipe
        assert self.process.stdout is not None  # noqa: S101
        self.process.stdin.write(f"{first} {first + len(pages)}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} ended with code {self.process.wait()}.")
        answer = json.loads(line)
        self.spent_s += answer["spent_s"]
        self.scores += [
            score(page, text) for page, text in zip(pages, answer["texts"], strict=True)
        ]


@contextmanager
def running(name: str, python: str, pages: Path) -> Iterator[Reader]:
    """Start a reader; at the end, close its standard input and kill it if it does not exit."""
    command = [python, str(CASES), name, str(pages)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Reader(name, process)
        finally:
            leave(process)


def leave(process: subprocess.Popen[str]) -> None:
    try:
        process.communicate(timeout=LEAVE_S)
    except subprocess.TimeoutExpired:
        process.kill()


def read_all(readers: Sequence[Reader], pages: Sequence[Page]) -> None:
    for first in range(0, len(pages), BATCH_PAGES):
        for reader in readers:
            reader.read(first, pages[first : first + BATCH_PAGES])


def quality(readers: Sequence[Reader], pages: Sequence[Page]) -> Iterator[str]:
    """Yield a Markdown table: F1 of each set, the pace relative to `MEASURE`'s, and pages/s."""
    base_s = next((one.spent_s for one in readers if one.name == MEASURE), readers[0].spent_s)
    yield f"| | {' | '.join(SETS)} | pace | pages/s |"
    yield "|---" * (len(SETS) + 3) + "|"
    for reader in readers:
        groups = grouped(reader.scores, [page.set for page in pages])
        cells = [f"{mean_f1(name, groups[name]):.3f}" for name in SETS if name in groups]
        cells += [f"{base_s / reader.spent_s:.1f}", f"{len(pages) / reader.spent_s:.0f}"]
        yield f"| {reader.name.replace('_', ', ')} | {' | '.join(cells)} |"


def by_type(readers: Sequence[Reader], pages: Sequence[Page]) -> Iterator[str]:
    """Yield a Markdown table: F1 of each type of page, for the set that has types."""
    kinds = [page.type if page.set == TYPED else "" for page in pages]
    types = sorted(set(kinds) - {""})
    yield f"| | {' | '.join(f'{name} ({kinds.count(name)})' for name in types)} |"
    yield "|---" * (len(types) + 1) + "|"
    for reader in readers:
        groups = grouped(reader.scores, kinds)
        cells = (f"{fmean(one.f1 for one in groups[name]):.3f}" for name in types)
        yield f"| {reader.name.replace('_', ', ')} | {' | '.join(cells)} |"


def grouped(scores: Sequence[Score], names: Sequence[str]) -> Mapping[str, list[Score]]:
    groups: dict[str, list[Score]] = {}
    for name, one in zip(names, scores, strict=True):
        groups.setdefault(name, []).append(one)
    return groups


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", type=Path, help="labelled pages")
    parser.add_argument("--peers", help="the Python that has the other readers installed")
    options = parser.parse_args()
    pages = load(options.pages)
    pythons = dict.fromkeys(OURS, sys.executable)
    if options.peers:
        pythons |= dict.fromkeys(THEIRS, options.peers)
    with ExitStack() as stack:
        readers = [
            stack.enter_context(running(name, python, options.pages))
            for name, python in pythons.items()
        ]
        read_all(readers, pages)
    for line in (*quality(readers, pages), "", *by_type(readers, pages)):
        print(line)


if __name__ == "__main__":
    main()
