"""What processes on several machines share through Redis: jobs, the rates of sites, sessions."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from tabwright.plugin import Plugin

if TYPE_CHECKING:
    from tabwright.config.settings import Settings
    from tabwright.environment import Environment

WAITING_MAX = 64
"""How many pages wait for workers at the same time, unless an option says otherwise."""


def _commands() -> tuple[object, ...]:
    from tabwright.plugins.fleet.commands import COMMANDS

    return COMMANDS


def _options() -> tuple[object, ...]:
    from tabwright.plugins.fleet.options import OPTIONS

    return OPTIONS


def _settings() -> Iterator[object]:
    from tabwright.plugins.fleet.settings import FLEET_SETTINGS

    yield FLEET_SETTINGS


def _checks() -> Iterator[object]:
    from tabwright.cli.doctor import PluginCheck
    from tabwright.plugins.fleet.redis_info import check

    yield PluginCheck(check)


def _environment() -> Iterator[object]:
    from tabwright.environment import EnvironmentChange

    yield EnvironmentChange(_in_fleet)


def _in_fleet(environment: "Environment", settings: "Settings") -> "Environment":
    """Return an environment whose process is in the fleet of the settings, if they name one."""
    import attrs

    from tabwright.plugins.fleet.settings import FLEET_SETTINGS

    own, chance = FLEET_SETTINGS.of(settings), environment.system.random
    if own.redis is None:
        return environment
    from tabwright.plugins.fleet.shared import open_fleet

    joined = attrs.evolve(environment, open_fleet=partial(open_fleet, own, chance))
    if not own.reads_pages:
        return joined
    from tabwright.plugins.fleet.page_jobs import open_pages
    from tabwright.reader.pages import PageWorkers

    workers = PageWorkers(WAITING_MAX, partial(open_pages, own, chance))
    return attrs.evolve(joined, page_workers=workers)


PLUGIN = Plugin(
    name="fleet",
    summary="Share pages to read, the rates of sites and sessions with other machines.",
    packages=("coredis",),
    commands=_commands,
    options=_options,
    settings=_settings,
    checks=_checks,
    environment=_environment,
)
