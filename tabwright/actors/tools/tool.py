"""A tool as a value: what is advertised of it, and how its arguments are read."""

from collections.abc import Mapping
from typing import Generic, TypeAlias, TypeVar, get_type_hints

import attrs
import msgspec

from tabwright.protocol.errors import BadInput

JSONObject: TypeAlias = Mapping[str, object]

ArgumentsT_co = TypeVar("ArgumentsT_co", covariant=True)


@attrs.frozen
class Tool(Generic[ArgumentsT_co]):
    """A tool as it is advertised, and the shape of its arguments."""

    name: str
    title: str
    description: str
    input_schema: JSONObject
    output_schema: JSONObject
    arguments: type[ArgumentsT_co]

    def read_arguments(self, given: JSONObject) -> ArgumentsT_co:
        """The arguments of a call.

        Raises:
            BadInput: one is missing, unknown, or of the wrong type.
        """
        known = set(get_type_hints(self.arguments))
        if unknown := sorted(set(given) - known):
            raise BadInput(
                f"{self.name} has no argument {', '.join(map(repr, unknown))}.",
                advice=f"Its arguments are {', '.join(sorted(known))}.",
            )
        try:
            return msgspec.convert(given, self.arguments)
        except msgspec.ValidationError as error:
            raise BadInput(
                f"The arguments of {self.name} do not fit: {error}.",
                advice="See its input schema in tools/list.",
            ) from error


def object_schema(properties: JSONObject, *, required: list[str]) -> JSONObject:
    """The JSON schema of an object."""
    return {"type": "object", "properties": properties, "required": required}
