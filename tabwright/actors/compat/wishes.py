"""What playwright-mcp's tools take, and what it stands for here.

Names and arguments are those of @playwright/mcp 0.0.83; older clients call a target a ref.
"""

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from tabwright.actors.tools.schema import ELEMENT
from tabwright.protocol.actions import Outcome
from tabwright.protocol.actor import Request
from tabwright.protocol.tab import ActingTab

Target: TypeAlias = Annotated[
    str, Meta(description="a ref of browser_snapshot, or CSS", extra_json_schema=ELEMENT)
]
FileName: TypeAlias = Annotated[str, Meta(description="put it there, in the download folder")]


class Wish(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a tool takes."""


class Act(Wish, frozen=True, kw_only=True):
    """Something that is done on the current page."""

    @property
    def targets(self) -> tuple[str, ...]:
        """What it is done to, as the client names it."""
        return ()

    def request(self, refs: Sequence[str]) -> Request[ActingTab, Outcome]:
        """What is asked of the tab.

        Args:
            refs: of the targets.

        Raises:
            BadInput: it cannot be done to these, or so.
        """
        raise NotImplementedError(refs)


class Look(Wish, frozen=True, kw_only=True):
    """Something whose answer may be put into a file."""

    filename: FileName = ""
