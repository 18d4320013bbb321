"""Merging documents and their frames into one outline."""

from tabwright.page.outline import DocumentRecord, OutlineControl, OutlineLine, outline_of, ref_of

from .pages import button, outline, text_line


def record(*lines, **more):
    page = {"url": "https://a.example/", "title": "T", "top": 5, "height": 900, **more}
    return DocumentRecord(viewport=(800, 600), lines=lines, **page)


def frame(place, depth=0):
    return OutlineLine(
        depth=depth, kind="frame", parts=("ad",), frame=place, url="https://b.example/"
    )


def controls_of(taken):
    return [ref_of(line.document, control) for line in taken.lines for control in line.controls]


def test_frame_content_is_nested_with_refs_of_its_own_document():
    outer = record(text_line("above"), frame(0, depth=1), OutlineLine(0, "", (button(1, "Outer"),)))
    inner = record(OutlineLine(0, "", (button(1, "Inner"),)), url="https://b.example/")
    taken = outline_of({4: outer, 9: inner}, {(4, 0): 9})
    assert [(line.depth, line.kind) for line in taken.lines] == [
        (0, ""),
        (1, "frame"),
        (2, ""),
        (0, ""),
    ]
    assert controls_of(taken) == ["9.1", "4.1"]
    assert taken.refs == {"9.1", "4.1"}


def test_nested_frames_are_indented_below_both_parents():
    records = {1: record(frame(0)), 2: record(frame(0, depth=2)), 3: record(text_line("x", 1))}
    taken = outline_of(records, {(1, 0): 2, (2, 0): 3})
    assert [line.depth for line in taken.lines] == [0, 3, 5]
    assert taken.lines[-1].document == 3


def test_inaccessible_frame_is_a_single_line():
    taken = outline_of({1: record(frame(0), text_line("after"))}, {})
    assert [line.kind for line in taken.lines] == ["frame", ""]


def test_outline_has_main_document_facts_and_total_hidden_count():
    main = record(frame(0), hidden=2)
    inner = record(url="https://b.example/", title="Inner", top=99, hidden=3, cut=True)
    taken = outline_of({7: main, 8: inner}, {(7, 0): 8})
    assert (taken.generation, taken.url, taken.title, taken.top) == (7, main.url, "T", 5)
    assert (taken.hidden, taken.cut) == (5, True)


def test_refs_of_two_documents_are_never_the_same():
    one, other = OutlineControl(12, "link"), OutlineControl(2, "link")
    assert ref_of(1, one) != ref_of(11, other)
    assert outline(OutlineLine(0, "", (one, "and", None, other), document=1)).refs == {
        "1.12",
        "1.2",
    }
