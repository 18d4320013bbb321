"""The progress of a search in the language of its results."""

import attrs

from tabwright.protocol.browser_pool import TabWait
from tabwright.protocol.errors import (
    BadInput,
    MarkupChanged,
    RateLimited,
    SearchBlocked,
    TabsBusy,
)
from tabwright.protocol.progress import OnProgress, ProgressEvent, WaitProgress
from tabwright.protocol.rate_limit import SiteWait
from tabwright.protocol.web_search import EngineFailure
from tabwright.text.languages import ENGLISH, Texts, minutes, texts_of
from tabwright.text.lines import one_line


def in_language(progress: OnProgress, language: str) -> OnProgress:
    """Return a callback that passes events on to `progress`, with waits in a language.

    English waits have more details, such as the holders of the tabs.
    """
    texts = texts_of(language)
    if texts is texts_of(ENGLISH):
        return progress

    def translate(event: ProgressEvent) -> None:
        if isinstance(event, WaitProgress):
            event = attrs.evolve(event, text=_wait_text(event, texts))
        progress(event)

    return translate


def _wait_text(event: WaitProgress, texts: Texts) -> str:
    match event.wait:
        case SiteWait(site=site, left_s=None):
            return f"{site}: {texts.wait_turn}"
        case SiteWait(site=site, left_s=float(left_s)):
            return f"{site}: {texts.wait_interval.format(seconds=f'{left_s:.1f}')}"
        case TabWait(shortage=shortage) if shortage:
            return texts.wait_machine
        case TabWait(holders=holders, limit=limit):
            return texts.wait_tab.format(used=len(holders), limit=limit)
        case _:
            return event.text


def found_text(count: int, language: str, *, is_recent: bool = False) -> str:
    """Return how many results an engine has, of this search or of a recent one."""
    texts = texts_of(language)
    if texts is texts_of(ENGLISH):
        return f"{count} result{'s' * (count != 1)}{' of a recent search' * is_recent}"
    sentence = texts.engine_found_recently if is_recent else texts.engine_found
    return sentence.format(count=count)


def failure_text(failure: EngineFailure, language: str) -> str:
    """Return why an engine has no results, and when it is asked again.

    That is with details in English, and otherwise in sentences of the language.
    """
    texts = texts_of(language)
    if texts is texts_of(ENGLISH):
        return one_line(failure.message)
    if not failure.paused_for_s:
        return _reason(failure, texts)
    again = texts.engine_again.format(minutes=minutes(failure.paused_for_s))
    return f"{_reason(failure, texts)} {again}"


def _reason(failure: EngineFailure, texts: Texts) -> str:
    if failure.intervention:
        return texts.engine_waiting.format(id=failure.intervention)
    sentences = {
        SearchBlocked.kind: texts.engine_blocked,
        RateLimited.kind: texts.engine_limited,
        MarkupChanged.kind: texts.engine_changed,
        TabsBusy.kind: texts.tabs_busy,
        BadInput.kind: texts.engine_unsupported,
    }
    return sentences.get(failure.kind, texts.engine_failed)
