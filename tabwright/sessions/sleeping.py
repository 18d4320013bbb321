"""The files of sleeping sessions, which need no memory and outlive a process that is killed.

Each process has a folder of its own, and holds a lock on it. A folder without a lock was left by a
process that was killed: its named sessions can be continued by the next process that asks for them.
"""

import os
import shutil
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

import attrs
import msgspec

from tabwright.cdp.chromium.directory import try_lock
from tabwright.config.loader import private_folder
from tabwright.config.secrets import Secrets
from tabwright.config.settings import DEFAULT_OF_CLIENTS
from tabwright.protocol.errors import BadInput
from tabwright.protocol.page_state import SleepingPage
from tabwright.sessions.store import NavigationHistory, Saved, SessionFiles, holds_secret


class _Field(msgspec.Struct, frozen=True):
    """A form field, as ``page_state.js`` describes it; a signature begins with tag and type."""

    index: int
    signature: str
    value: str | bool | tuple[bool, ...]

    def is_secret(self, secrets: Secrets) -> bool:
        """Return whether the value is a password or contains a secret."""
        is_password = self.signature.startswith("input password ")
        return is_password or (isinstance(self.value, str) and holds_secret(secrets, self.value))


class _Content(msgspec.Struct, frozen=True):
    fields: tuple[_Field, ...]
    scrolled: msgspec.Raw


def _without_secrets(page: SleepingPage, secrets: Secrets) -> SleepingPage:
    """Return the state of a page without passwords and secrets, as browsers keep it."""
    items = tuple(item for item in page.session if not holds_secret(secrets, *item))
    content = msgspec.json.decode(page.content, type=_Content) if page.content else None
    public = [one for one in content.fields if not one.is_secret(secrets)] if content else []
    if content is None or len(public) == len(content.fields):
        return attrs.evolve(page, url=secrets.masked(page.url), session=items)
    return attrs.evolve(
        page,
        url=secrets.masked(page.url),
        session=items,
        content=msgspec.json.encode(_Content(tuple(public), content.scrolled)).decode(),
        lost=tuple(dict.fromkeys((*page.lost, "form fields"))),
    )


@attrs.frozen
class SleepingTab:
    """A tab of a sleeping session.

    Attributes:
        page: the state of a page that was open to actions; None if it was only read.
    """

    number: int
    title: str
    history: NavigationHistory
    page: SleepingPage | None = None


@attrs.frozen
class SleepingSession(Saved):
    """The state of a session without open tabs: that of a saved one, its settings and its tabs.

    Attributes:
        settings: the settings that it was opened with, by dotted keys.
        current: the number of the current tab, whose history is that of the session.
    """

    settings: Mapping[str, object] = attrs.field(factory=dict[str, object])
    current: int = 1
    tabs: tuple[SleepingTab, ...] = ()

    def without(self, secrets: Secrets) -> "SleepingSession":
        """Return the state without passwords and the values of secrets; see `Saved.without`."""
        public = super().without(secrets)
        tabs = tuple(
            attrs.evolve(
                one,
                title=secrets.masked(one.title),
                history=attrs.evolve(
                    one.history, urls=tuple(map(secrets.masked, one.history.urls))
                ),
                page=one.page and _without_secrets(one.page, secrets),
            )
            for one in self.tabs
        )
        return attrs.evolve(self, cookies=public.cookies, urls=public.urls, storage=public.storage,
                            tabs=tabs)  # fmt: skip


@attrs.frozen
class LeftSession:
    """A sleeping session of a process that was killed.

    Attributes:
        idle_s: seconds since it was used.
    """

    state: SleepingSession
    idle_s: float


@attrs.define(eq=False)
class SleepingFiles:
    """The files of the sleeping sessions of this process, beside those of the saved sessions.

    Their folder is created when it is needed. Methods block, for milliseconds.

    Attributes:
        saved: the files of the saved sessions.
        keep_s: how many seconds after its last use a session can be continued.
        now: returns the time in seconds since 1970.
    """

    saved: SessionFiles
    keep_s: float
    now: Callable[[], float]
    _files: SessionFiles | None = attrs.field(default=None, init=False)
    _lock_fd: int = attrs.field(default=-1, init=False)

    def write(self, session: str, state: SleepingSession, idle_s: float) -> bool:
        """Write the state of a session without secrets; return whether that is all of it.

        If nothing can be written, for example because the disk is full, that is not all of it.
        """
        try:
            public = state.without(self.saved.secrets)
            path = self._own_files().write(session, public)
            used_at_s = self.now() - idle_s
            os.utime(path, (used_at_s, used_at_s))
        except (OSError, BadInput, msgspec.MsgspecError):  # names in a page can be no Unicode
            return False
        return public == state

    def read(self, session: str) -> SleepingSession | None:
        """Return the state of a session; None if it is gone, or cannot be read."""
        return _read(self._files.path(session)) if self._files else None

    def remove(self, session: str) -> None:
        """Remove the file of a session, if there is one."""
        if self._files is not None:
            with suppress(BadInput):
                self._files.forget(session)

    def left(self) -> Mapping[str, LeftSession]:
        """Return the sessions of killed processes."""
        found: dict[str, LeftSession] = {}
        for path, idle_s in self._left_files():
            state = _read(path)
            if state is not None and (path.stem not in found or idle_s < found[path.stem].idle_s):
                found[path.stem] = LeftSession(state, idle_s)
        return found

    def find_left(self, session: str) -> SleepingSession | None:
        """Return the latest state of a session of a killed process; None if there is none."""
        found = [(idle_s, path) for path, idle_s in self._left_files() if path.stem == session]
        return _read(min(found)[1]) if found else None

    def remove_left(self, session: str) -> None:
        """Remove what killed processes have left of a session."""
        for path, _ in self._left_files():
            if path.stem == session:
                path.unlink()

    def close(self) -> None:
        """Remove the folder of this process."""
        if self._files is not None:
            shutil.rmtree(self._files.folder, ignore_errors=True)
            os.close(self._lock_fd)
            self._files = None

    @property
    def _folder(self) -> Path:
        return self.saved.folder / "asleep"

    def _own_files(self) -> SessionFiles:
        """Return the files of this process, in a folder that it has locked.

        Raises:
            OSError: there is no such folder.
        """
        if self._files is None:
            folder = self._folder / uuid4().hex
            private_folder(folder)
            self._lock_fd = os.open(folder, os.O_RDONLY)
            if not (try_lock(self._lock_fd) and folder.is_dir()):  # removed before it was locked
                os.close(self._lock_fd)
                raise FileNotFoundError(folder)
            self._files = SessionFiles(folder)
        return self._files

    def _left_files(self) -> Iterator[tuple[Path, float]]:
        """Find the files of killed processes that can be continued, with seconds since their use.

        Their folders are locked meanwhile; files that cannot be continued are removed.
        """
        for folder in self._folder.glob("*"):
            with suppress(OSError), _locked(folder) as is_locked:
                if is_locked:
                    yield from self._sweep(folder)

    def _sweep(self, folder: Path) -> Iterator[tuple[Path, float]]:
        for path in sorted(folder.glob("*.json")):
            idle_s = self.now() - path.stat().st_mtime
            if idle_s < self.keep_s and path.stem != DEFAULT_OF_CLIENTS:
                yield path, idle_s
            else:
                path.unlink()
        if not any(folder.glob("*.json")):
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Generator[bool]:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield try_lock(fd)
    finally:
        os.close(fd)


def _read(path: Path) -> SleepingSession | None:
    try:
        state = msgspec.json.decode(path.read_bytes(), type=SleepingSession)
    except (OSError, msgspec.MsgspecError):
        return None
    return state if any(one.number == state.current for one in state.tabs) else None
