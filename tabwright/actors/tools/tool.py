"""A tool as a value: what is advertised of it, and how its arguments are read."""

from collections.abc import Mapping
from typing import Generic, Literal, TypeAlias, TypeVar, get_type_hints

import attrs
import msgspec

from tabwright.protocol.errors import BadInput

JSONObject: TypeAlias = Mapping[str, object]

ArgumentsT_co = TypeVar("ArgumentsT_co", covariant=True)


Group: TypeAlias = Literal["search", "read", "act", "forms", "sessions", "files", "debug"]


@attrs.frozen(kw_only=True)
class Effects:
    """What calling a tool may do, for clients that ask their user first (MCP, tool annotations).

    Attributes:
        read_only: whether it changes nothing.
        destructive: whether it may change what cannot be brought back, as a click that sends.
        idempotent: whether doing it twice does no more than doing it once.
        open_world: whether it deals with what is outside of this program, as the web.
    """

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = True


READS = Effects(read_only=True, idempotent=True)
"""Of a tool that only looks."""


@attrs.frozen
class Tool(Generic[ArgumentsT_co]):
    """A tool as it is advertised, and the shape of its arguments.

    Attributes:
        group: what `--tools` switches it on by.
    """

    name: str
    title: str
    description: str
    input_schema: JSONObject
    output_schema: JSONObject
    arguments: type[ArgumentsT_co]
    group: Group = "read"
    effects: Effects = READS

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
