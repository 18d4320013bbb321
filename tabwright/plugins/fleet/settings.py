"""The settings of a fleet."""

import re
from pathlib import Path
from typing import Annotated, TypeAlias
from urllib.parse import urlsplit

import attrs
from msgspec import Meta

from tabwright.config.endpoints import HOST
from tabwright.config.settings import Positive, Word
from tabwright.config.settings_group import SHOWN, SettingsGroup
from tabwright.protocol.errors import SettingsError

_REDIS = re.compile(rf"rediss?://(?:[^\s/@?#]*@)?{HOST}(?::[0-9]{{1,5}})?(?:[/?]\S*)?|unix:///\S+")


def _redis_or_none(_settings: object, _field: object, value: str | None) -> None:
    """Validate the URL of a Redis server; the error omits it, as it can contain a password."""
    if value is not None and not _REDIS.fullmatch(value):
        raise SettingsError(
            "fleet.redis is not the URL of a Redis server.",
            advice="Write redis://host:port, rediss://user:password@host:port or unix:///path.",
        )


def public_place(url: str) -> str:
    """Return the URL of a Redis server without user name, password and options."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


FleetName: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._-]{1,64}$")]


@attrs.frozen(kw_only=True)
class FleetSettings:
    """The processes that this one works with, on this machine and others."""

    redis: Word | None = attrs.field(
        validator=_redis_or_none, repr=False, metadata={SHOWN: public_place}
    )
    reads_pages: bool
    name: FleetName
    worker: FleetName | None
    lease_s: Positive
    outage_max_s: Positive
    drain_s: Positive


FLEET_SETTINGS = SettingsGroup("fleet", FleetSettings, Path(__file__).with_name("settings.yaml"))
