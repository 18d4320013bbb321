"""What the user reads, in the six languages; any other language is served in English."""

from functools import cache

import attrs

from tabwright.searching.languages import DEFAULT_LANGUAGE, LANGUAGES, primary
from tabwright.searching.words import read_words

_FALLBACK = "en-US"


@attrs.frozen
class Texts:
    """What the user reads; names in braces are for `str.format`.

    Attributes:
        title: heads the result of a search, `follow_up_title` that of a follow-up.
        query: the label before the query.
        answer: heads the answer.
        sources: heads the sources; ``{count}``.
        warning: the label before a warning.
        failed: what a failed search says; ``{error}``.
        query_missing: the whole message for an empty query.
        query_refused: for a query that cannot be asked; ``{detail}``.
        no_browser: no browser was found.
        browser_failed: the browser did not start; ``{detail}``.
        browser_died: the browser ended in the middle; ``{detail}``.
        extraction_failed: the page could not be read; ``{detail}``.
        navigation_failed: the page could not be reached; ``{detail}``.
        timed_out: the time is up; ``{seconds}``.
        captcha: the engine asks for a person.
        blocked: the engine refuses and nobody can help.
        consent: the engine asks for consent.
        unavailable: AI Mode is not offered here.
        no_answer: the engine gave no answer.
        partial: a warning: the answer may stop in the middle.
        person: a person is needed for a CAPTCHA; ``{minutes}``.
        person_absent: nobody came; ``{minutes}``.
        person_declined: nobody will.
        script_check: the engine's check of the browser did not end.
        new_conversation: a warning: a follow-up was asked in no conversation.
        conversation_taken: a warning: in which of several a follow-up was asked; ``{topic}``.
        language_kept: a warning: the conversation keeps its language; ``{language}``.
        profile_in_use: a warning: the browser runs without its profile.
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
    timed_out: str
    captcha: str
    blocked: str
    consent: str
    unavailable: str
    no_answer: str
    partial: str
    person: str
    person_absent: str
    person_declined: str
    script_check: str
    new_conversation: str
    conversation_taken: str
    language_kept: str
    profile_in_use: str


@attrs.frozen
class _File:
    texts: Texts


@cache
def all_texts() -> dict[str, Texts]:
    """The texts by language code, in the order of `LANGUAGES`."""
    return {code: read_words(code, _File).texts for code in LANGUAGES}


def texts_of(language: str) -> Texts:
    """The texts for a search in this language.

    Its first part decides; an empty code means the default language, and one that has no texts is
    served in English.
    """
    wanted = primary(language or DEFAULT_LANGUAGE)
    known = (code for code in LANGUAGES if primary(code) == wanted)
    return all_texts()[next(known, _FALLBACK)]


def minutes(seconds: float) -> int:
    """A time as a person is told it: in whole minutes, one at least."""
    return max(1, round(seconds / 60))
