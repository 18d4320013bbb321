"""Traces of sessions: recorded, shown, repeated, and exported as programs, HAR files and videos."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tabwright.plugin import Plugin

if TYPE_CHECKING:
    from tabwright.config.secrets import Secrets
    from tabwright.config.settings import Settings
    from tabwright.sessions.recorder import SessionRecorder


def _tools() -> tuple[object, ...]:
    from tabwright.plugins.trace.tools import TOOLS

    return TOOLS


def _commands() -> tuple[object, ...]:
    from tabwright.plugins.trace.commands import COMMANDS

    return COMMANDS


def _settings() -> Iterator[object]:
    from tabwright.plugins.trace.settings import TRACE_SETTINGS

    yield TRACE_SETTINGS


def _environment() -> Iterator[object]:
    import attrs

    from tabwright.environment import EnvironmentChange

    yield EnvironmentChange(
        lambda environment, _settings: attrs.evolve(environment, recorder_of=recorder_of)
    )


def recorder_of(
    settings: "Settings", secrets: "Secrets", now: Callable[[], float]
) -> "SessionRecorder":
    """Return the recorder of sessions; see `tabwright.sessions.recorder.RecorderOf`."""
    from tabwright.plugins.trace.recorder import TraceRecorder
    from tabwright.plugins.trace.settings import TRACE_SETTINGS
    from tabwright.plugins.trace.trace_file import traces_folder

    own = TRACE_SETTINGS.of(settings)
    return TraceRecorder(own, traces_folder(own.dir), secrets, now)


PLUGIN = Plugin(
    name="trace",
    summary="Record what sessions do, show it, repeat it, and export it as programs or videos.",
    groups=("trace",),
    tools=_tools,
    commands=_commands,
    settings=_settings,
    environment=_environment,
)
