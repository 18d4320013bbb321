"""The session store: cookies, storage and history in files that only their owner can read."""

from collections.abc import Mapping
from pathlib import Path

import attrs
import msgspec
from platformdirs import user_data_path

from tabwright.config.loader import resolve_path, write_private
from tabwright.config.secrets import Secrets
from tabwright.protocol.errors import BadInput
from tabwright.protocol.fetch import Cookie
from tabwright.protocol.tab import OriginStorage
from tabwright.text.file_errors import file_problem


def sessions_folder(setting: str) -> Path:
    """Return the folder that ``session.dir`` names."""
    return resolve_path(setting, user_data_path("tabwright", appauthor=False) / "sessions")


@attrs.frozen
class Saved:
    """The saved state of a session.

    Attributes:
        urls: its history, the oldest first; `place` is the index of its page.
        storage: the ``localStorage`` of its pages, by origin.
    """

    cookies: tuple[Cookie, ...] = ()
    urls: tuple[str, ...] = ()
    place: int = -1
    storage: tuple[OriginStorage, ...] = ()

    def without(self, secrets: Secrets) -> "Saved":
        """Return the state without the values of secrets.

        A cookie or a storage entry would be useless with a name in place of the value. So it is
        left out, and the site has to set it again.
        """
        if not secrets:
            return self
        return attrs.evolve(
            self,
            cookies=tuple(
                one
                for one in self.cookies
                if not holds_secret(secrets, one.name, one.value, one.path)
            ),
            urls=tuple(map(secrets.masked, self.urls)),
            storage=tuple(
                attrs.evolve(
                    one, items=tuple(item for item in one.items if not holds_secret(secrets, *item))
                )
                for one in self.storage
            ),
        )


def holds_secret(secrets: Secrets, *texts: str) -> bool:
    """Return whether one of the texts contains the value of a secret."""
    return any(secrets.masked(text) != text for text in texts)


@attrs.frozen
class SessionFiles:
    """A folder with a file for each session.

    Attributes:
        secrets: secrets whose values are never written.
    """

    folder: Path
    secrets: Secrets = attrs.field(factory=Secrets)

    def names(self) -> tuple[str, ...]:
        """Return the names of the saved sessions, sorted; blocks.

        Raises:
            OSError: the folder cannot be read.
        """
        if not self.folder.exists():
            return ()
        return tuple(sorted(one.stem for one in self.folder.iterdir() if one.suffix == ".json"))

    def has(self, session: str) -> bool:
        """Return whether a state is saved."""
        return self.path(session).is_file()

    def read(self, session: str) -> Saved:
        """Return the saved state; empty for an unknown session.

        Raises:
            BadInput: the file cannot be read.
        """
        path = self.path(session)
        try:
            return msgspec.json.decode(path.read_bytes(), type=Saved)
        except FileNotFoundError:
            return Saved()
        except (OSError, msgspec.MsgspecError) as error:
            raise BadInput(
                f"The saved session {session!r} cannot be used. {file_problem(error, path)}",
                advice=f"Delete {path}, or use another session name.",
            ) from error

    def write(self, session: str, saved: Saved) -> Path:
        """Save the state atomically; return the path.

        Raises:
            BadInput: the file cannot be written.
        """
        path = self.path(session)
        try:
            write_private(path, msgspec.json.encode(saved.without(self.secrets)))
        except OSError as error:
            raise BadInput(
                f"Session {session!r} was not saved. {file_problem(error, path, writing=True)}",
                advice="Check session.dir.",
            ) from error
        return path

    def forget(self, session: str) -> None:
        """Delete the saved state.

        Raises:
            BadInput: the file cannot be removed.
        """
        path = self.path(session)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise BadInput(
                f"The saved session {session!r} was not deleted. "
                f"{file_problem(error, path, writing=True)}",
                advice=f"Remove {path} yourself.",
            ) from error

    def path(self, session: str) -> Path:
        """Return the path of the file of a session, which may not exist."""
        return self.folder / f"{session}.json"


# The history of a session.

PAGES_MAX = 100
"""Maximum number of URLs; older pages are forgotten."""

STEPS: Mapping[str, int] = {"back": -1, "forward": 1, "reload": 0}
"""Text that may replace a URL."""


@attrs.frozen
class NavigationHistory:
    """The URLs of a session, the oldest first.

    Attributes:
        place: the index of the current URL; -1 before the first.
    """

    urls: tuple[str, ...] = ()
    place: int = -1

    @property
    def url(self) -> str:
        """Return the current URL; empty before the first page."""
        return self.urls[self.place] if self.urls else ""

    def moved(self, word: str) -> "NavigationHistory":
        """Return the history after one step along it.

        Raises:
            BadInput: there is no page in that direction.
        """
        place = self.place + STEPS[word]
        if not 0 <= place < len(self.urls):
            raise BadInput(f"There is no page to go {word} to.", advice="Give a URL.")
        return attrs.evolve(self, place=place)

    def gone_to(self, url: str) -> "NavigationHistory":
        """Return the history at a new page; the pages ahead of the current one are forgotten."""
        urls = (*self.urls[: self.place + 1], url)[-PAGES_MAX:]
        return NavigationHistory(urls, len(urls) - 1)
