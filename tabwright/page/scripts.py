"""Scripts in a page: those that read and change it from outside, and the one that is injected."""

import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import TypeVar

import attrs
import msgspec

from tabwright.cdp.domains.network import StoredCookie
from tabwright.protocol.errors import PageFailed
from tabwright.protocol.fetch import Cookie
from tabwright.protocol.snapshot import LoadedPage, PageSource
from tabwright.protocol.tab import OriginStorage

_SCRIPTS = files(__package__ or "").joinpath("js")

READ_SOURCE = _SCRIPTS.joinpath("source.js").read_text(encoding="utf-8")
"""A function declaration that answers a JSON string for `parse_source`."""

SUBMIT_FORM = _SCRIPTS.joinpath("submit_form.js").read_text(encoding="utf-8")
"""One that sends a form: of the place given, with values as `form_values` writes them."""


@attrs.frozen
class _SourceAnswer:
    url: str
    html: str
    cut: bool
    frames: tuple[str, ...] = ()
    charset: str = ""


def parse_source(answer: str, loaded: LoadedPage) -> PageSource:
    """What the script answered, about a page that was `loaded` and may have moved on since.

    Raises:
        PageFailed: the answer is not the script's; the page may have been torn down.
    """
    try:
        read = msgspec.json.decode(answer, type=_SourceAnswer)
    except msgspec.MsgspecError as error:
        raise PageFailed(f"The source of the page could not be read: {error}.") from error
    page = attrs.evolve(loaded, url=read.url)
    return PageSource(page, read.html, read.cut, read.frames, charset=read.charset.lower())


def form_values(values: Mapping[str, tuple[str, ...]]) -> str:
    """Values of fields by name, for `SUBMIT_FORM`."""
    return msgspec.json.encode(values).decode()


# Cookies as we keep them and as the browser writes them.

SAME_SITE = frozenset({"Strict", "Lax", "None"})
"""What the browser takes (``Network.CookieSameSite``)."""


def cookie_of(stored: StoredCookie) -> Cookie:
    """A cookie of the browser's."""
    return Cookie(
        name=stored.name,
        value=stored.value,
        domain=stored.domain.removeprefix("."),
        path=stored.path,
        host_only=not stored.domain.startswith("."),
        secure=stored.secure,
        http_only=stored.http_only,
        expires_s=stored.expires if stored.expires >= 0 else None,
        same_site=stored.same_site,
    )


def cookie_shape(cookie: Cookie) -> StoredCookie:
    """The cookie for the browser."""
    same_site = cookie.same_site.capitalize()
    return StoredCookie(
        name=cookie.name,
        value=cookie.value,
        domain=cookie.domain if cookie.host_only else f".{cookie.domain}",
        path=cookie.path,
        expires=-1 if cookie.expires_s is None else cookie.expires_s,
        http_only=cookie.http_only,
        secure=cookie.secure,
        same_site=same_site if same_site in SAME_SITE else "",
    )


# Reading and restoring ``localStorage``.

_RESTORE = _SCRIPTS.joinpath("restore_storage.js").read_text(encoding="utf-8")

READ_STORAGE = _SCRIPTS.joinpath("read_storage.js").read_text(encoding="utf-8")
"""A function declaration that answers a JSON string for `parse_storage`."""


@attrs.frozen
class _StorageAnswer:
    localStorage: tuple[tuple[str, str], ...] | None  # noqa: N815  (keeps it out of the wire log)
    origin: str = ""


def parse_storage(answer: str) -> OriginStorage | None:
    """What the script answered; None where the page keeps too much, or may keep nothing.

    Raises:
        PageFailed: the answer is not the script's.
    """
    try:
        read = msgspec.json.decode(answer, type=_StorageAnswer)
    except msgspec.MsgspecError as error:
        raise PageFailed("The storage of the page could not be read.") from error
    if read.localStorage is None or not read.origin.startswith(("http:", "https:")):
        return None
    return OriginStorage(read.origin, read.localStorage)


def restoring(storage: Iterable[OriginStorage]) -> str:
    """A script for new documents, which gives each origin its own back."""
    pairs = [(one.origin, one.items) for one in storage]
    return f"({_RESTORE})(\n{msgspec.json.encode(pairs).decode()}\n)"


# The injected script: calling it, and reading its answers.
#
# They come out of a page: nothing in them is trusted to have the right shape.

ShapeT = TypeVar("ShapeT")

_ESCAPE = re.compile(r"\\(u[dD][89a-fA-F][0-9a-fA-F]{2}|.)")
_ESCAPED_HALF = 5


def read_answer(answer: str, shape: type[ShapeT]) -> ShapeT:
    """What a function of the library answered, in its shape.

    Raises:
        PageFailed: it is not the script's answer.
    """
    try:
        return msgspec.json.decode(_whole(answer), type=shape)
    except msgspec.MsgspecError as error:
        raise PageFailed(f"The page returned an invalid answer: {error}.") from error


def _whole(answer: str) -> str:
    """The answer without halves of surrogate pairs, which JavaScript escapes and JSON cannot carry.

    Whole pairs are not escaped (ECMA-262, QuoteJSONString), so that none is taken apart here.
    """
    if "\\ud" not in answer:
        return answer
    return _ESCAPE.sub(
        lambda found: "\ufffd" if len(found[1]) == _ESCAPED_HALF else found[0], answer
    )


# The script that is installed in each document that is acted on.

_FOLDER = files(__package__ or "").joinpath("js")
_PARTS = (
    "native_functions",
    "roles",
    "elements",
    "outline",
    "actionability",
    "form_submission",
    "settle",
    "mask_secrets",
)
_PLACE = "/* library */"


def _source(name: str) -> str:
    return _FOLDER.joinpath(f"{name}.js").read_text(encoding="utf-8")


INSTALL = _source("install").replace(_PLACE, "\n".join(map(_source, _PARTS)))
"""A function declaration: gives the document the number that is its argument, unless it has one,
and answers which it has."""

CALL = """async function call(name, ...values) {
  const answer = await globalThis.tabwright[name](...values);
  return JSON.stringify(answer ?? null).toWellFormed();
}"""
"""A function declaration: calls a function of the library by its name, and answers JSON."""

HOLD = """function hold(name, ...values) { return globalThis.tabwright[name](...values); }"""
"""The same for what is no JSON but an element, or several: answers a handle on it."""
