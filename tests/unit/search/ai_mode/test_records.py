import attrs

from tabwright.protocol.ai_search import SearchResult
from tabwright.search.ai_mode.result import to_record


def test_a_record_has_the_names_of_the_result() -> None:
    record = to_record(SearchResult(success=True, query="q"))
    assert list(record) == [field.name for field in attrs.fields(SearchResult)]
