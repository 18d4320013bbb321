"""The known ports of local proxies, from ``proxies.yaml``."""

from typing import Annotated

import attrs
import msgspec
from msgspec import Meta

from tabwright.config.yaml_tables import plain, shipped_table


@attrs.frozen
class _Known:
    ports: tuple[Annotated[int, Meta(ge=1, le=65535)], ...]


def load_proxy_ports() -> tuple[int, ...]:
    """The shipped ports, in the order of preference."""
    return msgspec.convert(plain(shipped_table("proxies.yaml")), _Known).ports
