"""Masking: what a cassette must not contain is replaced, and so are the ids that change each time.

Secrets are the values of the settings' secrets file, those that the test names, and whatever a
cookie or a header for credentials carries, wherever else it occurs. Ids of targets, sessions,
contexts, frames and objects become ``target-1``, ``session-1`` and so on in order of appearance,
so that another recording of the same pages gives nearly the same file.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import PurePath
from typing import cast

import attrs

from tabwright.config.secrets import Secrets
from tabwright.testing.cassette.tape import (
    JSONObject,
    ReceivedEvent,
    ReceivedReply,
    RecordedBrowser,
    SentCommand,
    Tape,
    TapeFrame,
)

MASK = "masked"
SECRET_HEADERS = {
    "authorization",
    "cookie",
    "proxy-authorization",
    "set-cookie",
    "x-api-key",
    "x-auth-token",
    "x-csrf-token",
}
SECRET_FIELDS = {"headersText", "requestHeadersText", "cookieLine", "postData", "postDataEntries"}
"""Fields of CDP events that contain a request's or a response's credentials as a whole."""

PATH_FIELDS = {"downloadPath", "files"}
"""Fields of commands with paths of this machine; another run has other paths."""

SCRIPT_FIELDS = {"functionDeclaration", "expression", "source"}
SCRIPT_MAX = 1_000
"""A longer script is the library of tabwright, which changes with every release. A playback never
runs it, so only its beginning is kept."""

SCRIPT_HEAD = 60

ID_FIELDS = {
    "browserContextId": "context",
    "frameId": "frame",
    "loaderId": "loader",
    "objectId": "object",
    "openerId": "target",
    "parentFrameId": "frame",
    "parentId": "frame",
    "sessionId": "session",
    "targetId": "target",
    "uniqueContextId": "world",
    "uniqueId": "world",
}
_LONG_ID = re.compile(r"[0-9A-F]{32}")
"""The ids that are replaced wherever they occur: no other text looks like them."""

CREDENTIAL_MIN = 8
"""A shorter credential may occur anywhere by chance; only its own field is masked."""

_CREDENTIAL = re.compile(rf"(?:^|[=\s])([^\s=;,]{{{CREDENTIAL_MIN},}})")
"""The values in a header: of each cookie, or the token after the name of its scheme."""


@attrs.define(eq=False)
class Mask:
    """Replaces secrets and ids; first `learn` everything, then `clean` it.

    Attributes:
        secrets: the secrets by name.
    """

    secrets: Secrets = attrs.field(factory=Secrets)
    _credentials: set[str] = attrs.field(factory=set[str], init=False)
    _aliases: dict[str, str] = attrs.field(factory=dict[str, str], init=False)
    _counts: dict[str, Iterator[int]] = attrs.field(factory=dict[str, Iterator[int]], init=False)

    def learn(self, value: object) -> None:
        """Collect the ids and the credentials in decoded JSON."""
        if isinstance(value, list | tuple):
            for one in cast("Sequence[object]", value):
                self.learn(one)
        elif isinstance(value, Mapping):
            fields = cast("JSONObject", value)
            is_cookie = _is_cookie(fields)
            for key, one in fields.items():
                if not isinstance(one, str):
                    self.learn(one)
                elif key in ID_FIELDS:
                    if one and one not in self._aliases:
                        kind = ID_FIELDS[key]
                        number = next(self._counts.setdefault(kind, count(1)))
                        self._aliases[one] = f"{kind}-{number}"
                elif key.lower() in SECRET_HEADERS:
                    self._credentials.update(_CREDENTIAL.findall(one))
                elif is_cookie and key == "value" and len(one) >= CREDENTIAL_MIN:
                    self._credentials.add(one)

    def clean(self, value: object) -> object:
        """Return decoded JSON with secrets masked and ids replaced."""
        if isinstance(value, str):
            return self.clean_text(value)
        if isinstance(value, list | tuple):
            return [self.clean(one) for one in cast("Sequence[object]", value)]
        if not isinstance(value, Mapping):
            return value
        return self.clean_object(cast("JSONObject", value))

    def clean_object(self, value: JSONObject) -> JSONObject:
        """Return a decoded object with secrets masked and ids replaced."""
        is_cookie = _is_cookie(value)
        cleaned: dict[str, object] = {}
        for key, one in value.items():
            if key in SECRET_FIELDS:
                cleaned[key] = [] if isinstance(one, list) else MASK
            elif key in PATH_FIELDS:
                cleaned[key] = _file_names(one)
            elif isinstance(one, str) and (
                key.lower() in SECRET_HEADERS or (is_cookie and key == "value")
            ):
                cleaned[key] = MASK
            elif isinstance(one, str) and key in ID_FIELDS:
                cleaned[key] = self.alias(one)
            elif isinstance(one, str) and key in SCRIPT_FIELDS and len(one) > SCRIPT_MAX:
                cleaned[key] = f"{one[:SCRIPT_HEAD]}…"
            else:
                cleaned[key] = self.clean(one)
        return cleaned

    def alias(self, value: str) -> str:
        """Return the short form of an id; an unknown one is returned as it is."""
        return self._aliases.get(value, value)

    def clean_text(self, text: str) -> str:
        """Return a text with secrets masked and ids replaced."""
        for credential in self._credentials:
            text = text.replace(credential, MASK)
        text = self.secrets.masked(text)
        return _LONG_ID.sub(lambda found: self.alias(found[0]), text)


def masked_tape(tape: Tape, secrets: Secrets) -> Tape:
    """Return a tape without secrets and with short ids."""
    mask = Mask(secrets)
    for browser in tape.browsers:
        for frame in browser.frames:
            mask.learn({"sessionId": frame.session_id})
            mask.learn(_content(frame))
    browsers = [
        RecordedBrowser(browser.visible, [_cleaned(mask, frame) for frame in browser.frames])
        for browser in tape.browsers
    ]
    fetches = [
        attrs.evolve(
            fetch,
            url=mask.clean_text(fetch.url),
            sent=mask.clean_text(fetch.sent),
            final_url=mask.clean_text(fetch.final_url),
            text=mask.clean_text(fetch.text),
            problem=mask.clean_text(fetch.problem),
        )
        for fetch in tape.fetches
    ]
    return Tape(browsers, fetches, tape.version)


def _content(frame: TapeFrame) -> object:
    match frame:
        case ReceivedReply():
            return frame.result if frame.error is None else frame.error
        case SentCommand() | ReceivedEvent():
            return frame.params


def _cleaned(mask: Mask, frame: TapeFrame) -> TapeFrame:
    session_id = mask.alias(frame.session_id)
    match frame:
        case ReceivedReply():
            return attrs.evolve(
                frame,
                session_id=session_id,
                result=None if frame.result is None else mask.clean_object(frame.result),
                error=None if frame.error is None else mask.clean_object(frame.error),
            )
        case SentCommand() | ReceivedEvent():
            params = mask.clean_object(frame.params)
            return attrs.evolve(frame, session_id=session_id, params=params)


def _file_names(paths: object) -> object:
    """Return the names of files; a folder's name is generated and is left out."""
    if isinstance(paths, list):
        return [PurePath(str(path)).name for path in cast("Sequence[object]", paths)]
    return MASK


def _is_cookie(value: JSONObject) -> bool:
    return {"name", "value"} <= value.keys() and not {"domain", "url", "path"}.isdisjoint(value)
