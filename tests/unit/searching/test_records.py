import attrs
import pytest

from tabwright.protocol.ai_search import SearchResult
from tabwright.protocol.errors import BadInput
from tabwright.search.ai_mode.render import Record, from_record, to_record


def test_a_record_has_the_names_of_the_result() -> None:
    record = to_record(SearchResult(success=True, query="q"))
    assert list(record) == [field.name for field in attrs.fields(SearchResult)]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"success": True}, "query"),
        ({"success": 1, "query": "q"}, "success"),
        ({"success": True, "query": "q", "blocks": [{"kind": "video"}]}, "unknown kind 'video'"),
        ({"success": True, "query": "q", "sources": [{"title": "t"}]}, "url"),
    ],
)
def test_other_records_are_refused(record: Record, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        from_record(record)
