"""The trace of a session: its beginning, its end and its status."""

from typing import Literal, TypeAlias

import attrs

TraceAction: TypeAlias = Literal["start", "stop", "status"]


@attrs.frozen
class TraceStatus:
    """The trace of a session.

    Attributes:
        path: the file; empty if no trace was recorded.
        recording: whether it is being recorded.
        actions: the number of recorded actions.
        size_bytes: the size of the file.
        is_full: whether the file has reached its maximum size, so that nothing more is recorded.
    """

    path: str = ""
    recording: bool = False
    actions: int = 0
    size_bytes: int = 0
    is_full: bool = False
