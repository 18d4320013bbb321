"""The state of a new session that the settings define: context options and storage."""

from pathlib import Path

from tabwright.config.devices import device
from tabwright.config.settings import ActingSettings, SessionSettings
from tabwright.protocol.context_options import ContextOptions
from tabwright.protocol.errors import BadInput
from tabwright.sessions.playwright_state import read_storage_state
from tabwright.sessions.store import Saved


def initial_options(settings: ActingSettings) -> ContextOptions:
    """Return the options of a new session; it reads the initial scripts, and so it blocks.

    Raises:
        BadInput: a script cannot be read.
    """
    return ContextOptions(
        permissions=settings.permissions,
        device=device(settings.device) if settings.device else None,
        init_scripts=tuple(_text(path) for path in settings.init_scripts),
    )


def _text(path: str) -> str:
    try:
        return Path(path).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"The script {path} cannot be read: {type(error).__name__}.",
            advice="The user can check acting.init_scripts.",
        ) from error


def initial_state(settings: SessionSettings) -> Saved:
    """Return the cookies and the storage of a new session; it blocks.

    Raises:
        BadInput: the file cannot be read.
    """
    if settings.storage_state is None:
        return Saved()
    path = Path(settings.storage_state).expanduser()
    try:
        state = read_storage_state(path.read_bytes())
    except OSError as error:
        raise BadInput(
            f"The storage state {path} cannot be read: {type(error).__name__}.",
            advice="The user can check session.storage_state.",
        ) from error
    return Saved(state.cookies, storage=state.origins)
