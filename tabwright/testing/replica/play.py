"""A scenario while it is played, and what has happened since."""

from collections import Counter

from tabwright.testing.replica.answers import Truth, quoting, truth_of
from tabwright.testing.replica.languages import Language
from tabwright.testing.replica.scenario import Scenario
from tabwright.testing.replica.stream import StreamPace
from tabwright.testing.replica.turns import ReplicaThread, ReplicaTurn


class Play:
    """One scenario, from the moment it was set.

    Attributes:
        scenario: what is played.
        pace: when its frames are due.
        truths: of every turn, oldest first.
        served: how many answer streams each browser was given, by its cookie.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.pace = StreamPace(scenario.clock)
        self.truths: list[Truth] = []
        self.served = Counter[str]()

    def catch_up(self, thread: ReplicaThread, question: str, language: Language) -> None:
        """Adds the turns that a page shows once it is loaded, the last for the page's question."""
        earlier = [f"{question} ({number})" for number in range(1, self.scenario.thread)]
        for asked in [*earlier, question][: self.scenario.thread]:
            self.answer(thread, asked, language, first=False)

    def answer(
        self, thread: ReplicaThread, question: str, language: Language, *, first: bool
    ) -> None:
        """Adds the turn that answers `question`."""
        number = 0 if self.scenario.repeat == "same" else len(self.truths)
        truth = truth_of(language, number, question, self.scenario.source_count)
        if self.scenario.repeat == "quote" and thread.turns:
            truth = quoting(truth, thread.turns[-1].truth)
        turn = ReplicaTurn(len(self.truths), language, truth, self.scenario, first=first)
        self.truths.append(truth)
        thread.turns.append(turn)
