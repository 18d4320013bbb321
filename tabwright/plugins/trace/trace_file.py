"""Trace files: a ZIP archive of a header, an entry for each event, and pictures.

The archive is complete after each event, so that a crash loses no more than the last one.
"""

import os
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path

import attrs
import msgspec
from platformdirs import user_data_path

from tabwright.config.loader import private_folder, resolve_path
from tabwright.plugins.trace.events import FORMAT, VERSION, JSONRecord, TraceEvent, TraceHeader
from tabwright.protocol.errors import BadInput
from tabwright.text.file_errors import file_problem

SUFFIX = ".trace.zip"

HEADER = "trace.json"

READ_BYTES_MAX = 512 * 1024 * 1024
"""Maximum size of the unpacked entries of a file that is read."""

ENTRIES_MAX = 100_000

_EVENT = re.compile(r"events/\d{6}\.json")
_PICTURE = re.compile(r"pictures/\d{6}\.jpg")
_NOT_IN_FILES = re.compile(r"[^A-Za-z0-9._-]+")


@attrs.frozen
class Trace:
    """A trace that was read from a file."""

    header: TraceHeader
    events: tuple[TraceEvent, ...]
    pictures: Mapping[str, bytes] = attrs.field(repr=False)


def traces_folder(setting: str) -> Path:
    """Return the folder that ``trace.dir`` names."""
    return resolve_path(setting, user_data_path("tabwright", appauthor=False) / "traces")


def create_trace(folder: Path, header: TraceHeader, stamp: str) -> Path:
    """Create a trace file with its header, readable by its user only, and return its path.

    Raises:
        BadInput: it cannot be written.
    """
    try:
        private_folder(folder)
        stem = f"{_NOT_IN_FILES.sub('-', header.session)}-{stamp}"
        for number in range(1, 1000):
            name = f"{stem}{'' if number == 1 else f'-{number}'}{SUFFIX}"
            path = folder / name
            try:
                descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            except FileExistsError:
                continue
            os.close(descriptor)
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr(HEADER, msgspec.json.encode(header))
            return path
    except OSError as error:
        raise BadInput(
            f"The trace cannot be written. {file_problem(error, folder, writing=True)}",
            advice="Check trace.dir.",
        ) from error
    raise BadInput("There are too many traces of this second.", advice="Try again.")


def append_event(path: Path, event: JSONRecord, number: int, picture: bytes) -> int:
    """Add an event and its picture to a file, and return the size of the file.

    Raises:
        OSError: it cannot be written.
    """
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        if picture:
            archive.writestr(picture_name(number), picture, zipfile.ZIP_STORED)
        archive.writestr(f"events/{number:06}.json", msgspec.json.encode(event))
    return path.stat().st_size


def picture_name(number: int) -> str:
    """Return the name of the picture of an event."""
    return f"pictures/{number:06}.jpg"


def read_trace(path: Path) -> Trace:
    """Read a trace file. It may have been made by anyone: its size and its entries are limited.

    Raises:
        BadInput: it cannot be read, or is not a trace.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            if len(entries) > ENTRIES_MAX or sum(e.file_size for e in entries) > READ_BYTES_MAX:
                raise BadInput(f"{path} is too large.", advice="Record a shorter trace.")
            header = msgspec.json.decode(archive.read(HEADER), type=TraceHeader)
            if header.format != FORMAT or header.version > VERSION:
                raise BadInput(
                    f"{path} has version {header.version} of the format, which is not known.",
                    advice="Use the version of tabwright that recorded it.",
                )
            names = sorted(one.filename for one in entries)
            events = tuple(
                msgspec.json.decode(archive.read(name), type=TraceEvent)
                for name in names
                if _EVENT.fullmatch(name)
            )
            pictures = {name: archive.read(name) for name in names if _PICTURE.fullmatch(name)}
    except OSError as error:
        raise BadInput(file_problem(error, path), advice="Name a trace file.") from error
    except (zipfile.BadZipFile, KeyError, msgspec.MsgspecError, NotImplementedError) as error:
        raise BadInput(
            f"{path} is not a trace file: {error}.", advice=f"Name a file that ends with {SUFFIX}."
        ) from error
    return Trace(header, events, pictures)


def prune_traces(folder: Path, bytes_max: int, kept: frozenset[Path]) -> None:
    """Remove the oldest traces of a folder until all of them take less than `bytes_max`.

    Args:
        folder: the folder; other files in it are kept.
        bytes_max: the maximum size of all traces.
        kept: traces that are being recorded.
    """
    sizes = dict[Path, int]()
    ages = dict[Path, float]()
    for path in folder.glob(f"*{SUFFIX}"):
        try:
            known = path.stat()
        except OSError:  # another process has removed it
            continue
        sizes[path], ages[path] = known.st_size, known.st_mtime
    total = sum(sizes.values())
    for path in sorted(sizes, key=ages.__getitem__):
        if total <= bytes_max:
            break
        if path not in kept:
            path.unlink(missing_ok=True)
            total -= sizes[path]
