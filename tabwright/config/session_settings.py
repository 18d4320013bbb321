"""The settings of one session, merged over the user's settings."""

from collections.abc import Mapping

from tabwright.config.loader import Layer, LayerEntry, LayerRank, hint_of, overlay
from tabwright.config.settings import Settings
from tabwright.config.user_layers import text_value
from tabwright.protocol.errors import BadInput, SettingsError

SESSION_KEYS = (
    "network.page_timeout_s",
    "reading.max_tier",
    "reading.links",
    "reading.max_tokens",
    "acting.scripts",
)
"""The settings that can be set for a session."""


def session_settings(settings: Settings, values: Mapping[str, object]) -> Settings:
    """Return the settings of a session.

    Args:
        settings: the user's settings.
        values: the session's settings, by dotted key.

    Raises:
        BadInput: a setting is unknown, cannot be set for a session, has the wrong type, or allows
            more than the user's settings do.
    """
    entries = {
        key: LayerEntry(text_value(key, value) if isinstance(value, str) else value, "settings")
        for key, value in values.items()
    }
    for key in values:
        if hint_of(key) is not None and key not in SESSION_KEYS:
            raise BadInput(
                f"{key} cannot be set for a session.",
                advice=f"A session can set {', '.join(SESSION_KEYS)}.",
            )
    try:
        own = overlay(settings, Layer(LayerRank.SESSION, entries))
    except SettingsError as error:
        raise BadInput(error.chunks) from error
    if own.acting.scripts and not settings.acting.scripts:
        raise BadInput(
            "A session cannot allow scripts.", advice="The user can set acting.scripts: true."
        )
    tokens, most = own.reading.max_tokens, settings.reading.result_tokens_max
    if "reading.max_tokens" in values and (tokens is None or tokens > most):
        raise BadInput(
            f"reading.max_tokens is over the limit of {most} tokens for a result.",
            advice="Lower it, or set max_tokens in a call.",
        )
    return own
