"""Secrets: a call names one, the page receives its value, and redaction masks it in our output."""

import re
from base64 import b64encode
from collections.abc import ItemsView, Iterator, Mapping
from functools import partial
from pathlib import Path

import ada_url
import attrs
from dotenv import dotenv_values

from tabwright.protocol.errors import BadInput, SettingsError
from tabwright.protocol.untrusted_text import Quoted
from tabwright.text.decoding import Unspelt, unspelt
from tabwright.text.file_errors import file_problem
from tabwright.text.public_suffixes import is_public_suffix

BEGINNING_MIN = 6
"""Minimum length of a truncated value that is masked; so many characters do not match by chance."""

ENCODED_MIN = 8
"""Minimum length of a base64 fragment that is masked; a shorter one can match by chance."""

ELLIPSIS = "\u2026"
TORN_MAX = 12
_TORN = re.compile(r"(?:\\[ux]?[0-9a-f]{0,3}|%[0-9a-f]?|&[#a-z0-9]{0,8})$")
"""An incomplete escape at the end of a text."""

LENGTH_MIN = 4
"""Minimum length of a value that is masked; a shorter one can occur anywhere by chance.

It holds for a truncated value after decoding, too, which shortens it.
"""


def _needles_of(secrets: "Secrets") -> "tuple[_Needle, ...]":
    long = [pair for pair in secrets.items() if len(pair[1]) >= LENGTH_MIN]
    return tuple(_Needle.of(*pair) for pair in sorted(long, key=lambda pair: -len(pair[1])))


@attrs.frozen
class _Needle:
    """The spellings of a value that are searched for.

    Attributes:
        folded: the value in the form of `Unspelt.folded`; empty if that is too short.
        encoded: the value in base64, at each of the three alignments.
    """

    name: str
    value: str
    folded: str
    encoded: tuple[str, ...]

    @classmethod
    def of(cls, name: str, value: str) -> "_Needle":
        """Build the needle of a secret."""
        folded = unspelt(value).folded.strip()
        if len(folded) < LENGTH_MIN:
            folded = ""
        encodings: list[str] = []
        data = value.encode()
        for shift in range(3):
            whole = b64encode(bytes(shift) + data + bytes(3)).decode()
            core = whole[-(-shift * 8 // 6) : (shift + len(data)) * 8 // 6]
            if len(core) >= ENCODED_MIN:
                encodings.extend({core, core.replace("+", "-").replace("/", "_")})
        return cls(name, value, folded, tuple(encodings))

    def spans(self, text: str, view: Unspelt) -> Iterator[tuple[int, int, str]]:
        """Yield each occurrence in a text."""
        for start, end in _places(self.value, text):
            yield start, end, self.name
        for start, end in _places(self.folded, view.folded):
            yield *view.span_of_folded(start, end), self.name
        for encoded in self.encoded:
            for start, end in _places(encoded, view.decoded):
                yield *view.span_of_decoded(start, end), self.name
        for place in self._beginnings(view.folded):
            start, end = view.span_of_folded(*place)
            if end - start >= BEGINNING_MIN:
                yield start, end, self.name

    def _beginnings(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield a truncated value at the end of a text, including an incomplete escape."""
        head = self.folded[:LENGTH_MIN] if ELLIPSIS in text else ""
        for start, head_end in _places(head, text):
            end = text.find(ELLIPSIS, head_end, start + len(self.folded) + TORN_MAX)
            cut = text[start : max(end, start)].removesuffix(" ")
            torn = _TORN.search(cut)
            whole = cut[: torn.start()] if torn else cut
            if len(whole) >= LENGTH_MIN and self.folded.startswith((cut, whole)):
                yield start, start + len(cut)


def _places(wanted: str, text: str) -> Iterator[tuple[int, int]]:
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        yield at, at + len(wanted)
        at = text.find(wanted, at + len(wanted))


# The site that a secret belongs to.

_PORTS = {"http:": "80", "https:": "443"}
"""The ports that a URL does not name."""

_SITE = re.compile(r"(?P<host>[^/?#@\\\s:]+|\[[0-9a-fA-F:.]+\])(?::(?P<port>\d{1,5}))?")
_HOST = re.compile(r"[a-z0-9._-]+|\[[0-9a-f:]+\]")


@attrs.frozen
class SecretSite:
    """A domain with its subdomains, or a local host; either can be limited to a port.

    Attributes:
        host: for example ``shop.example``, ``localhost`` or ``[::1]``.
        port: for example ``8080``; empty for every port.
    """

    host: str
    port: str = ""

    @classmethod
    def of(cls, text: str) -> "SecretSite":
        """Parse a site such as ``shop.example`` or ``localhost:8080``.

        Raises:
            ValueError: it is not a site, or is a public suffix such as ``co.uk``.
        """
        match = _SITE.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is not a site")
        try:
            host = ada_url.URL(f"https://{match['host']}/").hostname
        except ValueError:
            raise ValueError(f"{text!r} is not a site") from None
        if not _HOST.fullmatch(host):
            raise ValueError(f"{text!r} is not a site")
        site = cls(host, match["port"] or "")
        if site.is_domain and is_public_suffix(host):
            raise ValueError(f"{text!r} is a suffix of the sites of many owners")
        return site

    @property
    def is_domain(self) -> bool:
        """Whether the host can have subdomains: it is neither a local name nor an IP address."""
        is_address = self.host.startswith("[") or self.host.rpartition(".")[2].isdigit()
        return "." in self.host and not is_address

    def includes(self, url: str) -> bool:
        """Return whether a web page of this URL is of the site."""
        try:
            parts = ada_url.URL(url)
        except ValueError:
            return False
        if parts.protocol not in _PORTS:
            return False
        is_below = self.is_domain and parts.hostname.endswith(f".{self.host}")
        port = parts.port or _PORTS[parts.protocol]
        return (parts.hostname == self.host or is_below) and self.port in {"", port}

    def __str__(self) -> str:
        return f"{self.host}:{self.port}" if self.port else self.host


@attrs.frozen
class Secrets:
    """The secret values by name, and the sites that they belong to."""

    _values: Mapping[str, str] = attrs.field(factory=dict[str, str], repr=False)
    _sites: Mapping[str, SecretSite] = attrs.field(factory=dict[str, SecretSite])
    _needles: tuple[_Needle, ...] = attrs.field(
        default=attrs.Factory(_needles_of, takes_self=True),
        init=False,
        repr=False,
        eq=False,
    )

    def __bool__(self) -> bool:
        """Return whether there are any secrets."""
        return bool(self._values)

    def items(self) -> ItemsView[str, str]:
        """Return each name with its value."""
        return self._values.items()

    @property
    def without_site(self) -> tuple[str, ...]:
        """The names of the secrets that belong to no site."""
        return tuple(name for name in self._values if name not in self._sites)

    def value(self, name: str, receiver: str | None) -> str:
        """Return the value of a secret. If there are no secrets at all, return the name itself.

        Args:
            name: of the secret.
            receiver: the URL that gets the value; empty if its site is not known, None if the value
                leaves for no site.

        Raises:
            BadInput: there are secrets, but none with this name, or it belongs to another site.
        """
        if not self._values:
            return mark(name)
        if name not in self._values:
            raise BadInput(
                f"There is no secret {name}.", advice=f"There are: {', '.join(self._values)}."
            )
        site = self._sites.get(name)
        if site is not None and receiver is not None and not site.includes(receiver):
            raise BadInput(
                (
                    f"The secret {name} belongs to {site}, and would be sent to ",
                    Quoted(_host_of(receiver) or "an unknown site"),
                    ".",
                ),
                advice=f"Use it on a page of {site}. Only the user can change its site.",
            )
        return self._values[name]

    def inserted(self, text: str, receiver: str | None) -> str:
        """Replace the names in a text, written as ``{{NAME}}``, by the values; see `value`.

        Raises:
            BadInput: no secret has this name, or it belongs to another site.
        """
        return NAME.sub(lambda found: self.value(found[1], receiver), text)

    def masked(self, text: str) -> str:
        """Replace the values in a text by their names, however they are encoded or truncated.

        Takes time linear in the length of the text.
        """
        if not self._needles or not text:
            return text
        view = unspelt(text)
        found = (span for needle in self._needles for span in needle.spans(text, view))
        # Of overlapping spans, the first is used.
        pieces: list[str] = []
        copied = 0
        for start, end, name in sorted(found, key=lambda span: (span[0], -span[1])):
            if start < copied or (
                text[start:end] in self._values
                and text[start - 2 : end + 2] == mark(text[start:end])
            ):
                if end > copied and start < copied:  # the rest of an overlapping span
                    copied = end
                continue
            pieces += (text[copied:start], mark(name))
            copied = end
        pieces.append(text[copied:])
        return "".join(pieces)


NAME = re.compile(r"\{\{([A-Za-z][A-Za-z0-9_-]*)\}\}")
"""A secret's name in a text."""


def _host_of(url: str) -> str:
    try:
        return ada_url.URL(url).host
    except ValueError:
        return ""


def mark(name: str) -> str:
    """Return the placeholder of a secret in a text."""
    return f"{{{{{name}}}}}"


def any_site_warning(secrets: Secrets) -> str:
    """Return a warning of the secrets without a site; empty if there are none."""
    names = ", ".join(secrets.without_site)
    return (
        f"Any site can be sent these secrets: {names}. Write each as NAME@site=value in the file"
        " of acting.secrets, for example PIN@shop.example=1234."
        if names
        else ""
    )


# The secrets file: lines of ``NAME@site=value`` or ``NAME=value``, as in ``.env`` files.


def load_secrets(path: str | None) -> Secrets:
    """Read the secrets from a file; none if no file is set.

    Raises:
        SettingsError: the file cannot be read, or a line of it is not valid.
    """
    if path is None:
        return Secrets()
    file = Path(path).expanduser()
    try:
        with file.open(encoding="utf-8") as lines:
            values = dotenv_values(stream=lines, interpolate=False)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"acting.secrets: {file_problem(error, file)}", advice="Check the path."
        ) from error
    advice = "Write NAME@site=value, for example PIN@shop.example=1234."
    refused = partial(SettingsError, advice=advice)
    secrets, sites = dict[str, str](), dict[str, SecretSite]()
    for key, value in values.items():
        name, at, site = key.partition("@")
        if name in secrets:
            raise refused(f"acting.secrets: the name {name} is used twice.")
        if at:
            try:
                sites[name] = SecretSite.of(site)
            except ValueError as error:
                raise refused(f"acting.secrets: {error}.") from None
        if value:
            secrets[name] = value
    return Secrets(secrets, sites)
