"""The settings of traces."""

from pathlib import Path
from typing import Literal

import attrs

from tabwright.config.settings import Positive, Word
from tabwright.config.settings_group import SettingsGroup


@attrs.frozen(kw_only=True)
class TraceSettings:
    """Traces of sessions: when they are recorded, where, and how large they get."""

    record: Literal["never", "always", "failures"]
    dir: Word
    file_mb: Positive
    max_mb: Positive


TRACE_SETTINGS = SettingsGroup("trace", TraceSettings, Path(__file__).with_name("settings.yaml"))
