"""Excel workbooks of which a test writes the XML of the sheets."""

from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from tabwright.content.extract import extract_snapshot, media_type
from tabwright.content.office.read import EXCEL, READERS
from tabwright.content.render.markdown import markdown_of
from tabwright.protocol.blocks import TableBlock
from tabwright.protocol.errors import PageFailed
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import LoadedPage, Selection

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMES = f'xmlns="{MAIN}" xmlns:r="{RELATIONS}"'


def relation(number, kind, target, mode="Internal"):
    return (
        f'<Relationship Id="r{number}" Type="{RELATIONS}/{kind}" Target="{target}"'
        f' TargetMode="{mode}"/>'
    )


def related(*relations):
    return f"<Relationships>{''.join(relations)}</Relationships>"


def workbook(*sheets, properties="", **more):
    """Return a workbook of sheets with this XML; the first one is ``xl/s1.xml``."""
    numbers = range(1, len(sheets) + 1)
    listed = "".join(f'<sheet name="S{one}" r:id="r{one}"/>' for one in numbers)
    parts = {
        "xl/workbook.xml": f"<workbook {NAMES}>{properties}<sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": related(
            *(relation(one, "worksheet", f"s{one}.xml") for one in numbers),
            relation(0, "styles", "styles.xml"),
        ),
        **{
            f"xl/s{number}.xml": f"<worksheet {NAMES}>{sheet}</worksheet>"
            for number, sheet in enumerate(sheets, 1)
        },
    }
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as opened:
        for name, data in {**parts, **more}.items():
            opened.writestr(name, data)
    return file.getvalue()


def text(name, value):
    """Return a cell with a text."""
    return f'<c r="{name}" t="str"><v>{value}</v></c>'


def read(body, kind="application/zip"):
    response = Fetched(LoadedPage("https://a.example/x", 200, kind), body)
    return extract_snapshot(response, Selection(), 1).snapshot


def refused(body, kind="application/zip"):
    with pytest.raises(PageFailed) as caught:
        read(body, kind)
    return caught.value


def tables(page):
    return [
        [["".join(one.text for one in cell) for cell in row] for row in block.rows]
        for block in page.content
        if isinstance(block, TableBlock)
    ]


def comments(page):
    lines = markdown_of(page.content).split("\n")
    return [one.removeprefix("Comment on ") for one in lines if one.startswith("Comment on ")]


# Media types.


@pytest.mark.parametrize(
    "declared",
    [
        "application/vnd.ms-excel",
        "application/vnd.ms-powerpoint",
        "application/vnd.ms-excel.template.macroenabled.12",
        "application/vnd.ms-powerpoint.slideshow.macroenabled.12",
        "application/json",
    ],
)
def test_workbook_of_another_declared_type_is_detected_by_its_content(declared):
    response = Fetched(LoadedPage("https://a.example/x", 200, declared), workbook(text("A1", "a")))
    assert media_type(response) == EXCEL
    assert tables(read(response.body, declared)) == [[["a"]]]


@pytest.mark.parametrize("declared", ["application/vnd.ms-excel", "text/plain"])
def test_declared_type_of_a_file_that_is_no_archive_is_kept(declared):
    response = Fetched(LoadedPage("https://a.example/x", 200, declared), b"PK\x03\x04")
    assert media_type(response) == declared


@pytest.mark.parametrize("ending", ["xlsm", "xltx", "pptm", "ppsx", "docm"])
def test_type_of_a_damaged_file_is_detected_by_the_end_of_its_name(ending):
    page = LoadedPage(f"https://a.example/x.{ending}", 200, "application/octet-stream")
    assert media_type(Fetched(page, b"PK\x03\x04")) in READERS


@pytest.mark.parametrize(
    "declared", ["application/zip", "application/vnd.ms-excel.sheet.binary.macroenabled.12"]
)
def test_binary_workbook_is_refused_as_such(declared):
    binary = {
        "_rels/.rels": related(relation(1, "officeDocument", "xl/workbook.bin")),
        "xl/workbook.bin": b"\x83\x01\x00",
    }
    file = BytesIO()
    with ZipFile(file, "w") as opened:
        for name, data in binary.items():
            opened.writestr(name, data)
    failure = refused(file.getvalue(), declared)
    assert ".xlsb" in str(failure)
    assert "page_bytes_max" not in str(failure)


# Comments.


def test_comments_on_cells_without_a_thread_are_read_beside_threads():
    noted = "".join(
        f'<comment ref="{cell}"><text><t>{note}</t></text></comment>'
        for cell, note in (("A1", "note"), ("B2", "copy of the thread"))
    )
    thread = "".join(
        f'<threadedComment ref="B2"><text>{part}</text></threadedComment>'
        for part in ("question", "reply")
    )
    parts = {
        "xl/_rels/s1.xml.rels": related(
            relation(1, "comments", "c.xml"), relation(2, "threadedComment", "t.xml")
        ),
        "xl/c.xml": f"<comments><commentList>{noted}</commentList></comments>",
        "xl/t.xml": f"<ThreadedComments>{thread}</ThreadedComments>",
    }
    page = read(workbook(text("A1", "name"), **parts))
    assert comments(page) == ["B2: question", "B2: reply", "A1: note"]


def test_escaped_characters_of_cells_and_comments_are_read():
    noted = '<comment ref="A1"><text><t>smile_x000A__xD83D__xDE00_</t></text></comment>'
    parts = {
        "xl/_rels/s1.xml.rels": related(relation(1, "comments", "c.xml")),
        "xl/c.xml": f"<comments>{noted}</comments>",
    }
    values = ("_xD83D__xDE00_", "a_xD800_b", "_x005F_x000D_")
    cells = "".join(text(f"{column}1", value) for column, value in zip("ABC", values, strict=True))
    page = read(workbook(cells, **parts))
    assert tables(page) == [[["\N{GRINNING FACE}", "ab", "_x000D_"]]]
    assert comments(page) == ["A1: smile \N{GRINNING FACE}"]
