"""JSON files with comments are changed at one member only."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.cli.json_with_comments import read_json, with_member, without_member

PATH = ("servers", "tabwright")
VALUE = {"command": "tabwright", "args": ["serve"]}
COMMENTS = ("", " ", "\n", '// it\'s a "comment", {\n', "/* a, }\n ] */")

NAMES = st.sampled_from(["servers", "a", "// b", "tabwright", 'c"', ","])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from(COMMENTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
TABLES = st.dictionaries(NAMES, VALUES, max_size=4).filter(
    lambda table: isinstance(table.get("servers", {}), dict)
)


@st.composite
def written(draw: st.DrawFn, value: object) -> str:
    """Write a value with comments and trailing commas."""

    def gap() -> str:
        return draw(st.sampled_from(COMMENTS))

    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else (("", one) for one in value)
        parts = list[str]()
        for name, one in pairs:
            head = f"{json.dumps(name)}{gap()}:{gap()}" if isinstance(value, dict) else ""
            parts.append(f"{gap()}{head}{draw(written(one))}{gap()}")
        if parts and draw(st.booleans()):
            parts.append(gap())
        start, end = "{}" if isinstance(value, dict) else "[]"
        return f"{start}{','.join(parts) or gap()}{end}"
    return json.dumps(value)


@given(st.data(), TABLES)
def test_member_is_set_and_removed_and_the_rest_stays(
    data: st.DataObject, table: dict[str, dict[str, object]]
) -> None:
    text = data.draw(written(table))
    assert read_json(text) == table
    changed = with_member(text, PATH, VALUE)
    expected = {**table, "servers": {**table.get("servers", {}), "tabwright": VALUE}}
    assert read_json(changed) == expected
    removed = without_member(changed, PATH)
    del expected["servers"]["tabwright"]
    assert read_json(removed) == expected


def test_comments_and_layout_stay() -> None:
    text = '{\n\t// mine\n\t"servers": {"other": {}}, /* b */\n}'
    changed = with_member(text, PATH, VALUE)
    assert changed.startswith('{\n\t// mine\n\t"servers": {')
    assert changed.endswith('"other": {}}, /* b */\n}')
    assert '"other": {}}, /* b */\n}' in without_member(changed, PATH)


@pytest.mark.parametrize("text", ["[]", "{", "/* {}", '{"a": 1,, "b": 2}', '{"a" 1}'])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        read_json(text)
