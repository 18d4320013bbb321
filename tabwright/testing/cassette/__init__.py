"""Cassettes: a recorded conversation with a real browser, played back on a fake one.

`tape` is the file and its parts, `masking` keeps secrets out of it, `recording` listens at the
transport of a real browser, `playing` is the fake browser, and `cassette` runs a test on either.
"""

from tabwright.testing.cassette.cassette import Cassette
from tabwright.testing.cassette.playing import CassetteMismatch

__all__ = ["Cassette", "CassetteMismatch"]
