"""The tool ``mouse``: the mouse at points of the visible page, whatever is there."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

import attrs
from msgspec import Meta

from tabwright.mcp.tool import ACTS, Tool
from tabwright.mcp.tools.actions import OUTCOME, ActArguments, act
from tabwright.mcp.tools.page_arguments import Rare
from tabwright.protocol.actions import MouseButton, UseMouse
from tabwright.protocol.errors import BadInput

PATH_MAX = 200
"""Maximum number of points of a path."""

MouseKind: TypeAlias = Literal["move", "click", "drag", "down", "up", "wheel"]

POINTS: Mapping[MouseKind, range] = {
    "move": range(1, 2),
    "click": range(1, 2),
    "drag": range(2, PATH_MAX + 1),
    "wheel": range(1, 2),
}
"""The numbers of points that an action can have; the others have none."""


@attrs.frozen(kw_only=True)
class MouseArguments(ActArguments):
    """Arguments of `mouse`."""

    action: Annotated[
        MouseKind,
        Meta(description="down and up press and release where the mouse is."),
    ]
    path: Annotated[
        tuple[tuple[float, float], ...],
        Meta(
            max_length=PATH_MAX,
            description="Points [x, y] in pixels of the visible page (see boxes of snapshot); for "
            "wheel: right, down.",
        ),
    ] = ()
    button: Rare[MouseButton] = "left"
    count: Rare[Annotated[int, Meta(ge=1, le=3, description="2 for a double click.")]] = 1

    def request(self) -> UseMouse:
        """Return the action.

        Raises:
            BadInput: the action cannot have that many points.
        """
        points = POINTS.get(self.action, range(1))
        if len(self.path) not in points:
            raise BadInput(
                "The path does not have as many points as the action needs.",
                advice="drag needs two or more, move, click and wheel one, down and up none.",
            )
        between = self.path[1:-1]
        match self.action, self.path:
            case "wheel", (distances,):
                return UseMouse("wheel", to=distances)
            case "drag", (start, *_, end):
                return UseMouse("drag", start, end, between)
            case action, (point,):
                return UseMouse(action, point, button=self.button, count=self.count)
            case action, _:
                return UseMouse(action, button=self.button)


MOUSE = Tool(
    name="mouse",
    description="Use the mouse at points of the visible page. For elements, use "
    "click, hover and drag.",
    group="mouse",
    annotations=ACTS,
    arguments=MouseArguments,
    handler=act,
    output_schema=OUTCOME,
)

TOOLS = (MOUSE,)
