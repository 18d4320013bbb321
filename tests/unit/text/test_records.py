from tabwright.text.records import record_as_it_stands


def test_record_keeps_its_shape_without_invisible_characters() -> None:
    record = {"a\u202e": ["b\u200b", {"c": "\ufeffd", "n": 1, "none": None}]}
    assert record_as_it_stands(record) == {"a": ["b", {"c": "d", "n": 1, "none": None}]}
