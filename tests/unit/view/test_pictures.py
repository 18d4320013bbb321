"""Live pictures within their size limits."""

from io import BytesIO
from random import Random

import pytest
from PIL import Image

from tabwright.view.pictures import FRAME_BYTES_MAX, PictureFitter, sharp_parts


@pytest.fixture(scope="module")
def noise() -> bytes:
    """An image that no format compresses well."""
    data = Random(1).randbytes(1280 * 720 * 3)
    written = BytesIO()
    Image.frombytes("RGB", (1280, 720), data).save(written, "JPEG", quality=80)
    return written.getvalue()


@pytest.fixture(scope="module")
def plain() -> bytes:
    written = BytesIO()
    Image.new("RGB", (1280, 720), "#eef").save(written, "JPEG", quality=80)
    return written.getvalue()


def test_small_picture_is_passed_on_unchanged(plain: bytes) -> None:
    part = PictureFitter().fit(plain, FRAME_BYTES_MAX)
    assert part.data is plain
    assert part.sharp


def test_large_picture_is_reduced_to_the_limit(noise: bytes) -> None:
    fitter = PictureFitter()
    for _ in range(3):
        part = fitter.fit(noise, 80_000)
        assert len(part.data) <= 80_000
        assert not part.sharp


def test_sharp_parts_cover_the_picture_and_keep_the_limit() -> None:
    data = BytesIO()
    random = Random(2)
    picture = Image.new("L", (1280, 720))
    picture.putdata([255 * (random.random() < 0.9) for _ in range(1280 * 720)])
    picture.convert("RGB").save(data, "JPEG", quality=70)
    parts = list(sharp_parts(data.getvalue(), FRAME_BYTES_MAX))
    assert len(parts) > 1
    assert all(len(part.data) <= FRAME_BYTES_MAX for part in parts)
    y = 0.0
    for part in parts:
        assert part.y == pytest.approx(y)
        y += part.height
    assert y == pytest.approx(1)
