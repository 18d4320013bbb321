"""Which values fit an annotation."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, Protocol, TypeVar, cast

import attrs
import pytest

from tabwright.protocol.argument_types import checks_arguments, checks_its_arguments

ValueT = TypeVar("ValueT")


class Runner(Protocol):
    async def run(self) -> None: ...


class Sprinter:
    async def run(self) -> None: ...


@attrs.frozen
class Point:
    x: float
    label: str = ""


@attrs.frozen
class Click(Generic[ValueT]):
    at: Point | None
    value: ValueT


@attrs.frozen
class Route:
    points: tuple[Point, ...]


def untyped(kind: object) -> Callable[..., object]:
    """Return a class as a program without a type checker sees it."""
    return cast("Callable[..., object]", kind)


FITTING: list[tuple[object, object]] = [
    (str, "a"),
    (float, 1),
    (int, True),
    (str | None, None),
    (None, None),
    (Any, 5),
    (object, 5),
    (ValueT, 5),
    (Literal["a", "b"], "a"),
    (Annotated[int, "note"], 5),
    (Sequence[str], ["a"]),
    (Sequence[str], ()),
    (Sequence[str], ("a", "b")),
    (Iterable[str], iter("a")),
    (tuple[int, str], (1, "a")),
    (Mapping[str, object], {"a": 5}),
    (Mapping[str, Sequence[int]], {"a": [5]}),
    (Callable[[int], None], print),
    (type, int),
    (Runner, Sprinter()),
    (Point, Point(1.0)),
    (Click, Click(None, 5)),
    (Click[str] | Point, Click(Point(1.0), "a")),
    (Route, Route((Point(1.0), Point(2)))),
    ("Unimported", 5),
]

UNFIT: list[tuple[object, object]] = [
    (str, 5),
    (str, None),
    (str, b"a"),
    (int, "5"),
    (int, 5.0),
    (float, "1"),
    (str | None, 5),
    (None, 5),
    (Literal["a", "b"], "c"),
    (Literal["a", "b"], []),
    (Annotated[int, "note"], "5"),
    (Sequence[str], "abc"),
    (Sequence[str], [5]),
    (Iterable[str], 5),
    (tuple[int, ...], [1]),
    (tuple[int, ...], (1, "a")),
    (tuple[int, str], (1, 2)),
    (tuple[int, str], (1,)),
    (tuple[int, int], (1, 2, 3)),
    (Mapping[str, object], [("a", 5)]),
    (Mapping[str, object], {5: "a"}),
    (Mapping[str, int], {"a": "b"}),
    (Callable[[int], None], 5),
    (Path, "a"),
    (Runner, 5),
    (Runner, Sprinter),
    (Point, {"x": 1.0}),
    (Point, untyped(Point)("1")),
    (Point, Point),
    (Click[str], untyped(Click)("here", 5)),
    (Click[str] | Point, untyped(Click)(untyped(Point)("1"), 5)),
    (Route, untyped(Route)((Point(1.0), untyped(Point)("2")))),
    (Route, untyped(Route)([Point(1.0)])),
]


async def accepts(annotation: object, value: object) -> bool:
    async def function(argument: object) -> str:
        return "called"

    function.__annotations__["argument"] = annotation
    try:
        return await checks_its_arguments(function)(value) == "called"
    except TypeError:
        return False


@pytest.mark.parametrize(("annotation", "value"), FITTING)
async def test_fitting_value_is_passed_on(annotation: object, value: object) -> None:
    assert await accepts(annotation, value)


@pytest.mark.parametrize(("annotation", "value"), UNFIT)
async def test_unfit_value_is_a_type_error(annotation: object, value: object) -> None:
    assert not await accepts(annotation, value)


@checks_arguments
class Facade:
    async def move(self, to: Point, *, speed: float = 1.0) -> Point:
        """Move."""
        return to


async def test_public_methods_of_a_class_are_checked_by_name_and_position() -> None:
    move = cast("Callable[..., Awaitable[object]]", Facade().move)

    assert await move(Point(1.0), speed=2) == Point(1.0)
    assert await move(to=Point(1.0)) == Point(1.0)
    for arguments, named in ((("here",), {}), ((Point(1.0),), {"speed": "fast"}), ((), {})):
        with pytest.raises(TypeError):
            await move(*arguments, **named)
    assert Facade.move.__doc__ == "Move."
    assert Facade.move.__name__ == "move"


async def test_message_names_the_attribute_and_both_types() -> None:
    with pytest.raises(TypeError, match=r"Point\.x\b.*\bfloat\b.*\bstr\b"):
        await Facade().move(cast("Point", untyped(Point)("1")))
