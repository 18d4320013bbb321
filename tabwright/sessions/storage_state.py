"""Storage states in Playwright's JSON form: cookies, ``localStorage`` and IndexedDB by origin.

A new session can begin with one, and with the context options of the settings.
"""

from pathlib import Path

import msgspec

from tabwright.cdp.domains.network import StoredCookie
from tabwright.config.devices import device
from tabwright.config.secrets import Secrets
from tabwright.config.settings import ActingSettings, SessionSettings
from tabwright.page.tab_storage import cookie_of
from tabwright.protocol.context_options import ContextOptions
from tabwright.protocol.errors import BadInput
from tabwright.protocol.session_data import OriginDatabases, StorageState
from tabwright.protocol.tab import OriginStorage
from tabwright.sessions.store import Saved


class _Cookie(StoredCookie, frozen=True, kw_only=True):
    """A cookie as Playwright writes it: that of the browser, with other defaults."""

    path: str = "/"
    same_site: str = "Lax"


class _Item(msgspec.Struct, frozen=True):
    name: str
    value: str


class _Origin(msgspec.Struct, frozen=True):
    origin: str
    localStorage: tuple[_Item, ...] = ()  # noqa: N815  (as Playwright writes it)
    indexedDB: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET  # noqa: N815  (the same)


class _State(msgspec.Struct, frozen=True):
    cookies: tuple[_Cookie, ...] = ()
    origins: tuple[_Origin, ...] = ()


def storage_state_json(state: StorageState, secrets: Secrets) -> bytes:
    """Return a storage state as JSON, without cookies and items that contain secrets."""
    saved = Saved(state.cookies, storage=state.origins).without(secrets)
    cookies = tuple(
        _Cookie(
            name=one.name,
            value=one.value,
            domain=one.shown_domain,
            path=one.path,
            expires=-1 if one.expires_s is None else one.expires_s,
            http_only=one.http_only,
            secure=one.secure,
            same_site=one.same_site.capitalize() or "Lax",
        )
        for one in saved.cookies
    )
    items = {one.origin: tuple(_Item(*item) for item in one.items) for one in saved.storage}
    databases = {
        one.origin: msgspec.Raw(one.databases.encode())
        for one in state.databases
        if secrets.masked(one.databases) == one.databases
    }
    origins = tuple(
        _Origin(origin, items.get(origin, ()), databases.get(origin, msgspec.UNSET))
        for origin in dict.fromkeys((*items, *databases))
    )
    return msgspec.json.format(msgspec.json.encode(_State(cookies, origins)), indent=2)


def read_storage_state(text: bytes) -> StorageState:
    """Return a storage state that Playwright, or `storage_state_json`, has written.

    Raises:
        BadInput: it does not have that form.
    """
    try:
        read = msgspec.json.decode(text, type=_State)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadInput(
            f"The file is not a storage state: {error}.",
            advice="Use a file that storage_state or Playwright has saved.",
        ) from error
    cookies = tuple(map(cookie_of, read.cookies))
    origins = tuple(
        OriginStorage(one.origin, tuple((item.name, item.value) for item in one.localStorage))
        for one in read.origins
    )
    databases = tuple(
        OriginDatabases(one.origin, bytes(one.indexedDB).decode())
        for one in read.origins
        if isinstance(one.indexedDB, msgspec.Raw) and bytes(one.indexedDB) != b"[]"
    )
    return StorageState(cookies, origins, databases)


# The state of a new session that the settings define: context options and storage.


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
