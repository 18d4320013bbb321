"""What a task's models are reminded of: the task, the plan, what was done, within a budget.

What has to go goes in this order: page states, the oldest first; then steps, the oldest first; then
the end of what is seen now. Findings and earlier tasks have a share each, so that the page is seen.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate

import attrs

from tabwright.agent.prompts import Fence
from tabwright.config.secrets import Secrets
from tabwright.protocol.llm import ChatMessage
from tabwright.protocol.snapshot import Thumbnail
from tabwright.text.token_budget import count_tokens, cut

PICTURE_TOKENS = 800

STATES_MAX = 3
"""Page states that are kept of past steps: older ones are of pages that look otherwise by now."""

STEPS_MAX = 300
"""Past steps that are remembered at all."""

SAID_TOKENS_MAX = 2000
"""Of what was said in a past step."""

RESULTS_TOKENS_MAX = 4000
"""Of what came of a past step."""

PLAN_TOKENS_MAX = 1000

FINDINGS_TOKENS_MAX = 6000
"""Of all that was remembered by cache_content; the oldest goes."""

SHARES = 3
"""One of so many goes to findings at most, of what is left for them and the page; and one of so
many to earlier tasks, of what is left for them beside the page."""

TASKS_MAX = 20
"""Of a session, one following up the other."""

ASKED_TOKENS_MAX = 500
"""Of an earlier task."""

END_TOKENS_MAX = 1000
"""Of how an earlier task has ended."""

NOW_TOKENS_MIN = 1000
"""Of what is seen now, however small the budget is."""

JOINT_TOKENS = 1
"""Of the empty line between two texts that become one message."""

STATE_GONE = "(An earlier state of the page.)"

NOTHING_DONE = "(No action was performed.)"


@attrs.frozen
class TaskMemory:
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
    pictures: tuple[Thumbnail, ...] = ()


@attrs.frozen
class Step:
    """A past step: what the navigator saw, what it said, what came of that.

    Attributes:
        state: the page, in its fence.
        said: its answer.
        results: of its actions, in their fence.
    """

    state: str
    said: str
    results: str

    @cached_property
    def tokens(self) -> int:
        """The tokens that it adds to a conversation without its state."""
        return _tokens(self.messages(with_state=False)) + JOINT_TOKENS

    @cached_property
    def state_tokens(self) -> int:
        """The tokens that its state adds to that."""
        return count_tokens(self.state) - count_tokens(STATE_GONE)

    def messages(self, *, with_state: bool) -> tuple[ChatMessage, ...]:
        """As a part of a conversation."""
        return (
            ChatMessage("user", self.state if with_state else STATE_GONE),
            ChatMessage("assistant", self.said),
            ChatMessage("user", self.results),
        )


@attrs.frozen
class PastTask:
    """A task of the session.

    Attributes:
        task: what was asked.
        end: how it has ended, without a fence; empty where nobody has said.
    """

    task: str
    end: str = ""


@attrs.define(eq=False)
class PromptHistory:
    """Of one session, from its first task on.

    No value of a secret comes into it, nor out.

    Attributes:
        fence: round all that pages have said.
    """

    fence: Fence
    _secrets: Secrets
    _plan: str = ""
    _tasks: deque[PastTask] = attrs.field(factory=lambda: deque[PastTask](maxlen=TASKS_MAX))
    _steps: deque[Step] = attrs.field(factory=lambda: deque[Step](maxlen=STEPS_MAX))
    _findings: deque[str] = attrs.field(factory=deque[str])

    def begin(self, task: str) -> None:
        """A task is given, after those before."""
        self._tasks.append(PastTask(self._masked(task)))
        self._plan = ""

    def conclude(self, said: str) -> None:
        """The task at work has ended: how, and with which answer. Tasks that follow are told."""
        self._tasks[-1] = attrs.evolve(self._tasks[-1], end=self._short(said, END_TOKENS_MAX))

    def intend(self, plan: str) -> None:
        """There is a new plan."""
        self._plan = self._short(plan, PLAN_TOKENS_MAX)

    def add(self, state: str, said: str, results: str) -> None:
        """A step is over; what the page and the results say comes without a fence."""
        seen = self.fence.round(self._masked(state))
        done = self.fence.round(self._short(results, RESULTS_TOKENS_MAX))
        said = self._short(said, SAID_TOKENS_MAX)
        self._steps.append(Step(seen or STATE_GONE, said, done or NOTHING_DONE))

    def remember(self, finding: str) -> None:
        """Keeps it until newer ones need its place."""
        self._findings.append(cut(self._masked(finding), FINDINGS_TOKENS_MAX))
        while sum(map(count_tokens, self._findings)) > FINDINGS_TOKENS_MAX:
            self._findings.popleft()

    @property
    def findings(self) -> str:
        """All that is kept."""
        return "\n\n".join(self._findings)

    @property
    def tasks(self) -> tuple[str, ...]:
        """All of the session, the present one last."""
        return tuple(one.task for one in self._tasks)

    def question(self, matter: TaskMemory, tokens_max: int) -> tuple[ChatMessage, ...]:
        """A conversation that ends with the matter.

        Args:
            matter: what is asked now.
            tokens_max: what all of it may have, pictures too. Orders, the task, the plan, what it
                is told last and NOW_TOKENS_MIN of what is seen are in it even where that is more.
        """
        bare = self._frame(matter, self._task_text, self.fence.round("\u2026"))
        left = max(tokens_max - JOINT_TOKENS - _tokens(bare), NOW_TOKENS_MIN)
        earlier = [self._earlier_text(one) for one in list(self._tasks)[:-1]]
        tasks = "\n".join((*_fitting(earlier, (left - NOW_TOKENS_MIN) // SHARES), self._task_text))
        left -= count_tokens(tasks) - count_tokens(self._task_text)
        orders, asked, last = self._frame(matter, tasks, self._seen_text(matter.seen, left))
        past = self._past(tokens_max - JOINT_TOKENS - _tokens((orders, asked, last)))
        messages = (orders, asked, *past, last)
        # Each speaker in turn: not every model takes two of one speaker after each other.
        merged: list[ChatMessage] = []
        for one in messages:
            if merged and merged[-1].speaker == one.speaker:
                both = f"{merged[-1].text}\n\n{one.text}"
                merged[-1] = ChatMessage(one.speaker, both, one.pictures)
            else:
                merged.append(one)
        return tuple(merged)

    def _frame(
        self, matter: TaskMemory, tasks: str, seen: str
    ) -> tuple[ChatMessage, ChatMessage, ChatMessage]:
        """What comes before the past steps, and what comes after them."""
        last = "\n\n".join(filter(None, (seen, self._plan_text, matter.now)))
        return (
            ChatMessage("system", matter.orders),
            ChatMessage("user", tasks),
            ChatMessage("user", last, matter.pictures),
        )

    def _earlier_text(self, earlier: PastTask) -> str:
        asked = f"The previous task was: {self._short(earlier.task, ASKED_TOKENS_MAX)}"
        ended = f"Its result was:\n{self.fence.round(earlier.end)}" if earlier.end else ""
        return "\n".join(filter(None, (asked, ended)))

    @property
    def _task_text(self) -> str:
        return f"<task>\n{self.fence.tamed(self._tasks[-1].task)}\n</task>"

    @property
    def _plan_text(self) -> str:
        return f"<plan>\n{self._plan}\n</plan>" if self._plan else ""

    def _seen_text(self, seen: str, tokens_max: int) -> str:
        """Findings, within their share, and the beginning of what is seen now."""
        share = tokens_max // SHARES
        tamed = [self.fence.tamed(one) for one in self._findings]
        told = _fitting(tamed, share) or [cut(one, share) for one in tamed[-1:]]
        findings = "Remembered:\n" + "\n\n".join(told) if told else ""
        both = "\n\n".join(filter(None, (findings, self._masked(seen))))
        return self.fence.round(cut(self.fence.tamed(both), tokens_max))

    def _short(self, text: str, tokens_max: int) -> str:
        """The beginning of a text, without secrets and without blocks of ours."""
        return cut(self.fence.tamed(self._masked(text)), tokens_max)

    def _masked(self, text: str) -> str:
        return self._secrets.masked(text)

    def _past(self, tokens_max: int) -> Iterable[ChatMessage]:
        """As many of the last steps as fit, and of the last of these the states."""
        count = _fitting_count([step.tokens for step in self._steps], tokens_max)
        steps = list(self._steps)[len(self._steps) - count :]
        left = tokens_max - sum(step.tokens for step in steps)
        states = _fitting_count([step.state_tokens for step in steps[-STATES_MAX:]], left)
        for place, step in enumerate(steps):
            yield from step.messages(with_state=place >= count - states)


def _tokens(messages: Iterable[ChatMessage]) -> int:
    """Of texts and pictures, without what joins two messages into one."""
    return sum(count_tokens(one.text) + PICTURE_TOKENS * len(one.pictures) for one in messages)


def _fitting(texts: Sequence[str], tokens_max: int) -> Sequence[str]:
    """The last of them that fit, with what joins them."""
    sizes = [count_tokens(text) + JOINT_TOKENS for text in texts]
    return texts[len(texts) - _fitting_count(sizes, tokens_max) :]


def _fitting_count(sizes: Sequence[int], most: int) -> int:
    """How many of the last of them come to no more than the most."""
    return sum(size <= most for size in accumulate(reversed(sizes)))
