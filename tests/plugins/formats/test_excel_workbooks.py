"""Excel workbooks of which a test writes the XML of the sheets."""

from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from tabwright.content import documents
from tabwright.content.extract import extract_snapshot, media_type
from tabwright.content.render.markdown import markdown_of, text_of
from tabwright.plugins.formats.office import sheets
from tabwright.plugins.formats.office.read import EXCEL, READERS
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


# Rows and columns.


def row(number, **cells):
    """Return a row; the names of its cells are those of their columns."""
    inner = "".join(text(f"{column}{number}", value) for column, value in cells.items())
    return f'<row r="{number}">{inner}</row>'


def test_empty_rows_do_not_use_up_the_limit_of_cells(monkeypatch):
    monkeypatch.setattr(documents, "CELLS_MAX", 3)
    page = read(workbook(row(1, A="a") + row(1_048_576, A="far"), row(1, A="b") + row(9, A="c")))
    assert tables(page) == [[["a"], ["far"]], [["b"]]]
    assert page.notice == "Not read: 1 row of the sheet 'S2'."


def test_rows_end_at_their_last_value():
    page = read(workbook(row(1, SF="far") + row(2, A="b", C="c") + row(3, B="d")))
    assert [len(one) for one in tables(page)[0]] == [500, 3, 2]
    assert tables(page)[0][1:] == [["b", "", "c"], ["", "d"]]


def test_empty_cells_before_a_value_count_towards_the_limit(monkeypatch):
    monkeypatch.setattr(documents, "CELLS_MAX", 8)
    page = read(workbook("".join(row(number, E="far") for number in range(1, 6))))
    assert tables(page) == [[["far"]] * 2]
    assert page.notice == "Not read: 3 rows of the sheet 'S1'."


def test_merged_cell_repeats_its_text_in_rows_with_a_value():
    merged = '<mergeCells><mergeCell ref="B2:B9"/><mergeCell ref="C1:C9"/></mergeCells>'
    page = read(workbook(row(2, A="a", B="b") + row(4, A="c") + row(10, A="d") + merged))
    assert tables(page) == [[["a", "b"], ["c", "b"], ["d"]]]


def test_empty_cells_before_merged_ones_count_towards_the_limit_of_all_sheets(monkeypatch):
    monkeypatch.setattr(documents, "CELLS_MAX", 24)
    rows = row(1, E="tall") + "".join(row(number, A="a") for number in range(2, 6))
    page = read(workbook(*[f'{rows}<mergeCells><mergeCell ref="E1:E5"/></mergeCells>'] * 2))
    assert [[len(one) for one in table] for table in tables(page)] == [
        *([5, 5, 5, 5, 5], [5, 5, 5, 1, 1])
    ]
    assert page.notice == "Not read: 2 merged cells."


# Headers and footers of printed sheets.


def printed(margins, switches=""):
    return workbook(row(1, A="a") + f"<headerFooter {switches}>{margins}</headerFooter>")


@pytest.mark.parametrize(
    ("margin", "lines"),
    [
        ('&amp;L&amp;"Arial,Bold"&amp;14Ada Ltd&amp;C&amp;A&amp;R&amp;D &amp;T', ["Ada Ltd"]),
        ("&amp;LA&amp;&amp;B&amp;R&amp;K01+000In &amp;Uconfidence", ["A&B", "In confidence"]),
        ("Page &amp;P of &amp;N", []),
        ("\u7b2c &amp;P \u9875 \u5171 &amp;N \u9875", []),
        ("Annual report, page &amp;P+2", ["Annual report, page"]),
        ("Ada Ltd\n&amp;F", ["Ada Ltd"]),
        ("&amp;", ["&"]),
    ],
)
def test_header_of_a_sheet_is_read_without_its_codes(margin, lines):
    page = read(printed(f"<oddHeader>{margin}</oddHeader>"))
    assert text_of(page.content).split("\n\n") == [*lines, "S1", "a"]


@pytest.mark.parametrize(
    ("switches", "text"),
    [("", "odd"), ('differentOddEven="1"', "even"), ('differentFirst="true"', "first")],
)
def test_footers_of_a_sheet_that_are_printed_follow_the_sheets(switches, text):
    kinds = ("odd", "even", "first")
    margins = "".join(f"<{kind}Footer>{kind}</{kind}Footer>" for kind in kinds)
    texts = text_of(read(printed(margins, switches)).content).split("\n\n")
    assert texts == ["S1", "a", *dict.fromkeys(["odd", text])]


def test_footer_of_several_sheets_is_read_once():
    sheet = row(1, A="a") + "<headerFooter><oddFooter>In confidence</oddFooter></headerFooter>"
    assert text_of(read(workbook(sheet, sheet)).content).count("In confidence") == 1


# Kinds of cells and sheets.


def test_dates_of_cells_are_read_in_iso_and_by_number():
    cells = '<c r="A1" t="d"><v>2024-05-01T00:00:00</v></c><c r="B1" s="0"><v>0</v></c>'
    cells += '<c r="C1" t="d"><v>2024-05-01T10:30:00</v></c>'
    styles = '<styleSheet><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>'
    system = '<workbookPr date1904="1"/>'
    page = read(workbook(cells, properties=system, **{"xl/styles.xml": styles}))
    assert tables(page) == [[["2024-05-01", "1904-01-01", "2024-05-01 10:30:00"]]]


@pytest.mark.parametrize(
    ("cell", "notice"),
    [
        ('<c r="B1" t="str"><f>A1</f><v/></c>', ""),
        ('<c r="B1" t="str"><f>A1</f></c>', "1 unsaved formula value"),
        ('<c r="B1"><f>A1</f><v/></c>', "1 unsaved formula value"),
    ],
)
def test_empty_text_of_a_formula_is_not_reported_as_unsaved(cell, notice):
    assert notice in read(workbook(f"<sheetData>{cell}</sheetData>")).notice
    assert bool(read(workbook(f"<sheetData>{cell}</sheetData>")).notice) == bool(notice)


def test_chart_sheet_is_reported():
    relations = related(relation(1, "worksheet", "s1.xml"), relation(2, "chartsheet", "s2.xml"))
    page = read(workbook(row(1, A="a"), "", **{"xl/_rels/workbook.xml.rels": relations}))
    assert tables(page) == [[["a"]]]
    assert page.notice == "Not read: 1 chart sheet."


# Links and drawings.

LINKED_CELLS = row(1, A="one", B="two") + row(3, A="three", B="four", C="five")


def linked(reference, url, cells=LINKED_CELLS):
    link = f'<hyperlinks><hyperlink ref="{reference}" r:id="r1"/></hyperlinks>'
    relations = related(relation(1, "hyperlink", url, "External"))
    return workbook(cells + link, **{"xl/_rels/s1.xml.rels": relations})


def urls(page):
    """Return the URLs of the texts of tables."""
    rows = (one for block in page.content if isinstance(block, TableBlock) for one in block.rows)
    return {run.text: run.url for one in rows for cell in one for run in cell if run.url}


def test_link_of_a_range_is_on_all_its_cells():
    page = read(linked("A1:B4", "https://b.example/"))
    assert urls(page) == dict.fromkeys(("one", "two", "three", "four"), "https://b.example/")
    assert [(one.text, one.url) for one in page.links] == [("one", "https://b.example/")]
    assert page.notice == ""


@pytest.mark.parametrize("url", ["HTTPS://b.example/", "MailTo:ada@b.example"])
def test_link_with_a_scheme_in_capitals_is_read(url):
    assert urls(read(linked("B1", url))) == {"two": url}


def test_link_of_an_empty_cell_is_listed():
    page = read(linked("F9", "https://b.example/"))
    assert [one.url for one in page.links] == ["https://b.example/"]


def test_links_of_ranges_beyond_the_limit_are_reported(monkeypatch):
    monkeypatch.setattr(documents, "CELLS_MAX", 3)
    page = read(linked("A1:A9", "https://b.example/", "".join(row(n, A=n) for n in (1, 2, 3))))
    assert len(urls(page)) == 3
    assert page.notice == ""
    monkeypatch.setattr(sheets, "CHARACTERS_MAX", 30)
    page = read(linked("A1:A9", "https://b.example/", "".join(row(n, A=n) for n in (1, 2, 3))))
    assert len(urls(page)) == 2
    assert page.notice == "Not read: the last links of the sheet 'S1'."


def test_damaged_relations_of_a_sheet_are_reported_with_all_that_is_lost():
    page = read(workbook(row(1, A="a"), **{"xl/_rels/s1.xml.rels": "<damaged"}))
    assert tables(page) == [[["a"]]]
    assert page.notice == "Not read: the links, comments and drawings of the sheet 'S1'."


def test_damaged_drawings_of_a_sheet_are_counted_once_each():
    targets = ("d1.xml", "d1.xml", "d2.xml")
    relations = related(*(relation(n, "drawing", target) for n, target in enumerate(targets)))
    damaged = {f"xl/{target}": "<damaged" for target in targets}
    page = read(workbook(row(1, A="a"), **{"xl/_rels/s1.xml.rels": relations}, **damaged))
    assert page.notice == "Not read: 2 drawings of the sheet 'S1'."


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
