"""The loop of one task: plan, act and validate until the task ends or a limit is reached.

A step is: wait while the task is paused; look; plan, if a plan is due; act. An answer is validated
before it counts.
"""

from typing import Literal

import attrs
import trio

from tabwright.agent.events import TaskEventLog, error_text
from tabwright.agent.executor import ActionExecutor, AgentBrowser, PauseControl
from tabwright.agent.history import PromptHistory, TaskMemory
from tabwright.agent.model_calls import NAVIGATING, PLANNING, VALIDATING, ModelCaller
from tabwright.agent.prompts import (
    BrowserObservation,
    navigator_prompt,
    planner_prompt,
    validator_prompt,
)
from tabwright.protocol.errors import BrowserUnavailable, ModelFailed, ModelFault, TabwrightError
from tabwright.protocol.snapshot import Thumbnail
from tabwright.protocol.tasks import (
    EventState,
    Limits,
    RunTask,
    TaskEnd,
    TaskResult,
    TaskState,
)

FATAL = frozenset({ModelFault.AUTHENTICATION, ModelFault.FORBIDDEN, ModelFault.MISSING})
"""Failures that a further question to the model would not change."""

PICTURE_BYTES = 200_000
"""The maximum size of a picture of the page."""

GIVEN_UP = "The agent gave up."

GO_ON = "A follow-up continues from here."

FINAL_STATES = dict.fromkeys(TaskEnd, EventState.TASK_FAIL) | {
    TaskEnd.DONE: EventState.TASK_OK,
    TaskEnd.CANCELLED: EventState.TASK_CANCEL,
}
"""The last event of a task, by its end."""


@attrs.frozen
class TaskEnded:
    """The end of a task; see `TaskResult`."""

    end: TaskEnd
    reason: str
    answer: str = ""


@attrs.define(eq=False)
class RunningTask:
    """A task from its beginning to its end.

    Attributes:
        id: the id of the task.
        request: the request.
    """

    id: str
    request: RunTask
    _browser: AgentBrowser
    _models: ModelCaller
    _history: PromptHistory
    _log: TaskEventLog
    _pause: PauseControl = attrs.field(factory=PauseControl, init=False)
    _life: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)
    _failures: int = attrs.field(default=0, init=False)
    _refusals: int = attrs.field(default=0, init=False)
    _answer: str = attrs.field(default="", init=False)
    _plan_due: bool = attrs.field(default=False, init=False)
    _notice: str = attrs.field(default="", init=False)

    async def run(self) -> TaskResult:
        """Run the task; its final event is emitted on every path.

        Cancellation ends the task before its next action and leaves the session as it is.
        """
        self._log.note("system", EventState.TASK_START, self.request.task)
        ending: TaskEnded | None = None
        try:
            with self._life:
                ending = await self._ending()
        except BaseException as error:
            is_crash = not isinstance(error, trio.Cancelled)
            state = EventState.TASK_FAIL if is_crash else EventState.TASK_CANCEL
            self._log.note("system", state, error_text(error))
            self._history.conclude("It failed.")
            raise
        ended = ending or self._short(TaskEnd.CANCELLED, "The task was cancelled.")
        how = "It was completed." if ended.end is TaskEnd.DONE else f"It failed: {ended.reason}"
        self._history.conclude(f"{how}\n{ended.answer}".strip())
        final = FINAL_STATES[ended.end]
        self._log.note("system", final, ended.answer or ended.reason)
        masked = self._browser.secrets.masked
        return TaskResult(
            self.id,
            ended.end is TaskEnd.DONE,
            masked(ended.answer),
            ended.end,
            masked(ended.reason),
            self._log.step,
            tuple(self._log.trail),
            self._models.input_tokens,
            self._models.output_tokens,
        )

    @property
    def state(self) -> TaskState:
        """Return the state of the task."""
        return TaskState(
            self.id,
            self.request.task,
            self.request.session,
            self._log.step,
            self._limits.steps_max,
            self._pause.paused,
        )

    def change(self, change: Literal["pause", "resume", "cancel"]) -> None:
        """Pause, resume or cancel the task. Idempotent."""
        match change:
            case "pause":
                if self._pause.pause():
                    self._log.note("user", EventState.TASK_PAUSE, "Paused.")
            case "resume":
                if self._pause.resume():
                    self._log.note("user", EventState.TASK_RESUME, "Resumed.")
            case "cancel":
                self._life.cancel()

    async def _ending(self) -> TaskEnded:
        for step in range(1, self._limits.steps_max + 1):
            self._log.step = step
            try:
                ending = await self._step()
                self._failures = 0
            except TabwrightError as error:
                ending = self._failed(error)
            if ending is not None:
                return ending
        steps_max = self._limits.steps_max
        return self._short(TaskEnd.STEPS, f"The task was not completed within {steps_max} steps.")

    def _short(self, end: TaskEnd, reason: str) -> TaskEnded:
        """Return an early end with the partial result."""
        return TaskEnded(end, f"{reason} {GO_ON}", self._answer or self._history.findings)

    async def _step(self) -> TaskEnded | None:
        """Run a step; return the end of the task, if the step ends it.

        Raises:
            TabwrightError: the step failed.
        """
        observation = await self._observe()
        if (self._log.step - 1) % self._limits.planning_interval == 0:
            self._plan_due = True
        if self._plan_due:
            ending = await self._plan(observation)
            if ending is not None or self._plan_due:
                return ending
        return await self._navigate(observation)

    def _failed(self, error: TabwrightError) -> TaskEnded | None:
        """Count a failed step; return the end of the task if there were too many."""
        self._failures += 1
        self._notice = f"The last step failed: {self._browser.error_text(error)}"
        if isinstance(error, BrowserUnavailable):
            return self._short(TaskEnd.BROWSER, str(error))
        if isinstance(error, ModelFailed) and error.fault in FATAL:
            return self._short(TaskEnd.MODEL, str(error))
        if self._failures < self._limits.failures_max:
            return None
        reason = f"{self._failures} steps in a row failed, the last one with: {error}"
        return self._short(TaskEnd.FAILURES, reason)

    async def _plan(self, observation: BrowserObservation) -> TaskEnded | None:
        """Ask for a plan; return the end of the task, if the planner ends it."""
        with self._log.part("planner", "Plans.") as event:
            memory = self._memory(planner_prompt(self._history.fence), observation, "planner")
            plan = await self._models.think(PLANNING, memory)
            event.details = plan.final_answer if plan.done else plan.next_steps
        self._plan_due = False
        self._history.intend("\n".join(filter(None, (plan.challenges, plan.next_steps))))
        if not plan.done:
            return None
        answer = plan.final_answer or plan.reasoning
        if not plan.success:
            return TaskEnded(TaskEnd.GIVEN_UP, GIVEN_UP, answer)
        if not plan.web_task and self._log.step == 1:  # later it would bypass the validator
            return TaskEnded(TaskEnd.DONE, "No browser was needed.", answer)
        return await self._validated(answer)

    async def _navigate(self, observation: BrowserObservation) -> TaskEnded | None:
        """Run the navigator; return the end of the task, if it ends it."""
        if await self._pause.wait_resumed():
            observation = await self._observe()
        actions_max = self._limits.actions_max
        executor = ActionExecutor(
            self._browser, self._history, self._log, self._models, self._pause, actions_max
        )
        prompt = navigator_prompt(self._history.fence, actions_max)
        with self._log.part("navigator", "Planning.") as event:
            move = await self._models.think(
                NAVIGATING, self._memory(prompt, observation, "navigator")
            )
            self._notice = ""
            event.details = move.state.next_goal
            done = await executor.do(move, observation)
        if done is None:
            return None
        if not done.success:
            return TaskEnded(TaskEnd.GIVEN_UP, GIVEN_UP, done.text)
        return await self._validated(done.text)

    async def _validated(self, answer: str) -> TaskEnded | None:
        """Validate an answer; return the end of the task, or None if the answer is refused."""
        if not self._limits.validates:
            return TaskEnded(TaskEnd.DONE, "The agent reports that it is done.", answer)
        self._answer = answer  # the fallback if validation refuses it or fails
        observation = await self._observe()
        with self._log.part("validator", "Checking the answer.") as event:
            self._notice = f"The answer to judge:\n{answer}"
            prompt = validator_prompt(self._history.fence)
            memory = self._memory(prompt, observation, "validator")
            verdict = await self._models.think(VALIDATING, memory)
            event.details, event.ok = verdict.reason, verdict.is_valid
        if verdict.is_valid:
            return TaskEnded(TaskEnd.DONE, verdict.reason, verdict.answer or answer)
        self._refusals += 1
        self._plan_due = True
        self._notice = f"This answer was rejected:\n{answer}\nThe reason: {verdict.reason}"
        if self._refusals < self._limits.validations_max:
            return None
        reason = f"{self._refusals} answers were rejected, the last one because: {verdict.reason}"
        return self._short(TaskEnd.VALIDATIONS, reason)

    async def _observe(self) -> BrowserObservation:
        """Return the state of the browser once the task is not paused."""
        bytes_max = PICTURE_BYTES if self._limits.pictures else 0
        await self._pause.wait_resumed()
        observation = await self._browser.observe(bytes_max)
        while await self._pause.wait_resumed():  # the user may have used the browser meanwhile
            observation = await self._browser.observe(bytes_max)
        return observation

    def _memory(self, prompt: str, observation: BrowserObservation, part: str) -> TaskMemory:
        """Return the question to a part."""
        seen = "\n\n".join(filter(None, (self._notice, observation.text)))
        pictures: tuple[Thumbnail, ...] = ()
        if observation.picture and part in self._limits.pictures:
            pictures = (observation.picture,)
        step, steps_max = self._log.step, self._limits.steps_max
        now = f"This is step {step} of {steps_max}."
        if step == steps_max:
            now += " It is the last step: end with done now."
        return TaskMemory(prompt, now, seen, pictures)

    @property
    def _limits(self) -> Limits:
        return self.request.limits
