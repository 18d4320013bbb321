"""The tests of the kit detect each of these mistakes.

Each mutant is one change of one module, in a copy of package and tests. If the copy were not what
is imported, the mutants would survive.
"""

import ast
import os
import shutil
import subprocess
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import TypeAlias

import attrs
import pytest

ROOT = Path(__file__).parents[2]
TESTS_FAILED = 1
HANGS = -1
QUICKLY = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # half of a short run is their start
HANGS_AFTER_S = 600  # a machine with a busy disk can stand still for a minute
HANGS_AS_EXPECTED_AFTER_S = 10
SHOWN_AFTER_S = 300
"""After how long a test that hangs shows what it waits for."""
TESTS = (
    "tests/unit/actors/kit",
    "tests/unit/browser",
    "tests/unit/concurrency",
    "tests/unit/ratelimit",
    "tests/simulation",
)

Node: TypeAlias = ast.expr | ast.stmt


@attrs.frozen(kw_only=True)
class Mutant:
    """A mistake, and what must detect it: a test file, or one test if many are slow.

    The place is given by names and syntax, so that a moved module, another layout or another
    comment is no reason to change it.

    Attributes:
        where: the qualified name of a function, class or constant, unique to one module.
        beside: another definition of that module, if several modules define `where`.
        find: an expression, or consecutive statements; occurs once in `where`.
        replace: the code that replaces it.
        hangs: whether it is detected by a test that does not end.
    """

    where: str
    find: str
    replace: str
    noticed_by: str
    beside: str = ""
    hangs: bool = False

    @contextmanager
    def applied(self, root: Path) -> Generator[None]:
        path, definition = definition_of(root / "tabwright", self.where, self.beside)
        text, before = path.read_text(), path.stat()
        path.write_text(self._changed(text, definition))
        try:
            yield
        finally:
            path.write_text(text)
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # as it was compiled

    def _changed(self, text: str, definition: ast.stmt) -> str:
        found = places_of(dedent(self.find), definition)
        if len(found) != 1:
            pytest.fail(f"{self.where} has this {len(found)} times, not once: {self.find}")
        first, last = found[0]
        replacement = dedent(self.replace).strip()
        lines = text.encode().splitlines(keepends=True)
        start = sum(map(len, lines[: first.lineno - 1])) + first.col_offset
        end = sum(map(len, lines[: (last.end_lineno or 0) - 1])) + (last.end_col_offset or 0)
        if is_expression(replacement) and isinstance(first, ast.expr):
            replacement = f"({replacement})"
        replacement = replacement.replace("\n", "\n" + first.col_offset * " ")
        changed = text.encode()[:start] + replacement.encode() + text.encode()[end:]
        return changed.decode()


def definition_of(package: Path, where: str, beside: str = "") -> tuple[Path, ast.stmt]:
    """Return the path of the module that defines `where`, and the definition."""
    found: list[tuple[Path, ast.stmt]] = []
    for path in sorted(package.rglob("*.py")):
        text = path.read_text()
        if where.rpartition(".")[2] in text:
            definitions = definitions_of(text)
            if not beside or beside in dict(definitions):
                found += [(path, node) for name, node in definitions if name == where]
    if len(found) != 1:
        paths = ", ".join(str(path.relative_to(package)) for path, _ in found)
        pytest.fail(f"There must be one {where}, not {len(found)}: {paths or 'none'}")
    return found[0]


@cache  # many mutants are of the same modules
def definitions_of(text: str) -> tuple[tuple[str, ast.stmt], ...]:
    """Return the functions, classes and constants of a module, by qualified name."""
    return tuple(definitions_in(ast.parse(text)))


def definitions_in(scope: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.stmt]]:
    """Yield the functions, classes and constants in a scope, by qualified name."""
    for node in ast.iter_child_nodes(scope):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield prefix + node.name, node
                yield from definitions_in(node, f"{prefix}{node.name}.")
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield prefix + name, node
            case _:
                pass


def places_of(anchor: str, definition: ast.stmt) -> list[tuple[Node, Node]]:
    """Return the first and last node of each match of `anchor` in `definition`."""
    if is_expression(anchor):
        wanted = ast.unparse(ast.parse(anchor.strip(), mode="eval"))
        nodes = (node for node in ast.walk(definition) if isinstance(node, ast.expr))
        return [(node, node) for node in nodes if ast.unparse(node) == wanted]
    statements = ast.parse(anchor).body
    wanted = ast.unparse(statements)
    return [
        (some[0], some[-1])
        for block in blocks_of(definition)
        for some in (block[at : at + len(statements)] for at in range(len(block)))
        if ast.unparse(some) == wanted
    ]


def blocks_of(definition: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield each list of consecutive statements in a definition, at any depth."""
    for node in ast.walk(definition):
        for _, value in ast.iter_fields(node):
            match value:
                case [ast.stmt(), *_]:
                    yield value
                case _:
                    pass


def is_expression(code: str) -> bool:
    """Return whether the code is an expression."""
    try:
        ast.parse(code.strip(), mode="eval")
    except SyntaxError:
        return False
    return True


MUTANTS = {
    "leaves what is cut off without an end": Mutant(
        where="Mailbox.lose",
        find="self._cut_off.pop(0).lose(crash)",
        replace="self._cut_off.pop(0)",
        noticed_by="test_ask.py",
    ),
    "loses what is cut off by a stop": Mutant(
        where="Mailbox._work",
        find="BaseException",
        replace="Exception",
        noticed_by="test_ask.py",
    ),
    "takes what nobody waits for any more for lost": Mutant(
        where="Envelope.lose",
        find="not self._is_dead()",
        replace="True",
        noticed_by="test_trace.py",
    ),
    "does not say which crash has cut a request off": Mutant(
        where="_Supervisor._live",
        find="self._mailbox.lose(crash and sole_error(crash))",
        replace="self._mailbox.lose(None)",
        noticed_by="test_ask.py",
    ),
    "starts dead requests": Mutant(
        where="Envelope.work",
        find="not self._is_dead()",
        replace="True",
        noticed_by="test_ask.py",
    ),
    "ends the actor with the error of one request": Mutant(
        where="Envelope._work",
        find="self._outcome = outcome.Error(InternalError(self.actor_name, fault))",
        replace="""
            self._outcome = outcome.Error(InternalError(self.actor_name, fault))
            raise
        """,
        noticed_by="test_ask.py",
    ),
    "does not log an unexpected error": Mutant(
        where="Envelope._work",
        find='_log.error("%s failed: %s", self.actor_name, name, exc_info=fault)',
        replace="pass",
        noticed_by="test_ask.py",
    ),
    "logs an internal error at each actor on its way": Mutant(
        where="Envelope._work",
        find="(Refusal, InternalError)",
        replace="Refusal",
        noticed_by="test_ask.py",
    ),
    "accepts anything as a request": Mutant(
        where="MailboxAddress._envelope",
        find="not isinstance(request.method, FunctionType)",
        replace="False",
        noticed_by="test_ask.py",
    ),
    "takes a loss for a bug": Mutant(
        where="Envelope._work",
        find="(Undelivered, Unanswered)",
        replace="()",
        noticed_by="test_ask.py",
    ),
    "forgets the cause": Mutant(
        where="Envelope._unanswered",
        find="error.__cause__ = crash",
        replace="pass",
        noticed_by="test_ask.py",
    ),
    "closes without a drain": Mutant(
        where="Mailbox.close",
        find="""
            while True:
                self._out.receive_nowait().send_back(crash)
        """,
        replace="self._out.close()",
        noticed_by="test_ask.py",
    ),
    "works on more at a time than it may": Mutant(
        where="Mailbox.serve",
        find="trio.Semaphore(at_once)",
        replace="trio.Semaphore(at_once + 1)",
        noticed_by="test_ask.py",
    ),
    "never has a hand free again": Mutant(
        where="Mailbox._work",
        find="free.release()",
        replace="pass",
        noticed_by="test_order.py",
    ),
    "does not trace what is taken back": Mutant(
        where="Mailbox.put",
        find="envelope.trace(RequestCancelled)",
        replace="pass",
        noticed_by="test_trace.py",
    ),
    "lets abandoned work run on": Mutant(
        where="MailboxAddress.ask",
        find="envelope.scope.cancel()",
        replace="pass",
        noticed_by="test_ask.py",
    ),
    "keeps the deadline at home": Mutant(
        where="MailboxAddress.ask",
        find="self._envelope(request, trio.current_effective_deadline())",
        replace="self._envelope(request)",
        noticed_by="test_ask.py",
    ),
    "skips the order check": Mutant(
        where="TaskContext.may_wait_on",
        find="not self.order or other < self.order",
        replace="True",
        noticed_by="test_order.py::test_an_actor_may_not_wait_on_one_that_was_started_later",
    ),
    "checks the own trail only": Mutant(
        where="MailboxAddress._check_order",
        find="not current_context().may_wait_on(self.order)",
        replace="self.name in current_context().trail",
        noticed_by="test_order.py::test_an_actor_may_not_wait_on_one_that_was_started_later",
    ),
    "does not shield the service": Mutant(
        where="_Supervisor._announce",
        find="self._life.shield = True",
        replace="pass",
        noticed_by="test_supervision.py",
    ),
    "shields a start that was cancelled": Mutant(
        where="_Supervisor._announce",
        find="await trio.lowlevel.checkpoint_if_cancelled()",
        replace="pass",
        noticed_by="test_supervision.py",
        hangs=True,
    ),
    "ignores the intensity": Mutant(
        where="_Supervisor._back_off",
        find="len(self._crashes) > self._policy.crashes_max",
        replace="False",
        noticed_by="test_supervision.py",
    ),
    "never forgets a crash": Mutant(
        where="_Supervisor._back_off",
        find="self._crashes[0] <= now - self._policy.period_s",
        replace="False",
        noticed_by="test_supervision.py",
    ),
    "does not back off": Mutant(
        where="_Supervisor._back_off",
        find="trio.sleep(delay_s)",
        replace="trio.lowlevel.checkpoint()",
        noticed_by="test_supervision.py",
    ),
    "backs off evenly": Mutant(
        where="Backoff.pause_s",
        find="self.first_s * 2.0 ** min(times - 1, DOUBLINGS_MAX)",
        replace="self.first_s",
        noticed_by="test_supervision.py",
    ),
    "forgets the jitter": Mutant(
        where="Backoff.pause_s",
        find="full_s * (1 - self.jitter * chance.random())",
        replace="full_s",
        noticed_by="test_supervision.py",
    ),
    "gives endless grace": Mutant(
        where="_Supervisor.stop",
        find="self._life.deadline = trio.current_time() + self._policy.grace_s",
        replace="pass",
        noticed_by="test_supervision.py",
    ),
    "gives grace to the service": Mutant(
        where="_Supervisor.stop",
        find="self._interruptible.cancel()",
        replace="pass",
        noticed_by="test_supervision.py",
    ),
    "restarts what is to stop": Mutant(
        where="_Supervisor._incarnations",
        find="crash and not self._stopping",
        replace="crash",
        noticed_by="test_supervision.py",
    ),
    "swallows what is no crash": Mutant(
        where="_Supervisor._live",
        find="rest or (None if started else crash)",
        replace="None if started else rest or crash",
        noticed_by="test_supervision.py",
    ),
    "misses a crash beside a cancellation": Mutant(
        where="split_crash",
        find="return error.split(Exception)",
        replace="return (error, None) if isinstance(error, Exception) else (None, error)",
        noticed_by="test_supervision.py",
    ),
    "ends a grant only after a good end": Mutant(
        where="hold_grant",
        find="""
            try:
                yield await giver.ask(method, request(over))
            finally:
                over.set()
        """,
        replace="""
            yield await giver.ask(method, request(over))
            over.set()
        """,
        noticed_by="test_grant.py",
    ),
    "loses a grant whose answer travels": Mutant(
        where="hold_grant",
        find="""
            try:
                yield await giver.ask(method, request(over))
            finally:
                over.set()
        """,
        replace="""
            grant = await giver.ask(method, request(over))
            try:
                yield grant
            finally:
                over.set()
        """,
        noticed_by="test_grant.py",
    ),
    "calls the busy idle": Mutant(
        where="IdleTimer._left_s",
        find="idle_s if self._busy else self._since_s + idle_s - trio.current_time()",
        replace="self._since_s + idle_s - trio.current_time()",
        noticed_by="test_idleness.py",
    ),
    "lets those behind go first": Mutant(
        where="SiteLimiter._must_stand_back",
        find="is_full or self._is_starting or place != self._line[0]",
        replace="is_full or self._is_starting",
        noticed_by="test_governor.py",
    ),
    "lets somebody in before the last one has begun": Mutant(
        where="SiteLimiter._must_stand_back",
        find="is_full or self._is_starting or place != self._line[0]",
        replace="is_full or place != self._line[0]",
        noticed_by="test_governor.py",
    ),
    "leaves the cancelled in the line": Mutant(
        where="SiteLimiter._place_in_line",
        find="""
            try:
                yield place
            finally:
                self._line.remove(place)
                self._wake()
        """,
        replace="""
            yield place
            self._line.remove(place)
            self._wake()
        """,
        noticed_by="test_cancelled_waiters.py::test_waiter_cancelled_before_it_begins_leaves_no_trace",
    ),
    "lets the cancelled in": Mutant(
        where="SiteLimiter._try_to_enter",
        find="await trio.lowlevel.checkpoint_if_cancelled()",
        replace="pass",
        noticed_by="test_cancelled_waiters.py::test_waiter_cancelled_before_it_begins_leaves_no_trace",
    ),
    "makes one site wait for another": Mutant(
        where="RESTART_POLICY",
        beside="RateGovernor",
        find="RestartPolicy(mailbox_max=256, at_once=256)",
        replace="RestartPolicy(at_once=1)",
        noticed_by="test_governor.py",
    ),
    "counts a turn that was never taken": Mutant(
        where="SiteLimiter._begin",
        find="begun is None or begun.is_set()",
        replace="True",
        noticed_by="test_governor.py",
    ),
    "lets two processes take the same turn": Mutant(
        where="LocalSiteState.reserve",
        find="known.holder != self._holder or known.reserved_until_s <= now_s",
        replace="False",
        noticed_by="test_limiter_store.py::test_waiter_that_loses_a_race_waits_for_the_other_process",
    ),
    "lets one more in than may be": Mutant(
        where="TabPool._is_full",
        find="sum(tab.number != request.place.tab.number for tab in holders) >= limit",
        replace="sum(tab.number != request.place.tab.number for tab in holders) > limit",
        noticed_by="browser/test_limits.py",
    ),
    "lets the last who asked in first": Mutant(
        where="TabPool._grant",
        find="[request for request in self._line if self._free_workers(request)]",
        replace="[request for request in reversed(self._line) if self._free_workers(request)]",
        noticed_by="test_uses.py",
    ),
    "lets a user of a shared server take every tab": Mutant(
        where="TabPool._share",
        find="tab.principal == principal",
        replace="True",
        noticed_by="browser/test_limits.py",
    ),
    "keeps the old place while it waits for another": Mutant(
        where="TabPool.change",
        find="use is not TabUse.HELD",
        replace="False",
        noticed_by="test_uses.py",
    ),
    "gives the old place up before it is refused another": Mutant(
        where="TabPool.change",
        find="use is not TabUse.HELD",
        replace="True",
        noticed_by="browser/test_limits.py",
    ),
    "lets the limit fall to nothing": Mutant(
        where="ConcurrencyBackoff.back_off",
        find="max(1, self.limit(engine) - self.settings.decrease_step)",
        replace="self.limit(engine) - self.settings.decrease_step",
        noticed_by="browser/test_limits.py",
    ),
    "lowers the limit of every engine": Mutant(
        where="ConcurrencyBackoff.limit",
        find="self.lowered.get(engine, self.settings.max_tabs)",
        replace="min(self.lowered.values(), default=self.settings.max_tabs)",
        noticed_by="browser/test_limits.py",
    ),
    "lifts the limit and tells nobody": Mutant(
        where="TabPool.reset_back_off",
        find="self._grant()",
        replace="pass",
        noticed_by="browser/test_limits.py",
    ),
    "grants a place to who was cancelled": Mutant(
        where="TabPool._take_back",
        find="""
            if request in self._line:
                self._leave_line(request)
            else:
                self._rest(request.place)
        """,
        replace="""
            if request not in self._line:
                self._rest(request.place)
        """,
        noticed_by="test_cancellation.py",
    ),
    "leaves a place to who was cancelled as it came free": Mutant(
        where="TabPool._take_back",
        find="self._rest(request.place)",
        replace="pass",
        noticed_by="test_cancellation.py",
    ),
    "takes the time of the caller to its end": Mutant(
        where="TabPool._wait",
        find="trio.current_effective_deadline() - RESERVE_S",
        replace="trio.current_effective_deadline()",
        noticed_by="browser/test_limits.py",
    ),
    "has a lease that is over wait on": Mutant(
        where="TabPool._end",
        find="[request for request in self._line if request.place is place]",
        replace="[]",
        noticed_by="test_uses.py",
    ),
    "counts the held of each worker for itself": Mutant(
        where="TabPool._holders",
        find="use is TabUse.HELD or tab.worker in workers",
        replace="tab.worker in workers",
        noticed_by="browser/test_limits.py",
    ),
    "counts the tabs of all workers together": Mutant(
        where="TabPool._holders",
        find="use is TabUse.HELD or tab.worker in workers",
        replace="True",
        noticed_by="test_uses.py",
    ),
    "gives all work to the first worker": Mutant(
        where="TabPool._grant",
        find="min(self._free_workers(request), key=partial(self._load, request.use))",
        replace="self._free_workers(request)[0]",
        noticed_by="test_uses.py",
    ),
    "calls a tab that is kept work": Mutant(
        where="PoolSlot._note_work",
        find="self._work is not None and self.tab.use is not TabUse.KEPT",
        replace="self._work is not None",
        noticed_by="test_uses.py",
    ),
    "rests between one work and the next": Mutant(
        where="PoolSlot._note_work",
        find="before, self._at_work = self._at_work, ExitStack()",
        replace="""
            self._at_work.close()
            before = ExitStack()
        """,
        noticed_by="test_uses.py",
    ),
    "keeps a lease that its asker has ended": Mutant(
        where="BrowserSupervisor._until_over",
        find="request.over.wait()",
        replace="trio.sleep_forever()",
        noticed_by="test_pool.py::test_lease_ends_when_its_holder_raises",
    ),
    "keeps an idle lease": Mutant(
        where="BrowserSupervisor._until_over",
        find="either.start_soon(idle)",
        replace="pass",
        noticed_by="test_pool.py::test_idle_leased_tab_is_closed",
    ),
    "gives up with the first browser": Mutant(
        where="OPEN_TRIES_MAX",
        find="4",
        replace="1",
        noticed_by="test_pool.py::test_a_browser_that_dies_while_a_tab_is_opened_is_replaced",
    ),
    "takes no refusal for one": Mutant(
        where="BrowserSupervisor.back_off",
        find="self._pool.back_off(engine)",
        replace="pass",
        noticed_by="test_pool.py::test_tab_limit_drops_only_after_refusals_by_a_site",
    ),
    "has everybody wait behind a lease": Mutant(
        where="SUPERVISOR_POLICY",
        find="RestartPolicy(mailbox_max=256, at_once=256, grace_s=4.0, on_demand=True)",
        replace="RestartPolicy(mailbox_max=256, at_once=1, grace_s=4.0, on_demand=True)",
        noticed_by="test_pool.py::test_lowered_tab_limit_is_lifted_only_by_reset",
    ),
    "polls too seldom": Mutant(
        where="CaptchaIntervention._until_solved",
        find="trio.move_on_after(POLL_S)",
        replace="trio.move_on_after(2 * POLL_S)",
        noticed_by="test_interventions.py::test_page_is_polled_every_ten_seconds",
    ),
    "does not poll a new document": Mutant(
        where="CaptchaIntervention._wake_at_next_document",
        find="tab.ask(Tab.document)",
        replace="trio.sleep_forever()",
        noticed_by="test_interventions.py::test_intervention_is_polled_at_once_after_navigation",
    ),
    "misses what is said during a poll": Mutant(
        where="CaptchaIntervention._until_solved",
        find="self._next_sign(tab, changed)",
        replace="self._next_sign(tab, self._changed)",
        noticed_by="test_interventions.py::test_person_can_report_intervention_as_solved",
    ),
    "takes a page on its way for a closed window": Mutant(
        where="CaptchaIntervention._is_solved",
        find="suppress(Refusal)",
        replace="suppress()",
        noticed_by="test_interventions.py::test_page_that_cannot_be_read_is_polled_again",
    ),
    "takes a closed window for a crash": Mutant(
        where="CaptchaIntervention._next_sign",
        find="background_nursery()",
        replace="trio.open_nursery()",
        noticed_by="test_interventions.py::test_window_closed_at_any_step_skips_only_its_intervention",
    ),
    "keeps the pause of a site that is open again": Mutant(
        where="CaptchaIntervention.run",
        find="ending is InterventionState.SOLVED",
        replace="False",
        noticed_by="test_interventions.py::test_solved_intervention_ends_the_rate_limit_pause_of_its_site",
    ),
    "gives the tab to all who waited": Mutant(
        where="CaptchaIntervention.solution",
        find="self.state is InterventionState.SOLVED and is_own and self._tab",
        replace="self.state is InterventionState.SOLVED and self._tab",
        noticed_by="test_interventions.py::test_solved_tab_goes_to_waiter_that_raised_the_intervention",
    ),
    "never expires": Mutant(
        where="CaptchaIntervention._ending",
        find="trio.move_on_after(self._expiry_s)",
        replace="trio.move_on_after(2 * self._expiry_s)",
        noticed_by="test_interventions.py::test_intervention_expires_and_its_tab_is_closed",
    ),
    "keeps the tab of what has ended": Mutant(
        where="CaptchaIntervention.run",
        find="self._give_back()",
        replace="pass",
        noticed_by="test_interventions.py::test_intervention_expires_and_its_tab_is_closed",
    ),
    "keeps the tab of a page that did not come": Mutant(
        where="CaptchaIntervention._open_tab",
        find="end_on_failure(over)",
        replace="suppress()",
        noticed_by="test_interventions.py::"
        "test_failed_load_of_intervention_page_is_reported_and_tab_closed",
    ),
    "ends it for all when one gives up": Mutant(
        where="CaptchaIntervention._waited_for",
        find="self._waiting == 1 and is_unseen",
        replace="is_unseen",
        noticed_by="test_interventions.py::test_intervention_stays_open_while_another_caller_waits",
    ),
    "opens a window for who has given up": Mutant(
        where="CaptchaIntervention._waited_for",
        find="self._end(InterventionState.CANCELLED)",
        replace="pass",
        noticed_by="test_interventions.py::test_waiter_cancelled_before_window_opens_cancels_intervention",
    ),
}


@attrs.frozen
class Verdict:
    """How a run of tests ended."""

    exit_code: int
    output: str


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of package and tests, with their compiled files, in a separate directory."""
    root = tmp_path_factory.mktemp("copy")
    for directory in ("tabwright", "tests/support", *TESTS):
        ignored = shutil.ignore_patterns("*.pyc.*")  # those that are just being written
        shutil.copytree(ROOT / directory, root / directory, ignore=ignored)
    for file in (
        "pyproject.toml",
        "tests/conftest.py",
        "tests/second_look.py",
        "tests/shared_browser.py",
    ):
        shutil.copy(ROOT / file, root / file)
    return root


@pytest.mark.nightly
@pytest.mark.parametrize("mistake", MUTANTS)
def test_mutant_is_detected_by_its_named_test(
    mistake: str, copy: Path, quick_pytest: list[str]
) -> None:
    mutant = MUTANTS[mistake]
    with mutant.applied(copy):
        within_s = HANGS_AS_EXPECTED_AFTER_S if mutant.hangs else HANGS_AFTER_S
        verdict = verdict_on(quick_pytest, copy, [mutant.noticed_by], within_s)

    assert verdict.exit_code == (HANGS if mutant.hangs else TESTS_FAILED), verdict.output


@pytest.mark.nightly
def test_unmutated_copy_passes_all_detecting_tests(copy: Path, quick_pytest: list[str]) -> None:
    noticing = {mutant.noticed_by for mutant in MUTANTS.values()}
    verdict = verdict_on(quick_pytest, copy, noticing, HANGS_AFTER_S)

    assert verdict.exit_code == 0, verdict.output


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with a class and constants in two modules."""
    package = tmp_path / "tabwright"
    package.mkdir()
    (package / "line.py").write_text(
        "SIZE = 3\n\n\nclass Line:\n    async def go(self, who):\n        try:\n"
        "            await self.wait( who ,  1)  # in the end\n"
        "            self.count += 1\n        finally:\n            self.count += 1\n"
    )
    (package / "gate.py").write_text("SIZE = 4\n\n\nclass Gate:\n    pass\n")
    return package


def mutant(where: str, find: str, replace: str, beside: str = "") -> Mutant:
    return Mutant(where=where, find=find, replace=replace, beside=beside, noticed_by="")


@pytest.mark.parametrize(
    ("change", "before", "after"),
    [
        (
            mutant("Line.go", "self.wait(who, 1)", "self.wait(who)"),
            "self.wait( who ,  1)",
            "(self.wait(who))",
        ),
        (
            mutant("Line.go", "await self.wait(who, 1)\nself.count += 1", "pass\npass"),
            "await self.wait( who ,  1)  # in the end\n            self.count += 1\n        fin",
            "pass\n            pass\n        fin",
        ),
        (mutant("SIZE", "3", "30", beside="Line"), "SIZE = 3", "SIZE = (30)"),
    ],
)
def test_mutant_changes_only_the_code_at_its_anchor(
    change: Mutant, before: str, after: str, package: Path
) -> None:
    text = (package / "line.py").read_text()

    with change.applied(package.parent):
        changed = (package / "line.py").read_text()

    assert changed == text.replace(before, after) != text
    assert (package / "line.py").read_text() == text


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (mutant("Line.stay", "1", "2"), "one Line.stay, not 0: none"),
        (mutant("SIZE", "3", "2"), "one SIZE, not 2: gate.py, line.py"),
        (mutant("Line.go", "self.leave()", "pass"), "Line.go has this 0 times, not once: self.l"),
        (mutant("Line.go", "self.count += 1", "pass"), "has this 2 times, not once: self.count"),
    ],
)
def test_mutant_without_exactly_one_match_fails(
    change: Mutant, problem: str, package: Path
) -> None:
    with pytest.raises(pytest.fail.Exception, match=problem), change.applied(package.parent):
        pass


def found(root: Path, test: str) -> list[str]:
    """Return the paths of a test file, or of one test in it."""
    file, *name = test.split("::")
    paths = ["::".join([str(path), *name]) for path in (root / "tests").rglob(file)]
    assert paths, f"There is no {test}."
    return paths


def verdict_on(pytest: list[str], root: Path, tests: Iterable[str], within_s: float) -> Verdict:
    """Run test files, or single tests of them, in the copy; return the verdict."""
    paths = [path for test in sorted(tests) for path in found(root, test)]
    options = ("-x", "-q", "-m", "", "-p", "no:cacheprovider", "-p", "pytest_trio.plugin")
    shown = ("-o", f"faulthandler_timeout={SHOWN_AFTER_S}")
    try:
        run = subprocess.run(
            [*pytest, *options, *shown, *paths],
            cwd=root,
            env=os.environ | {"PYTHONPATH": str(root), **QUICKLY},
            capture_output=True,
            text=True,
            check=False,
            timeout=within_s,
        )
    except subprocess.TimeoutExpired as late:
        return Verdict(HANGS, f"It hangs: {late.stdout!r} {late.stderr!r}")
    return Verdict(run.returncode, run.stdout)
