"""JSON schemas as Gemini takes them: a part of OpenAPI 3.0, and anything else is refused.

Source: https://ai.google.dev/api/caching#Schema. What cannot be said is left out: the model then
has more freedom than its answer, which is checked in any case.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias, TypeGuard

Schema: TypeAlias = dict[str, object]

KEPT = (
    "title",
    "description",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
)
"""What means the same there."""

NULL = "null"


def gemini_schema(schema: Mapping[str, object]) -> Schema:
    """The same schema, as far as it can be said.

    One that holds itself ends where it begins again.
    """
    return _Translation(schema).of(schema, frozenset())


class _Translation:
    """Of one schema; `inside` are the references that lead to where we are."""

    def __init__(self, root: Mapping[str, object]) -> None:
        self._root = root

    def of(self, schema: Mapping[str, object], inside: frozenset[str]) -> Schema:
        """The translation of a part; a reference that is in `inside` ends it."""
        place = schema.get("$ref")
        if isinstance(place, str):
            if place in inside:
                return {}
            schema, inside = self._followed(schema, place), inside | {place}
        kinds = _kinds(schema)
        said = {name: schema[name] for name in KEPT if name in schema}
        said |= self._type(schema, kinds)
        if NULL in kinds:
            said["nullable"] = True
        return said | self._parts(schema, said, inside) | self._choice(schema, inside)

    def _followed(self, schema: Mapping[str, object], place: str) -> Mapping[str, object]:
        """The schema that a reference leads to, with what stands beside that."""
        found: object = self._root
        for name in place.removeprefix("#").split("/")[1:]:
            found = found.get(name) if _is_mapping(found) else None
        beside = {name: value for name, value in schema.items() if name != "$ref"}
        return {**found, **beside} if _is_mapping(found) else beside

    def _type(self, schema: Mapping[str, object], kinds: list[str]) -> Schema:
        real = [kind for kind in kinds if kind != NULL]
        values = [schema["const"]] if "const" in schema else schema.get("enum")
        if _is_list(values):
            words = [value for value in values if isinstance(value, str)]
            if words:  # only words can be listed
                return {"type": "string", "enum": words}
        if len(real) > 1:
            return {"anyOf": [{"type": kind} for kind in real]}
        return {"type": real[0]} if real else {}

    def _parts(self, schema: Mapping[str, object], said: Schema, inside: frozenset[str]) -> Schema:
        """What only objects and lists have."""
        inner = schema.get("properties")
        if said.get("type") == "object" and _is_mapping(inner) and inner:
            properties = {name: self._one(value, inside) for name, value in inner.items()}
            wanted = schema.get("required")
            required = [name for name in wanted if name in inner] if _is_list(wanted) else []
            return {"properties": properties, **({"required": required} if required else {})}
        if said.get("type") == "array":
            return {"items": self._one(schema.get("items"), inside)}
        return {}

    def _choice(self, schema: Mapping[str, object], inside: frozenset[str]) -> Schema:
        options = schema.get("anyOf", schema.get("oneOf"))
        if not _is_list(options):
            return {}
        real = [self._one(one, inside) for one in options if not _is_null(one)]
        nullable: Schema = {"nullable": True} if any(map(_is_null, options)) else {}
        if len(real) == 1:
            return {**real[0], **nullable}
        return {"anyOf": real, **nullable} if real else nullable

    def _one(self, schema: object, inside: frozenset[str]) -> Schema:
        return self.of(schema, inside) if _is_mapping(schema) else {}


def _kinds(schema: Mapping[str, object]) -> list[str]:
    said = schema.get("type")
    kinds = said if _is_list(said) else [said]
    return [kind for kind in kinds if isinstance(kind, str)]


def _is_null(schema: object) -> bool:
    return _is_mapping(schema) and schema.get("type") == NULL


def _is_mapping(value: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(value, Mapping)


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str)
