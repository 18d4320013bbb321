"""Office files and e-books: what is read from them, and which files are refused."""

import random
import re
import sys
import time
from contextlib import suppress
from datetime import datetime
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pytest
from openpyxl import Workbook
from openpyxl.comments import Comment
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from tabwright.content import documents
from tabwright.content.extract import extract_snapshot, media_type
from tabwright.content.render.markdown import markdown_of, text_of
from tabwright.plugins.formats.office import archive, charts, epub, sheets, worksheet
from tabwright.plugins.formats.office import excel as excel_reader
from tabwright.plugins.formats.office import powerpoint as slides
from tabwright.plugins.formats.office import word as word_reader
from tabwright.plugins.formats.office.read import ENDINGS, EPUB, EXCEL, POWERPOINT, WORD
from tabwright.protocol.blocks import Heading, TableBlock
from tabwright.protocol.errors import ErrorCode, PageFailed
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import LoadedPage, Selection

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
DRAWING_PICTURE = "http://schemas.openxmlformats.org/drawingml/2006/picture"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
CORE_PART = "docProps/core.xml"
CORE = (
    '<cp:coreProperties xmlns:dc="http://purl.org/dc/elements/1.1/"'
    ' xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"'
    ' xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>The tasks</dc:title>'
    "<dc:creator>Ada</dc:creator><dcterms:created>2024-05-01T00:00:00Z</dcterms:created>"
    "<cp:keywords>tasks</cp:keywords></cp:coreProperties>"
)


def zipped(parts, mime=""):
    """Return a ZIP file of these parts; the media type comes first and uncompressed."""
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as opened:
        if mime:
            opened.writestr("mimetype", mime, ZIP_STORED)
        for name, data in parts.items():
            opened.writestr(name, data)
    return file.getvalue()


def _relation(number, kind, target, mode=""):
    return f'<Relationship Id="r{number}" Type="{R}/{kind}" Target="{target}" {mode}/>'


def _list_item(text, number, level=0):
    return (
        f'<w:p><w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
        f"</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"
    )


def _cell(text, properties=""):
    output = f"<w:tcPr>{properties}</w:tcPr>" if properties else ""
    return f"<w:tc>{output}<w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"


def _numbering(number, form):
    levels = "".join(
        f'<w:lvl w:ilvl="{level}"><w:numFmt w:val="{form}"/></w:lvl>' for level in range(3)
    )
    return f'<w:abstractNum w:abstractNumId="{number}">{levels}</w:abstractNum>'


WORD_BODY = (
    '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Tasks</w:t></w:r></w:p>'
    "<w:p><w:r><w:t>Every task has </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>a parent</w:t></w:r>"
    '<w:r><w:footnoteReference w:id="2"/></w:r>'
    '<w:hyperlink r:id="r4"><w:r><w:t>more</w:t></w:r></w:hyperlink></w:p>'
    + _list_item("first", 1)
    + _list_item("inside", 1, 1)
    + _list_item("point", 2)
    + "<w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr>"
    + _cell("name", '<w:gridSpan w:val="2"/>')
    + _cell("size")
    + "</w:tr><w:tr>"
    + _cell("tall", '<w:vMerge w:val="restart"/>')
    + _cell("b")
    + _cell("1")
    + "</w:tr><w:tr>"
    + _cell("", "<w:vMerge/>")
    + _cell("c")
    + _cell("2")
    + "</w:tr></w:tbl>"
    '<w:p><m:oMath xmlns:m="urn:m"><m:r><m:t>x</m:t></m:r></m:oMath></w:p>'
)


def word(body=WORD_BODY, before="", **more):
    """Return a Word file with this body."""
    kinds = {"styles": "styles", "numbering": "numbering", "footnotes": "footnotes"}
    relations = "".join(
        _relation(number, kind, f"{name}.xml")
        for number, (name, kind) in enumerate(kinds.items(), 1)
    )
    link = _relation(4, "hyperlink", "https://b.example/more", 'TargetMode="External"')
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    head = f'xmlns:w="{W}" xmlns:r="{R}"'
    note = '<w:footnote w:id="2"><w:p><w:r><w:t>But for the root.</w:t></w:r></w:p></w:footnote>'
    numbers = "".join(
        f'<w:num w:numId="{one}"><w:abstractNumId w:val="{one}"/></w:num>' for one in (1, 2)
    )
    style = '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>'
    return zipped(
        {
            "[Content_Types].xml": f'<Types xmlns="{TYPES}"><Default Extension="xml"'
            ' ContentType="application/xml"/><Override PartName="/word/document.xml"'
            f' ContentType="{main}"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{RELATIONS}">'
            f"{_relation(1, 'officeDocument', 'word/document.xml')}</Relationships>",
            "word/_rels/document.xml.rels": f'<Relationships xmlns="{RELATIONS}">'
            f"{relations}{link}</Relationships>",
            "word/document.xml": f"{before}<w:document {head}><w:body>{body}</w:body></w:document>",
            "word/styles.xml": f"<w:styles {head}>{style}</w:styles>",
            "word/numbering.xml": f"<w:numbering {head}>{_numbering(1, 'decimal')}"
            f"{_numbering(2, 'bullet')}{numbers}</w:numbering>",
            "word/footnotes.xml": f"<w:footnotes {head}>{note}</w:footnotes>",
            "docProps/core.xml": CORE,
            **more,
        }
    )


def excel():
    """Return a workbook of two sheets: merged cells, link, date, percentage, formula."""
    book = Workbook()
    book.properties.title, book.properties.creator = "The tasks", "Ada"
    first = book.active
    first.title = "Tasks"
    first.append(["name", "done", "due", "of"])
    first.append(["read", True, datetime.fromisoformat("2024-05-01"), 0.125])
    first["D2"].number_format = "0.0%"
    first.append([None, 0.1 + 0.2, datetime.fromisoformat("2024-05-02T12:30"), "=1+1"])
    first.merge_cells("A2:A3")
    first["A2"].hyperlink = "https://b.example/read"
    second = book.create_sheet("More")
    second["C3"] = "far"
    second.sheet_state = "hidden"
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def powerpoint():
    """Return a presentation: title, nested bullets, link, table, chart and notes."""
    deck = Presentation()
    deck.core_properties.title, deck.core_properties.author = "The tasks", "Ada"
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Tasks"
    frame = slide.placeholders[1].text_frame
    frame.text = "Every task has a parent"
    inner = frame.add_paragraph()
    inner.level = 1
    run = inner.add_run()
    run.text, run.hyperlink.address = "more", "https://b.example/more"
    slide.notes_slide.notes_text_frame.text = "Say it slowly."
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    table = slide.shapes.add_table(2, 3, 0, 0, Inches(3), Inches(1)).table
    table.cell(0, 0).merge(table.cell(0, 1))
    for row, column, text in (
        (0, 0, "name"),
        (0, 2, "size"),
        (1, 0, "a"),
        (1, 1, "b"),
        (1, 2, "1"),
    ):
        table.cell(row, column).text = text
    data = CategoryChartData()
    data.categories = ["May", "June"]
    data.add_series("Done", (1.5, 2))
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, Inches(3), Inches(3), data)
    file = BytesIO()
    deck.save(file)
    return file.getvalue()


OPEN = "urn:oasis:names:tc:opendocument:xmlns:"
OPEN_MIME = "application/vnd.oasis.opendocument."


def open_document(kind, body, styles="", **more):
    """Return an OpenDocument file with this body."""
    names = "".join(
        f' xmlns:{short}="{OPEN}{name}:1.0"'
        for short, name in (
            ("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"),
            ("style", "style"), ("presentation", "presentation"), ("meta", "meta"),
        )
    )  # fmt: skip
    names += f' xmlns:fo="{OPEN}xsl-fo-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"'
    content = (
        f"<office:document-content{names}><office:automatic-styles>{styles}"
        f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}>"
        "</office:body></office:document-content>"
    )
    meta = (
        f'<office:document-meta{names} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta>'
        "<dc:title>The tasks</dc:title><meta:initial-creator>Ada</meta:initial-creator>"
        "<meta:creation-date>2024-05-01</meta:creation-date><dc:date>2024-06-01</dc:date>"
        "</office:meta></office:document-meta>"
    )
    return zipped({"content.xml": content, "meta.xml": meta, **more}, OPEN_MIME + kind)


TEXT = open_document(
    "text",
    '<text:h text:outline-level="1">Tasks</text:h>'
    '<text:p>Every task has <text:span text:style-name="B">a parent</text:span>'
    "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>But for the root."
    '</text:p></text:note-body></text:note><text:a xlink:href="https://b.example/more">more</text:a>'
    '</text:p><text:list text:style-name="L"><text:list-item><text:p>first</text:p><text:list>'
    "<text:list-item><text:p>inside</text:p></text:list-item></text:list></text:list-item>"
    "</text:list><text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
    "<table:table><table:table-header-rows><table:table-row>"
    '<table:table-cell table:number-columns-spanned="2"><text:p>name</text:p></table:table-cell>'
    "<table:covered-table-cell/><table:table-cell><text:p>size</text:p></table:table-cell>"
    "</table:table-row></table:table-header-rows><table:table-row>"
    '<table:table-cell table:number-rows-spanned="2"><text:p>tall</text:p></table:table-cell>'
    "<table:table-cell><text:p>b</text:p></table:table-cell>"
    "<table:table-cell><text:p>1</text:p></table:table-cell></table:table-row><table:table-row>"
    "<table:covered-table-cell/><table:table-cell><text:p>c</text:p></table:table-cell>"
    "<table:table-cell><text:p>2</text:p></table:table-cell></table:table-row></table:table>"
    "<text:p><draw:frame><draw:image/></draw:frame></text:p>",
    '<style:style style:name="B"><style:text-properties fo:font-weight="bold"/></style:style>'
    '<text:list-style style:name="L"><text:list-level-style-number/></text:list-style>',
)

SHEET = open_document(
    "spreadsheet",
    '<table:table table:name="Tasks"><table:table-row><table:table-cell><text:p>name</text:p>'
    "</table:table-cell><table:table-cell><text:p>done</text:p></table:table-cell>"
    '<table:table-cell table:number-columns-repeated="16382"/></table:table-row><table:table-row>'
    '<table:table-cell table:number-rows-spanned="2"><text:p><text:a'
    ' xlink:href="https://b.example/read">read</text:a></text:p></table:table-cell>'
    "<table:table-cell><text:p>50%</text:p></table:table-cell></table:table-row><table:table-row>"
    "<table:covered-table-cell/><table:table-cell><text:p>3</text:p></table:table-cell>"
    '</table:table-row><table:table-row table:number-rows-repeated="1048573">'
    '<table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>',
)

SLIDES = open_document(
    "presentation",
    '<draw:page draw:name="page1"><draw:frame presentation:class="title"><draw:text-box>'
    "<text:p>Tasks</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box><text:list>"
    "<text:list-item><text:p>Every task has a parent</text:p></text:list-item></text:list>"
    "</draw:text-box></draw:frame><presentation:notes><draw:frame><draw:text-box><text:p>"
    "Say it slowly.</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>",
)


def book(chapters=2, **more):
    """Return an EPUB file whose chapters are named in reverse order."""
    names = [f"c{chapters - number}" for number in range(chapters)]
    items = "".join(f'<item id="{one}" href="text/{one}.xhtml"/>' for one in names)
    spine = "".join(f'<itemref idref="{one}"/>' for one in names)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        "<metadata><dc:title>The tasks</dc:title><dc:creator>Ada</dc:creator>"
        "<dc:date>2024-05-01</dc:date><dc:language>en</dc:language>"
        f"</metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = '<container><rootfiles><rootfile full-path="OEBPS/p.opf"/></rootfiles></container>'
    pages = {
        f"OEBPS/text/{name}.xhtml": '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html'
        f' xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><h1>Part {number}</h1>'
        '<header>Kept</header><p>Every task has a parent.<a href="c1.xhtml#n1">1</a>'
        '<img src="x.png" alt="A tree"/></p></body></html>'
        for number, name in enumerate(names, 1)
    }
    parts = {"META-INF/container.xml": container, "OEBPS/p.opf": package, **pages, **more}
    return zipped(parts, "application/epub+zip")


ODT, ODS, ODP = (ENDINGS[ending] for ending in (".odt", ".ods", ".odp"))
FILES = {
    WORD: word(),
    EXCEL: excel(),
    POWERPOINT: powerpoint(),
    ODT: TEXT,
    ODS: SHEET,
    ODP: SLIDES,
    EPUB: book(),
}
ENTITIES = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'


def response(body, kind="application/octet-stream", path="/x"):
    return Fetched(LoadedPage(f"https://a.example{path}", 200, kind), body)


def read(body, kind="application/octet-stream", selection=None):
    return extract_snapshot(response(body, kind), selection or Selection(), 1).snapshot


def refused(body, kind="application/octet-stream"):
    with pytest.raises(PageFailed) as caught:
        read(body, kind)
    assert caught.value.code == ErrorCode.EXTRACTION
    assert not caught.value.retryable
    return str(caught.value)


def texts(page):
    return [
        [["".join(one.text for one in cell) for cell in row] for row in block.rows]
        for block in page.content
        if isinstance(block, TableBlock)
    ]


def headings(page):
    return [
        (one.level, "".join(run.text for run in one.content))
        for one in page.content
        if isinstance(one, Heading)
    ]


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("output", ["", "application/zip", "application/octet-stream"])
def test_office_type_of_generic_response_is_detected_from_archive(kind, output):
    assert media_type(response(FILES[kind], output)) == kind


def test_type_of_non_office_archive_is_not_changed():
    assert media_type(response(zipped({"a": "b"}), "application/zip")) == "application/zip"
    assert media_type(response(b"PK\x03\x04", path="/x.docx")) == WORD


@pytest.mark.parametrize("kind", FILES)
def test_title_and_author_are_in_the_metadata(kind):
    page = read(FILES[kind])
    assert page.media_type == kind
    assert page.title == "The tasks"
    assert page.metadata.author == "Ada"
    if kind not in {EXCEL, POWERPOINT}:  # their libraries write the time of the test
        assert page.metadata.published.startswith("2024-05-01")


@pytest.mark.parametrize("kind", [WORD, ODT], ids=["docx", "odt"])
def test_text_has_headings_lists_tables_links_and_notes(kind):
    page = read(FILES[kind])
    text = markdown_of(page.content)
    assert headings(page) == [(1, "Tasks")]
    assert "**a parent**" in text
    assert "1. first" in text
    assert "inside" in text
    assert "But for the root." in text
    assert "deleted" not in text
    assert "https://b.example/more" in [one.url for one in page.links]
    assert texts(page) == [[["name", "", "size"], ["tall", "b", "1"], ["tall", "c", "2"]]]
    assert ("1 formula" if kind == WORD else "1 picture") in page.notice


def _run(text):
    return f"<w:r><w:t>{text}</w:t></w:r>"


def _paragraph(inner):
    return f"<w:p>{inner}</w:p>"


def test_headers_and_footers_of_word_files_surround_the_text_once():
    body = _paragraph(_run("The letter."))
    parts = {
        f"word/{kind}{number}.xml": f'<w:{tag} xmlns:w="{W}">{_paragraph(_run(text))}</w:{tag}>'
        for kind, tag, text in (("header", "hdr", "Ada Ltd"), ("footer", "ftr", "In confidence"))
        for number in (1, 2)
    }
    assert (
        markdown_of(read(word(body, **parts)).content) == "Ada Ltd\n\nThe letter.\n\nIn confidence"
    )


def _header(inner):
    """Return a Word file with this header."""
    header = f'<w:hdr xmlns:w="{W}">{_paragraph(inner)}</w:hdr>'
    return word(_paragraph(_run("The letter.")), **{"word/header1.xml": header})


def _field(*instruction):
    """Return a field that is split into several runs and has the value 7."""
    begin, separate, end = (
        f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end")
    )
    pieces = "".join(f"<w:r><w:instrText>{one}</w:instrText></w:r>" for one in instruction)
    return f"{begin}{pieces}{separate}{_run('7')}{end}"


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        (f'{_run("Ada Ltd")}<w:fldSimple w:instr=" PAGE ">{_run("7")}</w:fldSimple>', "Ada Ltd"),
        (f"{_run('Ada Ltd')}{_field('PAGE ', 'MERGEFORMAT')}{_field('numpages')}", "Ada Ltd"),
        (f"{_run('Ada Ltd ')}{_field('DA', 'TE')}", "Ada Ltd 7"),
        (f"{_run('Ada, page ')}{_field('PAGE')}", "Ada, page"),
        (f"{_run('Ada Ltd')}<w:moveFrom>{_run('moved')}</w:moveFrom>", "Ada Ltd"),
        ("<w:r><w:t>A</w:t><w:noBreakHyphen/><w:t>1</w:t></w:r>", "A\u20111"),
    ],
    ids=["page number", "fields of several runs", "date", "with text", "moved", "hyphen"],
)
def test_word_header_shows_visible_text_without_page_numbers(inner, text):
    assert markdown_of(read(_header(inner)).content) == f"{text}\n\nThe letter."


@pytest.mark.parametrize(
    ("mark", "text"),
    [("<w:vanish/>", "Shown."), ('<w:vanish w:val="0"/>', "Shown. Note"), ("", "Shown. Note")],
)
def test_hidden_text_of_word_file_is_left_out(mark, text):
    run = f"<w:r><w:rPr>{mark}</w:rPr><w:t> Note</w:t></w:r>"
    assert markdown_of(read(word(_paragraph(_run("Shown.") + run))).content) == text


def test_word_header_that_only_numbers_the_pages_is_left_out():
    number = f'{_run("Page ")}<w:fldSimple w:instr=" PAGE ">{_run("7")}</w:fldSimple>'
    of = f"{_run(' of ')}{_field('NUMPAGES')}"
    assert markdown_of(read(_header(number + of)).content) == "The letter."


def _sym(font, code):
    return f'<w:r><w:sym w:font="{font}" w:char="{code}"/></w:r>'


@pytest.mark.parametrize(
    ("run", "text", "notice"),
    [
        (_sym("Wingdings", "F0FC"), "\u2713", ""),
        (_sym("Wingdings", "fc"), "\u2713", ""),
        (_sym("MS Gothic", "2612"), "\u2612", ""),
        (_sym("Ada's Icons", "F0FC"), "\ufffd", "Not read: 1 symbol."),
        ('<w:r><w:sym w:font="Wingdings"/></w:r>', "\ufffd", "Not read: 1 symbol."),
        (
            '<w:r><w:rPr><w:rFonts w:ascii="Wingdings"/></w:rPr><w:t>\uf0fc\uf0fc</w:t></w:r>',
            "\u2713\u2713",
            "",
        ),
        ("<w:r><w:t>\uf0fc</w:t></w:r>", "\ufffd", "Not read: 1 symbol."),
    ],
)
@pytest.mark.parametrize("is_header", [False, True], ids=["body", "header"])
def test_symbol_of_a_word_file_is_read_or_reported(run, text, notice, is_header):
    page = read(_header(run) if is_header else word(_paragraph(run)))
    assert markdown_of(page.content).split("\n\n")[0] == text
    assert page.notice == notice


@pytest.mark.parametrize(
    ("font", "text", "notice"),
    [("Wingdings", "a \U0001f86a b", ""), ("Ada's Icons", "a \ufffd b", "Not read: 1 symbol.")],
)
def test_symbol_of_a_slide_is_read_or_reported(font, text, notice):
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    run = slide.shapes.add_textbox(0, 0, 1, 1).text_frame.paragraphs[0].add_run()
    run.text = "a \uf0e0 b"
    namespace = "http://schemas.openxmlformats.org/drawingml/2006/main"
    symbols = run.font._element.makeelement(f"{{{namespace}}}sym", {"typeface": font})
    run.font._element.append(symbols)
    file = BytesIO()
    deck.save(file)
    page = read(file.getvalue())
    assert markdown_of(page.content).endswith(f"\n\n{text}")
    assert page.notice == notice


def test_description_of_a_picture_in_a_line_is_separate_from_the_words_beside_it():
    names = 'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
    blip = f'<a:blip xmlns:a="{DRAWING}" r:embed="r9"/>'
    for wrapper in ("pic:blipFill", "pic:pic", "a:graphicData", "a:graphic"):
        blip = f'<{wrapper} xmlns:a="{DRAWING}" xmlns:pic="{DRAWING_PICTURE}">{blip}</{wrapper}>'
    inline = f'<wp:inline {names}><wp:docPr descr="a fox"/>{blip}</wp:inline>'
    picture = f"<w:r><w:drawing>{inline}</w:drawing></w:r>"
    relations = f"<Relationships>{_relation(9, 'image', 'media/fox.png')}</Relationships>"
    more = {"word/_rels/document.xml.rels": relations.replace(">", f' xmlns="{RELATIONS}">', 1)}
    file = word(_paragraph(_run("See") + picture + _run("here")), **more)
    assert text_of(read(file).content) == "See a fox here"


def test_formula_in_a_header_of_a_word_file_is_reported():
    formula = '<m:oMath xmlns:m="urn:m"><m:r><m:t>x</m:t></m:r></m:oMath>'
    assert read(_header(formula)).notice == "Not read: 1 formula."


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (f'<w:fldSimple w:instr="AUTHOR">{_run("Ada")}</w:fldSimple>', "Ada"),
        (f'<w:bdo w:val="rtl">{_run("abc")}</w:bdo>', "abc"),
        (
            f"<w:ruby><w:rt>{_run('to')}</w:rt><w:rubyBase>{_run('east')}</w:rubyBase></w:ruby>",
            "east(to)",
        ),
    ],
    ids=["field", "direction", "ruby"],
)
def test_text_inside_wrappers_of_word_files_is_read(body, text):
    assert markdown_of(read(word(_paragraph(body))).content) == text


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        ("[Content_Types].xml", ' ContentType="[^"]*"', ""),
        ("_rels/.rels", ' Id="r1"', ""),
        ("word/_rels/document.xml.rels", ' Id="r4"', ""),
        ("word/_rels/document.xml.rels", "</Relationships>", ""),
        ("word/document.xml", 'r:id="r4"', 'r:id="r99"'),
        ("word/document.xml", "<w:footnoteReference[^>]*>", "<w:footnoteReference/>"),
        ("word/document.xml", 'gridSpan w:val="2"', 'gridSpan w:val="x"'),
        ("word/document.xml", "<w:b/>", '<w:drawing><a:blip xmlns:a="a" r:embed="x"/></w:drawing>'),
        ("word/numbering.xml", '<w:abstractNumId w:val="1"/>', ""),
        ("word/numbering.xml", "</w:numbering>", ""),
        ("word/footnotes.xml", 'w:id="2"', ""),
        ("word/styles.xml", "</w:styles>", ""),
    ],
)
def test_malformed_word_part_loses_no_body_text(part, old, new):
    page = read(_changed(WORD, part, old, new), WORD)
    text = markdown_of(page.content)
    for words in ("Tasks", "Every task has", "a parent", "more", "first", "inside", "tall"):
        assert words in text
    assert ("1 damaged part" in page.notice) == (not new and old.startswith("</"))


def test_word_file_with_a_style_without_a_name_is_read():
    styles = {"word/styles.xml": f'<w:styles xmlns:w="{W}"><w:style/></w:styles>'}
    assert markdown_of(read(word(_paragraph(_run("here")), **styles)).content) == "here"


def test_text_box_without_a_fallback_is_read():
    box = f"<w:txbxContent>{_paragraph(_run('in the box'))}</w:txbxContent>"
    choice = f'<mc:Choice xmlns:mc="urn:mc"><s:wsp xmlns:s="urn:s">{box}</s:wsp></mc:Choice>'
    body = f'<w:r><mc:AlternateContent xmlns:mc="urn:mc">{choice}</mc:AlternateContent></w:r>'
    mc = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    text = markdown_of(read(word(_paragraph(body).replace("urn:mc", mc))).content)
    assert text == "in the box"


def _box(text, inner=""):
    """Return a run with a text box that contains another run."""
    content = f"<w:txbxContent>{_paragraph(_run(text) + inner)}</w:txbxContent>"
    choice = f'<mc:Choice><s:wsp xmlns:s="urn:s">{content}</s:wsp></mc:Choice>'
    return (
        f'<w:r><mc:AlternateContent xmlns:mc="{ALTERNATIVES}">{choice}'
        "<mc:Fallback/></mc:AlternateContent></w:r>"
    )


@pytest.mark.parametrize("shape", ["oval", "line", "polyline", "roundrect"])
def test_text_of_a_shape_of_an_older_word_file_is_read(shape):
    box = (
        f"<v:textbox><w:txbxContent>{_paragraph(_run('in the shape'))}</w:txbxContent></v:textbox>"
    )
    shape = f'<v:{shape} xmlns:v="urn:schemas-microsoft-com:vml">{box}</v:{shape}>'
    text = markdown_of(read(word(_paragraph(f"<w:r><w:pict>{shape}</w:pict></w:r>"))).content)
    assert text == "in the shape"


def test_text_box_inside_another_one_is_read_once():
    text = markdown_of(read(word(_paragraph(_box("outside", _box("inside"))))).content)
    assert text == "outside\n\ninside"


def test_many_nested_text_boxes_take_little_time():
    boxes = ""
    for _ in range(16):
        boxes = _box("in the box", boxes)
    began = time.process_time()
    text = markdown_of(read(word(_paragraph(boxes))).content)
    assert time.process_time() - began < 2
    assert text.count("in the box") == 16


def test_deeply_nested_fallbacks_are_handled_quickly():
    depth = 20_000
    deep = "<mc:Fallback>" * depth + "</mc:Fallback>" * depth
    body = f'<w:r xmlns:mc="{ALTERNATIVES}">{deep}</w:r>'
    began = time.process_time()
    with suppress(PageFailed):
        read(word(_paragraph(body)))
    assert time.process_time() - began < 2


def test_chart_of_alternative_content_is_reported_once():
    chart = '<c:chart xmlns:c="urn:c"/>'
    body = (
        '<w:r><mc:AlternateContent xmlns:mc="urn:mc">'
        f"<mc:Choice>{chart}</mc:Choice><mc:Fallback>{chart}</mc:Fallback>"
        f"</mc:AlternateContent></w:r>{_run('see')}"
    )
    assert read(word(_paragraph(body))).notice == "Not read: 1 chart."


def test_workbook_has_a_table_for_each_sheet():
    page = read(FILES[EXCEL])
    assert headings(page) == [(2, "Tasks"), (2, "More (hidden)")]
    assert texts(page) == [
        [
            ["name", "done", "due", "of"],
            ["read", "TRUE", "2024-05-01", "12.5%"],
            ["read", "0.3", "2024-05-02 12:30:00"],
        ],
        [["far"]],
    ]
    assert [(one.text, one.url) for one in page.links] == [("read", "https://b.example/read")]
    assert "1 unsaved formula value" in page.notice


def _saved(book):
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def test_whole_numbers_of_a_workbook_keep_their_digits():
    book = Workbook()
    book.active.append([1234567890123456, 12, 0.25, 1e30])
    assert texts(read(_saved(book))) == [[["1234567890123456", "12", "0.25", "1e+30"]]]


def test_empty_formatted_cells_do_not_use_up_cell_limit(monkeypatch):
    monkeypatch.setattr(documents, "CELLS_MAX", 20)
    book = Workbook()
    book.active.append(["first"])
    for row in range(2, 100):
        book.active.cell(row, 3).number_format = "0.0"
    book.create_sheet().append(["second"])
    page = read(_saved(book))
    assert texts(page) == [[["first"]], [["second"]]]
    assert page.notice == ""


def _changed(kind, part, old, new):
    """Return a test file with every match of a pattern in one part replaced."""
    with ZipFile(BytesIO(FILES[kind])) as opened:
        parts = {name: opened.read(name).decode("latin-1") for name in opened.namelist()}
    changed = re.sub(old, new, parts[part], flags=re.DOTALL)
    assert changed != parts[part]
    return zipped({**parts, part: changed})


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        ("styles.xml", 'fontId="0"', 'fontId="x"'),
        ("styles.xml", "<fonts.*</fonts>", ""),
        ("styles.xml", "<xf ", '<xf maker="Ada" '),
        ("styles.xml", "<numFmts [^>]*>", '<numFmts><numFmt numFmtId="x"/><numFmt/>'),
        ("workbook.xml", 'state="hidden"', 'state="unknown"'),
        ("workbook.xml", "<calcPr ", '<calcPr maker="Ada" '),
        ("worksheets/sheet1.xml", "<row r=[^>]*>", "<row>"),
        ("worksheets/sheet1.xml", ' r="[A-D][12]"', ""),
        ("worksheets/sheet1.xml", ' t="b"><v>1<', ' t="b"><v>true<'),
        ("worksheets/sheet1.xml", "<pageMargins [^>]*>", '<pageMargins left="x"/>'),
        ("worksheets/sheet1.xml", "<t>due</t>", "<r><rPr/><t>d</t></r><r><t>_x0075_e</t></r>"),
        ("worksheets/sheet1.xml", "<is><t>of</t>", "<v>1</v><is><t>of</t><rPh><t>x</t></rPh>"),
        ("worksheets/sheet1.xml", "spreadsheetml/2006/main", "spreadsheetml/strict"),
    ],
)
def test_unusual_workbook_part_changes_no_values(part, old, new):
    page = read(_changed(EXCEL, f"xl/{part}", old, new))
    whole = read(FILES[EXCEL])
    assert (texts(page), page.notice) == (texts(whole), whole.notice)


@pytest.mark.parametrize(
    ("part", "old", "new", "left"),
    [
        ("worksheets/sheet1.xml", ' t="b"><v>1', ' t="s"><v>9', "1 value of the sheet 'Tasks'"),
        ("worksheets/sheet2.xml", "</worksheet>", "", "1 damaged end of the sheet 'More (hidden)'"),
        ("styles.xml", "</styleSheet>", "", "1 list of number formats"),
        ("_rels/workbook.xml.rels", '(?<=Target=")[^"]*sheet2', "sheet3", "1 sheet"),
        ("_rels/workbook.xml.rels", "worksheets/sheet2", "worksheets/sheet1", "1 sheet"),
    ],
    ids=["text", "sheet", "styles", "missing", "same"],
)
def test_damaged_part_of_a_workbook_is_reported(part, old, new, left):
    page = read(_changed(EXCEL, f"xl/{part}", old, new))
    assert texts(page)[0][0] == ["name", "done", "due", "of"]
    assert markdown_of(page.content).count("name") == 1
    assert left in page.notice.removeprefix("Not read: ").removesuffix(".").split("; ")


def test_workbook_with_backslashes_and_capitals_in_part_names_is_read():
    with ZipFile(BytesIO(FILES[EXCEL])) as opened:
        parts = {name: opened.read(name) for name in opened.namelist()}
    odd = zipped({name.replace("/", "\\").upper(): data for name, data in parts.items()})
    assert texts(read(odd)) == texts(read(FILES[EXCEL]))


@pytest.mark.parametrize(
    ("module", "limit", "left"),
    [
        (excel_reader, "STRINGS_MAX", "2 values"),
        (worksheet, "RANGES_MAX", "1 merged range or link"),
    ],
)
def test_texts_and_ranges_beyond_a_limit_are_reported(module, limit, left, monkeypatch):
    monkeypatch.setattr(module, limit, 1)
    strings = "".join(f"<si><t>{text}</t></si>" for text in "abc")
    cells = "".join(f'<c t="s"><v>{number}</v></c>' for number in range(3))
    merged = '<mergeCell ref="A1:A2"/>' * (1 + (limit == "RANGES_MAX"))
    relations = _relation(1, "worksheet", "s.xml") + _relation(2, "sharedStrings", "t.xml")
    sheet = f'<sheet name="A" xmlns:r="{R}" r:id="r1"/>'
    page = read(
        zipped(
            {
                "xl/workbook.xml": f"<workbook><sheets>{sheet}</sheets></workbook>",
                "xl/_rels/workbook.xml.rels": f"<Relationships>{relations}</Relationships>",
                "xl/s.xml": f"<worksheet>{cells}{merged}</worksheet>",
                "xl/t.xml": f"<sst>{strings}</sst>",
            }
        )
    )
    assert texts(page)[0][0][0] == "a"
    assert page.notice == f"Not read: {left} of the sheet 'A'."


def test_values_beyond_the_limit_in_a_row_are_reported(monkeypatch):
    monkeypatch.setattr(sheets, "CHARACTERS_MAX", 5)
    book = Workbook()
    book.active.append(["abcdef", "ghi", "jkl"])
    page = read(_saved(book))
    assert texts(page) == [[["abcdef"]]]
    assert page.notice == "Not read: 2 values of the sheet 'Sheet'."


def test_comments_of_a_workbook_follow_its_table():
    book = Workbook()
    book.active.append(["name"])
    book.active["B2"].comment = Comment("Ask her", "Ada")
    assert "Comment on B2: Ask her" in markdown_of(read(_saved(book)).content)


def test_texts_of_shapes_of_a_workbook_follow_its_table_and_pictures_are_counted():
    drawing = (
        f"<x:wsDr xmlns:x='urn:x' {DECK}><x:sp><x:txBody><a:p>{_said('Read')}</a:p><a:p>"
        f"{_said('this')}</a:p></x:txBody></x:sp><x:pic/><x:graphicFrame/></x:wsDr>"
    )
    relation = _relation(9, "drawing", "../drawings/drawing1.xml")
    relation += f"{_relation(8, 'package', '../embeddings/a.docx')}</Relationships>"
    with ZipFile(BytesIO(FILES[EXCEL])) as opened:
        parts = {name: opened.read(name).decode("latin-1") for name in opened.namelist()}
    relations = "xl/worksheets/_rels/sheet1.xml.rels"
    parts[relations] = parts[relations].replace("</Relationships>", relation)
    page = read(zipped({**parts, "xl/drawings/drawing1.xml": drawing}))
    assert "\n\nRead this\n\n" in markdown_of(page.content)
    assert "2 pictures or charts" in page.notice
    assert "1 embedded object" in page.notice
    page = read(zipped({**parts, "xl/drawings/drawing1.xml": "<damaged"}))
    assert "1 drawing of the sheet 'Tasks'" in page.notice


def test_texts_of_shapes_of_an_open_spreadsheet_follow_its_table():
    box = "<draw:frame><draw:text-box><text:p>Read</text:p><text:p>this</text:p></draw:text-box>"
    shapes = (
        f"<table:shapes>{box}</draw:frame><draw:frame><draw:image/></draw:frame></table:shapes>"
    )
    row = "<table:table-row><table:table-cell><text:p>name</text:p></table:table-cell>"
    table = f"<table:table>{shapes}{row}</table:table-row></table:table>"
    page = read(open_document("spreadsheet", table))
    assert markdown_of(page.content).endswith("Read this")
    assert page.notice == "Not read: 1 picture or chart."


def test_threaded_comments_of_a_workbook_replace_their_copies():
    book = Workbook()
    book.active.append(["name"])
    book.active["A1"].comment = Comment("[Threaded comment]", "Ada")
    with ZipFile(BytesIO(_saved(book))) as opened:
        parts = {name: opened.read(name) for name in opened.namelist()}
    relations = "xl/worksheets/_rels/sheet1.xml.rels"
    thread = _relation(9, "threadedComment", "../threadedComments/threadedComment1.xml")
    parts[relations] = parts[relations].replace(b"</R", f"{thread}</R".encode())
    parts["xl/threadedComments/threadedComment1.xml"] = (
        '<ThreadedComments xmlns="urn:t"><threadedComment ref="A1"><text>Why?</text>'
        "</threadedComment></ThreadedComments>"
    )
    text = markdown_of(read(zipped(parts)).content)
    assert "Comment on A1: Why?" in text
    assert "Threaded" not in text


def _commented(*damages, sheets=1):
    """Return a workbook with sheet comments, with bytes of their parts replaced."""
    book = Workbook()
    for number in range(sheets):
        sheet = book.active if not number else book.create_sheet()
        sheet.append(["name"])
        sheet["A1"].comment = Comment(f"Ask {number}", "Ada")
    with ZipFile(BytesIO(_saved(book))) as opened:
        parts = {name: opened.read(name) for name in opened.namelist()}
    for old, new in damages:
        changed = (name for name in parts if "comments/" in name or "sheet2.xml.rels" in name)
        parts |= {name: parts[name].replace(old, new) for name in changed}
    return zipped(parts)


@pytest.mark.parametrize(
    "damage",
    [(b"</comments>", b""), (b"<t", b"<text>" * 20_000 + b"</text>" * 20_000 + b"<t")],
    ids=["cut", "deep"],
)
def test_workbook_is_read_without_its_damaged_comments(damage):
    page = read(_commented(damage))
    assert texts(page) == [[["name"]]]
    assert "the comments of the sheet 'Sheet'" in page.notice


def test_comments_that_several_sheets_name_are_read_once():
    page = read(_commented((b"comment2.xml", b"comment1.xml"), sheets=2))
    assert markdown_of(page.content).count("Ask 0") == 1
    assert "the comments of the sheet 'Sheet1'" in page.notice


NOTE = "<office:annotation><text:p>Ask her</text:p></office:annotation>"


@pytest.mark.parametrize(
    "file",
    [
        _commented(sheets=3),
        open_document(
            "spreadsheet",
            "<table:table><table:table-row>"
            f"<table:table-cell>{NOTE * 3}<text:p>name</text:p></table:table-cell>"
            "</table:table-row></table:table>",
        ),
    ],
    ids=["xlsx", "ods"],
)
def test_comments_count_towards_the_limit_of_cells(file, monkeypatch):
    monkeypatch.setattr(documents, "CELLS_MAX", 2)
    page = read(file)
    assert markdown_of(page.content).count("Comment on A1") == 1
    assert "2 comments" in page.notice


def test_comments_of_an_open_spreadsheet_follow_its_table():
    note = "<office:annotation><text:p>Ask her</text:p></office:annotation>"
    cells = f"<table:table-cell/><table:table-cell>{note}<text:p>name</text:p></table:table-cell>"
    table = f'<table:table table:name="A"><table:table-row>{cells}</table:table-row></table:table>'
    page = read(open_document("spreadsheet", table))
    assert texts(page) == [[["name"]]]
    assert "Comment on B1: Ask her" in markdown_of(page.content)


@pytest.mark.parametrize("kind", ["text", "spreadsheet"])
def test_damaged_styles_of_an_open_document_are_reported(kind):
    page = read(open_document(kind, "<text:p>here</text:p>", **{"styles.xml": "<damaged"}))
    assert page.notice == "Not read: 1 style sheet."
    assert ("here" in markdown_of(page.content)) == (kind == "text")


def test_ods_cells_keep_word_breaks_and_fall_back_to_values():
    cells = (
        "<text:p>a<text:line-break/>b<text:tab/>c<text:s/>d</text:p>",
        "<text:p>e</text:p><text:p>f</text:p>",
    )
    values = ("value='7'", "string-value='x'", "date-value='2024-05-01' office:value='9'")
    row = "".join(f"<table:table-cell>{one}</table:table-cell>" for one in cells)
    row += "".join(f"<table:table-cell office:{one}/>" for one in values)
    table = f"<table:table><table:table-row>{row}</table:table-row></table:table>"
    page = read(open_document("spreadsheet", table))
    assert texts(page) == [[["a b c d", "e f", "7", "x", "2024-05-01"]]]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            f"<text:p>Here{NOTE}</text:p>",
            "Here[\\[1\\]](https://a.example/x#note-1)\n\n1. Comment: Ask her",
        ),
        (NOTE, "Comment: Ask her"),
        (
            "<text:p><draw:rect><text:p>one</text:p><text:p>two</text:p></draw:rect></text:p>",
            "one\n\ntwo",
        ),
        (
            "<text:p><text:ruby>east<text:ruby-text>to</text:ruby-text></text:ruby></text:p>",
            "east(to)",
        ),
    ],
    ids=["comment", "comment beside a paragraph", "shape", "ruby"],
)
def test_odt_comments_shapes_and_ruby_are_read(body, text):
    page = read(open_document("text", body))
    assert markdown_of(page.content) == text
    assert page.notice == ""


def test_headers_and_footers_of_open_texts_surround_the_text_once():
    page = "<style:{0}><text:p>{1}</text:p></style:{0}>"
    number = "In confidence <text:page-number>1</text:page-number>"
    parts = (("header", "Ada Ltd"), ("header-first", "Ada Ltd"), ("footer", number))
    margins = "".join(page.format(*part) for part in parts)
    names = f'xmlns:style="{OPEN}style:1.0" xmlns:text="{OPEN}text:1.0"'
    styles = f"<style:master-page {names}>{margins}</style:master-page>"
    file = open_document("text", "<text:p>The letter.</text:p>", **{"styles.xml": styles})
    text = markdown_of(read(file).content)
    assert text == "Ada Ltd\n\nThe letter.\n\nIn confidence"


def test_headers_and_footers_of_an_open_spreadsheet_surround_its_sheets_once():
    region = "<style:{0}><style:region-left><text:p>{1}</text:p></style:region-left></style:{0}>"
    number = "Page <text:page-number>1</text:page-number>/<text:page-count>9</text:page-count>"
    margins = region.format("header", "Ada <text:sheet-name>???</text:sheet-name>")
    margins += region.format("footer", number) + region.format("footer-left", "In confidence")
    unused = region.format("header", "Report")
    names = f'xmlns:style="{OPEN}style:1.0" xmlns:text="{OPEN}text:1.0"'
    styles = (
        f'<x {names}><style:master-page style:name="P1">{margins}</style:master-page>'
        f'<style:master-page style:name="Report">{unused}</style:master-page></x>'
    )
    style = '<style:style style:name="T" style:master-page-name="P1"/>'
    cell = (
        "<table:table-row><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row>"
    )
    sheet = f'<table:table table:name="S" table:style-name="T">{cell}</table:table>'
    file = open_document("spreadsheet", sheet * 2, style, **{"styles.xml": styles})
    text = markdown_of(read(file).content)
    assert text == "Ada\n\n## S\n\n| a |\n| --- |\n\n## S\n\n| a |\n| --- |\n\nIn confidence"


def test_ods_comment_cell_name_counts_repeated_empty_rows():
    empty = '<table:table-row table:number-rows-repeated="10"><table:table-cell/></table:table-row>'
    cells = f"<table:table-cell/><table:table-cell>{NOTE}<text:p>name</text:p></table:table-cell>"
    table = f"<table:table>{empty}<table:table-row>{cells}</table:table-row></table:table>"
    text = markdown_of(read(open_document("spreadsheet", table)).content)
    assert "Comment on B11: Ask her" in text


@pytest.mark.parametrize(
    ("column", "name"), [(0, "A1"), (25, "Z1"), (26, "AA1"), (701, "ZZ1"), (702, "AAA1")]
)
def test_name_of_a_cell_has_the_letters_of_its_column(column, name):
    assert sheets.cell_name(0, column) == name


def test_merged_cells_of_all_open_sheets_have_one_limit_and_are_reported_beyond_it(monkeypatch):
    monkeypatch.setattr(documents, "CELLS_MAX", 24)
    cell = "<table:table-cell{}><text:p>a</text:p></table:table-cell>"
    tall = "<table:table-cell/>" * 4 + cell.format(' table:number-rows-spanned="5"')
    lines = (tall, *[cell.format("")] * 4)
    rows = "".join(f"<table:table-row>{line}</table:table-row>" for line in lines)
    page = read(open_document("spreadsheet", f"<table:table>{rows}</table:table>" * 2))
    assert [[len(row) for row in table] for table in texts(page)] == [
        *([5, 5, 5, 5, 5], [5, 5, 5, 1, 1])
    ]
    assert page.notice == "Not read: 2 merged cells."


def test_ods_repeated_empty_cells_are_left_out():
    page = read(SHEET)
    assert texts(page) == [[["name", "done"], ["read", "50%"], ["read", "3"]]]
    assert [one.url for one in page.links] == ["https://b.example/read"]
    assert (page.notice, page.cut) == ("", None)


@pytest.mark.parametrize("kind", [POWERPOINT, ODP], ids=["pptx", "odp"])
def test_slides_are_sections_with_notes(kind):
    page = read(FILES[kind])
    text = markdown_of(page.content)
    assert headings(page)[0] == (2, "Slide 1: Tasks")
    assert "* Every task has a parent" in text.replace("- ", "* ")
    assert "> Say it slowly." in text


def test_slides_have_tables_charts_and_links():
    page = read(FILES[POWERPOINT])
    assert headings(page)[1] == (2, "Slide 2")
    assert texts(page) == [
        [["name", "", "size"], ["a", "b", "1"]],
        [["", "Done"], ["May", "1.5"], ["June", "2"]],
    ]
    assert [one.url for one in page.links] == ["https://b.example/more"]
    assert page.notice == ""


DECK = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="' + R + '"'
    ' xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
)
ALTERNATIVES = "http://schemas.openxmlformats.org/markup-compatibility/2006"


def _shape(paragraph):
    return (
        f'<p:sp {DECK}><p:nvSpPr><p:cNvPr id="70" name=""/><p:cNvSpPr/><p:nvPr/></p:nvSpPr>'
        f"<p:spPr/><p:txBody><a:bodyPr/><a:p>{paragraph}</a:p></p:txBody></p:sp>"
    )


def _said(text, properties=""):
    return f"<a:r><a:rPr>{properties}</a:rPr><a:t>{text}</a:t></a:r>"


def _deck(shape="", relation="", kind="presentation", **more):
    """Return the presentation with more parts and another shape on its second slide."""
    slide, relations = "ppt/slides/slide2.xml", "ppt/slides/_rels/slide2.xml.rels"
    with ZipFile(BytesIO(FILES[POWERPOINT])) as opened:
        parts = {name: opened.read(name).decode("latin-1") for name in opened.namelist()}
    parts[slide] = parts[slide].replace("</p:spTree>", f"{shape}</p:spTree>")
    parts[relations] = parts[relations].replace("</Relationships>", f"{relation}</Relationships>")
    types = parts["[Content_Types].xml"]
    parts["[Content_Types].xml"] = types.replace("presentation.main+xml", f"{kind}.main+xml")
    return zipped({name: text.encode("latin-1") for name, text in (parts | more).items()})


@pytest.mark.parametrize("kind", ["slideshow", "template"])
def test_slide_shows_and_templates_are_read(kind):
    assert headings(read(_deck(kind=kind))) == headings(read(FILES[POWERPOINT]))


@pytest.mark.parametrize("number", ["", "r99", "r1"], ids=["without", "unknown", "internal"])
def test_link_of_a_slide_without_an_address_is_text(number):
    link = f'<a:hlinkClick r:id="{number}" action="ppaction://hlinksldjump"/>'
    page = read(_deck(_shape(_said("go on", link)), _relation(1, "slide", "slide1.xml")))
    assert "go on" in markdown_of(page.content)
    assert [one.url for one in page.links] == ["https://b.example/more"]


def test_lines_of_an_open_slide_title_are_separate_words():
    title = "<text:p>one<text:line-break/>two<text:s/>three</text:p><text:p>four</text:p>"
    box = f"<draw:text-box>{title}</draw:text-box>"
    frame = f'<draw:frame presentation:class="title">{box}</draw:frame>'
    page = read(open_document("presentation", f"<draw:page>{frame}</draw:page>"))
    assert headings(page) == [(2, "Slide 1: one two three four")]


def test_object_of_an_open_text_is_counted_without_its_picture():
    frame = "<draw:frame><draw:object/><draw:image/></draw:frame>"
    page = read(open_document("text", f"<text:p>{frame}</text:p>"))
    assert page.notice == "Not read: 1 chart or formula."


def test_table_in_the_notes_of_a_slide_is_read():
    cell = "<a:tc><a:txBody><a:p><a:r><a:t>Inside</a:t></a:r></a:p></a:txBody></a:tc>"
    table = f"<a:tbl {DECK}><a:tr>{cell}</a:tr></a:tbl>"
    frame = f"<p:graphicFrame {DECK}>{table}</p:graphicFrame></p:spTree>"
    page = read(_changed(POWERPOINT, "ppt/notesSlides/notesSlide1.xml", "</p:spTree>", frame))
    assert "Inside" in text_of(page.content)


def test_bold_space_separates_words():
    words = "".join(f'<a:r><a:rPr b="1"/><a:t>{text}</a:t></a:r>' for text in ("one", " ", "two"))
    spans = "".join(
        f'<text:span text:style-name="B">{text}</text:span>' for text in ("one", " ", "two")
    )
    style = (
        '<style:style style:name="B"><style:text-properties fo:font-weight="bold"/></style:style>'
    )
    slide = _deck(f"<p:sp {DECK}><p:txBody><a:p>{words}</a:p></p:txBody></p:sp>")
    for file in (slide, open_document("text", f"<text:p>{spans}</text:p>", style)):
        assert text_of(read(file).content[-1:]) == "one two"


def test_lines_and_fields_of_slides_are_text():
    field = '<a:fld id="{1}" type="datetime1"><a:t>1 May</a:t></a:fld>'
    number = '<a:fld id="{2}" type="slidenum"><a:t>77</a:t></a:fld>'
    text = markdown_of(read(_deck(_shape(f"{_said('on')}<a:br/>{field}{number}"))).content)
    assert "on\\\n1 May" in text
    assert "77" not in text


def test_shape_of_alternative_content_is_read_once():
    first, second = _shape(_said("new")), _shape(_said("old"))
    inner = f"<mc:Choice>{first}</mc:Choice><mc:Fallback>{second}</mc:Fallback>"
    shape = f'<mc:AlternateContent xmlns:mc="{ALTERNATIVES}">{inner}</mc:AlternateContent>'
    text = markdown_of(read(_deck(shape)).content)
    assert "new" in text
    assert "old" not in text


def _charted(*parts, title=""):
    """Return the presentation with the parts of the plot area of its chart replaced."""
    with ZipFile(BytesIO(FILES[POWERPOINT])) as opened:
        chart = next(one for one in opened.namelist() if one.startswith("ppt/charts/chart"))
    area = f"<c:chart>{title}<c:plotArea>{''.join(parts)}</c:plotArea></c:chart>"
    return _deck(**{chart: f"<c:chartSpace xmlns:c='urn:c' {DECK}>{area}</c:chartSpace>"})


def _point(text, index=0):
    return f'<c:pt idx="{index}"><c:v>{text}</c:v></c:pt>'


def _series(*values, more=""):
    """Return a series with pairs of an element and its points."""
    data = (f"<c:{name}><c:numLit>{points}</c:numLit></c:{name}>" for name, points in values)
    return f"<c:ser>{''.join(data)}{more}</c:ser>"


def _title(text):
    return f"<c:title><c:tx><c:rich><a:p>{_said(text)}</a:p></c:rich></c:tx></c:title>"


def test_chart_has_all_titles_levels_of_categories_and_values_of_x():
    levels = "".join(f"<c:lvl>{_point(text)}</c:lvl>" for text in ("May", "2027"))
    bars = _series(("cat", levels), ("val", _point("1")))
    dots = _series(("xVal", _point("3.5")), ("yVal", _point("2")))
    axis = f"<c:valAx>{_title('EUR')}</c:valAx>"
    page = read(_charted(f"<c:barChart>{bars}{dots}</c:barChart>{axis}", title=_title("Sales")))
    assert texts(page)[1:] == [[["", "Value"], ["2027 May", "1"]], [["", "Value"], ["3.5", "2"]]]
    assert "Sales; EUR" in markdown_of(page.content)


@pytest.mark.parametrize(
    "name", ["<c:v>Sold</c:v>", f"<c:strRef><c:strCache>{_point('Sold')}</c:strCache></c:strRef>"]
)
def test_series_and_chart_are_named_by_a_cell(name):
    named = f"<c:tx>{name}</c:tx>"
    series = _series(("cat", _point("May")), ("val", _point("1")), more=named)
    page = read(_charted(f"<c:barChart>{series}</c:barChart>", title=f"<c:title>{named}</c:title>"))
    assert texts(page)[1] == [["", "Sold"], ["May", "1"]]
    assert markdown_of(page.content).count("Sold") == 2


@pytest.mark.parametrize(
    ("code", "value", "text"),
    [
        ("General", "4.4000000000000004", "4.4"),
        ("0.0%", "0.125", "12.5%"),
        ("m/d/yyyy", "45413", "2024-05-01"),
    ],
)
def test_value_of_a_chart_is_shown_by_its_format(code, value, text):
    point = "<c:pt idx='0'><c:v>{}</c:v></c:pt>"
    names = f"<c:cat><c:strLit>{point.format('May')}</c:strLit></c:cat>"
    shown = f"<c:formatCode>{code}</c:formatCode>{point.format(value)}"
    series = f"<c:ser>{names}<c:val><c:numLit>{shown}</c:numLit></c:val></c:ser>"
    page = read(_charted(f"<c:barChart>{series}</c:barChart>"))
    assert texts(page)[-1] == [["", "Value"], ["May", text]]


def test_bubble_sizes_and_point_labels_of_a_chart_are_reported():
    label = "<c:dLbls><c:dLbl><c:tx/></c:dLbl><c:dLbl/></c:dLbls>"
    sizes = ("bubbleSize", _point("9") + _point("8", 1))
    bubbles = _series(("xVal", _point("3")), ("yVal", _point("2")), sizes, more=label)
    page = read(_charted(f"<c:bubbleChart>{bubbles}</c:bubbleChart>"))
    assert page.notice == "Not read: 2 bubble sizes; 1 point label."


def test_chart_rows_beyond_the_limit_of_cells_are_reported(monkeypatch):
    monkeypatch.setattr(charts, "CELLS_MAX", 20)
    series = "".join(_series(("val", _point(number, number))) for number in range(6))
    page = read(_charted(f"<c:lineChart>{series}</c:lineChart>"))
    assert len(texts(page)[1]) == 3
    assert page.notice == "Not read: 4 chart rows."


@pytest.mark.parametrize(
    "parts",
    [
        "<c:barChart>"
        + "".join(_series(("val", _point(1, number))) for number in range(4_000))
        + "</c:barChart>",
        f"<c:barChart>{_series(('cat', _point('x' * 20) * 100_000))}</c:barChart>",
        "<c:barChart>"
        + "<c:ser><c:val>" * 900
        + _point(1) * 9_000
        + "</c:val></c:ser>" * 900
        + "</c:barChart>",
        f"<c:barChart>{_series(('cat', _point(1)))}</c:barChart><c:valAx>"
        + "<c:title>" * 900
        + f"<a:p>{_said('x' * 50_000)}</a:p>"
        + "</c:title>" * 900
        + "</c:valAx>",
    ],
    ids=["rows", "levels", "nested series", "nested titles"],
)
def test_chart_that_repeats_its_parts_is_handled_quickly(parts):
    began = time.process_time()
    page = read(_charted(parts))
    assert time.process_time() - began < 3
    assert len(markdown_of(page.content)) < 3_000_000


def _with_broken_bytes(body, part):
    """Return a file with one part whose compressed bytes are damaged."""
    with ZipFile(BytesIO(body)) as opened:
        info = opened.getinfo(next(one for one in opened.namelist() if one.startswith(part)))
    broken = bytearray(body)
    start = info.header_offset + 30 + len(info.filename)
    for place in range(start, start + info.compress_size):
        broken[place] ^= 0x5A
    return bytes(broken)


@pytest.mark.parametrize(
    ("kind", "part", "left"),
    [
        *((kind, "docProps/core.xml", "") for kind in (WORD, EXCEL, POWERPOINT)),
        (EXCEL, "xl/worksheets/sheet2.xml", "1 sheet"),
        (EXCEL, "xl/styles.xml", "1 list of number formats"),
        (WORD, "word/styles.xml", "1 damaged part"),
        (WORD, "word/footnotes.xml", "1 damaged part"),
        (POWERPOINT, "ppt/slides/slide2.xml", "1 slide"),
        (POWERPOINT, "ppt/slides/_rels/slide1.xml.rels", "1 damaged link and notes list"),
        (POWERPOINT, "ppt/notesSlides/notesSlide1.xml", "1 notes page or comment list"),
        (POWERPOINT, "ppt/charts/chart", "1 embedded object"),
        (ODT, "meta.xml", ""),
        (EPUB, "META-INF/container.xml", ""),
        (EPUB, "OEBPS/text/c1.xhtml", "1 chapter"),
    ],
)
def test_part_with_broken_bytes_is_reported_and_the_others_are_read(kind, part, left):
    page = read(_with_broken_bytes(FILES[kind], part), kind)
    words = "read" if kind == EXCEL else "Every task has"
    assert words in markdown_of(page.content)
    assert left in page.notice


@pytest.mark.parametrize("text", ["<damaged", f"{ENTITIES}<x>&b;</x>"])
@pytest.mark.parametrize(
    ("kind", "part"),
    [(WORD, CORE_PART), (EXCEL, CORE_PART), (POWERPOINT, CORE_PART), (ODT, "meta.xml")],
)
def test_file_with_damaged_metadata_has_its_content(kind, part, text):
    page = read(_changed(kind, part, r"\A.*", text))
    assert markdown_of(page.content) == markdown_of(read(FILES[kind]).content)
    assert page.metadata.author == ""


def test_slide_with_damaged_relationships_keeps_its_text():
    relations = "ppt/slides/_rels/slide1.xml.rels"
    page = read(_changed(POWERPOINT, relations, "</[^<]*>$", ""))
    assert "Every task has a parent" in markdown_of(page.content)
    assert page.notice == "Not read: 1 damaged link and notes list."


SLIDE_TABLE = "ppt/slides/slide2.xml"


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        (SLIDE_TABLE, "<p:nvGraphicFramePr>.*?</p:nvGraphicFramePr>", ""),
        (SLIDE_TABLE, '<p:cNvPr id="[^"]*"', '<p:cNvPr id="x"'),
        (SLIDE_TABLE, 'graphicData uri="[^"]*"', "graphicData"),
        (SLIDE_TABLE, "</p:spTree>", "<p:sp/><p:cxnSp/><p:grpSp/></p:spTree>"),
        ("ppt/slides/slide1.xml", '<p:ph idx="1"', '<p:ph idx="x"'),
        ("ppt/slides/slide1.xml", "<a:rPr>", '<a:rPr b="yes">'),
        ("docProps/core.xml", "</cp:coreProperties>", ""),
        ("ppt/slideLayouts/slideLayout2.xml", "</p:sldLayout>", ""),
    ],
    ids=["frame", "id", "URI", "empty shapes", "placeholder", "bold", "metadata", "layout"],
)
def test_malformed_presentation_part_loses_no_text(part, old, new):
    page = read(_changed(POWERPOINT, part, old, new))
    assert markdown_of(page.content) == markdown_of(read(FILES[POWERPOINT]).content)
    assert page.notice == ""


@pytest.mark.parametrize(
    ("part", "text", "left"),
    [
        (SLIDE_TABLE, "name", "1 slide"),
        ("ppt/notesSlides/notesSlide1.xml", "Say it slowly", "1 notes page or comment list"),
        ("ppt/charts/chart", "June", "1 embedded object"),
    ],
)
def test_damaged_part_of_a_presentation_is_reported(part, text, left):
    with ZipFile(BytesIO(FILES[POWERPOINT])) as opened:
        (name,) = (one for one in opened.namelist() if one.startswith(part))
    page = read(_changed(POWERPOINT, name, "</[^<]*>$", ""))
    shown = markdown_of(page.content)
    assert "Every task has a parent" in shown
    assert text not in shown
    assert page.notice == f"Not read: {left}."


def test_sections_of_a_presentation_do_not_count_as_slides():
    ids = '<x:sldIdLst xmlns:x="urn:x"><x:sldId id="256"/></x:sldIdLst>'
    sections = f"<p:extLst><p:ext>{ids}</p:ext></p:extLst></p:presentation>"
    page = read(_changed(POWERPOINT, "ppt/presentation.xml", "</p:presentation>", sections))
    assert page.notice == ""


@pytest.mark.parametrize(
    ("value", "shown"), [("0", " (hidden)"), ("false", " (hidden)"), ("1", "")]
)
def test_hidden_slide_is_marked_in_its_heading(value, shown):
    page = read(_changed(POWERPOINT, "ppt/slides/slide1.xml", "<p:sld ", f'<p:sld show="{value}" '))
    assert headings(page) == [(2, f"Slide 1: Tasks{shown}"), (2, "Slide 2")]


@pytest.mark.parametrize(
    ("kind", "body", "properties", "name"),
    [
        ("presentation", "draw:page draw", 'presentation:visibility="hidden"', "Slide 1"),
        ("spreadsheet", "table:table table", 'table:display="false"', "Costs"),
    ],
)
def test_hidden_slide_or_sheet_of_an_open_document_is_marked(kind, body, properties, name):
    tag, prefix = body.split()
    shown = f'<{tag} {prefix}:name="Costs"/>'
    hidden = f'<{tag} {prefix}:name="Costs" {prefix}:style-name="H"/>'
    style = f'<style:style style:name="H"><style:properties {properties}/></style:style>'
    page = read(open_document(kind, hidden + shown, style))
    assert headings(page) == [(2, f"{name} (hidden)"), (2, name.replace("1", "2"))]


@pytest.mark.parametrize("text", ['descr="A &lt;red&gt; fox"', 'title="A &lt;red&gt; fox"'])
def test_alternative_text_of_a_picture_on_a_slide_is_read(text):
    picture = f'<p:pic {DECK}><p:nvPicPr><p:cNvPr id="71" name="p" {text}/></p:nvPicPr></p:pic>'
    page = read(_deck(picture))
    assert "*A \\<red> fox*" in markdown_of(page.content)
    assert page.notice == "Not read: 1 picture."


def test_comments_of_a_slide_and_the_replies_to_them_are_read():
    old = "<p:cmLst><p:cm><p:text>Why?</p:text></p:cm></p:cmLst>"
    body = "<p:txBody><a:p>{}</a:p></p:txBody>"
    reply = f"<p:reply>{body.format(_said('Because.'))}</p:reply>"
    new = f"<p:cmLst><p:cm>{body.format(_said('Who?'))}{reply}</p:cm></p:cmLst>"
    parts = {
        f"ppt/comments/{number}.xml": text.replace("<p:cmLst>", f"<p:cmLst {DECK}>")
        for number, text in enumerate((old, new), 1)
    }
    relations = "".join(_relation(f"7{n}", "comments", f"../comments/{n}.xml") for n in (1, 2))
    text = markdown_of(read(_deck("", relations, **parts)).content)
    comments = [line for line in text.splitlines() if line.startswith("Comment")]
    assert comments == ["Comment: Why?", "Comment: Who?", "Comment: Because."]


def test_slide_part_referenced_twice_is_read_once():
    relations = "ppt/_rels/presentation.xml.rels"
    page = read(_changed(POWERPOINT, relations, "slide2.xml", "slide1.xml"))
    assert markdown_of(page.content).count("Every task") == 1
    assert page.notice == "Not read: 1 slide."


def _diagrams(points, number=1):
    """Return the presentation with a diagram shown `number` times on its second slide."""
    ids = '<d:relIds xmlns:d="urn:d" r:dm="r70"/>'
    graphic = f'<a:graphic><a:graphicData uri="urn:d">{ids}</a:graphicData></a:graphic>'
    named = '<p:cNvPr id="71" name=""/><p:cNvGraphicFramePr/><p:nvPr/>'
    named = f"<p:nvGraphicFramePr>{named}</p:nvGraphicFramePr>"
    frame = f"<p:graphicFrame {DECK}>{named}{graphic}</p:graphicFrame>"
    relation = _relation(70, "diagramData", "../diagrams/data1.xml")
    data = {"ppt/diagrams/data1.xml": f"<d:dataModel xmlns:d='urn:d' {DECK}>{points}</d:dataModel>"}
    return _deck(frame * number, relation, **data)


def test_footers_and_dates_of_slides_follow_the_last_one_once():
    deck = Presentation()
    for number in (1, 2):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = f"Part {number}"
        for kind, text in (("ftr", "Ada Ltd"), ("dt", "1 May")):
            shape = slide.shapes.add_textbox(0, 0, 1, 1)
            shape.text_frame.text = text
            shape.element.nvSpPr.nvPr._add_ph().set("type", kind)
    file = BytesIO()
    deck.save(file)
    text = markdown_of(read(file.getvalue()).content)
    assert text == "## Slide 1: Part 1\n\n## Slide 2: Part 2\n\nAda Ltd\n\n1 May"


def test_footers_and_dates_that_open_slides_show_follow_the_last_one_once():
    declared = "<presentation:{0}-decl presentation:name='{1}'>{2}</presentation:{0}-decl>"
    texts = declared.format("footer", "f1", "Ada Ltd") + declared.format("footer", "f2", "Hidden")
    texts += declared.format("date-time", "d1", "1 May")
    pages = "".join(
        f'<draw:page draw:style-name="{style}" presentation:use-footer-name="{footer}"'
        ' presentation:use-date-time-name="d1"/>'
        for style, footer in (("A", "f1"), ("A", "f1"), ("B", "f2"))
    )
    shown = 'presentation:display-footer="true" presentation:display-date-time="true"'
    style = f'<style:style style:name="A"><style:drawing-page-properties {shown}/></style:style>'
    text = markdown_of(read(open_document("presentation", texts + pages, style)).content)
    assert text == "## Slide 1\n\n## Slide 2\n\n## Slide 3\n\nAda Ltd\n\n1 May"


def _word_graphics(inner, before=""):
    """Return a Word file with a graphic between two texts, a chart and a diagram as its parts."""
    names = 'xmlns:c="urn:c" xmlns:dgm="urn:dgm"'
    drawing = f"<w:r><w:drawing {names}>{inner}</w:drawing></w:r>"
    series = "<c:ser><c:val><c:numLit><c:pt idx='0'><c:v>7</c:v></c:pt></c:numLit></c:val></c:ser>"
    area = f"<c:plotArea><c:barChart>{series}</c:barChart></c:plotArea>"
    chart = f"<c:chartSpace xmlns:c='urn:c'><c:chart>{area}</c:chart></c:chartSpace>"
    relations = _relation(8, "chart", "charts/chart1.xml")
    relations += _relation(9, "diagramData", "diagrams/data1.xml")
    return word(
        _paragraph(_run("Before ") + drawing + _run("after")),
        **{
            "word/_rels/document.xml.rels": f'<Relationships xmlns="{RELATIONS}">{relations}'
            "</Relationships>",
            "word/charts/chart1.xml": chart,
            "word/diagrams/data1.xml": f"<d {DECK}><a:p>{_said('Plan')}</a:p></d>",
        },
    )


@pytest.mark.parametrize(
    ("inner", "text", "notice"),
    [
        ('<c:chart r:id="r8"/>', "Before\n\nValue\n\n7\n\nafter", ""),
        ('<dgm:relIds r:dm="r9"/>', "Before\n\nPlan\n\nafter", ""),
        ('<c:chart r:id="r7"/>', "Before after", "Not read: 1 chart."),
        ('<c:chart r:id="r8"/>' * 2, "Before\n\nValue\n\n7\n\nafter", "Not read: 1 chart."),
    ],
    ids=["chart", "diagram", "missing", "twice"],
)
def test_chart_or_diagram_of_a_word_file_is_read_or_reported(inner, text, notice):
    page = read(_word_graphics(inner))
    assert (text_of(page.content), page.notice) == (text, notice)


def test_chart_in_the_header_of_a_word_file_is_reported():
    chart = '<w:r><w:drawing><c:chart xmlns:c="urn:c" r:id="r8"/></w:drawing></w:r>'
    assert read(_header(chart.replace("r:id", f'xmlns:r="{R}" r:id'))).notice == (
        "Not read: 1 chart."
    )


def test_mark_of_a_graphic_that_a_text_forges_shows_nothing():
    assert text_of(read(word(_paragraph(_run("a \ue0007\ue001 b")))).content) == "a\n\nb"


def test_diagram_of_a_slide_has_its_texts():
    points = "".join(f"<a:p>{_said(text)}</a:p>" for text in ("Plan", "Build"))
    assert "Plan\n\nBuild" in markdown_of(read(_diagrams(points)).content)


def test_deeply_nested_diagram_paragraphs_are_handled_quickly():
    deck = _diagrams("<a:p>" * 20_000 + "</a:p>" * 20_000)
    began = time.process_time()
    with suppress(PageFailed):
        read(deck)
    assert time.process_time() - began < 2


def test_diagram_that_several_frames_show_is_read_once():
    page = read(_diagrams(f"<a:p>{_said('Plan')}</a:p>", 40))
    assert markdown_of(page.content).count("Plan") == 1
    assert page.notice == "Not read: 39 embedded objects."


def test_book_has_its_chapters_in_reading_order():
    page = read(FILES[EPUB])
    assert headings(page) == [(1, "Part 1"), (1, "Part 2")]
    assert "A tree" in markdown_of(page.content)
    assert "Kept" in markdown_of(page.content)
    assert {one.url for one in page.links} == {"https://a.example/x#n1"}
    assert page.metadata.language == "en"
    assert page.notice == "Not read: 2 pictures."


@pytest.mark.parametrize("container", ["<container/>", "<damaged", "<c><rootfile/></c>"])
def test_book_whose_container_names_no_package_is_read(container):
    page = read(book(**{"META-INF/container.xml": container}))
    assert headings(page) == [(1, "Part 1"), (1, "Part 2")]


def test_selectors_choose_parts_of_a_file():
    page = read(FILES[WORD], selection=Selection(("table",)))
    assert [type(one) for one in page.content] == [TableBlock]


# What is left out is reported.


@pytest.mark.parametrize(
    ("kind", "limit", "most", "left"),
    [
        (EXCEL, (documents, "CELLS_MAX"), 4, "2 rows"),
        (EXCEL, (documents, "COLUMNS_MAX"), 2, "2 columns"),
        (EXCEL, (sheets, "SHEETS_MAX"), 1, "1 sheet"),
        (ODS, (documents, "CELLS_MAX"), 2, "rows"),
        (ODS, (documents, "COLUMNS_MAX"), 1, "1 column"),
        (POWERPOINT, (slides, "PAGES_MAX"), 1, "1 slide"),
        (EPUB, (epub, "PAGES_MAX"), 1, "1 chapter"),
    ],
)
def test_parts_beyond_a_limit_are_reported(kind, limit, most, left, monkeypatch):
    monkeypatch.setattr(*limit, most)
    page = read(FILES[kind])
    assert left in page.notice
    assert page.cut


def test_chapter_that_is_missing_is_reported():
    broken = book(**{"OEBPS/p.opf": "<package><spine><itemref idref='x'/></spine></package>"})
    assert "1 chapter" in read(broken).notice


# Hostile and damaged files.


@pytest.mark.parametrize(
    ("limit", "most"), [("BYTES_MAX", 1_000), ("PARTS_MAX", 1), ("RATIO_BYTES_MIN", 0)]
)
@pytest.mark.parametrize("kind", FILES)
def test_archive_beyond_size_part_or_ratio_limit_is_refused(kind, limit, most, monkeypatch):
    monkeypatch.setattr(archive, limit, most)
    monkeypatch.setattr(archive, "RATIO_MAX", 0)
    refused(FILES[kind])


def test_zip_bomb_is_refused():
    assert "ZIP bomb" in refused(word("<w:p/>" * 5_000_000))


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (WORD, word(before=ENTITIES)),
        (WORD, word(**{"word/numbering.xml": f"{ENTITIES}<x>&b;</x>"})),
        (ODT, zipped({"content.xml": f"{ENTITIES}<x>&b;</x>"}, ODT)),
        (EPUB, book(**{"META-INF/encryption.xml": f"{ENTITIES}<x>&b;</x>"})),
    ],
)
def test_file_that_declares_entities_is_refused(kind, body):
    assert "entities" in refused(body, kind)


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        (EXCEL, "xl/worksheets/sheet1.xml"),
        (EXCEL, "xl/workbook.xml"),
        (POWERPOINT, "ppt/slides/slide1.xml"),
        (WORD, "word/document.xml"),
        (ODT, "content.xml"),
        (EPUB, "OEBPS/p.opf"),
    ],
)
def test_file_that_declares_default_attributes_is_refused(kind, part):
    declared = '<!DOCTYPE x [<!ATTLIST r z CDATA "5 MB">]><'
    assert "default attributes" in refused(_changed(kind, part, r"\A(<\?xml.*?\?>\s*)?<", declared))


def test_document_too_large_for_xml_tree_is_refused(monkeypatch):
    monkeypatch.setattr(archive, "TREE_BYTES_MAX", 100)
    for kind in (WORD, POWERPOINT, ODT):
        refused(FILES[kind])


@pytest.mark.parametrize("kind", FILES)
def test_damaged_file_is_read_or_refused(kind):
    whole, chance = FILES[kind], random.Random(1)
    for _ in range(30):
        broken = bytearray(whole)
        for _ in range(chance.choice((1, 20, 200))):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        with suppress(PageFailed):
            read(bytes(broken), kind)
    refused(whole[: len(whole) // 2], kind)
    refused(zipped({"a": "b"}), kind)


def test_deep_nesting_is_read_or_refused():
    deep = "<text:section>" * 50_000 + "</text:section>" * 50_000
    with suppress(PageFailed):
        read(open_document("text", deep))


def test_long_text_for_many_cells_is_bounded(monkeypatch):
    monkeypatch.setattr(sheets, "CHARACTERS_MAX", 1_000)
    cell = f"<table:table-cell><text:p>{'x' * 300}</text:p></table:table-cell>"
    row = '<table:table-row table:number-rows-repeated="1048576">'
    page = read(
        open_document("spreadsheet", f"<table:table>{row}{cell}</table:table-row></table:table>")
    )
    assert len(texts(page)[0]) == 4
    assert "1,048,572 rows" in page.notice


def test_cells_at_impossible_places_are_bounded(monkeypatch):
    monkeypatch.setattr(documents, "CELLS_MAX", 1_000)
    with ZipFile(BytesIO(FILES[EXCEL])) as opened:
        parts = {name: opened.read(name) for name in opened.namelist()}
    parts["xl/worksheets/sheet1.xml"] = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        '<row r="1"><c r="A1"><v>1</v></c></row><row r="99999999999"><c r="ZZZ99999999999"><v>2'
        '</v></c></row></sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'
        "</worksheet>"
    )
    page = read(zipped(parts), EXCEL)
    assert texts(page)[0] == [["1"]]
    assert "columns of the sheet 'Tasks'" in page.notice


def test_chart_points_declared_without_values_are_ignored():
    with ZipFile(BytesIO(FILES[POWERPOINT])) as opened:
        parts = {name: opened.read(name) for name in opened.namelist()}
    name = next(one for one in parts if one.startswith("ppt/charts/chart"))
    parts[name] = parts[name].replace(b'ptCount val="2"', b'ptCount val="999999999"')
    assert texts(read(zipped(parts), POWERPOINT))[1] == [
        ["", "Done"],
        ["May", "1.5"],
        ["June", "2"],
    ]


def test_file_with_a_password_is_refused():
    assert "password" in refused(b"\xd0\xcf\x11\xe0" + bytes(600), WORD)
    manifest = "<manifest><encryption-data/></manifest>"
    assert "password" in refused(open_document("text", "", **{"META-INF/manifest.xml": manifest}))


def test_missing_extra_is_named(monkeypatch):
    monkeypatch.delitem(sys.modules, "tabwright.plugins.formats.office.word", raising=False)
    for name in [one for one in sys.modules if one.startswith("mammoth.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mammoth", None)
    assert "`office`" in refused(FILES[WORD])


@pytest.mark.parametrize(
    "kind",
    [EXCEL, POWERPOINT, ODT, ODS, ODP, EPUB],
    ids=["xlsx", "pptx", "odt", "ods", "odp", "epub"],
)
def test_formats_other_than_word_need_no_extra(kind, monkeypatch):
    for module in ("mammoth", "openpyxl", "pptx"):
        monkeypatch.setitem(sys.modules, module, None)
    assert read(FILES[kind]).content


@pytest.mark.parametrize("name", ["TREE_ELEMENTS_MAX", "TREE_ATTRIBUTES_MAX"])
@pytest.mark.parametrize("kind", [WORD, f"{OPEN_MIME}text"])
def test_part_with_too_many_elements_or_attributes_is_refused(monkeypatch, kind, name):
    monkeypatch.setattr(archive, name, 3)
    assert "too much text" in refused(FILES[kind])


def test_word_file_with_too_many_elements_is_cut_at_its_end(monkeypatch):
    monkeypatch.setattr(word_reader, "ELEMENTS_MAX", 300)
    note = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    numbers = range(200)
    page = read(word(_paragraph(note) + "".join(_paragraph(_run(f"n{one}")) for one in numbers)))
    kept = [f"n{one}" in text_of(page.content).split() for one in numbers]
    assert kept == sorted(kept, reverse=True)
    assert 0 < sum(kept) < len(kept)
    missing = kept.count(False)
    assert page.notice in {f"Not read: {n} paragraphs." for n in (missing, missing + 1)}


def test_word_file_with_too_many_styles_is_refused(monkeypatch):
    monkeypatch.setattr(word_reader, "ELEMENTS_MAX", 10)
    assert "too many styles" in refused(word())


def test_word_note_with_several_references_is_written_once():
    reference = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    page = read(word(_paragraph(reference * 3)))
    assert text_of(page.content).count("But for the root.") == 1


def test_paragraph_inside_a_paragraph_of_a_header_is_read_once():
    assert text_of(read(_header(_run("Out") + _paragraph(_run("In")))).content).count("In") == 1


def test_shape_in_groups_nested_beyond_the_limit_of_recursion_is_read():
    depth = 2 * sys.getrecursionlimit()
    shape = "<sp><txBody><p><r><t>Deep</t></r></p></txBody></sp>"
    slide = (
        f"<sld><cSld><spTree>{'<grpSp>' * depth}{shape}{'</grpSp>' * depth}</spTree></cSld></sld>"
    )
    deck = zipped(
        {
            "ppt/presentation.xml": f'<p xmlns:r="{R}"><sldIdLst><s r:id="r1"/></sldIdLst></p>',
            "ppt/_rels/presentation.xml.rels": f"<R>{_relation(1, 'slide', 's1.xml')}</R>",
            "ppt/s1.xml": slide,
        }
    )
    page = read(deck)
    assert "Deep" in text_of(page.content)
    assert page.notice == ""
