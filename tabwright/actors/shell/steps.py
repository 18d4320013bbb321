"""What a command waits for, said on standard error."""

import sys

import attrs

from tabwright.protocol.ai_search import Growth, PartEnded, Step, Waiting


@attrs.define
class StepLines:
    """Says what a request waits for; the same wait is said once."""

    _wait: Waiting | None = attrs.field(default=None, init=False)

    def __call__(self, step: Step) -> None:
        """Says it now. What was found is printed when all of it is there."""
        if isinstance(step, Growth | PartEnded) or step == self._wait:
            return
        self._wait = step if isinstance(step, Waiting) else None
        sys.stderr.write(f"{step}\n")
