"""Responses that are not HTML: data, documents, images, unreadable files."""

from contextlib import suppress
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tabwright.content.extract import extract_snapshot
from tabwright.content.render.markdown import markdown_of, text_of
from tabwright.content.thumbnail import PIXELS_MAX, shrunk
from tabwright.protocol.errors import ErrorCode, PageFailed
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import LoadedPage, MediaItem, Selection


def fetched(body, media_type="", url="https://a.example/file", **more):
    data = body.encode() if isinstance(body, str) else body
    return Fetched(LoadedPage(url, 200, media_type), data, **more)


def snapshot(*arguments, **more):
    return extract_snapshot(fetched(*arguments, **more), Selection(), 1).snapshot


def picture(mode="RGB", size=(100, 50), picture_format="PNG"):
    data = BytesIO()
    Image.new(mode, size, "red").save(data, picture_format)
    return data.getvalue()


@pytest.mark.parametrize(
    ("body", "media_type", "url", "kind"),
    [
        ("<p>x", "text/html", "/x", "text/html"),
        ("<!DOCTYPE html><p>x", "", "/x", "text/html"),
        ("a,b\n1,2", "text/csv", "/x", "text/csv"),
        ("a,b\n1,2", "application/octet-stream", "/x.csv", "text/csv"),
        ("{}", "application/json", "/x", "application/json"),
        ("{}", "application/vnd.api+json", "/x", "application/vnd.api+json"),
        ("plain", "", "/x", "text/plain"),
        (picture(), "", "/x", "image/png"),
    ],
)
def test_media_type_is_detected_from_header_content_or_url(body, media_type, url, kind):
    assert snapshot(body, media_type, f"https://a.example{url}").media_type in {kind, media_type}


def test_json_text_and_csv_bodies_are_shown_as_code_or_table():
    assert markdown_of(snapshot('{"b":1,"a":[2]}', "application/json").content) == (
        '```json\n{\n  "b": 1,\n  "a": [\n    2\n  ]\n}\n```'
    )
    assert markdown_of(snapshot("{oops", "application/json").content) == "```json\n{oops\n```"
    assert markdown_of(snapshot("# a\n\tb", "text/plain").content) == "```\n# a\n\tb\n```"
    assert (
        markdown_of(snapshot("a,b\n1,2", "text/csv").content)
        == "| a | b |\n| --- | --- |\n| 1 | 2 |"
    )


def test_terminal_escape_codes_are_removed_from_every_body_type():
    evil = "a\x1b[2Jb\x9b1mc\x07"
    for media_type in ("text/plain", "text/csv", "application/json", "text/html"):
        assert "\x1b" not in text_of(snapshot(evil, media_type).content)
    assert snapshot("x", "text/plain", file_name="a\x1b.txt").title == "a.txt"


@given(st.binary(max_size=200))
def test_any_bytes_sent_as_pdf_are_read_or_refused(body):
    with suppress(PageFailed):
        snapshot(body, "application/pdf")


def test_image_body_becomes_single_media_item():
    page = snapshot(picture(), "image/png", "https://a.example/red.png")
    assert page.media == (MediaItem(1, "image", "https://a.example/red.png"),)
    assert "red.png" in markdown_of(page.content)


def test_a_file_that_cannot_be_read_is_refused():
    with pytest.raises(PageFailed, match="application/zip") as caught:
        snapshot(b"PK\x03\x04", "application/zip")
    assert caught.value.code is ErrorCode.PARSE


@pytest.mark.parametrize(
    ("media_type", "name", "kind"),
    [
        ("application/csv", "", "text/csv"),
        ("text/plain", "table.csv", "text/csv"),
        ("application/vnd.ms-excel", "table.csv", "text/csv"),
        ("application/octet-stream", "table.tsv", "text/tab-separated-values"),
        ("application/jsonl", "", "application/x-ndjson"),
        ("application/x-unknown", "", "text/plain"),
    ],
)
@pytest.mark.parametrize("is_header", [True, False], ids=["header", "URL"])
def test_text_with_unusual_media_type_is_recognized(media_type, name, kind, is_header):
    url = "https://a.example/" + ("" if is_header else name)
    page = snapshot("a,b\n1,2\n", media_type, url, file_name=name if is_header else "")
    assert page.media_type == kind
    assert "1" in text_of(page.content)


@pytest.mark.parametrize("body", [b"{\\rtf1 text}", b"%!PS-Adobe", b"a\x00b", b"\xff\xfe\xfd"])
def test_binary_document_of_unknown_type_is_refused(body):
    with pytest.raises(PageFailed):
        snapshot(body, "application/x-unknown")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"{\\rtf1\\ansi text}", "application/rtf"),
        (b"%!PS-Adobe-3.0\n", "application/postscript"),
    ],
)
@pytest.mark.parametrize("media_type", ["", "text/plain", "text/rtf", "application/msword"])
def test_document_of_commands_is_refused_by_its_content(body, kind, media_type):
    with pytest.raises(PageFailed, match=kind) as caught:
        snapshot(body, media_type, "https://a.example/x.rtf")
    assert caught.value.code is ErrorCode.PARSE


def test_charset_used_for_decoding_is_reported():
    page = snapshot("<p>中文</p>".encode("gb18030"), "text/html", charset="gbk")
    assert page.metadata.charset == "gbk"


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "P", "L", "1", "CMYK"])
def test_large_picture_is_scaled_down_to_jpeg(mode):
    picture_format = "JPEG" if mode == "CMYK" else "PNG"
    data = BytesIO()
    Image.new(mode, (1000, 500)).save(data, picture_format)
    small = shrunk(MediaItem(3, "image", "u", "alt"), data.getvalue(), (640, 480), 80)
    assert (small.width, small.height, small.media_type) == (640, 320, "image/jpeg")
    assert (small.number, small.alt) == (3, "alt")
    assert Image.open(BytesIO(small.data)).size == (640, 320)


def test_avif_picture_is_scaled_down():
    data = BytesIO()
    Image.new("RGB", (1000, 500)).save(data, "AVIF")
    small = shrunk(MediaItem(1, "image", "u"), data.getvalue(), (640, 480), 80)
    assert (small.width, small.height) == (640, 320)


def test_svg_picture_has_its_texts():
    svg = (
        b"<svg xmlns='http://www.w3.org/2000/svg'><title>Sales</title><script>no()</script>"
        b"<rect/><text x='1'>2027: <tspan>17</tspan></text></svg>"
    )
    page = snapshot(svg, "image/svg+xml", "https://a.example/x.svg")
    assert text_of(page.content[1:]) == "Sales\n\n2027: 17"


def test_svg_picture_has_the_html_in_it_but_no_hidden_text():
    svg = (
        b"<svg xmlns='http://www.w3.org/2000/svg'><g><switch><foreignObject><div>Web <b>server</b>"
        b"</div></foreignObject><text>Cannot display</text></switch></g><g display='none'><g>"
        b"<text>Layer</text></g></g><text style='fill: red; display: none'>Old</text></svg>"
    )
    text = text_of(snapshot(svg, "image/svg+xml", "https://a.example/x.svg").content)
    assert "Web server" in text
    assert not any(hidden in text for hidden in ("Cannot", "Layer", "Old"))


def test_a_small_picture_is_not_made_larger():
    small = shrunk(MediaItem(1, "image", "u"), picture(size=(40, 30)), (640, 480), 80)
    assert (small.width, small.height) == (40, 30)


@pytest.mark.parametrize(
    "data",
    [b"", b"no picture", picture(size=(5, 5)), picture()[:40], b"\x89PNG\r\n\x1a\n" + bytes(50)],
)
def test_invalid_or_tiny_picture_is_skipped(data):
    assert shrunk(MediaItem(1, "image", "u"), data, (640, 480), 80) is None


def test_a_picture_that_claims_too_many_pixels_is_not_decoded():
    side = int(PIXELS_MAX**0.5) + 1
    data = BytesIO()
    Image.new("1", (side, side)).save(data, "PNG")
    assert len(data.getvalue()) < 100_000
    assert shrunk(MediaItem(1, "image", "u"), data.getvalue(), (640, 480), 80) is None


@pytest.mark.parametrize("image_format", ["jpeg", "webp", "png"])
def test_picture_is_made_in_the_format_that_is_wanted(image_format):
    small = shrunk(MediaItem(1, "image", "u"), picture(size=(40, 30)), (20, 20), 80, image_format)
    with Image.open(BytesIO(small.data)) as shown:
        assert shown.format == image_format.upper()
        assert shown.size == (20, 15)
    assert small.media_type == f"image/{image_format}"
