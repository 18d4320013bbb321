"""File formats and file names of screenshots."""

import pytest

from tabwright.mcp.tools.screenshot import ScreenshotArguments, picture_format, with_extension
from tabwright.protocol.errors import BadInput


@pytest.mark.parametrize(
    ("filename", "requested", "found"),
    [
        ("", None, "jpeg"),
        ("", "png", "png"),
        ("page", None, "jpeg"),
        ("page", "webp", "webp"),
        ("page.png", None, "png"),
        ("page.WebP", None, "webp"),
        ("page.jpg", "jpeg", "jpeg"),
    ],
)
def test_screenshot_format_is_the_requested_one_or_that_of_the_file(filename, requested, found):
    assert picture_format(filename, requested, "jpeg") == found


@pytest.mark.parametrize(("filename", "requested"), [("page.gif", None), ("page.png", "webp")])
def test_unsupported_or_conflicting_file_extension_is_refused(filename, requested):
    with pytest.raises(BadInput):
        picture_format(filename, requested, "jpeg")


def test_a_file_name_without_extension_gets_that_of_the_format():
    assert with_extension("page", "webp") == "page.webp"
    assert with_extension("page.jpg", "jpeg") == "page.jpg"


def test_png_file_name_raises_the_screenshot_size_limit():
    png, jpeg = ScreenshotArguments(filename="a.png"), ScreenshotArguments(filename="a.jpg")
    assert png.request().bytes_max > jpeg.request().bytes_max
