"""The six languages of searches and messages, and their texts."""

import math
import re
from functools import cache
from importlib import resources
from typing import TypeVar

import attrs
import msgspec

from tabwright.protocol.errors import BadInput

# Languages of a search: six with translated texts, and any other that a browser accepts.

LANGUAGES = ("zh-CN", "en-US", "ja-JP", "ko-KR", "de-DE", "fr-FR")
"""The languages whose page texts are known, and that results and errors are translated to."""

DEFAULT_LANGUAGE = "zh-CN"

_TAG = re.compile(
    r"(?P<language>[A-Za-z]{2,3})(-(?P<script>[A-Za-z]{4}))?(-(?P<region>[A-Za-z]{2}|\d{3}))?"
)
"""The part of BCP 47 (RFC 5646) that an ``hl`` parameter uses."""


def checked_language(code: str) -> str:
    """Return the code in its usual spelling: ``zh-cn`` becomes ``zh-CN``.

    Raises:
        BadInput: the code does not consist of language, script and region.
    """
    match = _TAG.fullmatch(code)
    if match is None or not code.isascii():
        raise BadInput(
            f"{code!r} is not a language code.",
            advice="Use a code such as zh-CN, en-US or pt-BR.",
        )
    parts = (
        match["language"].lower(),
        (match["script"] or "").title(),
        (match["region"] or "").upper(),
    )
    return "-".join(part for part in parts if part)


def primary(code: str) -> str:
    """Return the primary language: ``zh`` for ``zh-CN``."""
    return code.partition("-")[0].lower()


def accept_language(code: str) -> str:
    """Return the languages that a browser accepts, best first: ``ja-JP,ja,en``.

    The browser adds the weights in its header (RFC 9110, 12.5.4) and does not report them to pages.
    """
    code = checked_language(code)
    return ",".join(dict.fromkeys((code, primary(code), "en")))


# The files in ``words/``: one for each of the six languages.

_Wanted = TypeVar("_Wanted")


def read_words(code: str, wanted: type[_Wanted]) -> _Wanted:
    """Read the parts of a language's file that `wanted` has attributes for."""
    file = resources.files(__package__ or "") / "words" / f"{code}.yaml"
    return msgspec.yaml.decode(file.read_bytes(), type=wanted)


ENGLISH = "en-US"
"""The language of messages that have no translation."""


@attrs.frozen
class Texts:
    """Translated messages; names in braces are for `str.format`.

    Attributes:
        title: heading of a search result; `follow_up_title` is that of a follow-up.
        query: label before the query.
        answer: heading of the answer.
        sources: heading of the sources; ``{count}``.
        warning: label before a warning.
        failed: message of a failed search; ``{error}``.
        query_missing: the whole message for an empty query.
        query_refused: the query is not valid; ``{detail}``.
        no_browser: no browser was found.
        browser_failed: the browser did not start; ``{detail}``.
        browser_died: the browser exited during the search; ``{detail}``.
        extraction_failed: the page could not be read; ``{detail}``.
        navigation_failed: the page could not be reached; ``{detail}``.
        stream_failed: the server failed while it sent the answer.
        timed_out: the search timed out; ``{seconds}``.
        captcha: the engine requires a person.
        blocked: the engine refuses, and a person cannot help.
        consent: the engine asks for consent.
        log_in: the engine asks to log in.
        unavailable: AI Mode is not offered here.
        declined: the engine says that it has no answer to the question.
        no_answer: the engine returned no answer; asking again can help.
        partial: a warning: the answer may be incomplete; asking again can help.
        sources_missing: a warning: ``{read}`` of ``{count}`` sources were read.
        sources_cut: a warning: ``{limit}`` of ``{count}`` sources are listed.
        sources_unread: a warning: the answer cites sources, and none could be read.
        person: a person is needed for a CAPTCHA in a window; ``{minutes}``.
        person_view: the same in the live view; ``{minutes}`` and ``{link}``.
        person_absent: no person came; ``{minutes}``.
        person_declined: the person declined.
        script_check: the engine's check of the browser did not end.
        new_conversation: a warning: the follow-up was asked without a conversation.
        conversation_taken: a warning: the conversation of a follow-up, of several; ``{topic}``.
        language_kept: a warning: the conversation keeps its language; ``{language}``.
        profile_in_use: a warning: the browser runs without its profile.
        rate_limited: Google AI Mode is paused; ``{minutes}``.
        tabs_busy: no tab became free in time.
        waiting: an intervention is open for a CAPTCHA; ``{id}``.
        no_window: no window can be opened for a person.
        no_results: a web search found nothing.
        engines_failed: heading of the engines that failed.
        engine_blocked: an engine refuses requests.
        engine_waiting: an engine shows a CAPTCHA, with an open intervention; ``{id}``.
        engine_limited: an engine is paused.
        engine_again: when an engine is asked again; ``{minutes}``.
        engine_changed: the result page of an engine could not be parsed.
        engine_unsupported: an engine does not support an option of the search.
        engine_failed: any other failure of an engine.
        notices: heading of the notices of a web search.
        notice_part_missing: no result has a part, such as the excerpt.
        notice_rows_unread: some rows could not be read; ``{unread}`` and ``{rows}``.
        notice_no_results: an engine lists nothing.
        notice_no_such_page: the results of an engine end before the page.
        notice_other_sites: results of other sites than the requested one are left out.
        notice_parsers_file: the file of parsers has mistakes.
        page_unread: the page of a result could not be read.
        page_shortened: the page of a result has more relevant passages than fit.
        page_irrelevant: the page of a result has no passage for the query.
        wait_turn: a request waits for others to the same site.
        wait_interval: a request waits for the pace of its site; ``{seconds}``.
        wait_tab: all tabs are in use; ``{used}`` and ``{limit}``.
        wait_machine: the machine is short of memory or processor time for another tab.
        engine_found: an engine has results; ``{count}``.
        engine_found_recently: the same, of an earlier search; ``{count}``.
    """

    title: str
    follow_up_title: str
    query: str
    answer: str
    sources: str
    warning: str
    failed: str
    query_missing: str
    query_refused: str
    no_browser: str
    browser_failed: str
    browser_died: str
    extraction_failed: str
    navigation_failed: str
    stream_failed: str
    timed_out: str
    captcha: str
    blocked: str
    consent: str
    log_in: str
    unavailable: str
    declined: str
    no_answer: str
    partial: str
    sources_missing: str
    sources_cut: str
    sources_unread: str
    person: str
    person_view: str
    person_absent: str
    person_declined: str
    script_check: str
    new_conversation: str
    conversation_taken: str
    language_kept: str
    profile_in_use: str
    rate_limited: str
    tabs_busy: str
    waiting: str
    no_window: str
    no_results: str
    engines_failed: str
    engine_blocked: str
    engine_waiting: str
    engine_limited: str
    engine_again: str
    engine_changed: str
    engine_unsupported: str
    engine_failed: str
    notices: str
    notice_part_missing: str
    notice_rows_unread: str
    notice_no_results: str
    notice_no_such_page: str
    notice_other_sites: str
    notice_parsers_file: str
    page_unread: str
    page_shortened: str
    page_irrelevant: str
    wait_turn: str
    wait_interval: str
    wait_tab: str
    wait_machine: str
    engine_found: str
    engine_found_recently: str


@attrs.frozen
class _File:
    texts: Texts


@cache
def all_texts() -> dict[str, Texts]:
    """Return the texts by language code, in the order of `LANGUAGES`."""
    return {code: read_words(code, _File).texts for code in LANGUAGES}


def texts_of(language: str) -> Texts:
    """Return the texts for a language.

    Only the primary language counts; an empty code means the default language. A language without
    texts uses English.
    """
    wanted = primary(language or DEFAULT_LANGUAGE)
    known = (code for code in LANGUAGES if primary(code) == wanted)
    return all_texts()[next(known, ENGLISH)]


IN_SECONDS_S = 90.0
"""A longer time is shown in minutes."""


def time_text(seconds: float) -> str:
    """Return a time for a person: in seconds, or in minutes if it is long."""
    return f"{math.ceil(seconds)} s" if seconds <= IN_SECONDS_S else f"{minutes(seconds)} min"


def minutes(seconds: float) -> int:
    """Round to whole minutes for a person; at least one."""
    return max(1, round(seconds / 60))
