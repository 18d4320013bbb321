"""The context of a task's models: the task, the plan and the past steps, within a token budget.

If the budget is too small, content is dropped in this order: page states, the oldest first; then
steps, the oldest first; then the end of the current page. Findings and earlier tasks have a share
each, so that the page stays visible.
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
"""Page states kept of past steps: older states show pages that look different by now."""

STEPS_MAX = 300
"""Maximum number of past steps."""

REPLY_TOKENS_MAX = 2000
"""Maximum tokens of the reply in a past step."""

RESULTS_TOKENS_MAX = 4000
"""Maximum tokens of the results of a past step."""

NOTE_TOKENS_MAX = 1000
"""Maximum tokens of the plan, of an earlier task, and of its result."""

FINDINGS_TOKENS_MAX = 6000
"""Maximum tokens of all findings of cache_content; the oldest are dropped."""

SHARES = 3
"""The divisor of the shares: findings get at most one third of the tokens left for them and the
page, and earlier tasks at most one third of those left for them beside the page.
"""

NOW_TOKENS_MIN = 1000
"""Minimum tokens of the current page, however small the budget is."""

JOINT_TOKENS = 1
"""Tokens of the empty line between two texts that are joined to one message."""

STATE_GONE = "(An earlier state of the page.)"

NOTHING_DONE = "(No action was performed.)"


@attrs.frozen
class TaskMemory:
    """The question to a part of the agent.

    Attributes:
        prompt: the system prompt of the part.
        now: our text at the end of the question.
        seen: text of pages, not yet fenced.
        pictures: pictures of the page.
        has_past: whether the past steps precede the question.
    """

    prompt: str
    now: str
    seen: str
    pictures: tuple[Thumbnail, ...] = ()
    has_past: bool = True


@attrs.frozen
class Step:
    """A past step: the observed page, the reply of the navigator and the results.

    Attributes:
        state: the page, fenced.
        reply: the reply of the navigator.
        results: the results of its actions, fenced.
    """

    state: str
    reply: str
    results: str

    @cached_property
    def tokens(self) -> int:
        """Return the tokens that the step adds to a conversation without its page state."""
        return _tokens(self.messages(with_state=False)) + JOINT_TOKENS

    @cached_property
    def state_tokens(self) -> int:
        """Return the tokens that the page state adds."""
        return count_tokens(self.state) - count_tokens(STATE_GONE)

    def messages(self, *, with_state: bool) -> tuple[ChatMessage, ...]:
        """Return the step as messages of a conversation."""
        return (
            ChatMessage("user", self.state if with_state else STATE_GONE),
            ChatMessage("assistant", self.reply),
            ChatMessage("user", self.results),
        )


@attrs.frozen
class PastTask:
    """A past task of the session.

    Attributes:
        task: the text of the task.
        end: the result, unfenced; empty if it is not known.
    """

    task: str
    end: str = ""


@attrs.define(eq=False)
class PromptHistory:
    """The history of one session, from its first task on.

    It contains no value of a secret, and returns none.

    Attributes:
        fence: the fence around all text of pages.
    """

    fence: Fence
    _secrets: Secrets
    _plan: str = ""
    _tasks: list[PastTask] = attrs.field(factory=list[PastTask])
    _steps: deque[Step] = attrs.field(factory=lambda: deque[Step](maxlen=STEPS_MAX))
    _findings: deque[str] = attrs.field(factory=deque[str])

    def begin(self, task: str) -> None:
        """Begin a task after the earlier ones."""
        self._tasks.append(PastTask(self._secrets.masked(task)))
        self._plan = ""

    def conclude(self, end: str) -> None:
        """End the current task with its status and answer, for the tasks that follow."""
        self._tasks[-1] = attrs.evolve(self._tasks[-1], end=self._short(end, NOTE_TOKENS_MAX))

    def intend(self, plan: str) -> None:
        """Replace the plan."""
        self._plan = self._short(plan, NOTE_TOKENS_MAX)

    def add(self, state: str, reply: str, results: str) -> None:
        """Add a past step; the text of the page and the results is not yet fenced."""
        seen = self.fence.round(self._secrets.masked(state))
        done = self.fence.round(self._short(results, RESULTS_TOKENS_MAX))
        reply = self._short(reply, REPLY_TOKENS_MAX)
        self._steps.append(Step(seen or STATE_GONE, reply, done or NOTHING_DONE))

    def remember(self, finding: str) -> None:
        """Keep a finding until newer findings need its place."""
        self._findings.append(cut(self._secrets.masked(finding), FINDINGS_TOKENS_MAX))
        while sum(map(count_tokens, self._findings)) > FINDINGS_TOKENS_MAX:
            self._findings.popleft()

    @property
    def findings(self) -> str:
        """Return all findings."""
        return "\n\n".join(self._findings)

    @property
    def tasks(self) -> tuple[str, ...]:
        """Return all tasks of the session, the current one last."""
        return tuple(one.task for one in self._tasks)

    def question(self, memory: TaskMemory, tokens_max: int) -> tuple[ChatMessage, ...]:
        """Return a conversation that ends with the question.

        Args:
            memory: the question.
            tokens_max: maximum tokens of the conversation, pictures included. Orders, the task,
                the plan, `now` and NOW_TOKENS_MIN of the page are included even if that exceeds it.
        """
        bare = self._frame(memory, self._task_text, self.fence.round("\u2026"))
        left = max(tokens_max - JOINT_TOKENS - _tokens(bare), NOW_TOKENS_MIN)
        earlier = [self._earlier_text(one) for one in self._tasks[:-1]]
        tasks = "\n".join((*_fitting(earlier, (left - NOW_TOKENS_MIN) // SHARES), self._task_text))
        left -= count_tokens(tasks) - count_tokens(self._task_text)
        prompt, asked, last = self._frame(memory, tasks, self._seen_text(memory.seen, left))
        past = self._past(tokens_max - JOINT_TOKENS - _tokens((prompt, asked, last)))
        messages = (prompt, asked, *(past if memory.has_past else ()), last)
        # Speakers alternate: not every model accepts two messages in a row from the same speaker.
        merged: list[ChatMessage] = []
        for one in messages:
            if merged and merged[-1].speaker == one.speaker:
                both = f"{merged[-1].text}\n\n{one.text}"
                merged[-1] = ChatMessage(one.speaker, both, one.pictures)
            else:
                merged.append(one)
        return tuple(merged)

    def _frame(
        self, memory: TaskMemory, tasks: str, seen: str
    ) -> tuple[ChatMessage, ChatMessage, ChatMessage]:
        """Return the messages before the past steps, and those after them."""
        plan = f"<plan>\n{self._plan}\n</plan>" if self._plan else ""
        last = "\n\n".join(filter(None, (seen, plan, memory.now)))
        return (
            ChatMessage("system", memory.prompt),
            ChatMessage("user", tasks),
            ChatMessage("user", last, memory.pictures),
        )

    def _earlier_text(self, earlier: PastTask) -> str:
        asked = f"The previous task was: {self._short(earlier.task, NOTE_TOKENS_MAX)}"
        ended = f"Its result was:\n{self.fence.round(earlier.end)}" if earlier.end else ""
        return "\n".join(filter(None, (asked, ended)))

    @property
    def _task_text(self) -> str:
        return f"<task>\n{self.fence.tamed(self._tasks[-1].task)}\n</task>"

    def _seen_text(self, seen: str, tokens_max: int) -> str:
        """Return the findings, within their share, and the beginning of the current page."""
        share = tokens_max // SHARES
        tamed = [self.fence.tamed(one) for one in self._findings]
        kept = _fitting(tamed, share) or [cut(one, share) for one in tamed[-1:]]
        findings = "Remembered:\n" + "\n\n".join(kept) if kept else ""
        both = "\n\n".join(filter(None, (findings, self._secrets.masked(seen))))
        return self.fence.round(cut(self.fence.tamed(both), tokens_max))

    def _short(self, text: str, tokens_max: int) -> str:
        """Return the beginning of a text, without secrets and without our block tags."""
        return cut(self.fence.tamed(self._secrets.masked(text)), tokens_max)

    def _past(self, tokens_max: int) -> Iterable[ChatMessage]:
        """Return as many of the last steps as fit, the latest of them with their page states."""
        count = _fitting_count([step.tokens for step in self._steps], tokens_max)
        steps = list(self._steps)[len(self._steps) - count :]
        left = tokens_max - sum(step.tokens for step in steps)
        states = _fitting_count([step.state_tokens for step in steps[-STATES_MAX:]], left)
        for place, step in enumerate(steps):
            yield from step.messages(with_state=place >= count - states)


def _tokens(messages: Iterable[ChatMessage]) -> int:
    """Return the tokens of texts and pictures, without the separators between joined messages."""
    return sum(count_tokens(one.text) + PICTURE_TOKENS * len(one.pictures) for one in messages)


def _fitting(texts: Sequence[str], tokens_max: int) -> Sequence[str]:
    """Return as many of the last items as fit, with their separators."""
    sizes = [count_tokens(text) + JOINT_TOKENS for text in texts]
    return texts[len(texts) - _fitting_count(sizes, tokens_max) :]


def _fitting_count(sizes: Sequence[int], most: int) -> int:
    """Return how many of the last items fit into the maximum."""
    return sum(size <= most for size in accumulate(reversed(sizes)))
