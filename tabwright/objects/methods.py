"""Methods that follow from a value: their parameters are its fields, their contract is its own."""

from collections.abc import Callable
from inspect import Signature, getdoc, signature
from typing import get_type_hints


def described(method: Callable[..., object], value: Callable[..., object], before: int = 0) -> None:
    """Give a method the documentation and the signature of the value that it makes.

    Args:
        method: the method; its own first parameter stays.
        value: the class of the value.
        before: how many fields of the value the method fills in itself.
    """
    own = signature(method)
    [first, *_] = own.parameters.values()
    types = get_type_hints(getattr(value, "__init__", value))
    fields = [*signature(value).parameters.values()][before:]
    shown = [one.replace(annotation=types.get(one.name, one.annotation)) for one in fields]
    method.__doc__ = (getdoc(value) or "").replace("\nAttributes:\n", "\nArgs:\n")
    method.__dict__["__signature__"] = Signature(
        [first, *shown], return_annotation=own.return_annotation
    )
