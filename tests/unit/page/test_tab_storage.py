"""Storage records from pages, which can contain anything."""

import pytest

from tabwright.page.tab_storage import parse_storage
from tabwright.protocol.errors import PageFailed


@pytest.mark.parametrize("answer", ["", "null", "{}", '{"localStorage": [["a"]], "origin": 1}'])
def test_invalid_storage_answer_is_rejected_without_quoting_it(answer):
    with pytest.raises(PageFailed, match=r"^The storage of the page could not be read\.$"):
        parse_storage(answer)


@pytest.mark.parametrize("origin", ["null", "file://", "chrome-error://chromewebdata"])
def test_origin_that_is_not_a_site_has_no_storage(origin):
    assert parse_storage(f'{{"origin": "{origin}", "localStorage": []}}') is None
