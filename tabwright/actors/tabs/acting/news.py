"""What a page does: told once, with the action that it came in, or with the next."""

import attrs

from tabwright.page.events.collector import Witness
from tabwright.page.events.dialogs import Dialogs
from tabwright.protocol.actions import Meanwhile, Outcome


@attrs.frozen
class Moment:
    """How much a page had told by then: the number of the last of each."""

    dialogs: int = 0
    opened: int = 0
    files: int = 0
    console: int = 0


class News:
    """What one page tells, and how much of it was told on."""

    def __init__(self, witness: Witness, dialogs: Dialogs) -> None:
        self._witness = witness
        self._dialogs = dialogs
        self._told = Moment()

    def now(self) -> Moment:
        """How much there is."""
        witness = self._witness
        return Moment(
            self._dialogs.said.last,
            witness.opened.last,
            witness.files.changes.last,
            witness.console.last,
        )

    def told(self, outcome: Outcome, began: Moment) -> Outcome:
        """The outcome of an action with what came since it began, and apart what came before.

        An action that fails tells nothing: what came in it is told with the next.
        """
        meanwhile, now = self._between(self._told, began), self.now()
        own = self._between(began, now)
        self._told = now
        return attrs.evolve(
            outcome,
            dialogs=own.dialogs,
            opened=own.opened,
            downloads=own.downloads,
            errors=own.errors,
            meanwhile=meanwhile,
        )

    def meanwhile(self) -> Meanwhile:
        """What nobody was told yet, but for pages that were opened: who acts next goes there."""
        before = self._told
        self._told = attrs.evolve(self.now(), opened=before.opened)
        return self._between(before, self._told)

    def pass_over_console(self) -> None:
        """What a page says to its console while it loads is for who asks for it."""
        self._told = attrs.evolve(self._told, console=self._witness.console.last)

    def _between(self, first: Moment, last: Moment) -> Meanwhile:
        witness = self._witness
        errors = witness.console.entries("error", first.console)
        return Meanwhile(
            dialogs=self._dialogs.said.between(first.dialogs, last.dialogs),
            opened=witness.opened.between(first.opened, last.opened),
            downloads=witness.files.changed(first.files, last.files),
            errors=tuple(one for one in errors if one.number <= last.console),
        )
