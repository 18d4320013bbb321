"""How many tabs may search at the same time, since sites have refused us."""

import attrs

from tabwright.config.settings import PoolSettings


@attrs.define(eq=False)
class SearchLimit:
    """The limit for each worker.

    It outlives the supervisor, whose crash is no reason to trouble sites again.

    Attributes:
        settings: the most, and the step down.
        now: as many as may by now.
    """

    settings: PoolSettings
    now: int = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.now = self.settings.max_tabs

    def back_off(self) -> None:
        """Goes down by a step, to one at least."""
        self.now = max(1, self.now - self.settings.decrease_step)

    def reset(self) -> None:
        """Goes back to that of the settings."""
        self.now = self.settings.max_tabs
