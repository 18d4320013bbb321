"""The Emulation domain: what the page takes the browser for."""

from tabwright.cdp.command import Command, present
from tabwright.cdp.wire import JSON, Nothing


def set_identity(user_agent: str, hints: JSON, languages: str) -> Command[Nothing]:
    """Emulation.setUserAgentOverride.

    Args:
        user_agent: the header, and ``navigator.userAgent``.
        hints: ``Emulation.UserAgentMetadata``; without it, pages see no client hints at all.
        languages: sets the ``Accept-Language`` header and ``navigator.languages`` together;
            written as in the header, without weights: ``ja-JP,ja``. Empty changes neither.
    """
    params = present(
        userAgent=user_agent, userAgentMetadata=hints, acceptLanguage=languages or None
    )
    return Command("Emulation.setUserAgentOverride", params, Nothing)
