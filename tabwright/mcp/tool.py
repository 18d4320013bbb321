"""A tool as a value: what is advertised of it, and how its arguments are read."""

from typing import Generic, TypeVar

import attrs
import msgspec

from tabwright.actors.tools.accepting import misfit, unknown
from tabwright.actors.tools.schema import JSONObject, schema_of
from tabwright.config.settings import ToolGroup
from tabwright.mcp.arguments import meant

ArgumentsT_co = TypeVar("ArgumentsT_co", covariant=True)


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

ACTS = Effects(destructive=True)
"""Of a tool that may have a page do what cannot be brought back."""

SETS = Effects(destructive=True, idempotent=True)
"""The same, where twice is as once."""

LOOKS = Effects(idempotent=True)
"""Of a tool that changes nothing outside of the browser."""

KEEPS = Effects(idempotent=True, open_world=False)
"""Of a tool that only changes what this program keeps."""


def _schema_of_arguments(tool: "Tool[object]") -> JSONObject:
    return schema_of(tool.arguments)


@attrs.frozen(kw_only=True)
class Tool(Generic[ArgumentsT_co]):
    """A tool as it is advertised, and the shape of its arguments.

    Attributes:
        group: what `--tools` switches it on by.
    """

    name: str
    description: str
    group: ToolGroup
    effects: Effects
    arguments: type[ArgumentsT_co]
    output_schema: JSONObject
    input_schema: JSONObject = attrs.Factory(_schema_of_arguments, takes_self=True)

    def read_arguments(self, given: JSONObject) -> ArgumentsT_co:
        """The arguments of a call, as they are meant; see `tabwright.mcp.arguments`.

        Raises:
            BadInput: one is missing, unknown, or of the wrong type; with what is accepted.
        """
        given = meant(given, self.input_schema)
        if refusal := unknown(self.name, given, self.input_schema):
            raise refusal
        try:
            return msgspec.convert(given, self.arguments)
        except msgspec.ValidationError as error:
            raise misfit(self.name, str(error), self.input_schema) from error
