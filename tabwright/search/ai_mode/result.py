"""The outcome of a search: a result, or the reason for having none."""

from collections.abc import Mapping
from typing import TypeAlias

import attrs

from tabwright.content.render.markdown import escaped, link, markdown_of
from tabwright.protocol.ai_search import SearchResult, SearchSource
from tabwright.protocol.errors import (
    BadInput,
    Barrier,
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
from tabwright.protocol.tab import REFUSALS
from tabwright.protocol.untrusted_text import Quoted, Sentence, quoting, text_of
from tabwright.search.ai_mode.answer import read_answer
from tabwright.search.ai_mode.completion import Phase
from tabwright.search.ai_mode.google_urls import AIModeQuery
from tabwright.search.ai_mode.page_state import PageKind, PageState, page_kind
from tabwright.search.ai_mode.sources import (
    are_sources_missing,
    numbered_sources,
    sources_shortfall,
)
from tabwright.text.languages import ENGLISH, minutes, texts_of

_BARRIERS = {
    PageKind.ANSWER: Barrier.CAPTCHA,  # the page exists, but its requests are refused
    PageKind.CAPTCHA: Barrier.CAPTCHA,
    PageKind.CONSENT: Barrier.CONSENT,
    PageKind.LOG_IN: Barrier.LOG_IN,
    PageKind.BLOCKED: Barrier.REFUSED,
    PageKind.SCRIPT_CHECK: Barrier.SCRIPT_CHECK,
}


def result_of(
    question: AIModeQuery,
    state: PageState,
    phase: Phase,
    *,
    resolved: Mapping[str, str],
    limit: int,
) -> SearchResult:
    """Return the result of a page that was followed to its end.

    Args:
        question: the question.
        state: the state of the page.
        phase: the phase of its answer.
        resolved: see `read_answer`.
        limit: see `read_answer`.
    """
    texts = question.texts
    if phase in {Phase.NO_ANSWER, Phase.EMPTY}:
        return SearchResult(
            success=True, query=question.query, language=question.language, warning=texts.no_answer
        )
    answer = read_answer(state, resolved=resolved, limit=limit)
    result = SearchResult(
        success=True,
        query=question.query,
        ai_answer=markdown_of(answer.blocks),
        sources=answer.sources,
        language=question.language,
        warning="" if phase is Phase.COMPLETE else texts.partial,
        blocks=answer.blocks,
    )
    read, counted = sources_shortfall(state, resolved)
    if read < counted:
        result = warned(result, texts.sources_missing.format(read=read, count=counted))
    elif are_sources_missing(state, resolved):
        result = warned(result, texts.sources_unread)
    every = len(numbered_sources(state, resolved=resolved, limit=None))
    if every > limit:
        result = warned(result, texts.sources_cut.format(limit=limit, count=every))
    return result


def blocked_by(state: PageState, question: AIModeQuery, phase: Phase, status: int) -> SearchBlocked:
    """Return why the page has no answer.

    Args:
        state: the state of the page.
        question: the question.
        phase: the phase of its answer.
        status: the HTTP status of the page; 0 if it is not known.
    """
    texts = question.texts
    otherwise = Barrier.REFUSED if status in REFUSALS else Barrier.UNAVAILABLE
    barrier = _BARRIERS.get(page_kind(state), otherwise)
    if phase is Phase.DECLINED:
        barrier = Barrier.NO_ANSWER
    reasons = {
        Barrier.CAPTCHA: texts.captcha,
        Barrier.CONSENT: texts.consent,
        Barrier.LOG_IN: texts.log_in,
        Barrier.NO_ANSWER: texts.declined,
        Barrier.REFUSED: texts.blocked,
        Barrier.SCRIPT_CHECK: texts.script_check,
        Barrier.UNAVAILABLE: texts.unavailable,
    }
    blocked = SearchBlocked(reasons[barrier], barrier=barrier, url=state.url)
    blocked.language = question.language
    return blocked


def warned(result: SearchResult, warning: str) -> SearchResult:
    """Return the result with a further warning."""
    stop = "" if not result.warning or result.warning.endswith((".", "。")) else "; "
    return attrs.evolve(result, warning=f"{result.warning}{stop}{warning}")


# Messages of failed searches, in the language of the search.


def failure_message(error: TabwrightError, language: str) -> str:
    """Return the whole message of a failed search as plain text."""
    return text_of(failure_sentence(error, language))


def failure_sentence(error: TabwrightError, language: str) -> Sentence:
    """Return the whole message of a failed search."""
    if isinstance(error, EmptyQuery):
        return Sentence((texts_of(language).query_missing,))
    failed = texts_of(_spoken(error, language)).failed
    return Sentence(quoting(failed, error=failure_chunks(error, language)))


def failure_text(error: TabwrightError, language: str) -> str:
    """Return the event and the next step as plain text; see `failure_chunks`."""
    return text_of(Sentence(failure_chunks(error, language)))


def failure_chunks(error: TabwrightError, language: str) -> tuple[str | Quoted, ...]:
    """Return the event and the next step, all of it in one language.

    That is the language of the search, or English if the details exist only in English.
    """
    detail = error.chunks_with(error.advice)
    texts = texts_of(_spoken(error, language))
    is_english = texts is texts_of(ENGLISH)
    match error:
        case RateLimited() if not is_english:
            return (texts.rate_limited.format(minutes=minutes(error.retry_after_s)),)
        case TabsBusy() if not is_english:
            return (texts.tabs_busy,)
        case SearchBlocked() | TimeOut() | RateLimited() | TabsBusy():
            return detail
        case BrowserMissing():
            return (texts.no_browser, ": ", *detail)
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
    return quoting(template, detail=detail)


def _spoken(error: TabwrightError, language: str) -> str:
    """Return the language in which all of an error can be shown to a user of this language."""
    return language if isinstance(error, RateLimited | TabsBusy) else error.language


# A search result as JSON-compatible values and as Markdown.

Record: TypeAlias = dict[str, object]


def to_record(result: SearchResult) -> Record:
    """Return the result as dictionaries, tuples and scalars, under the names of its attributes."""
    return attrs.asdict(result)


def document(result: SearchResult, *, follow_up: bool = False) -> str:
    """Return the result in the language of its search: title, query, answer, numbered sources."""
    texts = texts_of(result.language)
    if not result.success:
        return failure(result.error, result.language)
    title = texts.follow_up_title if follow_up else texts.title
    without_answer = [] if result.warning.startswith(texts.no_answer) else [texts.no_answer]
    parts = [
        f"## {title}",
        f"**{texts.query}**: {_one_line(result.query)}",
        *([f"> {texts.warning}: {_one_line(result.warning)}"] if result.warning else []),
        *([f"### {texts.answer}", result.ai_answer] if result.ai_answer else without_answer),
        f"### {texts.sources.format(count=len(result.sources))}",
    ]
    if result.sources:
        parts.append(
            "\n".join(
                [
                    f"{number}. {_source(source)}"
                    for number, source in enumerate(result.sources, start=1)
                ]
            )
        )
    return "\n\n".join(parts)


def _source(source: SearchSource) -> str:
    title = escaped(_one_line(source.title))
    if source.url:
        return link(title or escaped(source.url), source.url)
    site = escaped(_one_line(source.site))
    return f"{title} ({site})" if site else title


def failure(error: str, language: str) -> str:
    """Return the text for the caller if there is no result."""
    return texts_of(language).failed.format(error=error)


def _one_line(text: str) -> str:
    return " ".join(text.split())
