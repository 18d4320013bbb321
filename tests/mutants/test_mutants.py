"""The tests of the kit notice each of these mistakes.

Each mutant is one change of the text of one module, in a copy of package and tests. A mutant
whose copy were not what is imported would survive.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import attrs
import pytest

ROOT = Path(__file__).parents[2]
TESTS_FAILED = 1
HANGS_AFTER_S = 30
AT_ONCE = 2


@attrs.frozen(kw_only=True)
class Mutant:
    """A mistake, and the file of tests that must notice it."""

    module: str
    right: str
    wrong: str
    noticed_by: str

    def apply(self, root: Path) -> None:
        path = root / "tabwright" / self.module
        text = path.read_text()
        assert text.count(self.right) == 1, f"{self.module} has changed: {self.right}"
        path.write_text(text.replace(self.right, self.wrong))


MUTANTS = {
    "settles only what ends well": Mutant(
        module="actors/mailbox.py",
        right="""
        try:
            if not self._is_dead():
                await self._work(actor)
        finally:
            self._settle()
""",
        wrong="""
        if not self._is_dead():
            await self._work(actor)
        self._settle()
""",
        noticed_by="test_ask.py",
    ),
    "starts dead requests": Mutant(
        module="actors/mailbox.py",
        right="if not self._is_dead():",
        wrong="if True:",
        noticed_by="test_ask.py",
    ),
    "swallows the crash": Mutant(
        module="actors/mailbox.py",
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
        module="actors/mailbox.py",
        right="except (Undelivered, Unanswered) as loss:",
        wrong="except () as loss:",
        noticed_by="test_ask.py",
    ),
    "forgets the cause": Mutant(
        module="actors/mailbox.py",
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
        module="actors/mailbox.py",
        right="""
            while True:
                self._out.receive_nowait().send_back(crash)
""",
        wrong="""
            self._out.close()
""",
        noticed_by="test_ask.py",
    ),
    "does not trace what is taken back": Mutant(
        module="actors/mailbox.py",
        right="""
        except trio.Cancelled:
            envelope.trace(Abandoned)
            raise
""",
        wrong="\n",
        noticed_by="test_trace.py",
    ),
    "lets abandoned work run on": Mutant(
        module="actors/address.py",
        right="envelope.scope.cancel()",
        wrong="pass",
        noticed_by="test_ask.py",
    ),
    "keeps the deadline at home": Mutant(
        module="actors/address.py",
        right="self._envelope(request, trio.current_effective_deadline())",
        wrong="self._envelope(request)",
        noticed_by="test_ask.py",
    ),
    "skips the order check": Mutant(
        module="actors/place.py",
        right="return not self.order or other < self.order",
        wrong="return True",
        noticed_by="test_order.py",
    ),
    "checks the own trail only": Mutant(
        module="actors/address.py",
        right="if not here().may_wait_on(self.order):",
        wrong="if self.name in here().trail:",
        noticed_by="test_order.py",
    ),
    "does not shield the service": Mutant(
        module="actors/keeping.py",
        right="started = self._life.shield = True",
        wrong="started = True",
        noticed_by="test_keep.py",
    ),
    "shields a start that was cancelled": Mutant(
        module="actors/keeping.py",
        right="await trio.lowlevel.checkpoint_if_cancelled()",
        wrong="pass",
        noticed_by="test_keep.py",
    ),
    "ignores the intensity": Mutant(
        module="actors/keeping.py",
        right="if len(self._crashes) > self._care.crashes_max:",
        wrong="if False:",
        noticed_by="test_keep.py",
    ),
    "never forgets a crash": Mutant(
        module="actors/keeping.py",
        right="while self._crashes[0] <= now - self._care.period_s:",
        wrong="while False:",
        noticed_by="test_keep.py",
    ),
    "does not back off": Mutant(
        module="actors/keeping.py",
        right="await trio.sleep(delay_s)",
        wrong="await trio.lowlevel.checkpoint()",
        noticed_by="test_keep.py",
    ),
    "backs off evenly": Mutant(
        module="actors/keeping.py",
        right="care.backoff_s * 2.0 ** (crashes - 1)",
        wrong="care.backoff_s",
        noticed_by="test_keep.py",
    ),
    "forgets the jitter": Mutant(
        module="actors/keeping.py",
        right="return full_s * (1 - care.jitter * self._system.random.random())",
        wrong="return full_s",
        noticed_by="test_keep.py",
    ),
    "gives endless grace": Mutant(
        module="actors/keeping.py",
        right="self._life.deadline = trio.current_time() + self._care.grace_s",
        wrong="pass",
        noticed_by="test_keep.py",
    ),
    "gives grace to the service": Mutant(
        module="actors/keeping.py",
        right="""
        self._interruptible.cancel()
""",
        wrong="\n",
        noticed_by="test_keep.py",
    ),
    "restarts what is to stop": Mutant(
        module="actors/keeping.py",
        right="if crash and not self._stopping:",
        wrong="if crash:",
        noticed_by="test_keep.py",
    ),
    "swallows what is no crash": Mutant(
        module="actors/keeping.py",
        right="""
        if rest is not None:
            raise (sole := sole_error(rest)) from sole.__cause__
""",
        wrong="\n",
        noticed_by="test_keep.py",
    ),
    "misses a crash beside a cancellation": Mutant(
        module="actors/error_groups.py",
        right="return error.split(Exception)",
        wrong="return (error, None) if isinstance(error, Exception) else (None, error)",
        noticed_by="test_keep.py",
    ),
    "ends a grant only after a good end": Mutant(
        module="actors/grant.py",
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
        module="actors/grant.py",
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
        module="actors/idleness.py",
        right="return idle_s if self._busy else self._since_s",
        wrong="return self._since_s",
        noticed_by="test_idleness.py",
    ),
    "lets two take the same turn": Mutant(
        module="actors/governor.py",
        right="async with self.turn:  #",
        wrong="if True:  #",
        noticed_by="test_governor.py",
    ),
    "makes one site wait for another": Mutant(
        module="actors/governor.py",
        right="CARE = Care(mailbox_max=256, at_once=256)",
        wrong="CARE = Care(at_once=1)",
        noticed_by="test_governor.py",
    ),
    "counts a turn that was never taken": Mutant(
        module="actors/governor.py",
        right="""
                await trio.sleep_until(self.next_start_s)
                self.next_start_s = trio.current_time() + self.pace.min_interval_s
""",
        wrong="""
                start_s = max(trio.current_time(), self.next_start_s)
                self.next_start_s = start_s + self.pace.min_interval_s
                await trio.sleep_until(start_s)
""",
        noticed_by="test_governor.py",
    ),
}


@attrs.frozen
class Verdict:
    """How a run of tests ended; one that hangs has failed."""

    exit_code: int
    output: str


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Future[Verdict]]:
    """What the tests say of each mutant."""

    def judge(mutant: Mutant, root: Path) -> Verdict:
        mutant.apply(copied(root))
        return verdict_on(root, mutant.noticed_by)

    roots = {mistake: tmp_path_factory.mktemp("mutant") for mistake in MUTANTS}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return {
            mistake: pool.submit(judge, mutant, roots[mistake])
            for mistake, mutant in MUTANTS.items()
        }


@pytest.mark.parametrize("mistake", MUTANTS)
def test_the_mistake_is_noticed(mistake: str, verdicts: Mapping[str, Future[Verdict]]) -> None:
    verdict = verdicts[mistake].result()

    assert verdict.exit_code == TESTS_FAILED, verdict.output


def test_without_a_mistake_the_copy_passes(tmp_path: Path) -> None:
    verdict = verdict_on(copied(tmp_path), *{mutant.noticed_by for mutant in MUTANTS.values()})

    assert verdict.exit_code == 0, verdict.output


def copied(root: Path) -> Path:
    """Package and tests of the kit, in a directory of their own."""
    for directory in ("tabwright", "tests/unit/kit"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / directory, root / directory, ignore=ignored)
    for file in ("pyproject.toml", "tests/conftest.py"):
        shutil.copy(ROOT / file, root / file)
    return root


def verdict_on(root: Path, *files: str) -> Verdict:
    """Runs some of the tests in the copy."""
    try:
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *files],
            cwd=root / "tests/unit/kit",
            env=os.environ | {"PYTHONPATH": str(root)},
            capture_output=True,
            text=True,
            check=False,
            timeout=HANGS_AFTER_S,
        )
    except subprocess.TimeoutExpired:
        return Verdict(TESTS_FAILED, "It hangs.")
    return Verdict(run.returncode, run.stdout)
