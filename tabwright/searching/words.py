"""The files in ``words/``: one for each of the six languages."""

from importlib import resources
from typing import TypeVar

import msgspec

_Wanted = TypeVar("_Wanted")


def read_words(code: str, wanted: type[_Wanted]) -> _Wanted:
    """The parts of a language's file that `wanted` has attributes for."""
    file = resources.files(__package__ or "") / "words" / f"{code}.yaml"
    return msgspec.yaml.decode(file.read_bytes(), type=wanted)
