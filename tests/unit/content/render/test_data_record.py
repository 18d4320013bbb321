"""The structured data of a page as records."""

from tabwright.content.render.data_record import data_record, flat_records
from tabwright.protocol.structured_data import (
    DataField,
    DataRecord,
    ExtractedPage,
    FilledSchema,
    JsonValue,
    PageData,
    RecordGroup,
)


def page(data: PageData) -> ExtractedPage:
    return ExtractedPage(url="https://a.example/", title="A", status=200, tier=1, data=data)


def filled(value: JsonValue) -> ExtractedPage:
    return page(PageData(filled=FilledSchema(value, {})))


def test_filled_schema_objects_become_rows() -> None:
    assert flat_records(filled([{"a": 1}, {"b": 2}])) == [{"a": 1}, {"b": 2}]
    assert flat_records(filled({"a": 1})) == [{"a": 1}]
    assert flat_records(filled({})) == []


def test_records_of_all_groups_are_rows_with_the_first_value_of_each_field() -> None:
    fields = (DataField("x", 1, "p"), DataField("y", 2, "q"), DataField("x", 3, "r"))
    groups = (RecordGroup("table", "t", (DataRecord("s", fields),)),)
    rows = flat_records(page(PageData(groups)))
    assert [list(row.items()) for row in rows] == [[("kind", "table"), ("x", 1), ("y", 2)]]


def test_page_without_matches_has_a_notice() -> None:
    assert data_record(filled([]))["notice"]
    assert data_record(page(PageData()))["notice"]
    assert "notice" not in data_record(filled({"a": 1}))
