"""The latest of what a page tells, counted, so that each is told once."""

from collections import deque
from typing import Generic, TypeVar

ItemT = TypeVar("ItemT")


class SequencedBuffer(Generic[ItemT]):
    """Remembers so many; a page may tell any number.

    Attributes:
        last: how many there were, and so the number of the last.
    """

    def __init__(self, kept_max: int) -> None:
        self.last = 0
        self._items = deque[tuple[int, ItemT]](maxlen=kept_max)

    def add(self, item: ItemT) -> None:
        """One more."""
        self.last += 1
        self._items.append((self.last, item))

    def between(self, after: int, last: int) -> tuple[ItemT, ...]:
        """Those with a number greater than the first, and not greater than the second."""
        return tuple(item for number, item in self._items if after < number <= last)
