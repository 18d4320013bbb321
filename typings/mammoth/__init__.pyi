from collections.abc import Callable, Sequence
from typing import BinaryIO

from . import html as html
from .documents import Image

class Result:
    value: str

def convert_to_html(
    fileobj: BinaryIO,
    *,
    style_map: str = ...,
    include_embedded_style_map: bool = ...,
    external_file_access: bool = ...,
    convert_image: Callable[[Image], Sequence[html.Node]] = ...,
) -> Result: ...
