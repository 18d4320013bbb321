"""The Emulation domain: what the page takes the browser for."""

from tabwright.cdp.command import Command
from tabwright.cdp.wire import Nothing


def set_languages(user_agent: str, languages: str) -> Command[Nothing]:
    """Emulation.setUserAgentOverride: the same user agent, speaking `languages`.

    Sets the ``Accept-Language`` header and ``navigator.languages`` together; `languages` is
    written as in the header, without weights: ``ja-JP,ja``.
    """
    params = {"userAgent": user_agent, "acceptLanguage": languages}
    return Command("Emulation.setUserAgentOverride", params, Nothing)
