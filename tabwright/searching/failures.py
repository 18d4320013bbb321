"""What a failed search says to its user, in the language of the search."""

from tabwright.protocol.errors import (
    BadInput,
    BrowserDied,
    BrowserMissing,
    BrowserUnavailable,
    EmptyQuery,
    NavigationFailed,
    RateLimited,
    SearchBlocked,
    TabsBusy,
    TabwrightError,
    TimeOut,
)
from tabwright.searching.formatting import failure
from tabwright.text.languages import texts_of


def failure_message(error: TabwrightError, language: str) -> str:
    """The whole message of a search that failed."""
    if isinstance(error, EmptyQuery):
        return texts_of(language).query_missing
    return failure(failure_text(error, language), language)


def failure_text(error: TabwrightError, language: str) -> str:
    """One or two sentences: what happened in the user's language, with the detail behind it."""
    texts = texts_of(language)
    match error:
        case SearchBlocked() | TimeOut() | RateLimited() | TabsBusy():
            return str(error)
        case BrowserMissing():
            return f"{texts.no_browser}: {error}"
        case BrowserUnavailable():
            template = texts.browser_failed
        case BrowserDied():
            template = texts.browser_died
        case NavigationFailed():
            template = texts.navigation_failed
        case BadInput():
            template = texts.query_refused
        case _:
            template = texts.extraction_failed
    return template.format(detail=error)
