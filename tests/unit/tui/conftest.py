"""Pictures for pages."""

import io
from collections.abc import Callable

import pytest
from PIL import Image


@pytest.fixture
def png() -> Callable[[int, int], bytes]:
    """Makes the file of a picture of so many pixels."""

    def make(width: int, height: int) -> bytes:
        file = io.BytesIO()
        Image.new("RGB", (width, height), "red").save(file, "PNG")
        return file.getvalue()

    return make
