"""What a task's models are reminded of: the task, the plan, what was done, within a budget.

What has to go goes in this order: page states, the oldest first; then steps, the oldest first; then
the end of what is seen now.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import accumulate

import attrs

from tabwright.acting.budgets import cut
from tabwright.acting.secrets import Secrets
from tabwright.agent.fences import Fence
from tabwright.protocol.models import Message
from tabwright.protocol.pictures import SmallPicture
from tabwright.reading.tokens import tokens_in

PICTURE_TOKENS = 800

STATES_MAX = 3
"""Page states that are kept of past steps: older ones are of pages that look otherwise by now."""

STEPS_MAX = 300
"""Past steps that are remembered at all."""

FINDINGS_TOKENS_MAX = 6000
"""Of all that was remembered by cache_content; the oldest goes."""

TASKS_MAX = 20
"""Of a session, one following up the other."""

NOW_TOKENS_MIN = 1000
"""Of what is seen now, however small the budget is."""


@attrs.frozen
class Matter:
    """What a part of the agent is asked about.

    Attributes:
        orders: its own.
        now: what it is told last, of ours.
        seen: what pages have said, which gets its fence yet.
        pictures: of the page.
    """

    orders: str
    now: str
    seen: str
    pictures: tuple[SmallPicture, ...] = ()


@attrs.frozen
class Step:
    """A past step: what the navigator saw, what it said, what came of that.

    Attributes:
        state: the page, in its fence.
        said: its answer.
        results: of its actions, in their fence.
        tokens: of the last two.
        state_tokens: of the first.
    """

    state: str
    said: str
    results: str
    tokens: int
    state_tokens: int

    def messages(self, *, with_state: bool) -> tuple[Message, ...]:
        """As a part of a conversation."""
        state = self.state if with_state and self.state else "(An earlier state of the page.)"
        return (
            Message("user", state),
            Message("assistant", self.said),
            Message("user", self.results or "(Nothing was done.)"),
        )


@attrs.define(eq=False)
class History:
    """Of one session, from its first task on.

    No value of a secret comes into it, nor out.

    Attributes:
        fence: round all that pages have said.
    """

    fence: Fence
    _secrets: Secrets
    _plan: str = ""
    _tasks: deque[str] = attrs.field(factory=lambda: deque[str](maxlen=TASKS_MAX))
    _steps: deque[Step] = attrs.field(factory=lambda: deque[Step](maxlen=STEPS_MAX))
    _findings: deque[str] = attrs.field(factory=deque[str])

    def begin(self, task: str) -> None:
        """A task is given, after those before."""
        self._tasks.append(self._masked(task))
        self._plan = ""

    def intend(self, plan: str) -> None:
        """There is a new plan."""
        self._plan = self._masked(plan)

    def add(self, state: str, said: str, results: str) -> None:
        """A step is over; what the page and the results say comes without a fence."""
        state, results = (self.fence.round(self._masked(text)) for text in (state, results))
        tokens = tokens_in(said) + tokens_in(results)
        self._steps.append(Step(state, said, results, tokens, tokens_in(state)))

    def remember(self, finding: str) -> None:
        """Keeps it until newer ones need its place."""
        self._findings.append(cut(self._masked(finding), FINDINGS_TOKENS_MAX))
        while sum(map(tokens_in, self._findings)) > FINDINGS_TOKENS_MAX:
            self._findings.popleft()

    @property
    def findings(self) -> str:
        """All that is kept."""
        return "\n\n".join(self._findings)

    @property
    def tasks(self) -> tuple[str, ...]:
        """All of the session, the present one last."""
        return tuple(self._tasks)

    def question(self, matter: Matter, tokens_max: int) -> tuple[Message, ...]:
        """A conversation that ends with the matter.

        Args:
            matter: what is asked now.
            tokens_max: what all of it may have, or what cannot be left out where that is more.
        """
        first = (Message("system", matter.orders), Message("user", self._told_tasks))
        now = "\n\n".join(filter(None, (self._told_plan, matter.now)))
        fixed = sum(map(tokens_in, (matter.orders, self._told_tasks, now)))
        left = tokens_max - fixed - PICTURE_TOKENS * len(matter.pictures)
        seen = "\n\n".join(filter(None, (self._told_findings, self._masked(matter.seen))))
        seen = cut(seen, max(left, NOW_TOKENS_MIN))
        past = self._past(left - tokens_in(seen))
        last = "\n\n".join(filter(None, (self.fence.round(seen), now)))
        return _merged((*first, *past, Message("user", last, matter.pictures)))

    @property
    def _told_tasks(self) -> str:
        *earlier, task = self._tasks
        done = [f"Before, this was done: {self.fence.tamed(one)}" for one in earlier]
        return "\n".join((*done, f"<task>\n{self.fence.tamed(task)}\n</task>"))

    @property
    def _told_plan(self) -> str:
        return f"<plan>\n{self.fence.tamed(self._plan)}\n</plan>" if self._plan else ""

    @property
    def _told_findings(self) -> str:
        return f"Remembered:\n{self.findings}" if self.findings else ""

    def _masked(self, text: str) -> str:
        return self._secrets.masked(text)

    def _past(self, tokens_max: int) -> Iterable[Message]:
        """As many of the last steps as fit, and of the last of these the states."""
        steps = _fitting(self._steps, tokens_max)
        left = tokens_max - sum(step.tokens for step in steps)
        states = 0
        for step in reversed(steps[-STATES_MAX:]):
            left -= step.state_tokens
            if left < 0:
                break
            states += 1
        for place, step in enumerate(steps):
            yield from step.messages(with_state=place >= len(steps) - states)


def _fitting(steps: Sequence[Step], tokens_max: int) -> Sequence[Step]:
    """The last of them that fit without their states."""
    sizes = accumulate(step.tokens for step in reversed(steps))
    count = sum(size <= tokens_max for size in sizes)
    return list(steps)[len(steps) - count :]


def _merged(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Each speaker in turn: not every model takes two of one speaker after each other."""
    merged: list[Message] = []
    for one in messages:
        if merged and merged[-1].speaker == one.speaker:
            both = f"{merged[-1].text}\n\n{one.text}"
            merged[-1] = Message(one.speaker, both, one.pictures)
        else:
            merged.append(one)
    return tuple(merged)
