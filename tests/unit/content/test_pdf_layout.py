"""Headings, tables and form values of PDF files."""

import pytest

from tabwright.content import documents, pdf_layout
from tabwright.content.extract import extract_snapshot
from tabwright.content.render.markdown import markdown_of
from tabwright.protocol.errors import PageFailed
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import LoadedPage, PageSnapshot, Selection

Letters = tuple[int, int, int, str]
"""The size, the place from the left and from below, and the text of letters."""

LOOK = "/MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>"
BODY = "This line of the text is long enough to be a whole line of a paragraph, and"


def pdf(*letters: Letters, fields: tuple[str, ...] = (), missing: int = 0) -> bytes:
    """Return a PDF file with one page, then missing ones (ISO 32000-1, section 7.5)."""
    stream = "\n".join(
        f"BT /F1 {size} Tf {left} {top} Td ({text}) Tj ET" for size, left, top, text in letters
    )
    numbers = " ".join(f"{6 + number} 0 R" for number in range(len(fields)))
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{numbers}] >> >>",
        f"<< /Type /Pages /Count {1 + missing} /Kids [4 0 R{' 99 0 R' * missing}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Type /Page /Parent 2 0 R {LOOK} /Contents 5 0 R /Annots [{numbers}] >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
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
    trailer = f"trailer << /Size {count} /Root 1 0 R >>\nstartxref\n{len(written)}\n%%EOF\n"
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


def test_annotations_beyond_the_maximum_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_layout, "ANNOTATIONS_MAX", 1)
    page = snapshot(pdf(*text_lines(700), fields=("/Subtype /Text /Contents (Ask her)",) * 3))
    assert markdown_of(page.content).count("Ask her") == 1
    assert "2 annotations" in page.notice
    assert page.cut == "element_limit"


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
    assert page.cut == "element_limit"


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
