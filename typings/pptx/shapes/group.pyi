from collections.abc import Iterable

from .base import BaseShape

class GroupShape(BaseShape):
    shapes: Iterable[BaseShape]
