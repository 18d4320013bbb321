"""The principal of a request: bearer tokens of a file, each the token of one principal.

A principal is a user of the server. Each has sessions, files and limits of its own.
"""

import hashlib
import logging
import os
import re
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import attrs

from tabwright.config.settings import Settings
from tabwright.page.events.downloads import downloads_folder
from tabwright.plugins.trace.settings import TRACE_SETTINGS
from tabwright.plugins.trace.trace_file import traces_folder
from tabwright.protocol.errors import SettingsError
from tabwright.sessions.store import sessions_folder
from tabwright.text.file_errors import file_problem

ONLY = ""
"""The principal of a server with one user, whose sessions are those of the other commands."""

TOKEN_LENGTH_MIN = 24
"""Characters; a shorter token might be guessed."""

_log = logging.getLogger("tabwright.server")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


class TokenRefused(Exception):
    """A bearer token is unknown, expired or for something else.

    Attributes:
        scope: the scope that it lacks; empty if the token itself is refused.
    """

    def __init__(self, reason: str, scope: str = "") -> None:
        super().__init__(reason)
        self.scope = scope


class TokenVerifier(Protocol):
    """Finds the principal of a bearer token (RFC 6750)."""

    async def principal(self, token: str, /) -> str:
        """Return the principal.

        Raises:
            TokenRefused: the token is not accepted.
        """
        ...


@attrs.frozen
class FileTokens:
    """The tokens of a file.

    Tokens are looked up by their hash, so that the time of a look-up reveals nothing about them.
    """

    _principals: Mapping[bytes, str] = attrs.field(repr=False)

    @property
    def shared(self) -> bool:
        """Whether they are the tokens of several principals."""
        return len(set(self._principals.values())) > 1

    async def principal(self, token: str, /) -> str:
        name = self._principals.get(_digest(token))
        if name is None:
            raise TokenRefused("unknown token")
        return name if self.shared else ONLY


def read_tokens(path: Path) -> FileTokens:
    """Read a file of tokens: a line ``NAME TOKEN`` for each, or a token alone.

    A file that does not exist is created with a new token, readable by the user alone.

    Raises:
        SettingsError: the file cannot be read or created, or a line is not valid.
    """
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(f"default {secrets.token_urlsafe()}\n")
        if path.stat().st_mode & stat.S_IROTH:
            _log.warning("All users of this machine can read %s.", path)
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"server.token_file: {file_problem(error, path)}") from error
    entries = dict(
        _entry(path, number, line.split())
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.startswith("#")
    )
    if not entries:
        raise SettingsError(f"server.token_file: {path} contains no token.")
    return FileTokens(entries)


def _entry(path: Path, number: int, words: list[str]) -> tuple[bytes, str]:
    name, token = words if len(words) == 2 else ("default", words[0])  # noqa: PLR2004
    if len(words) > 2 or not _NAME.fullmatch(name) or len(token) < TOKEN_LENGTH_MIN:  # noqa: PLR2004
        raise SettingsError(
            f"server.token_file: line {number} of {path} is not a name and a token of at least"
            f" {TOKEN_LENGTH_MIN} characters."
        )
    return _digest(token), name


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def settings_for(principal: str, settings: Settings) -> Settings:
    """Return the settings of a principal, with folders of its own."""
    if principal == ONLY:
        return settings
    name = f"{_UNFIT.sub('_', principal)[:40]}-{_digest(principal).hex()[:12]}"
    folder = sessions_folder(settings.session.dir) / "users" / name
    downloads = downloads_folder(settings.acting.downloads)
    traces = traces_folder(TRACE_SETTINGS.of(settings).dir) / "users" / name
    return attrs.evolve(
        TRACE_SETTINGS.changed(settings, dir=str(traces)),
        session=attrs.evolve(settings.session, dir=str(folder)),
        acting=attrs.evolve(
            settings.acting, downloads=str(downloads / "users" / name) if downloads else None
        ),
    )


def require_shareable(settings: Settings) -> None:
    """Check that settings can apply to several principals.

    Raises:
        SettingsError: one of them belongs to a single person.
    """
    personal = {"acting.secrets": settings.acting.secrets, "session.own": settings.session.own}
    named = " and ".join(key for key, value in personal.items() if value is not None)
    if named:
        raise SettingsError(
            f"{named} cannot be set for a server with several users, who would share it."
            " Start one server for each user."
        )
