"""The pace of each engine and host, from ``engines.yaml``."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Annotated

import attrs
import msgspec
import yaml
from msgspec import Meta

from tabwright.config.settings import Count

GOOGLE_AI_MODE = "google_ai_mode"
WEB = "web"


@attrs.frozen
class Pace:
    """How often a site may be turned to; the meanings stand in ``engines.yaml``."""

    min_interval_s: Annotated[float, Meta(ge=0)]
    concurrency: Count


def load_paces() -> Mapping[str, Pace]:
    """The shipped paces, by the name of the engine."""
    text = files("tabwright.config").joinpath("engines.yaml").read_text(encoding="utf-8")
    return msgspec.convert(yaml.safe_load(text), dict[str, Pace])
