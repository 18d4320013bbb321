"""The structured data of a page as records."""

from collections.abc import Iterator

import attrs
import msgspec
import pytest

from tabwright.content.render.data_record import data_record, flat_records, within_tokens
from tabwright.protocol.errors import BadInput
from tabwright.protocol.structured_data import (
    DataField,
    DataRecord,
    ExtractedPage,
    FilledSchema,
    JsonValue,
    PageData,
    RecordGroup,
)
from tabwright.text.token_budget import count_tokens


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


ROWS = 300


def record(number: int) -> DataRecord:
    return DataRecord(f"tr:nth-of-type({number})", (DataField("n", number, f"td{number}"),))


def portions(whole: ExtractedPage, tokens_max: int) -> Iterator[ExtractedPage]:
    offset: int | None = 0
    while offset is not None:
        portion = within_tokens(whole, tokens_max, offset)
        text = msgspec.json.encode(data_record(portion.page)).decode()
        assert count_tokens(text) <= tokens_max
        assert portion.next_offset is None or portion.next_offset > offset
        offset = portion.next_offset
        yield portion.page


def test_list_for_a_schema_is_read_in_portions_whose_sources_are_their_own() -> None:
    values: list[JsonValue] = [{"n": number} for number in range(ROWS)]
    sources = {f"/{number}/n": f"td{number}" for number in range(ROWS)}
    missing = tuple(f"/{number}/m" for number in range(ROWS))
    whole = page(PageData(filled=FilledSchema(values, sources, missing)))
    read: list[object] = []
    for part in portions(whole, 1_000):
        filled = part.data.filled
        assert filled is not None
        assert isinstance(filled.value, list)
        for place, value in enumerate(filled.value):
            assert value == {"n": int(filled.sources[f"/{place}/n"].removeprefix("td"))}
            assert f"/{place}/m" in filled.missing
        assert len(filled.sources) == len(filled.missing) == len(filled.value)
        read += filled.value
    assert read == values


def test_records_of_groups_are_read_in_portions() -> None:
    groups = (
        RecordGroup("table", "t", tuple(map(record, range(ROWS)))),
        RecordGroup("table", "u", tuple(map(record, range(ROWS, ROWS + 20)))),
    )
    read = [
        field.value
        for part in portions(page(PageData(groups)), 2_000)
        for group in part.data.groups
        for one in group.records
        for field in one.fields
    ]
    assert sorted(map(str, read)) == sorted(map(str, range(ROWS + 20)))


def test_first_portion_counts_the_records_that_it_leaves_out() -> None:
    whole = page(PageData((RecordGroup("table", "t", tuple(map(record, range(ROWS)))),)))
    portion = within_tokens(whole, 1_000)
    [group] = portion.page.data.groups
    assert len(group.records) == portion.next_offset
    assert len(group.records) + group.omitted == ROWS


def test_data_within_the_budget_is_returned_whole() -> None:
    whole = filled([{"a": 1}, {"b": 2}])
    assert attrs.astuple(within_tokens(whole, 1_000), recurse=False) == (whole, None)


@pytest.mark.parametrize("data", [filled([{"a": 1}]), filled({"a": 1}), page(PageData())])
def test_offset_after_the_last_record_is_refused(data: ExtractedPage) -> None:
    with pytest.raises(BadInput):
        within_tokens(data, 1_000, 1)


def groups_of(*lengths: int) -> ExtractedPage:
    record = DataRecord("s", (DataField("x", 1, "p"),))
    return page(PageData(tuple(RecordGroup("table", "t", (record,) * one) for one in lengths)))


@pytest.mark.parametrize("lengths", [(1,), (1, 1, 1), (2, 2, 2, 2), (9, 1, 1), (1, *[2] * 90)])
def test_budget_that_is_enough_keeps_all_groups(lengths: tuple[int, ...]) -> None:
    portion = within_tokens(groups_of(*lengths), 1_000_000)
    assert [len(group.records) for group in portion.page.data.groups] == [*lengths]
    assert portion.page.data.omitted == 0
    assert portion.next_offset is None


def test_budget_limits_groups_that_have_one_record_each() -> None:
    portion = within_tokens(groups_of(*[1] * 90), 500)
    kept = len(portion.page.data.groups)
    assert 0 < kept < 90
    assert portion.page.data.omitted == 90 - kept


def test_group_after_shorter_ones_is_continued_from_an_offset() -> None:
    portion = within_tokens(groups_of(1, 1, 9), 1_000_000, 2)
    assert [len(group.records) for group in portion.page.data.groups] == [7]
    assert portion.page.data.omitted == 0
