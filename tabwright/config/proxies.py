"""The known ports of local proxies, from ``proxies.yaml``."""

from importlib.resources import files
from typing import Annotated

import attrs
import msgspec
import yaml
from msgspec import Meta


@attrs.frozen
class _Known:
    ports: tuple[Annotated[int, Meta(ge=1, le=65535)], ...]


def load_proxy_ports() -> tuple[int, ...]:
    """The shipped ports, in the order of preference."""
    text = files("tabwright.config").joinpath("proxies.yaml").read_text(encoding="utf-8")
    return msgspec.convert(yaml.safe_load(text), _Known).ports
