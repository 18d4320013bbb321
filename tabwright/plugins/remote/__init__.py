"""Browsers that run elsewhere: on a Selenium Grid, browserless, Steel, or at CDP endpoints."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from tabwright.plugin import Plugin

if TYPE_CHECKING:
    from tabwright.config.settings import Settings
    from tabwright.environment import Environment


def _settings() -> Iterator[object]:
    from tabwright.plugins.remote.settings import REMOTE_SETTINGS

    yield REMOTE_SETTINGS


def _environment() -> Iterator[object]:
    from tabwright.environment import EnvironmentChange

    yield EnvironmentChange(_with_sources)


def _with_sources(environment: "Environment", settings: "Settings") -> "Environment":
    """Return an environment with the sources of the settings, unless it has some or a launcher."""
    if environment.sources or environment.launcher or "remote" not in settings.of_plugins:
        return environment
    from tabwright.plugins.remote.settings import REMOTE_SETTINGS

    own = REMOTE_SETTINGS.of(settings)
    if not own.sources:
        return environment
    import attrs

    from tabwright.browser.sources import ManySources
    from tabwright.plugins.remote.sources import sources_of_settings

    opened = partial(sources_of_settings, settings, environment.system.random)
    return attrs.evolve(environment, sources=ManySources(own.browsers, opened))


PLUGIN = Plugin(
    name="remote",
    summary="Use browsers of Selenium Grid, browserless, Steel and other machines.",
    settings=_settings,
    environment=_environment,
)
