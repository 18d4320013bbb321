"""The name that was meant where an unknown one was given."""

import difflib
from collections.abc import Iterable

CUTOFF = 0.6
"""How similar a name must be to be suggested, from 0 to 1; the default of `difflib`."""


def close_match(given: str, known: Iterable[str], cutoff: float = CUTOFF) -> str:
    """Return the known name that is most similar to `given`; empty if none is similar."""
    return next(iter(difflib.get_close_matches(given, list(known), n=1, cutoff=cutoff)), "")


def did_you_mean(given: str, known: Iterable[str], cutoff: float = CUTOFF) -> str:
    """Return a question with the most similar known name, after a space; empty if none is."""
    close = close_match(given, known, cutoff)
    return f" Did you mean {close}?" if close else ""
