"""Settings of a call: arguments override the session's settings, which override the user's."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tabwright.config.loader import Layer, LayerEntry, LayerRank, overlay
from tabwright.config.session_settings import session_settings
from tabwright.config.settings import Settings

if TYPE_CHECKING:
    from tabwright.client import Tabwright

TEXT_ARGUMENTS = {
    "language": "search.language",
    "links": "reading.links",
    "max_tier": "reading.max_tier",
    "max_tokens": "reading.max_tokens",
}
"""Arguments of calls that set settings."""

OUTLINE_ARGUMENTS = {"max_tokens": "acting.max_tokens"}
"""The same in calls that return an outline."""


def request_layer(arguments: object) -> Layer:
    """Return the settings that the arguments of a call change; None changes nothing."""
    is_outline = getattr(arguments, "format", "") == "outline"
    entries: dict[str, LayerEntry] = {}
    for name, key in (OUTLINE_ARGUMENTS if is_outline else TEXT_ARGUMENTS).items():
        value: object = getattr(arguments, name, None)
        if value is not None:
            entries[key] = LayerEntry(value, name)
    return Layer(LayerRank.REQUEST, entries)


async def call_settings(tabwright: "Tabwright", arguments: object) -> Settings:
    """Return the settings of a call.

    Raises:
        BadInput: the settings that it opens its session with cannot be used.
    """
    session: str = getattr(arguments, "session", "")
    opening: Mapping[str, object] = getattr(arguments, "settings", {})
    if opening:
        own = session_settings(tabwright.settings, opening)
    elif session:
        own = await tabwright.session_settings(session)
    else:
        own = tabwright.settings
    return overlay(own, request_layer(arguments))
