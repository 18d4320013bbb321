import attrs

from tabwright.protocol.ai_search import SearchResult
from tabwright.search.ai_mode.result import to_record


def test_record_keys_match_search_result_fields() -> None:
    record = to_record(SearchResult(success=True, query="q"))
    assert list(record) == [field.name for field in attrs.fields(SearchResult)]
