"""Declarations of actions: the names, descriptions and bounds that their callers see.

The tool of an action, its step of ``run``, its command in a shell, the navigator's action and its
line in an exported trace follow from its declaration and its fields.
"""

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

import attrs

ActionGroup: TypeAlias = Literal["act", "mouse", "files", "debug"]


@attrs.frozen(kw_only=True)
class Declaration:
    """The declaration of an action, for those who can perform it.

    Attributes:
        name: of its tool, for example ``select_text``.
        description: what the tool does, when to use another one instead, and what it returns.
        group: of the tool.
        is_step: whether it can be a step of ``run``.
        read_only, destructive, idempotent: as in `tabwright.mcp.tool.ToolAnnotations`.
    """

    name: str
    description: str
    group: ActionGroup
    is_step: bool = True
    read_only: bool = False
    destructive: bool = True
    idempotent: bool = False


@attrs.frozen
class Parameter:
    """The description and the bounds of a field, as metadata of its type.

    Attributes:
        description: for models and people; empty if the name says everything.
        ge, gt, le: the bounds of a number: at least, more than, at most.
        length_max: the maximum length of a list.
        rare: whether few calls need it, so that listings leave it out.
        element: whether it names an element, with a ref or a locator.
        accepts: the accepted type, if a converter accepts more than the field has; None if not.
    """

    description: str = ""
    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    length_max: int | None = None
    rare: bool = False
    element: bool = False
    accepts: object = None


Ref: TypeAlias = Annotated[str, Parameter("Ref or locator.", element=True)]
"""A field that names an element."""


_ANNOTATED: Any = Annotated
"""It is indexed with types that are known only at run time."""


@attrs.frozen
class DeclaredField:
    """A field of a declared class.

    Attributes:
        accepted: the type of its values, without None.
        nullable: whether None is accepted, too.
        default: `attrs.NOTHING` if the field is required.
    """

    accepted: object
    parameter: Parameter
    nullable: bool
    default: object

    @property
    def required(self) -> bool:
        """Return whether it has no default."""
        return self.default is attrs.NOTHING

    def annotated(self, metadata: object) -> type[object]:
        """Return the type, None included, with metadata of another library."""
        annotation = _ANNOTATED[self.accepted, metadata]
        whole: type[object] = annotation | None if self.nullable else annotation
        return whole


def declared_fields(kind: type[attrs.AttrsInstance]) -> Mapping[str, DeclaredField]:
    """Return the fields of an action by their names."""
    return {field.name: _declared(field) for field in attrs.fields(kind)}


def element_fields(kind: type[attrs.AttrsInstance]) -> tuple[str, ...]:
    """Return the names of the fields that name an element."""
    return tuple(name for name, one in declared_fields(kind).items() if one.parameter.element)


def _declared(field: "attrs.Attribute[object]") -> DeclaredField:
    kinds = get_args(field.type) if get_origin(field.type) in {Union, UnionType} else (field.type,)
    for kind in kinds:
        if get_origin(kind) is Annotated:
            accepted, parameter = get_args(kind)
            return DeclaredField(
                parameter.accepts or accepted, parameter, NoneType in kinds, field.default
            )
    return DeclaredField(field.type, Parameter(), nullable=False, default=field.default)
