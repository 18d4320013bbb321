"""Downloads of a page: saved in one folder, under harmless names, within a size limit."""

from pathlib import Path

import attrs
import trio
from platformdirs import user_data_path

from tabwright.cdp.domains import browser
from tabwright.config.loader import open_private, private_folder, resolve_path
from tabwright.http.response import harmless_name
from tabwright.page.events.dialogs import SequencedBuffer
from tabwright.page.frames import LATEST_MAX
from tabwright.protocol.actions import Download
from tabwright.protocol.errors import BadInput
from tabwright.text.file_errors import file_problem

EVENTS = (browser.DownloadWillBegin, browser.DownloadProgress)
"""The events of a `DownloadLog`."""

UNNAMED = "download"


@attrs.define(eq=False)
class DownloadLog:
    """A log of the latest downloads of one tab.

    Attributes:
        folder: the folder for downloads; None if they are refused, or saved by the browser of the
            user, which does not report them.
        bytes_max: the maximum size of a file.
        coming: the folder for unfinished downloads.
        problem: why downloads are refused; empty if they are not.
        changes: the numbers of downloads that began or ended, in order.
    """

    folder: Path | None
    bytes_max: int
    coming: Path = attrs.field(factory=Path, init=False)
    problem: str = attrs.field(default="", init=False)
    changes: SequencedBuffer[str] = attrs.field(
        factory=lambda: SequencedBuffer[str](LATEST_MAX), init=False
    )
    _of_navigation: str = attrs.field(default="", init=False)
    _by_guid: dict[str, Download] = attrs.field(factory=dict[str, Download], init=False)
    _changed: trio.Event = attrs.field(factory=trio.Event, init=False)

    @property
    def listed(self) -> tuple[Download, ...]:
        """Return all remembered downloads, in order."""
        return tuple(self._by_guid.values())

    @property
    def of_navigation(self) -> Download | None:
        """Return the first download since `navigate` was called; None if there is none."""
        return self._by_guid.get(self._of_navigation)

    def changed(self, after: int, last: int) -> tuple[Download, ...]:
        """Return the downloads of a part of `changes`, each once, in their current state."""
        guids = dict.fromkeys(self.changes.between(after, last))
        return tuple(self._by_guid[guid] for guid in guids if guid in self._by_guid)

    def navigate(self) -> None:
        """Record that the page navigates: the next download is the navigation's."""
        self._of_navigation = ""

    def begin(self, event: browser.DownloadWillBegin) -> None:
        """Record the start of a download."""
        name = harmless_name(event.suggested_filename) or UNNAMED
        self._by_guid[event.guid] = Download(
            event.url,
            name,
            state="failed" if self.problem else "under way",
            problem=self.problem,
        )
        self.changes.add(event.guid)
        self._of_navigation = self._of_navigation or event.guid
        if len(self._by_guid) > LATEST_MAX:
            del self._by_guid[next(iter(self._by_guid))]
        self._notify()

    def proceed(self, event: browser.DownloadProgress) -> bool:
        """Record the progress; return False if the file is too large and must be cancelled."""
        known = self._by_guid.get(event.guid)
        size = int(event.received_bytes)
        if known is None or known.state not in {"under way", "too large"}:
            return True
        if known.state == "too large" or max(size, int(event.total_bytes)) > self.bytes_max:
            self._end(event.guid, attrs.evolve(known, size_bytes=size, state="too large"))
            if event.state == "completed":
                self._file(event.guid).unlink(missing_ok=True)
            return event.state != "inProgress"
        if event.state == "completed":
            self._end(event.guid, self._kept(event.guid, attrs.evolve(known, size_bytes=size)))
        elif event.state == "canceled":
            self._end(event.guid, attrs.evolve(known, size_bytes=size, state="failed"))
        return True

    async def begins(self) -> None:
        """Wait until the download of the last navigation has begun."""
        while self.of_navigation is None:
            await self._changed.wait()

    async def ends(self) -> None:
        """Wait until the download of the last navigation, if there is one, is over."""
        while (download := self.of_navigation) and download.state == "under way":
            await self._changed.wait()

    async def rests(self) -> None:
        """Wait until no download is in progress."""
        while any(one.state == "under way" for one in self._by_guid.values()):
            await self._changed.wait()

    def _end(self, guid: str, download: Download) -> None:
        if download.state != self._by_guid[guid].state:
            self.changes.add(guid)
        self._by_guid[guid] = download
        self._notify()

    def _notify(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    def _kept(self, guid: str, download: Download) -> Download:
        """Rename the file; if that is not possible, the download has failed."""
        try:
            path = self._file(guid).rename(unused_path(self.folder or Path(), download.name))
        except OSError:  # another program has removed it, or the disk is full
            return attrs.evolve(download, state="failed")
        return attrs.evolve(download, path=str(path), state="complete")

    def _file(self, guid: str) -> Path:
        """Return the path at which the browser stores a file."""
        return self.coming / guid


def unused_path(folder: Path, name: str) -> Path:
    """Return an unused path for a file of that name: no existing file is overwritten."""
    stem, suffix = Path(name).stem, Path(name).suffix
    path, number = folder / name, 1
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}{suffix}"
    return path


def downloads_folder(setting: str | None) -> Path | None:
    """Return the folder that ``acting.downloads`` names, or None if downloads are refused."""
    automatic = user_data_path("tabwright", appauthor=False) / "downloads"
    return resolve_path(setting, automatic) if setting else None


# Writing the result of a call to a file.


def save_file(setting: str | None, name: str, data: str | bytes) -> Path:
    """Create a file in the folder for downloads.

    Args:
        setting: `acting.downloads`.
        name: the requested name; its directories are ignored.
        data: text or bytes.

    Raises:
        BadInput: the file cannot be written.
    """
    folder = downloads_folder(setting)
    if folder is None:
        raise BadInput("There is no download folder.", advice="Set acting.downloads.")
    harmless = harmless_name(name)
    if not harmless:
        raise BadInput(f"Invalid file name {name!r}.", advice="Omit filename.")
    try:
        private_folder(folder)
        path = unused_path(folder, harmless)
        with open(path, "xb", opener=open_private) as file:
            file.write(data.encode() if isinstance(data, str) else data)
    except OSError as error:
        raise BadInput(
            file_problem(error, folder / harmless, writing=True), advice="Check acting.downloads."
        ) from error
    return path
