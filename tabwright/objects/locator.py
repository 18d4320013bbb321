"""A locator, as a program holds it: elements of a page, looked for each time it is used."""

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeAlias, TypeVar

import attrs
import msgspec
from attrs.validators import instance_of

from tabwright.objects.methods import described
from tabwright.protocol.actions import (
    Click,
    Drag,
    Hover,
    Outcome,
    ReadElements,
    ReadKind,
    RunSteps,
    SelectOption,
    SelectText,
    SimpleAction,
    Touch,
    Type,
    Upload,
)
from tabwright.protocol.argument_types import checks_arguments
from tabwright.protocol.inspection import (
    Choice,
    FindElements,
    FoundElement,
    ListOptions,
    Locate,
)

if TYPE_CHECKING:
    from tabwright.objects.page import JSONValue, Page

ParametersT = ParamSpec("ParametersT")
AnswerT = TypeVar("AnswerT")

READ = "read"
"""The name of what a locator reads, as a variable of its step."""

LocatorMethod: TypeAlias = Callable[
    Concatenate["Locator", ParametersT], Coroutine[object, object, AnswerT]
]


def _performs(
    action: Callable[Concatenate[str, ParametersT], SimpleAction],
) -> LocatorMethod[ParametersT, Outcome]:
    """Return the method that performs an action on the element, which is its first field."""

    async def method(
        locator: "Locator", /, *args: ParametersT.args, **kwargs: ParametersT.kwargs
    ) -> Outcome:
        """Perform the action; the contract is that of the action."""
        return await locator.page.act(action(locator.locator, *args, **kwargs))

    described(method, action, before=1)
    return method


@checks_arguments
@attrs.frozen(eq=False)
class Locator:
    """Elements of a page, by a locator. Methods for one element raise `BadInput` if it is not one.

    `Page.locator` returns it. Nothing is looked for before a method is called.

    Attributes:
        page: the page.
        locator: for example ``role=button[name="Send"]``.
    """

    page: "Page"
    locator: str = attrs.field(validator=instance_of(str))

    click = _performs(Click)
    type = _performs(Type)
    select = _performs(SelectOption)
    hover = _performs(Hover)
    drag = _performs(Drag)
    select_text = _performs(SelectText)
    touch = _performs(Touch)
    upload = _performs(Upload)

    async def text(self) -> str:
        """Return the visible text of the element."""
        return await self._read("text")

    async def value(self) -> str:
        """Return the value of the field."""
        return await self._read("value")

    async def attribute(self, name: str) -> "JSONValue":
        """Return an attribute of the element; None if it has none of this name."""
        script = f"(element) => element.getAttribute({msgspec.json.encode(name).decode()})"
        return await self.page.evaluate(script, self.locator)

    async def options(self) -> tuple[Choice, ...]:
        """Return all options of the list."""
        return await self.page.inspect(ListOptions(await self.ref()))

    async def ref(self) -> str:
        """Return the ref of the element, which names it as long as it exists.

        Raises:
            BadInput: no element or several elements match; the message lists several.
        """
        return await self.page.inspect(Locate(self.locator))

    async def count(self) -> int:
        """Return the number of elements that match."""
        return (await self.page.inspect(FindElements(self.locator))).count

    async def all(self) -> tuple[FoundElement, ...]:
        """Return the elements that match, at most 20 of each document, with their refs."""
        return (await self.page.inspect(FindElements(self.locator))).elements

    async def _read(self, what: ReadKind) -> str:
        """Return what a step of `RunSteps` reads of the element."""
        step = ReadElements(await self.ref(), READ, what)
        report = (await self.page.act(RunSteps((step,)))).steps
        if report is not None and report.failure is not None:
            raise report.failure.error
        return dict(report.variables)[READ][0] if report is not None else ""
