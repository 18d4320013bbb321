"""Secrets: a call names one, the page receives its value, and redaction masks it in our output."""

import re
from base64 import b64encode
from collections.abc import ItemsView, Iterator, Mapping
from pathlib import Path

import attrs
from dotenv import dotenv_values

from tabwright.protocol.errors import BadInput, SettingsError
from tabwright.text.decoding import Unspelt, unspelt
from tabwright.text.file_errors import file_problem

BEGINNING_MIN = 6
"""Minimum length of a truncated value that is masked; so many characters do not match by chance."""

FOLDED_MIN = 4
"""The same after decoding, which shortens the value."""

ENCODED_MIN = 8
"""Minimum length of a base64 fragment that is masked; a shorter one can match by chance."""

ELLIPSIS = "\u2026"
TORN_MAX = 12
_TORN = re.compile(r"(?:\\[ux]?[0-9a-f]{0,3}|%[0-9a-f]?|&[#a-z0-9]{0,8})$")
"""An incomplete escape at the end of a text."""

LENGTH_MIN = 4
"""Minimum length of a value that is masked; a shorter one can occur anywhere by chance."""


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
        head = self.folded[:FOLDED_MIN] if ELLIPSIS in text else ""
        for start, head_end in _places(head, text):
            end = text.find(ELLIPSIS, head_end, start + len(self.folded) + TORN_MAX)
            cut = text[start : max(end, start)].removesuffix(" ")
            torn = _TORN.search(cut)
            whole = cut[: torn.start()] if torn else cut
            if len(whole) >= FOLDED_MIN and self.folded.startswith((cut, whole)):
                yield start, start + len(cut)


def _places(wanted: str, text: str) -> Iterator[tuple[int, int]]:
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        yield at, at + len(wanted)
        at = text.find(wanted, at + len(wanted))


@attrs.frozen
class Secrets:
    """The secret values by name."""

    _values: Mapping[str, str] = attrs.field(factory=dict[str, str], repr=False)
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

    def value(self, name: str) -> str:
        """Return the value of a secret. If there are no secrets at all, return the name itself.

        Raises:
            BadInput: there are secrets, but none with this name.
        """
        if not self._values:
            return mark(name)
        if name not in self._values:
            raise BadInput(
                f"There is no secret {name}.", advice=f"There are: {', '.join(self._values)}."
            )
        return self._values[name]

    def inserted(self, text: str) -> str:
        """Replace the names in a text, written as ``{{NAME}}``, by the values.

        Raises:
            BadInput: no secret has this name.
        """
        return NAME.sub(lambda found: self.value(found[1]), text)

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


def mark(name: str) -> str:
    """Return the placeholder of a secret in a text."""
    return f"{{{{{name}}}}}"


# The secrets file: lines of ``NAME=value``, as in ``.env`` files.


def load_secrets(path: str | None) -> Secrets:
    """Read the secrets from a file; none if no file is set.

    Raises:
        SettingsError: the file cannot be read.
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
    return Secrets({name: value for name, value in values.items() if value})
