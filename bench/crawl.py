"""Compare a crawl's pages per CPU second and memory with Scrapy with trafilatura, and crawl4ai.

``python bench/crawl.py --peers FOLDER``, where bench/peers/get_crawl_peers.sh has made the folder.

Each crawler reads the same site of 2,000 pages on loopback and writes the text of its pages to a
file. They run in turn, so that other load affects all of them equally: rely on the ratios.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs

HERE = Path(__file__).resolve().parent
TIME_LIMIT_S = 900
TABWRIGHT = ("--set", "network.allow_private=true", "--set", "network.proxy=none")


@attrs.frozen
class Run:
    """One crawl."""

    pages: int
    cpu_s: float
    wall_s: float
    memory_mib: float

    @property
    def pages_per_cpu_s(self) -> float:
        """Return the speed by CPU time, which other load on the machine affects least."""
        return self.pages / self.cpu_s


def commands(url: str, output: Path, pages: int, peers: Path | None) -> dict[str, list[str]]:
    """Return the command of each crawler."""
    limit = str(pages + 100)
    own = [sys.executable, "-m", "tabwright", "crawl", url, "-o", str(output), "--max-pages", limit]
    found = {
        "tabwright": [*own, *TABWRIGHT],
        "tabwright --ordered": [*own, "--ordered", *TABWRIGHT],
    }
    if peers is not None:
        python = str(peers / "bin" / "python")
        scripts = HERE / "peers"
        found["scrapy + trafilatura"] = [python, str(scripts / "crawl_scrapy.py"), url, str(output)]
        found["crawl4ai"] = [
            *(python, str(scripts / "crawl_crawl4ai.py"), url, str(output), str(pages))
        ]
    return found


def run(command: list[str], output: Path) -> Run:
    """Run a crawler and measure it with its children."""
    began_s = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall_s = time.perf_counter() - began_s
    urls = set[str]()
    if output.exists():
        with output.open() as file:
            urls = {str(json.loads(line)["url"]) for line in file}
    cpu_s = usage.ru_utime + usage.ru_stime
    return Run(len(urls), cpu_s, wall_s, usage.ru_maxrss / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    site = subprocess.Popen(
        [sys.executable, str(HERE / "crawl_site.py"), str(options.pages)],
        stdout=subprocess.PIPE,
        text=True,
    )
    runs: dict[str, list[Run]] = {}
    try:
        assert site.stdout is not None  # noqa: S101
        url = site.stdout.readline().strip()
        for number in range(options.rounds):
            with TemporaryDirectory() as folder:
                for name in commands(url, Path(), options.pages, options.peers):
                    output = Path(folder) / f"{name.replace(' ', '')}.ndjson"
                    command = commands(url, output, options.pages, options.peers)[name]
                    runs.setdefault(name, []).append(run(command, output))
                    print(number, name, runs[name][-1], file=sys.stderr)
    finally:
        site.kill()
        site.wait()
    print("| crawler | pages | pages per CPU second | CPU s | wall s | memory, MiB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, results in runs.items():
        median = statistics.median
        print(
            f"| {name} | {min(one.pages for one in results)} "
            f"| {median(one.pages_per_cpu_s for one in results):.0f} "
            f"| {median(one.cpu_s for one in results):.1f} "
            f"| {median(one.wall_s for one in results):.1f} "
            f"| {max(one.memory_mib for one in results):.0f} |"
        )


if __name__ == "__main__":
    main()
