from collections.abc import Iterator

from .shapes.base import BaseShape
from .text.text import TextFrame

class TitleShape(BaseShape): ...

class Shapes:
    title: TitleShape | None
    def __iter__(self) -> Iterator[BaseShape]: ...

class NotesSlide:
    notes_text_frame: TextFrame | None

class Slide:
    shapes: Shapes
    has_notes_slide: bool
    notes_slide: NotesSlide

class Slides:
    def __iter__(self) -> Iterator[Slide]: ...
    def __len__(self) -> int: ...
