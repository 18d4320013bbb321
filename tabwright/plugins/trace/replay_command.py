"""``tabwright trace replay``: repeats the actions of a trace."""

import getpass
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import attrs

from tabwright.app import open_tabwright
from tabwright.cli.exit_codes import ExitCode
from tabwright.cli.output import StepLines, json_text
from tabwright.config.secrets import load_secrets, mark
from tabwright.config.settings import Settings
from tabwright.environment import Environment
from tabwright.plugins.trace.records import ReplayReport
from tabwright.plugins.trace.replay import replay as repeat_trace
from tabwright.plugins.trace.steps import needed_secrets, steps_of
from tabwright.plugins.trace.trace_file import read_trace
from tabwright.protocol.errors import BadInput, SettingsError, TabwrightError
from tabwright.text.lines import one_line, shortened


@attrs.frozen(kw_only=True)
class ReplayOptions:
    """The options of the command.

    Attributes:
        path: the trace file.
        url: replaces the URL of the first page; empty for the recorded one.
        session: the name of the session.
        secrets: names of secrets of ``acting.secrets``, or ``NAME=value``.
        as_json: whether to print the report as JSON.
    """

    path: Path
    url: str = ""
    session: str = "replay"
    secrets: tuple[str, ...] = ()
    as_json: bool = False


async def replay(settings: Settings, environment: Environment, options: ReplayOptions) -> int:
    """Repeat a trace and print the report; return the exit code: 1 if a step failed."""
    try:
        values = secret_values(options, settings)
        async with open_tabwright(settings, environment) as tabwright:
            report = await repeat_trace(
                tabwright,
                options.path,
                session=options.session,
                url=options.url,
                secrets=values,
                progress=StepLines(),
            )
    except (BadInput, SettingsError) as error:
        sys.stderr.write(f"{error}\n")
        return ExitCode.WRONG_USE
    except TabwrightError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    text = json_text(attrs.asdict(report)) if options.as_json else report_text(report)
    sys.stdout.write(f"{text}\n")
    return 1 if report.failure else 0


def secret_values(options: ReplayOptions, settings: Settings) -> Mapping[str, str]:
    """Return the values of the secrets that the trace names; a person is asked for missing ones.

    A secret of the settings is used only if the command names it: the trace may be of someone else.
    The page that gets it looks up its value, and only if the secret belongs to its site.

    Raises:
        BadInput: the file is not a trace, or the settings have no such secret.
    """
    known = dict(load_secrets(settings.acting.secrets).items()).keys()
    values = dict[str, str]()
    for given in options.secrets:
        name, is_value, value = given.partition("=")
        if not is_value and name not in known:
            raise BadInput(
                f"acting.secrets has no secret {name}.", advice=f"Use --secret {name}=VALUE."
            )
        values[name] = value if is_value else mark(name)
    for name in needed_secrets(steps_of(read_trace(options.path))):
        if name not in values and sys.stdin.isatty():
            values[name] = getpass.getpass(f"{name}: ")
    return values


def report_text(report: ReplayReport) -> str:
    """Return the report of a replay as text."""
    return "\n".join(map(one_line, _lines(report)))


def _lines(report: ReplayReport) -> Iterator[str]:
    yield from (f"done: {text}" for text in report.done)
    failure = report.failure
    if failure is None:
        count = len(report.done)
        yield "The step was done." if count == 1 else f"All {count} steps were done."
        return
    yield f"FAILED at step {failure.step}: {failure.text}"
    yield failure.message
    for one in failure.candidates:
        around = f", in: {shortened(one.around, 80)}" if one.around else ""
        why = one.reason or "possible"
        yield f'- [{one.ref}] {one.role} "{one.name}" (score {one.score:g}, {why}{around})'
