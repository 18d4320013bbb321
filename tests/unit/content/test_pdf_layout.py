"""Headings, tables, scripts, right-to-left text and form values of PDF files."""

from collections.abc import Mapping

import pytest
from pypdfium2 import PdfDocument

from tabwright.content import documents, pdf_annotations
from tabwright.content.extract import extract_snapshot
from tabwright.content.pdf_text import corrected_text
from tabwright.content.render.markdown import markdown_of
from tabwright.protocol.errors import PageFailed
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import LoadedPage, PageSnapshot, Selection

Letters = tuple[int, int, int, str]
"""The size, the place from the left and from below, and the text of letters."""

COURIER = "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>"
LOOK = f"/MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R /F2 {COURIER} >> >>"
BODY = "This line of the text is long enough to be a whole line of a paragraph, and"


def pdf(
    *letters: Letters,
    fields: tuple[str, ...] = (),
    missing: int = 0,
    unicode: Mapping[str, str] | None = None,
    properties: str = "",
) -> bytes:
    """Return a PDF file with one page, then missing ones (ISO 32000-1, section 7.5).

    Args:
        letters: of the page.
        fields: annotations of the page.
        missing: number of pages without content.
        unicode: what signs of the font stand for (section 9.10.3).
        properties: of the file.
    """
    stream = "\n".join(
        f"BT /F1 {size} Tf {left} {top} Td ({text}) Tj ET" for size, left, top, text in letters
    )
    numbers = " ".join(f"{8 + number} 0 R" for number in range(len(fields)))
    signs = "".join(
        f"<{ord(sign):02x}> <{text.encode('utf-16-be').hex()}>\n"
        for sign, text in (unicode or {}).items()
    )
    mapping = (
        "begincmap 1 begincodespacerange <00> <ff> endcodespacerange\n"
        f"{len(unicode or ())} beginbfchar\n{signs}endbfchar endcmap"
    )
    to_unicode = "/ToUnicode 6 0 R" if unicode else ""
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{numbers}] >> >>",
        f"<< /Type /Pages /Count {1 + missing} /Kids [4 0 R{' 99 0 R' * missing}] >>",
        f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica {to_unicode} >>",
        f"<< /Type /Page /Parent 2 0 R {LOOK} /Contents 5 0 R /Annots [{numbers}] >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        f"<< /Length {len(mapping)} >>\nstream\n{mapping}\nendstream",
        f"<< {properties} >>",
        *(
            f"<< /Type /Annot /Rect [72 {90 * n} 200 {90 * n + 20}] {field} >>"
            for n, field in enumerate(fields, 1)
        ),
    ]
    written, places = "%PDF-1.4\n", list[int]()
    for number, content in enumerate(objects, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    count = len(objects) + 1
    trailer = (
        f"trailer << /Size {count} /Root 1 0 R /Info 7 0 R >>\nstartxref\n{len(written)}\n%%EOF\n"
    )
    return f"{written}xref\n0 {count}\n0000000000 65535 f \n{table}{trailer}".encode("latin-1")


def snapshot(body: bytes, fragment: str = "") -> PageSnapshot:
    page = LoadedPage(f"https://a.example/a.pdf{fragment}", 200, "application/pdf")
    return extract_snapshot(Fetched(page, body), Selection(), 1).snapshot


def markdown(*letters: Letters, fields: tuple[str, ...] = ()) -> str:
    return markdown_of(snapshot(pdf(*letters, fields=fields)).content)


def text_lines(top: int, count: int = 3) -> list[Letters]:
    return [(11, 72, top - 14 * number, BODY) for number in range(count)]


def test_larger_lines_are_headings_by_size() -> None:
    text = markdown(
        (24, 72, 720, "Annual report"),
        (16, 72, 690, "Results"),
        *text_lines(660),
        (16, 72, 600, "Outlook"),
        *text_lines(570),
    )
    assert "### Annual report" in text
    assert "#### Results" in text
    assert "#### Outlook" in text
    assert f"{BODY} {BODY}" in text


def test_text_of_one_size_has_no_headings() -> None:
    assert markdown(*text_lines(700)).count("#") == 2


def test_lines_with_gaps_in_the_same_columns_are_a_table() -> None:
    rows = [("Year", "Sales", "Profit"), ("2026", "1,200", "300"), ("2027", "1,450", "410")]
    cells: list[Letters] = [
        (11, 72 + 120 * column, 600 - 16 * number, cell)
        for number, row in enumerate(rows)
        for column, cell in enumerate(row)
    ]
    text = markdown(*text_lines(700), *cells)
    assert "| Year | Sales | Profit |" in text
    assert "| 2027 | 1,450 | 410 |" in text


def test_line_above_a_table_whose_cells_are_above_its_columns_is_its_head() -> None:
    cells: list[Letters] = []
    for bottom in (500, 600):
        cells += [(11, 200, bottom + 16, "2026"), (11, 300, bottom + 16, "2027")]
        for number, item in enumerate(["Sales", "Costs", "Profit"]):
            top = bottom - 16 * number
            cells += [(11, 72, top, item), (11, 200, top, "1,000"), (11, 300, top, "9,000")]
    text = markdown(*text_lines(700), (11, 72, 640, "Total"), (11, 400, 640, "in EUR"), *cells)
    assert text.count("|  | 2026 | 2027 |") == 2
    assert "| Total |" not in text


CODE: list[Letters] = [
    (11, left, top, f") Tj /F2 11 Tf ({text}")
    for left, top, text in [(72, 600, "def half\\(x\\):"), (98, 586, "return x / 2")]
]


def test_lines_in_a_font_of_one_width_are_code_with_its_indentation() -> None:
    text = markdown(*text_lines(700), *CODE, *text_lines(560))
    assert "```\ndef half(x):\n    return x / 2\n```" in text


def test_page_in_a_font_of_one_width_is_text() -> None:
    assert "```" not in markdown(*CODE)


def test_line_of_a_column_ends_its_paragraph_if_the_next_word_had_room() -> None:
    lines = [
        *["aaaa bbbb cccc dddd eeee ffff"] * 12,
        "The council met on",
        "Wednesdayafternoons again and",
        "aaaa bbbb cccc dddd ee",
        "A new one begins here",
    ]
    text = markdown(*((11, 72, 700 - 14 * n, line) for n, line in enumerate(lines)))
    assert "met on Wednesdayafternoons again and aaaa bbbb cccc dddd ee\n\nA new one" in text


def test_larger_distance_between_lines_ends_a_paragraph() -> None:
    text = markdown(*text_lines(700), *text_lines(700 - 14 * 3 - 10))
    assert f"{BODY}\n\n{BODY}" in text


def test_single_line_with_a_gap_is_not_a_table() -> None:
    text = markdown(*text_lines(700), (11, 72, 600, "Page"), (11, 400, 600, "of many"))
    assert "|" not in text


def test_values_of_a_form_are_listed_and_empty_fields_are_not() -> None:
    text = markdown(
        *text_lines(700),
        fields=(
            "/FT /Tx /T (name) /TU (Your name) /V (FORMVALUE42)",
            "/FT /Tx /T (empty)",
            "/FT /Tx /T (town) /V (Bergen)",
        ),
    )
    assert "| Your name | FORMVALUE42 |" in text
    assert "| town | Bergen |" in text
    assert "empty" not in text


def test_pdf_comments_follow_text_but_link_annotations_do_not() -> None:
    text = markdown(
        *text_lines(700),
        fields=("/Subtype /Text /Contents (Ask her)", "/Subtype /Link /Contents (a link)"),
    )
    assert text.endswith("Comment: Ask her")


@pytest.mark.parametrize(
    "kind",
    ["FreeText", "Caret", "Squiggly", "Ink", "Line", "Polygon", "PolyLine", "FileAttachment"],
)
def test_comments_of_every_kind_are_read(kind: str) -> None:
    text = markdown(*text_lines(700), fields=(f"/Subtype /{kind} /Contents (Ask her)",))
    assert text.endswith("Comment: Ask her")


def test_properties_that_a_program_writes_instead_of_a_title_and_an_author_are_left_out() -> None:
    page = snapshot(pdf(properties="/Title (untitled) /Author (\\(anonymous\\))"))
    assert (page.title, page.metadata.author) == ("a.pdf", "")
    page = snapshot(pdf(properties="/Title (Annual report) /Author (Ann)"))
    assert (page.title, page.metadata.author) == ("Annual report", "Ann")


def test_annotations_beyond_the_maximum_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_annotations, "ANNOTATIONS_MAX", 1)
    page = snapshot(pdf(*text_lines(700), fields=("/Subtype /Text /Contents (Ask her)",) * 3))
    assert markdown_of(page.content).count("Ask her") == 1
    assert "2 annotations" in page.notice
    assert page.cut == "unread_parts"


def test_page_with_a_comment_but_no_text_is_reported() -> None:
    page = snapshot(pdf(fields=("/Subtype /Text /Contents (Ask her)",)))
    assert "1 of 1 pages have no text" in page.notice


def test_long_comment_is_shortened() -> None:
    text = markdown(*text_lines(700), fields=(f"/Subtype /Text /Contents ({'word ' * 3_000})",))
    assert "Comment: word word" in text
    assert text.endswith("…")


def test_page_that_cannot_be_loaded_is_reported_and_the_others_are_read() -> None:
    page = snapshot(pdf(*text_lines(700), missing=2))
    assert BODY in markdown_of(page.content)
    assert "damaged pages 2, 3" in page.notice
    assert page.cut == "unread_parts"


def test_pages_beyond_the_maximum_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "PAGES_MAX", 1)
    page = snapshot(pdf(*text_lines(700), missing=2))
    assert "the last 2 of 3 pages" in page.notice


def test_page_number_beyond_the_end_is_refused_with_the_number_of_pages() -> None:
    with pytest.raises(PageFailed, match="only 1 pages"):
        snapshot(pdf(*text_lines(700)), "#page=7")


@pytest.mark.parametrize(("unknown", "is_reported"), [(40, True), (1, False)])
def test_unmapped_font_characters_are_reported_unless_few(unknown: int, is_reported: bool) -> None:
    page = snapshot(pdf(*text_lines(700), (11, 72, 500, "\\001" * unknown)))
    assert ("fonts" in page.notice) == is_reported


HEBREW = {"a": "\u05d0", "b": "\u05d1", "c": "\u05d2", "d": "\u05d3"}
MIRRORED = {"(": ")", ")": "("}


def line_of(drawn: str, unicode: Mapping[str, str]) -> str:
    """Return the text of a line that is drawn from left to right."""
    escaped = drawn.replace("(", "\\(").replace(")", "\\)")
    return markdown_of(snapshot(pdf((11, 72, 700, escaped), unicode=unicode)).content)


@pytest.mark.parametrize("brackets", [{}, MIRRORED])
def test_brackets_of_right_to_left_text_open_before_their_words(brackets: dict[str, str]) -> None:
    assert "\u05d0\u05d1 (\u05d2\u05d3)" in line_of("(dc) ba", HEBREW | brackets)


def test_brackets_around_a_latin_word_of_a_hebrew_line_enclose_it() -> None:
    assert "\u05d0\u05d1 (HTML) \u05d2\u05d3" in line_of("dc (HTML) ba", HEBREW)


def test_closing_brackets_of_right_to_left_list_markers_stay_closing() -> None:
    assert "\u05d0) \u05d1\u05d2" in line_of("cb )a", HEBREW | MIRRORED)


def test_ligature_of_right_to_left_text_keeps_the_order_of_its_letters() -> None:
    letters = {"m": "\u0645", "L": "\u0644\u0627", "s": "\u0633"}
    assert "\u0633\u0644\u0627\u0645" in line_of("mLs", letters)


def test_right_to_left_letters_in_the_order_of_the_page_are_reversed() -> None:
    with PdfDocument(pdf((11, 72, 700, "abc"))) as document:
        text = corrected_text(document[0].get_textpage(), "\u05d2\u05d1\u05d0")
    assert text == "\u05d0\u05d1\u05d2"


def test_raised_digit_stays_in_its_line_as_a_superscript() -> None:
    text = markdown(
        (11, 72, 700, "Prices rose by 12"), (7, 158, 704, "3"), (11, 164, 700, "in a year")
    )
    assert "Prices rose by 12\u00b3 in a year" in text


def test_raised_digit_before_its_note_is_a_superscript() -> None:
    assert "\u00b9Note" in markdown((8, 72, 700, "1"), (12, 78, 696, "Note"))


def test_raised_and_lowered_letters_stay_in_their_line() -> None:
    text = markdown(
        (20, 72, 700, "on the 1"),
        (14, 144, 709, "st"),
        (20, 155, 700, " day of H"),
        (14, 235, 696, "2"),
        (20, 243, 700, "O"),
    )
    assert "on the 1st day of H2O" in text


def test_small_digit_that_is_not_next_to_a_word_is_not_a_superscript() -> None:
    text = markdown((11, 72, 700, "Total 12"), (7, 300, 704, "3 of it"))
    assert "\u00b3" not in text


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        (["the com-", "mission of"], "commission"),
        (["is well-", "known to"], "well-known"),
        (["is Anglo-", "Saxon to"], "Anglo-Saxon"),
        (["a time-out and a time-", "out of"], "and a time-out"),
        (["a timeout and a time-", "out of"], "and a timeout"),
    ],
)
def test_hyphen_at_a_line_end_is_kept_where_its_word_has_one(lines: list[str], word: str) -> None:
    assert word in markdown(*((11, 72, 700 - 14 * n, line) for n, line in enumerate(lines)))
