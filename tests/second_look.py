"""The second look: tests that fail run again, alone, when all others have ended.

A run is green if they all pass then. Its last lines name them *unsteady*, each with the message of
its first failure; the whole report of that failure is above. An unsteady test is a fault to find:
the id of a simulated world has its seed, and everything else that a test draws is the same in each
run.
"""

import subprocess
import sys
from collections.abc import Generator
from typing import Final

import attrs
import pytest

FIRST: Final = "--second-look"
SECOND: Final = ("-n0", "-x", "-q", "--no-header", "-p", "no:cacheprovider")
"""Options of the second run: one test at a time, up to the first that fails again."""

KEPT: Final = ("--hypothesis-profile=", "--whole-browser")
"""Options that the second run has in common with the first."""

MESSAGE_LETTERS: Final = 300


@attrs.frozen(eq=False)
class SecondLook:
    """The plugin of the process that hands out the tests.

    Attributes:
        failures: the message of the first failure of each test, by its id.
    """

    failures: dict[str, str] = attrs.field(factory=dict[str, str])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            message = report.longreprtext if crash is None else crash.message
            self.failures.setdefault(report.nodeid, " ".join(message.split())[:MESSAGE_LETTERS])

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None]:
        """Run the failed tests again after the summary; the result is that of the second run."""
        yield
        if session.exitstatus != pytest.ExitCode.TESTS_FAILED or not self.failures:
            return
        terminal = session.config.pluginmanager.getplugin("terminalreporter")
        assert isinstance(terminal, pytest.TerminalReporter)
        terminal.section("second look")
        given = session.config.invocation_params.args
        same = [option for option in given if str(option).startswith(KEPT)]
        marks = ("-m", session.config.option.markexpr)
        command = (sys.executable, "-m", "pytest", *SECOND, *same, *marks, *self.failures)
        if subprocess.run(command, cwd=session.config.rootpath, check=False).returncode:
            return
        session.exitstatus = pytest.ExitCode.OK
        terminal.section("unsteady tests", yellow=True)
        for test, message in self.failures.items():
            terminal.line(f"UNSTEADY {test}")
            terminal.line(f"    {message}")
