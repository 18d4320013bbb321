"""Checks of arguments against their annotations, at the edge of the API.

A wrong type that passed the edge would fail deep inside, in an actor that others use.
"""

import re
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator, Mapping
from functools import cache, wraps
from inspect import Parameter, iscoroutinefunction, signature
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    ParamSpec,
    TypeGuard,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

import attrs

ClassT = TypeVar("ClassT")
ParametersT = ParamSpec("ParametersT")
ResultT = TypeVar("ResultT")

MODULES = re.compile(r"(?:\b[a-z_]+\.)+|~")
"""The parts of an annotation as text that its reader does not need."""

ALTERNATIVES_MAX = 4
"""Maximum number of alternatives of a union that a message names."""


def checks_arguments(of: type[ClassT]) -> type[ClassT]:
    """Let every public coroutine method of a class check its arguments. A class decorator.

    The methods raise `TypeError` for an argument that does not fit its annotation, and do nothing
    then. A value of an attrs class fits if its attributes fit theirs. An argument whose annotation
    is in quotes is not checked: the module of its type is imported on demand.
    """
    for name, method in tuple(vars(of).items()):
        if iscoroutinefunction(method) and not name.startswith("_"):
            setattr(of, name, checks_its_arguments(method))
    return of


def checks_its_arguments(
    function: Callable[ParametersT, Awaitable[ResultT]],
) -> Callable[ParametersT, Coroutine[object, object, ResultT]]:
    """Let a coroutine function check its arguments; see `checks_arguments`. A decorator."""
    parameters = signature(function)

    @wraps(function)
    async def call(*args: ParametersT.args, **kwargs: ParametersT.kwargs) -> ResultT:
        """Check the arguments, and call the function."""
        for name, value in parameters.bind(*args, **kwargs).arguments.items():
            annotation = function.__annotations__.get(name, Any)
            is_several = parameters.parameters[name].kind is Parameter.VAR_POSITIONAL
            for one in value if is_several else (value,):
                for problem in _problems(name, one, annotation):
                    raise TypeError(problem)
        return await function(*args, **kwargs)

    return call


def _problems(name: str, value: object, annotation: object) -> Iterator[str]:
    """Yield a sentence for each part of a value that does not fit."""
    origin, arguments = get_origin(annotation), _arguments(annotation)
    is_text = isinstance(value, str | bytes)
    if origin is Annotated:
        yield from _problems(name, value, arguments[0])
    elif origin in {Union, UnionType}:
        yield from _problems_with_union(name, value, annotation, arguments)
    elif origin is Literal:
        if value not in arguments:
            yield _sentence(name, value, annotation)
    elif not _is_instance(value, origin or annotation) or (origin and is_text):
        yield _sentence(name, value, annotation)  # a text is a sequence, but never meant as one
    else:
        is_fixed = origin is tuple and Ellipsis not in arguments
        yield from _problems_inside(name, value, arguments, is_fixed=is_fixed)


def _problems_inside(
    name: str, value: object, arguments: tuple[object, ...], *, is_fixed: bool
) -> Iterator[str]:
    """Yield a sentence for each entry or attribute of a value that does not fit."""
    kind = type(value)
    if _is_mapping(value) and len(arguments) == len(("key", "value")):
        for key, entry in value.items():
            yield from _problems(f"a key of {name}", key, arguments[0])
            yield from _problems(f"{name}[{key!r}]", entry, arguments[1])
    elif _is_collection(value) and arguments:
        if is_fixed and len(value) != len(arguments):
            yield f"{name} must have {len(arguments)} entries, not {len(value)}."
            return
        kinds = arguments if is_fixed else (arguments[0],) * len(value)
        for position, (entry, entry_kind) in enumerate(zip(value, kinds, strict=True)):
            yield from _problems(f"{name}[{position}]", entry, entry_kind)
    elif attrs.has(kind):
        for field in attrs.fields(kind):
            if field.init and not field.name.startswith("_"):
                own = f"{kind.__name__}.{field.name}"
                yield from _problems(own, getattr(value, field.name), field.type)


def _problems_with_union(
    name: str, value: object, annotation: object, alternatives: tuple[object, ...]
) -> Iterator[str]:
    problems = [tuple(_problems(name, value, one)) for one in alternatives]
    if all(problems):
        similar = (
            problem
            for problem, one in zip(problems, alternatives, strict=True)
            if get_origin(one) is None and _is_instance(value, one)
        )
        yield from next(similar, (_sentence(name, value, annotation),))


def _arguments(annotation: object) -> tuple[object, ...]:
    arguments: tuple[object, ...] = get_args(annotation)
    return arguments


def _is_instance(value: object, kind: object) -> bool:
    """Return whether a value is of a class or satisfies a protocol; its attributes are not checked.

    Anything else that an annotation can be fits every value.
    """
    if kind is None:
        return value is None
    if kind is float:
        return isinstance(value, float | int)
    if kind is Callable or kind is get_origin(Callable[[], None]):
        return callable(value)
    if not isinstance(kind, type) or kind is Any:
        return True
    if getattr(kind, "_is_protocol", False):
        return not isinstance(value, type) and all(hasattr(value, one) for one in _members(kind))
    return isinstance(value, kind)


@cache
def _members(protocol: type) -> tuple[str, ...]:
    """Return the names of the methods and attributes of a protocol."""
    return tuple(
        name
        for name, member in vars(protocol).items()
        if name == "__call__" or (not name.startswith("_") and callable(member))
    )


def _is_mapping(value: object) -> TypeGuard[Mapping[object, object]]:
    return isinstance(value, Mapping)


def _is_collection(value: object) -> TypeGuard[Collection[object]]:
    return isinstance(value, Collection)


def _sentence(name: str, value: object, annotation: object) -> str:
    return f"{name} must be {_text(annotation)}, not {type(value).__name__}."


def _text(annotation: object) -> str:
    """Return an annotation as it is written in code, shortened."""
    if get_origin(annotation) in {Union, UnionType}:
        alternatives = [_text(one) for one in _arguments(annotation)]
        more = len(alternatives) > ALTERNATIVES_MAX
        return " | ".join((*alternatives[:ALTERNATIVES_MAX], *(["..."] if more else [])))
    if annotation is None or annotation is NoneType:
        return "None"
    if isinstance(annotation, type) and not _arguments(annotation):
        return annotation.__name__
    return MODULES.sub("", str(annotation))
