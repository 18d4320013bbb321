from typing import BinaryIO

from .slide import Slides

class _Presentation:
    slides: Slides

def Presentation(pptx: BinaryIO) -> _Presentation: ...
