from typing import BinaryIO

from .slide import Slides

class _Presentation:
    slides: Slides

def Presentation(pptx: BinaryIO) -> _Presentation: ...  # noqa: N802  (as it is named)
