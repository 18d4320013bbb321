"""Checks of the machine for `tabwright doctor`: disk, memory, fonts, programs, extras, keys."""

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

import attrs
import psutil
from platformdirs import user_data_path

from tabwright.config.settings import Settings
from tabwright.llm.providers import PROVIDERS
from tabwright.reader.video import ffmpeg_at

FREE_BYTES_MIN = 500_000_000
"""Below this, profiles, caches and downloads soon fail."""

SCRIPTS = {"Chinese": "zh", "Japanese": "ja", "Korean": "ko", "Arabic": "ar", "Hindi": "hi"}
"""Writing systems that need their own font, each with a language as fontconfig names it."""

EXTRAS = {
    "meaning": "onnxruntime",
    "office": "mammoth",
    "tui": "textual",
    "parquet": "pyarrow",
    "fleet": "coredis",
    "audit": "axe_playwright_python",
    "otel": "opentelemetry.sdk",
}
"""The extras of tabwright, with a module that comes with each."""

FONTS_S = 5.0


@attrs.frozen
class Finding:
    """The result of one check.

    Attributes:
        ok: whether nothing is wrong.
        text: what was found, and the next step if something is wrong or off.
        off: whether it is only right because it is switched off or not there: something that
            tabwright can do is not available.
    """

    subject: str
    ok: bool
    text: str
    off: bool = False

    @property
    def mark(self) -> str:
        """The first column of the report."""
        return "FAIL" if not self.ok else "off " if self.off else "ok  "


def machine_checks(settings: Settings, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Yield the results of the checks. It blocks, for a few seconds at most."""
    yield _disk(user_data_path("tabwright", appauthor=False))
    yield Finding("memory", ok=True, text=f"{_size(psutil.virtual_memory().available)} available")
    yield _fonts(_languages_of_fonts())
    yield _ffmpeg(settings)
    yield _extras()
    yield _keys(settings, environment)


def _disk(folder: Path) -> Finding:
    existing = next(one for one in (folder, *folder.parents) if one.exists())
    free = shutil.disk_usage(existing).free
    text = f"{_size(free)} free for {folder}"
    if free < FREE_BYTES_MIN:
        return Finding("disk", ok=False, text=f"{text}. Free some space.")
    return Finding("disk", ok=True, text=text)


def _fonts(covered: frozenset[str] | None) -> Finding:
    if covered is None:
        return Finding("fonts", ok=True, text="unknown: fc-list is not installed")
    missing = [name for name, language in SCRIPTS.items() if language not in covered]
    if not missing:
        return Finding("fonts", ok=True, text=f"Latin, {', '.join(SCRIPTS)}")
    text = f"none for {', '.join(missing)}: screenshots show boxes. Install Noto fonts"
    return Finding("fonts", ok=True, text=text, off=True)


def _languages_of_fonts() -> frozenset[str] | None:
    """Return the languages that installed fonts cover, as fontconfig names them."""
    program = shutil.which("fc-list")
    if program is None:
        return None
    try:
        listed = subprocess.run(  # noqa: S603  (a fixed command)
            [program, ":", "lang"], capture_output=True, text=True, timeout=FONTS_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    lists = (line.partition("=")[2].split("|") for line in listed.stdout.splitlines())
    return frozenset(language.partition("-")[0] for languages in lists for language in languages)


def _ffmpeg(settings: Settings) -> Finding:
    if program := ffmpeg_at(settings.reading.ffmpeg):
        return Finding("ffmpeg", ok=True, text=program.path)
    return Finding("ffmpeg", ok=True, text="not installed: no frames of videos", off=True)


def _extras() -> Finding:
    missing = [name for name, module in EXTRAS.items() if not _is_installed(module)]
    if not missing:
        return Finding("extras", ok=True, text=", ".join(EXTRAS))
    text = f"missing {', '.join(missing)}: pip install 'tabwright[{','.join(missing)}]'"
    return Finding("extras", ok=True, text=text, off=True)


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # not even its package is there
        return False


def _keys(settings: Settings, environment: Mapping[str, str]) -> Finding:
    """Return which models tasks can use; keys themselves are never shown."""
    names = [
        name
        for provider in PROVIDERS.values()
        for name in provider.variables
        if environment.get(name)
    ]
    if settings.models.key:
        names.insert(0, f"models.key ({settings.models.key})")
    if names:
        return Finding("models", ok=True, text=", ".join(dict.fromkeys(names)))
    text = "no key: tasks need the client's model, a local one (models.provider) or a key"
    return Finding("models", ok=True, text=text, off=True)


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB"
