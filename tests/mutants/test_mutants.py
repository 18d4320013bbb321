"""The tests of the kit notice each of these mistakes.

Each mutant is one change of the text of one module, in a copy of package and tests. A mutant
whose copy were not what is imported would survive.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

import attrs
import pytest

ROOT = Path(__file__).parents[2]
TESTS_FAILED = 1
HANGS = -1
QUICKLY = {
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # half of a short run is their start
    "PYTHONDONTWRITEBYTECODE": "1",  # what is compiled of a mistake is nobody else's
}
HANGS_AFTER_S = 60
HANGS_AS_EXPECTED_AFTER_S = 10
ALL_HANG_AFTER_S = 300
TESTS = ("tests/unit/kit", "tests/unit/governor", "tests/unit/pool", "tests/simulation")


@attrs.frozen(kw_only=True)
class Mutant:
    """A mistake, and what must notice it: a file of tests, or one test where many are slow.

    Attributes:
        hangs: whether it is noticed by a test that does not end.
    """

    module: str
    right: str
    wrong: str
    noticed_by: str
    hangs: bool = False

    @contextmanager
    def applied(self, root: Path) -> Generator[None]:
        path = root / "tabwright" / self.module
        text, before = path.read_text(), path.stat()
        assert text.count(self.right) == 1, f"{self.module} has changed: {self.right}"
        path.write_text(text.replace(self.right, self.wrong))
        try:
            yield
        finally:
            path.write_text(text)
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # as it was compiled


MUTANTS = {
    "leaves what is cut off without an end": Mutant(
        module="actors/kit/mailbox.py",
        right="self._cut_off.pop(0).lose(crash)",
        wrong="self._cut_off.pop(0)",
        noticed_by="test_ask.py",
    ),
    "loses what is cut off by a stop": Mutant(
        module="actors/kit/mailbox.py",
        right="except BaseException:\n            self._cut_off",
        wrong="except Exception:\n            self._cut_off",
        noticed_by="test_ask.py",
    ),
    "tells one crash for another": Mutant(
        module="actors/kit/mailbox.py",
        right="if self._outcome is None and not self._is_dead():",
        wrong="if not self._is_dead():",
        noticed_by="test_ask.py",
    ),
    "takes what nobody waits for any more for lost": Mutant(
        module="actors/kit/mailbox.py",
        right="if self._outcome is None and not self._is_dead():",
        wrong="if self._outcome is None:",
        noticed_by="test_trace.py",
    ),
    "does not say which crash has cut a request off": Mutant(
        module="actors/kit/keeping.py",
        right="self._mailbox.lose(crash and sole_error(crash))",
        wrong="self._mailbox.lose(None)",
        noticed_by="test_ask.py",
    ),
    "starts dead requests": Mutant(
        module="actors/kit/mailbox.py",
        right="if not self._is_dead():",
        wrong="if True:",
        noticed_by="test_ask.py",
    ),
    "swallows the crash": Mutant(
        module="actors/kit/mailbox.py",
        right="""
            self._outcome = outcome.Error(self._unanswered(crash))
            raise
""",
        wrong="""
            self._outcome = outcome.Error(self._unanswered(crash))
""",
        noticed_by="test_keep.py",
    ),
    "takes a loss for a crash": Mutant(
        module="actors/kit/mailbox.py",
        right="except (Undelivered, Unanswered) as loss:",
        wrong="except () as loss:",
        noticed_by="test_ask.py",
    ),
    "forgets the cause": Mutant(
        module="actors/kit/mailbox.py",
        right="""
        error.__cause__ = crash
        return error

""",
        wrong="""
        return error

""",
        noticed_by="test_ask.py",
    ),
    "closes without a drain": Mutant(
        module="actors/kit/mailbox.py",
        right="""
            while True:
                self._out.receive_nowait().send_back(crash)
""",
        wrong="""
            self._out.close()
""",
        noticed_by="test_ask.py",
    ),
    "works on more at a time than it may": Mutant(
        module="actors/kit/mailbox.py",
        right="free = trio.Semaphore(at_once)",
        wrong="free = trio.Semaphore(at_once + 1)",
        noticed_by="test_ask.py",
    ),
    "never has a hand free again": Mutant(
        module="actors/kit/mailbox.py",
        right="""
        finally:
            free.release()
""",
        wrong="""
        finally:
            pass
""",
        noticed_by="test_order.py",
    ),
    "does not trace what is taken back": Mutant(
        module="actors/kit/mailbox.py",
        right="""
        except trio.Cancelled:
            envelope.trace(Abandoned)
            raise
""",
        wrong="\n",
        noticed_by="test_trace.py",
    ),
    "lets abandoned work run on": Mutant(
        module="actors/kit/address.py",
        right="envelope.scope.cancel()",
        wrong="pass",
        noticed_by="test_ask.py",
    ),
    "keeps the deadline at home": Mutant(
        module="actors/kit/address.py",
        right="self._envelope(request, trio.current_effective_deadline())",
        wrong="self._envelope(request)",
        noticed_by="test_ask.py",
    ),
    "skips the order check": Mutant(
        module="actors/kit/place.py",
        right="return not self.order or other < self.order",
        wrong="return True",
        noticed_by="test_order.py::test_an_actor_may_not_wait_on_one_that_was_started_later",
    ),
    "checks the own trail only": Mutant(
        module="actors/kit/address.py",
        right="if not here().may_wait_on(self.order):",
        wrong="if self.name in here().trail:",
        noticed_by="test_order.py::test_an_actor_may_not_wait_on_one_that_was_started_later",
    ),
    "does not shield the service": Mutant(
        module="actors/kit/keeping.py",
        right="started = self._life.shield = True",
        wrong="started = True",
        noticed_by="test_keep.py",
    ),
    "shields a start that was cancelled": Mutant(
        module="actors/kit/keeping.py",
        right="await trio.lowlevel.checkpoint_if_cancelled()",
        wrong="pass",
        noticed_by="test_keep.py",
        hangs=True,
    ),
    "ignores the intensity": Mutant(
        module="actors/kit/keeping.py",
        right="if len(self._crashes) > self._care.crashes_max:",
        wrong="if False:",
        noticed_by="test_keep.py",
    ),
    "never forgets a crash": Mutant(
        module="actors/kit/keeping.py",
        right="while self._crashes[0] <= now - self._care.period_s:",
        wrong="while False:",
        noticed_by="test_keep.py",
    ),
    "does not back off": Mutant(
        module="actors/kit/keeping.py",
        right="await trio.sleep(delay_s)",
        wrong="await trio.lowlevel.checkpoint()",
        noticed_by="test_keep.py",
    ),
    "backs off evenly": Mutant(
        module="actors/kit/keeping.py",
        right="care.backoff_s * 2.0 ** (crashes - 1)",
        wrong="care.backoff_s",
        noticed_by="test_keep.py",
    ),
    "forgets the jitter": Mutant(
        module="actors/kit/keeping.py",
        right="return full_s * (1 - care.jitter * self._system.random.random())",
        wrong="return full_s",
        noticed_by="test_keep.py",
    ),
    "gives endless grace": Mutant(
        module="actors/kit/keeping.py",
        right="self._life.deadline = trio.current_time() + self._care.grace_s",
        wrong="pass",
        noticed_by="test_keep.py",
    ),
    "gives grace to the service": Mutant(
        module="actors/kit/keeping.py",
        right="""
        self._interruptible.cancel()
""",
        wrong="\n",
        noticed_by="test_keep.py",
    ),
    "restarts what is to stop": Mutant(
        module="actors/kit/keeping.py",
        right="if crash and not self._stopping:",
        wrong="if crash:",
        noticed_by="test_keep.py",
    ),
    "swallows what is no crash": Mutant(
        module="actors/kit/keeping.py",
        right="if leaving := rest or (None if started else crash):",
        wrong="if leaving := None if started else rest or crash:",
        noticed_by="test_keep.py",
    ),
    "misses a crash beside a cancellation": Mutant(
        module="actors/kit/error_groups.py",
        right="return error.split(Exception)",
        wrong="return (error, None) if isinstance(error, Exception) else (None, error)",
        noticed_by="test_keep.py",
    ),
    "ends a grant only after a good end": Mutant(
        module="actors/kit/grant.py",
        right="""
    try:
        yield await giver.ask(request(over))
    finally:
        over.set()
""",
        wrong="""
    yield await giver.ask(request(over))
    over.set()
""",
        noticed_by="test_grant.py",
    ),
    "loses a grant whose answer travels": Mutant(
        module="actors/kit/grant.py",
        right="""
    try:
        yield await giver.ask(request(over))
    finally:
""",
        wrong="""
    grant = await giver.ask(request(over))
    try:
        yield grant
    finally:
""",
        noticed_by="test_grant.py",
    ),
    "calls the busy idle": Mutant(
        module="actors/browsers/idleness.py",
        right="return idle_s if self._busy else self._since_s",
        wrong="return self._since_s",
        noticed_by="test_idleness.py",
    ),
    "lets those behind go first": Mutant(
        module="actors/governing/gate.py",
        right=" or place != self._line[0]",
        wrong="",
        noticed_by="test_governor.py",
    ),
    "lets somebody in before the last one has begun": Mutant(
        module="actors/governing/gate.py",
        right="is_full or self._is_starting or",
        wrong="is_full or",
        noticed_by="test_governor.py",
    ),
    "leaves the cancelled in the line": Mutant(
        module="actors/governing/gate.py",
        right="""
        try:
            yield place
        finally:
            self._line.remove(place)
            self._wake()
""",
        wrong="""
        yield place
        self._line.remove(place)
        self._wake()
""",
        noticed_by="test_cancelled_waiters.py::test_who_is_cancelled_before_it_began_leaves_no_trace",
    ),
    "lets the cancelled in": Mutant(
        module="actors/governing/gate.py",
        right="        await trio.lowlevel.checkpoint_if_cancelled()\n",
        wrong="",
        noticed_by="test_cancelled_waiters.py::test_who_is_cancelled_before_it_began_leaves_no_trace",
    ),
    "makes one site wait for another": Mutant(
        module="actors/governing/governor.py",
        right="CARE = Care(mailbox_max=256, at_once=256)",
        wrong="CARE = Care(at_once=1)",
        noticed_by="test_governor.py",
    ),
    "counts a turn that was never taken": Mutant(
        module="actors/governing/gate.py",
        right="if begun is None or begun.is_set():",
        wrong="if True:",
        noticed_by="test_governor.py",
    ),
    "lets two processes take the same turn": Mutant(
        module="actors/governing/gate.py",
        right="return account.holder == self._holder and account.reserved_until_s > now_s",
        wrong="return True",
        noticed_by="test_ledger.py::test_who_was_slower_than_another_process_waits_for_it",
    ),
    "lets one more in than may be": Mutant(
        module="actors/supervision/pool.py",
        right="self._others(wish, worker) < limit]",
        wrong="self._others(wish, worker) <= limit]",
        noticed_by="pool/test_limits.py",
    ),
    "lets the last who asked in first": Mutant(
        module="actors/supervision/pool.py",
        right="for wish in self._line if self._free_workers(wish)",
        wrong="for wish in reversed(self._line) if self._free_workers(wish)",
        noticed_by="test_uses.py",
    ),
    "keeps the old place while it waits for another": Mutant(
        module="actors/supervision/pool.py",
        right="if request.use is not TabUse.HELD:  #",
        wrong="if False:  #",
        noticed_by="test_uses.py",
    ),
    "gives the old place up before it is refused another": Mutant(
        module="actors/supervision/pool.py",
        right="if request.use is not TabUse.HELD:  #",
        wrong="if True:  #",
        noticed_by="pool/test_limits.py",
    ),
    "lets the limit fall to nothing": Mutant(
        module="actors/supervision/search_limit.py",
        right="max(1, self.now - self.settings.decrease_step)",
        wrong="self.now - self.settings.decrease_step",
        noticed_by="pool/test_limits.py",
    ),
    "lifts the limit and tells nobody": Mutant(
        module="actors/supervision/pool.py",
        right="""
        self._search_limit.reset()
        self._grant()
""",
        wrong="""
        self._search_limit.reset()
""",
        noticed_by="pool/test_limits.py",
    ),
    "grants a place to who was cancelled": Mutant(
        module="actors/supervision/pool.py",
        right="""
        if wish in self._line:
            self._leave_line(wish)
        else:
""",
        wrong="""
        if wish not in self._line:
""",
        noticed_by="test_cancellation.py",
    ),
    "leaves a place to who was cancelled as it came free": Mutant(
        module="actors/supervision/pool.py",
        right="""
        else:
            self._rest(wish.place)
""",
        wrong="",
        noticed_by="test_cancellation.py",
    ),
    "takes the time of the caller to its end": Mutant(
        module="actors/supervision/pool.py",
        right="trio.current_effective_deadline() - RESERVE_S",
        wrong="trio.current_effective_deadline()",
        noticed_by="pool/test_limits.py",
    ),
    "has a lease that is over wait on": Mutant(
        module="actors/supervision/pool.py",
        right="[wish for wish in self._line if wish.place is place]",
        wrong="[]",
        noticed_by="test_uses.py",
    ),
    "counts the held of each worker for itself": Mutant(
        module="actors/supervision/pool.py",
        right="if use is TabUse.HELD or tab.worker in workers",
        wrong="if tab.worker in workers",
        noticed_by="pool/test_limits.py",
    ),
    "counts the tabs of all workers together": Mutant(
        module="actors/supervision/pool.py",
        right="if use is TabUse.HELD or tab.worker in workers",
        wrong="if True",
        noticed_by="test_uses.py",
    ),
    "gives all work to the first worker": Mutant(
        module="actors/supervision/pool.py",
        right="min(self._free_workers(wish), key=partial(self._load, wish.use))",
        wrong="self._free_workers(wish)[0]",
        noticed_by="test_uses.py",
    ),
    "calls a tab that is kept work": Mutant(
        module="actors/supervision/pool.py",
        right=" and self.tab.use is not TabUse.KEPT:",
        wrong=":",
        noticed_by="test_uses.py",
    ),
    "rests between one work and the next": Mutant(
        module="actors/supervision/pool.py",
        right="        before, self._at_work = self._at_work, ExitStack()\n",
        wrong="        self._at_work.close()\n        before = ExitStack()\n",
        noticed_by="test_uses.py",
    ),
    "keeps a lease that its asker has ended": Mutant(
        module="actors/supervision/supervisor.py",
        right="await request.over.wait()",
        wrong="await trio.sleep_forever()",
        noticed_by="test_pool.py::test_a_lease_ends_with_an_error_of_its_asker",
    ),
    "keeps an idle lease": Mutant(
        module="actors/supervision/supervisor.py",
        right="            either.start_soon(idle)\n",
        wrong="",
        noticed_by="test_pool.py::test_an_idle_one_ends",
    ),
    "gives up with the first browser": Mutant(
        module="actors/supervision/supervisor.py",
        right="OPEN_TRIES_MAX = 4",
        wrong="OPEN_TRIES_MAX = 1",
        noticed_by="test_pool.py::test_a_browser_that_dies_while_a_tab_is_opened_is_replaced",
    ),
    "takes no refusal for one": Mutant(
        module="actors/supervision/supervisor.py",
        right="        self._pool.back_off()\n",
        wrong="",
        noticed_by="test_pool.py::test_fewer_search_at_a_time_once_a_site_has_refused_us",
    ),
    "has everybody wait behind a lease": Mutant(
        module="actors/supervision/supervisor.py",
        right="at_once=256",
        wrong="at_once=1",
        noticed_by="test_pool.py::test_no_time_and_no_answer_lifts_it_again_but_a_reset_does",
    ),
    "looks too seldom": Mutant(
        module="actors/people/hold.py",
        right="LOOK_EVERY_S = 10.0",
        wrong="LOOK_EVERY_S = 20.0",
        noticed_by="test_interventions.py::test_it_is_looked_at_every_ten_seconds",
    ),
    "does not look at a new document": Mutant(
        module="actors/people/hold.py",
        right="await tab.ask(AwaitDocument())",
        wrong="await trio.sleep_forever()",
        noticed_by="test_interventions.py::test_a_new_document_is_looked_at_at_once",
    ),
    "misses what is said during a look": Mutant(
        module="actors/people/hold.py",
        right="await self._next_sign(tab, news)",
        wrong="await self._next_sign(tab, self._news)",
        noticed_by="test_interventions.py::test_the_person_may_say_that_it_is_solved",
    ),
    "takes a page on its way for a closed window": Mutant(
        module="actors/people/hold.py",
        right="with suppress(Refusal):  #",
        wrong="with suppress():  #",
        noticed_by="test_interventions.py::test_a_page_that_cannot_be_looked_at_is_looked_at_again",
    ),
    "takes a closed window for a crash": Mutant(
        module="actors/people/hold.py",
        right="async with open_background() as watching:",
        wrong="async with trio.open_nursery() as watching:",
        noticed_by="test_interventions.py::test_a_window_that_closes_at_whatever_step_skips_it",
    ),
    "keeps the pause of a site that is open again": Mutant(
        module="actors/people/hold.py",
        right="if ending is InterventionState.SOLVED:",
        wrong="if False:",
        noticed_by="test_interventions.py::test_the_pause_of_the_site_ends_when_it_is_solved",
    ),
    "gives the tab to all who waited": Mutant(
        module="actors/people/hold.py",
        right="is_own and self._tab:",
        wrong="self._tab:",
        noticed_by="test_interventions.py::test_of_those_who_wait_the_one_that_called_gets_the_tab",
    ),
    "never expires": Mutant(
        module="actors/people/hold.py",
        right="trio.move_on_after(self._expiry_s)",
        wrong="trio.move_on_after(2 * self._expiry_s)",
        noticed_by="test_interventions.py::test_it_expires_and_its_tab_is_closed",
    ),
    "keeps the tab of what has ended": Mutant(
        module="actors/people/hold.py",
        right="""
                self._come_to(InterventionState.CANCELLED)
            self._give_back()
""",
        wrong="""
                self._come_to(InterventionState.CANCELLED)
""",
        noticed_by="test_interventions.py::test_it_expires_and_its_tab_is_closed",
    ),
    "keeps the tab of a page that did not come": Mutant(
        module="actors/people/hold.py",
        right="""
            over.set()
            self._refuse(refusal)
""",
        wrong="""
            self._refuse(refusal)
""",
        noticed_by="test_interventions.py::"
        "test_a_page_that_does_not_come_is_told_and_its_tab_closed",
    ),
    "ends it for all when one gives up": Mutant(
        module="actors/people/hold.py",
        right="if is_own and self._waiting == 1 and self.state",
        wrong="if is_own and self.state",
        noticed_by="test_interventions.py::test_as_long_as_somebody_waits_it_is_not_cancelled",
    ),
    "opens a window for who has given up": Mutant(
        module="actors/people/hold.py",
        right="                self._end(InterventionState.CANCELLED)\n",
        wrong="                pass\n",
        noticed_by="test_interventions.py::test_who_gives_up_before_it_is_shown_leaves_no_window",
    ),
}


@attrs.frozen
class Verdict:
    """How a run of tests ended."""

    exit_code: int
    output: str


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Package and tests, in a directory of their own; what is compiled of them goes along."""
    root = tmp_path_factory.mktemp("copy")
    for directory in ("tabwright", *TESTS):
        ignored = shutil.ignore_patterns("*.pyc.*")  # those that are just being written
        shutil.copytree(ROOT / directory, root / directory, ignore=ignored)
    for file in ("pyproject.toml", "tests/conftest.py"):
        shutil.copy(ROOT / file, root / file)
    return root


@pytest.mark.parametrize("mistake", MUTANTS)
def test_the_mistake_is_noticed(mistake: str, copy: Path) -> None:
    mutant = MUTANTS[mistake]
    with mutant.applied(copy):
        within_s = HANGS_AS_EXPECTED_AFTER_S if mutant.hangs else HANGS_AFTER_S
        verdict = verdict_on(copy, [mutant.noticed_by], within_s)

    assert verdict.exit_code == (HANGS if mutant.hangs else TESTS_FAILED), verdict.output


def test_without_a_mistake_the_copy_passes(copy: Path) -> None:
    verdict = verdict_on(copy, {mutant.noticed_by for mutant in MUTANTS.values()}, ALL_HANG_AFTER_S)

    assert verdict.exit_code == 0, verdict.output


def found(root: Path, test: str) -> list[str]:
    """Where a file of tests is, or a test of it."""
    file, *name = test.split("::")
    paths = ["::".join([str(path), *name]) for path in (root / "tests").rglob(file)]
    assert paths, f"There is no {test}."
    return paths


def verdict_on(root: Path, tests: Iterable[str], within_s: float) -> Verdict:
    """Runs files of tests in the copy, or single tests of them."""
    paths = [path for test in sorted(tests) for path in found(root, test)]
    options = ("-x", "-q", "-p", "no:cacheprovider", "-p", "pytest_trio.plugin")
    try:
        run = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *paths],
            cwd=root,
            env=os.environ | {"PYTHONPATH": str(root), **QUICKLY},
            capture_output=True,
            text=True,
            check=False,
            timeout=within_s,
        )
    except subprocess.TimeoutExpired:
        return Verdict(HANGS, "It hangs.")
    return Verdict(run.returncode, run.stdout)
