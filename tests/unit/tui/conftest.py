"""Images for the tests of the terminal browser."""

import io
from collections.abc import Callable

import pytest
from PIL import Image


@pytest.fixture
def png() -> Callable[[int, int], bytes]:
    """Return a function that makes a PNG file of the given size in pixels."""

    def make(width: int, height: int) -> bytes:
        file = io.BytesIO()
        Image.new("RGB", (width, height), "red").save(file, "PNG")
        return file.getvalue()

    return make
