"""Fixtures of the core's tests for those of plugins, which are of all levels."""

from tests.e2e.conftest import (
    client_on,
    open_client,
    person,
    processes,
    profile,
    screen,
    write_config,
)
from tests.unit.conftest import fake_browser, nothing_left, taken_port, temporary

__all__ = [
    "client_on",
    "fake_browser",
    "nothing_left",
    "open_client",
    "person",
    "processes",
    "profile",
    "screen",
    "taken_port",
    "temporary",
    "write_config",
]
