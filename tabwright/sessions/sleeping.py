"""The files of sleeping sessions, which need no memory and outlive a process that is killed.

Each process has a folder of its own, and holds a lock on it. A folder without a lock was left by a
process that was killed: its named sessions can be continued by the next process that asks for them.
"""

import errno
import os
import shutil
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from uuid import uuid4

import attrs
import msgspec
import trio

from tabwright.cdp.chromium.directory import try_lock
from tabwright.concurrency.nursery import split_crash
from tabwright.config.loader import private_folder
from tabwright.config.secrets import Secrets
from tabwright.config.settings import DEFAULT_SESSION
from tabwright.protocol.actor import Offload
from tabwright.protocol.errors import BadInput
from tabwright.protocol.session_data import SleepingPage
from tabwright.sessions.store import NavigationHistory, Saved, SessionFiles, holds_secret
from tabwright.text.file_errors import file_problem


class _Field(msgspec.Struct, frozen=True, omit_defaults=True):
    """A form field, as ``page_state.js`` describes it; a signature begins with tag and type.

    Attributes:
        secret: whether the page says that it contains a password, a code or a number of a card.
    """

    index: int
    signature: str
    value: str | bool | tuple[bool, ...]
    secret: bool = False

    def has_secret(self, secrets: Secrets) -> bool:
        """Return whether the value is a password or contains a secret."""
        return self.secret or (isinstance(self.value, str) and holds_secret(secrets, self.value))


class _Content(msgspec.Struct, frozen=True):
    fields: tuple[_Field, ...]
    scrolled: msgspec.Raw


def _without_secrets(page: SleepingPage, secrets: Secrets) -> SleepingPage:
    """Return the state of a page without passwords and secrets, as browsers keep it."""
    items = tuple(item for item in page.session if not holds_secret(secrets, *item))
    content = msgspec.json.decode(page.content, type=_Content) if page.content else None
    public = [one for one in content.fields if not one.has_secret(secrets)] if content else []
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

    Their folder is created when it is needed. If its file system has no locks, nothing is written.
    Methods block, for milliseconds.

    Attributes:
        saved: the files of the saved sessions.
        keep_s: how many seconds after its last use a session can be continued.
        now: returns the time in seconds since 1970.
        offload: runs what takes longer: secrets are looked for in megabytes.
    """

    saved: SessionFiles
    keep_s: float
    now: Callable[[], float]
    offload: Offload
    _files: SessionFiles | None = attrs.field(default=None, init=False)
    _lock_fd: int = attrs.field(default=-1, init=False)
    _has_locks: bool = attrs.field(default=True, init=False)

    @contextmanager
    def held(self) -> Generator[None]:
        """Hold the files during the block, and remove them at its end.

        If the block fails, they stay, as those of a process that was killed. A cancellation is not
        a failure.
        """
        try:
            yield
        except BaseException as error:
            self._close(keep=split_crash(error)[0] is not None)
            raise
        self._close(keep=False)

    async def put(self, session: str, state: SleepingSession, idle_s: float) -> bool:
        """Write the state of a session without secrets; return whether that is all of it.

        If nothing can be written, for example because the disk is full, that is not all of it.
        Cancellation does not stop it.
        """
        # An abandoned thread would write after the end.
        with suppress(OSError), trio.CancelScope(shield=True):
            files = self._own_files()
            return await self.offload(partial(self._write, files, session, state, idle_s))
        return False

    def _write(
        self, files: SessionFiles, session: str, state: SleepingSession, idle_s: float
    ) -> bool:
        try:
            public = state.without(self.saved.secrets)
            path = files.write(session, public)
            used_at_s = self.now() - idle_s
            os.utime(path, (used_at_s, used_at_s))
        except (OSError, BadInput, msgspec.MsgspecError):  # names in a page can be no Unicode
            return False
        return public == state

    def read(self, session: str) -> SleepingSession | None:
        """Return the state of a session; None if it is gone, or the file is damaged.

        Raises:
            BadInput: the file cannot be read now.
        """
        if self._files is None:
            return None
        path = self._files.path(session)
        with _refusing(session, path):
            return _read(path)

    def remove(self, session: str) -> None:
        """Remove the file of a session, if there is one."""
        if self._files is not None:
            with suppress(BadInput):
                self._files.forget(session)

    def left(self) -> Mapping[str, LeftSession]:
        """Return the sessions of killed processes, without those that cannot be read now."""
        found: dict[str, LeftSession] = {}
        for path, idle_s in self._left_files():
            with suppress(OSError):
                state = _read(path)
                before = found.get(path.stem)
                if state is not None and (before is None or idle_s < before.idle_s):
                    found[path.stem] = LeftSession(state, idle_s)
        return found

    def find_left(self, session: str) -> SleepingSession | None:
        """Return the latest state of a session of a killed process; None if there is none.

        Raises:
            BadInput: a file of it cannot be read now.
        """
        latest = self._latest_left(session)
        if latest is None:
            return None
        with _refusing(session, latest):
            return _read(latest)

    def claim_left(self, session: str) -> SleepingSession | None:
        """Move the latest state of a session of a killed process to the files of this process.

        No other process can continue the session then. Older states of it are removed.

        Returns:
            The state; None if there is none, because another process has claimed it.

        Raises:
            BadInput: the file cannot be read or moved now; it stays.
        """
        latest = self._latest_left(session)
        if latest is None:
            return None
        with _refusing(session, latest), _locked(latest.parent) as is_locked:
            if not is_locked or (state := _read(latest)) is None:
                return None
            latest.rename(self._own_files().path(session))
        for path, _ in self._left_files():
            if path.stem == session:
                with suppress(OSError):  # its file system is read-only by now
                    path.unlink()
        return state

    def _latest_left(self, session: str) -> Path | None:
        found = [(idle_s, path) for path, idle_s in self._left_files() if path.stem == session]
        return min(found)[1] if found else None

    def _close(self, *, keep: bool) -> None:
        if self._files is not None:
            if not keep:
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
            if not self._has_locks:
                raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK), str(self._folder))
            folder = self._folder / uuid4().hex
            private_folder(folder)
            try:
                self._lock_fd = self._lock(folder)
            except OSError:
                with suppress(OSError):
                    folder.rmdir()
                raise
            self._files = SessionFiles(folder)
        return self._files

    def _lock(self, folder: Path) -> int:
        """Lock a new folder; return its file descriptor.

        Raises:
            OSError: it was removed before it was locked, or its file system has no locks.
        """
        fd = os.open(folder, os.O_RDONLY)
        try:
            if try_lock(fd) and folder.is_dir():
                return fd
        except OSError:
            self._has_locks = False
            os.close(fd)
            raise
        os.close(fd)
        raise FileNotFoundError(folder)

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
            if idle_s < self.keep_s and path.stem != DEFAULT_SESSION:
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


@contextmanager
def _refusing(session: str, path: Path) -> Generator[None]:
    """Refuse the request if the file of a session cannot be used in the block, which may pass.

    Raises:
        BadInput: a file operation failed.
    """
    try:
        yield
    except OSError as error:
        raise BadInput(
            f"The file of the sleeping session {session!r} cannot be used."
            f" {file_problem(error, path)}",
            advice="Repeat the call later: the file stays.",
            retryable=True,
        ) from error


def _read(path: Path) -> SleepingSession | None:
    """Return the state in a file; None if there is no such file, or it is damaged.

    Raises:
        OSError: it cannot be read now.
    """
    try:
        state = msgspec.json.decode(path.read_bytes(), type=SleepingSession)
    except (FileNotFoundError, msgspec.MsgspecError):
        return None
    return state if any(one.number == state.current for one in state.tabs) else None
