"""Checks of arguments against their annotations, at the edge of the API.

A wrong type that passed the edge would fail deep inside, in an actor that others use.
"""

import re
from collections.abc import Awaitable, Callable, Collection, Coroutine, Hashable, Iterable, Mapping
from functools import cache, wraps
from inspect import Parameter, iscoroutinefunction, signature
from itertools import repeat
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    ParamSpec,
    TypeAlias,
    TypeGuard,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
)

import attrs

ClassT = TypeVar("ClassT")
ParametersT = ParamSpec("ParametersT")
ResultT = TypeVar("ResultT")

MODULES = re.compile(r"(?:\b[a-z_]+\.)+|~")
"""The parts of an annotation as text that its reader does not need."""

Problem: TypeAlias = Callable[[str], str]
"""What is wrong with a value: from its name to a sentence."""

Check: TypeAlias = Callable[[object], Problem | None]
"""Checks a value; made once for an annotation, because to take one apart takes much longer."""

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
    expected = signature(function)
    repeated = {
        name for name, one in expected.parameters.items() if one.kind is Parameter.VAR_POSITIONAL
    }

    @cache
    def checks() -> Mapping[str, Check]:
        """Return the check of each annotated argument, made for the first call."""
        return {name: _check(annotation) for name, annotation in function.__annotations__.items()}

    @wraps(function)
    async def call(*args: ParametersT.args, **kwargs: ParametersT.kwargs) -> ResultT:
        """Check the arguments, and call the function."""
        for name, value in expected.bind(*args, **kwargs).arguments.items():
            check = checks().get(name)
            for one in value if name in repeated else (value,):
                if check is not None and (problem := check(one)):
                    raise TypeError(problem(name))
        return await function(*args, **kwargs)

    return call


def _check(annotation: object) -> Check:
    """Return the check of values with an annotation."""
    origin, arguments = get_origin(annotation), _arguments(annotation)
    if origin is Annotated:
        return _check(arguments[0])
    if origin in {Union, UnionType}:
        return _check_of_union(annotation, arguments)
    if origin is Literal:
        return lambda value: None if value in arguments else _misfit(value, annotation)
    is_instance = _class_check(origin or annotation)
    check_inside = _check_inside(arguments, is_fixed=origin is tuple and Ellipsis not in arguments)
    has_origin = origin is not None

    def check(value: object) -> Problem | None:
        """Check the class of a value, and then what is in it."""
        is_text = has_origin and isinstance(value, str | bytes)
        if is_text or not is_instance(value):  # a text is a sequence, but never meant as one
            return _misfit(value, annotation)
        return check_inside(value)

    return check


def _check_of_union(annotation: object, alternatives: tuple[object, ...]) -> Check:
    checks = [_check(one) for one in alternatives]
    classes = [_class_check(one) if get_origin(one) is None else None for one in alternatives]

    def check(value: object) -> Problem | None:
        """Return the problem of the alternative that has the class of the value, if none fits."""
        problems = list[Problem]()
        for check_one in checks:
            problem = check_one(value)
            if problem is None:
                return None
            problems.append(problem)
        for problem, is_instance in zip(problems, classes, strict=True):
            if is_instance is not None and is_instance(value):
                return problem
        return _misfit(value, annotation)

    return check


def _check_inside(arguments: tuple[object, ...], *, is_fixed: bool) -> Check:
    """Return the check of the entries or attributes of a value."""
    checks = [_check(one) for one in arguments]

    def check(value: object) -> Problem | None:
        """Check the entries of a collection that has types for them, or all attributes."""
        if checks and _is_mapping(value) and len(checks) == len(("key", "value")):
            return _problem_of_mapping(value, *checks)
        if checks and _is_collection(value):
            if is_fixed and len(value) != len(checks):
                size = len(value)
                return lambda name: f"{name} must have {len(checks)} entries, not {size}."
            return _problem_of_entries(value, checks if is_fixed else repeat(checks[0]))
        for attribute, own, check_one in _attributes(cast("Hashable", type(value))):
            if problem := check_one(getattr(value, attribute)):
                return _named(problem, own)
        return None

    return check


def _problem_of_mapping(
    value: Mapping[object, object], check_key: Check, check_entry: Check
) -> Problem | None:
    for key, entry in value.items():
        if problem := check_key(key):
            return _part(problem, before="a key of ")
        if problem := check_entry(entry):
            return _part(problem, after=f"[{key!r}]")
    return None


def _problem_of_entries(value: Collection[object], checks: Iterable[Check]) -> Problem | None:
    for position, (entry, check) in enumerate(zip(value, checks, strict=False)):
        if problem := check(entry):
            return _part(problem, after=f"[{position}]")
    return None


@cache
def _attributes(kind: Hashable) -> tuple[tuple[str, str, Check], ...]:
    """Return the attributes of an attrs class: name, name in a message, and check."""
    if not isinstance(kind, type) or not attrs.has(kind):
        return ()
    return tuple(
        (field.name, f"{kind.__name__}.{field.name}", _check(field.type))
        for field in attrs.fields(kind)
        if field.init and not field.name.startswith("_")
    )


def _part(problem: Problem, *, before: str = "", after: str = "") -> Problem:
    """Return the problem of a part as one of the whole, of whose name it says where it is."""
    return lambda name: problem(f"{before}{name}{after}")


def _named(problem: Problem, own: str) -> Problem:
    """Return a problem of a value that has a name of its own."""
    return lambda _: problem(own)


def _misfit(value: object, annotation: object) -> Problem:
    """Return the problem of a value that is of another class."""
    found = type(value).__name__
    return lambda name: f"{name} must be {_text(annotation)}, not {found}."


def _arguments(annotation: object) -> tuple[object, ...]:
    arguments: tuple[object, ...] = get_args(annotation)
    return arguments


def _class_check(kind: object) -> Callable[[object], bool]:
    """Return whether a value is of a class or satisfies a protocol; its attributes are not checked.

    Anything else that an annotation can be fits every value.
    """
    if kind is None:
        return lambda value: value is None
    if kind is float:
        return lambda value: isinstance(value, float | int)
    if kind is Callable or kind is get_origin(Callable[[], None]):
        return callable
    if not isinstance(kind, type) or kind is Any:
        return lambda _: True
    if getattr(kind, "_is_protocol", False):
        return lambda value: (
            not isinstance(value, type) and all(hasattr(value, one) for one in _members(kind))
        )
    return lambda value: isinstance(value, kind)


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


def _text(annotation: object) -> str:
    """Return an annotation as it is written in code, shortened."""
    if get_origin(annotation) in {Union, UnionType}:
        alternatives = [_text(one) for one in _arguments(annotation)]
        more = len(alternatives) > ALTERNATIVES_MAX
        return " | ".join((*alternatives[:ALTERNATIVES_MAX], *(["..."] if more else [])))
    if get_origin(annotation) is Annotated:
        return _text(_arguments(annotation)[0])
    if annotation is None or annotation is NoneType:
        return "None"
    if isinstance(annotation, type) and not _arguments(annotation):
        return annotation.__name__
    return MODULES.sub("", str(annotation))
