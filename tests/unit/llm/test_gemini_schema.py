from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.llm.gemini import KEPT, gemini_schema

KNOWN = {*KEPT, "type", "enum", "nullable", "anyOf", "properties", "required", "items"}


@pytest.mark.parametrize(
    ("schema", "output"),
    [
        ({"type": "string", "format": "uri", "default": "x"}, {"type": "string"}),
        ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
        ({"type": ["string", "integer"]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        ({"const": "go"}, {"type": "string", "enum": ["go"]}),
        ({"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}),
        ({"type": "integer", "enum": [1, 2]}, {"type": "integer"}),
        (
            {"anyOf": [{"type": "integer"}, {"type": "null"}], "description": "How many."},
            {"type": "integer", "nullable": True, "description": "How many."},
        ),
        (
            {"oneOf": [{"type": "integer"}, {"type": "string"}]},
            {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        ),
        ({"anyOf": [{"type": "null"}], "title": "T"}, {"nullable": True, "title": "T"}),
        ({"type": "array", "maxItems": 3}, {"type": "array", "maxItems": 3, "items": {}}),
        ({"type": "object", "properties": {}}, {"type": "object"}),
        (
            {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/a"}, "b": True},
                "required": ["a", "gone"],
                "additionalProperties": False,
                "$defs": {"a": {"type": "string", "$comment": "x"}},
            },
            {
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {}},
                "required": ["a"],
            },
        ),
        ({"$ref": "https://other.example/schema", "title": "T"}, {"title": "T"}),
        ({"$ref": "#/$defs/gone", "title": "T"}, {"title": "T"}),
    ],
)
def test_gemini_schema_keeps_only_supported_keywords(schema, output) -> None:
    assert gemini_schema(schema) == output


def test_recursive_schema_is_cut_at_its_recursion() -> None:
    tree = {
        "type": "object",
        "properties": {"left": {"$ref": "#/$defs/tree"}, "right": {"$ref": "#/$defs/tree"}},
    }
    end = {"type": "object", "properties": {"left": {}, "right": {}}}
    assert gemini_schema({"$ref": "#/$defs/tree", "$defs": {"tree": tree}}) == end
    inside = {"type": "array", "items": {"type": "array", "items": {}}}
    assert gemini_schema({"type": "array", "items": {"$ref": "#"}}) == inside


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "properties", "items", "anyOf", "required", "enum", "$ref"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


def names_in(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from (name for name in schema if name != "properties")
        for name, value in schema.items():
            values = value.values() if name == "properties" else [value]
            for one in values:
                yield from names_in(one)
    elif isinstance(schema, list):
        for one in schema:
            yield from names_in(one)


@given(st.dictionaries(st.sampled_from(["type", "properties", "items", "anyOf"]), VALUES))
def test_gemini_schema_uses_only_supported_keywords(schema) -> None:
    assert set(names_in(gemini_schema(schema))) <= KNOWN
