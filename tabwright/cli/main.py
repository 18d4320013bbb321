"""Running a command: converts arguments to settings, runs it, and returns its exit code.

The only module that sets up signals and logging. Heavy modules are imported by the command that
needs them: ``serve`` answers its client first.
"""

import argparse
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import trio

from tabwright.cli.command_line import parse
from tabwright.cli.commands.command import AddedOptions, BeforeSettings, CLICommand, OwnLoop
from tabwright.cli.exit_codes import SIGNALLED, ExitCode
from tabwright.cli.layers import changing_flags, layers
from tabwright.cli.log_file import DailyFile, JSONFormatter, Masked, ShortFormatter, log_folder
from tabwright.cli.user_client import query_in_user_process, start_for_query
from tabwright.concurrency.nursery import one_of_a_kind
from tabwright.config.loader import AUTO, Layer, settings_from
from tabwright.config.settings import LogSettings, Settings
from tabwright.protocol.errors import BadInput, SettingsError
from tabwright.text.file_errors import file_problem

if TYPE_CHECKING:
    from tabwright.cli.first_answers import FirstAnswers

HANGUP = [signal.SIGHUP] if sys.platform != "win32" else []
SIGNALS = [signal.SIGINT, signal.SIGTERM, *HANGUP]

CHATTY = ("httpx2", "httpcore2", "h2", "hpack", "mcp")
"""Below WARNING these loggers log requests and responses, including queries."""


def main(first: "FirstAnswers | None" = None) -> int:
    """Run the command line and return the exit code.

    Args:
        first: the answers that `serve` gives meanwhile; None for none.
    """
    try:
        options = parse()
        options.first_answers = first
        code = _run(options)
        sys.stdout.flush()
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        code = ExitCode.WRONG_USE
    except BrokenPipeError:
        code = _pipe_closed()
    return code


def _run(options: argparse.Namespace) -> int:
    command: CLICommand = options.command
    if isinstance(command.work, BeforeSettings):
        return command.work.run(options)
    given = layers(options)
    settings = settings_from(*given)
    masked = _masking(settings.acting.secrets)
    _set_up_logging(settings.log, masked, to_terminal=not command.fills_screen)
    if settings.log.traces:
        _set_up_tracing()
    if settings.daemon.autostart and _suits_user_process(settings, given, options):
        code = query_in_user_process(sys.argv[1:], start_for_query)
        if code is not None:
            return code
    added: Sequence[AddedOptions] = options.added
    instead = (work for one in added if (work := one.work(settings)))
    match next(instead, command.work):
        case OwnLoop(run=run):
            return run(settings, options)
        case work:
            code = ExitCode.WRONG_USE
            try:
                code = trio.run(_until_signal, partial(work, settings, options))
            except* BrokenPipeError:
                code = _pipe_closed()
            except* SettingsError as wrong:  # a file that they name cannot be used
                sys.stderr.write(f"{one_of_a_kind(wrong, SettingsError)}\n")
                code = ExitCode.WRONG_USE
            except* BadInput as wrong:  # an option has a value that cannot be used
                code = _bad_option(one_of_a_kind(wrong, BadInput), options)
            return code


def _suits_user_process(
    settings: Settings, given: Sequence[Layer], options: argparse.Namespace
) -> bool:
    """Return whether a command is a query for which a new user process has the same settings."""
    command: CLICommand = options.command
    if command.query is None or options.config is not None or changing_flags(given):
        return False
    try:
        return command.query(settings, options) is not None
    except BadInput:
        return False  # the command reports it


def _bad_option(error: BaseException, options: argparse.Namespace) -> int:
    """Report an option's value that cannot be used, and return the exit code."""
    from tabwright.cli.output import failure, print_output

    if not isinstance(error, BadInput):
        raise error
    return print_output(failure(error, as_json=getattr(options, "json", False)))


def _pipe_closed() -> int:
    """Discard the remaining output, because its reader has closed; return the exit code."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return SIGNALLED + signal.SIGPIPE if sys.platform != "win32" else ExitCode.WRONG_USE


async def _until_signal(work: Callable[[], Awaitable[int]]) -> int:
    """Run `work`; the first signal stops it cleanly, the second at once."""
    code = signalled = 0
    with trio.open_signal_receiver(*SIGNALS) as signals:
        async with trio.open_nursery() as nursery:
            working = trio.CancelScope()

            async def obey() -> None:
                nonlocal signalled
                async for number in signals:
                    if signalled:
                        os._exit(SIGNALLED + number)  # the browser's guardian clears up after us
                    signalled = number
                    working.cancel()

            nursery.start_soon(obey)
            with working:
                code = await work()
            nursery.cancel_scope.cancel()
    return SIGNALLED + signalled if signalled else code


def _masking(secrets: str | None) -> Callable[[str], str]:
    """Return a function that masks secrets in a log; their file is read once more for it.

    Raises:
        SettingsError: it cannot be read.
    """
    if secrets is None:
        return str
    from tabwright.config.secrets import load_secrets

    return load_secrets(secrets).masked


def _set_up_tracing() -> None:
    """Send spans of OpenTelemetry to the collector that the environment names (OTLP over HTTP).

    Raises:
        SettingsError: its packages are not installed.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import SERVICE_NAME, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.trace import set_tracer_provider
    except ImportError as error:
        raise SettingsError('log.traces: install "tabwright[otel]" first.') from error
    provider = TracerProvider(resource=Resource.create({SERVICE_NAME: "tabwright"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    set_tracer_provider(provider)


def _set_up_logging(
    settings: LogSettings, masked: Callable[[str], str] = str, *, to_terminal: bool = True
) -> None:
    terminal = logging.StreamHandler(sys.stderr) if to_terminal else logging.NullHandler()
    as_json = settings.format == "json"
    terminal.setFormatter(Masked(JSONFormatter(None) if as_json else ShortFormatter(), masked))
    level = "debug" if settings.level == "wire" else settings.level
    logging.basicConfig(level=level.upper(), handlers=[terminal])
    for name in CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
    # Our errors say what happened to a connection; coredis logs where in its code it noticed.
    logging.getLogger("coredis").setLevel(logging.CRITICAL)
    if settings.dir is None:
        return
    folder = log_folder(settings.dir)
    try:
        logging.getLogger().addHandler(
            DailyFile(folder, private=settings.queries, as_json=as_json, masked=masked)
        )
    except OSError as error:
        problem = f"log.dir: no log is written. {file_problem(error, folder, writing=True)}"
        if settings.dir != AUTO:
            raise SettingsError(problem) from error
        logging.getLogger("tabwright").warning("%s", problem)
