"""Error messages of failed searches, each in a single language."""

import pytest

from tabwright.protocol.errors import (
    BadInput,
    Barrier,
    BrowserDied,
    EmptyQuery,
    NavigationFailed,
    PageFailed,
    RateLimited,
    SearchBlocked,
    TabsBusy,
    TabwrightError,
    TimeOut,
)
from tabwright.search.ai_mode.result import failure_message
from tabwright.text.languages import LANGUAGES, texts_of

TRANSLATED = [language for language in LANGUAGES if language != "en-US"]


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize(
    "error",
    [
        BadInput("Long.", advice="Shorten it."),
        BrowserDied("Gone.", advice="Try again."),
        NavigationFailed("No route.", advice="Check the network."),
        PageFailed("It hangs."),
        TimeOut("Late."),
    ],
)
def test_message_with_english_details_is_english(error: TabwrightError, language: str) -> None:
    assert failure_message(error, language) == failure_message(error, "en-US")


@pytest.mark.parametrize("language", TRANSLATED)
def test_rate_limit_and_busy_tabs_are_reported_in_the_search_language(language: str) -> None:
    texts = texts_of(language)
    limited = RateLimited("google is paused.", retry_after_s=300.0, advice="Use another engine.")
    paused = texts.failed.format(error=texts.rate_limited.format(minutes=5))
    assert failure_message(limited, language) == paused
    busy = TabsBusy("No tab.", advice="Try again.")
    assert failure_message(busy, language) == texts.failed.format(error=texts.tabs_busy)


def test_rate_limit_is_reported_in_english_for_untranslated_language() -> None:
    limited = RateLimited("google is paused.", retry_after_s=300.0, advice="Use another engine.")
    assert failure_message(limited, "pt-BR") == (
        "Search failed: google is paused. Use another engine."
    )


@pytest.mark.parametrize(
    ("language", "stop"), [("zh-CN", "\u3002"), ("ja-JP", "\u3002"), ("de-DE", ". ")]
)
def test_translated_error_and_advice_are_joined_by_the_language_separator(
    language: str, stop: str
) -> None:
    texts = texts_of(language)
    blocked = SearchBlocked(texts.captcha, barrier=Barrier.CAPTCHA, url="https://a.example/")
    blocked.language, blocked.advice = language, texts.no_window
    reported = texts.failed.format(error=f"{texts.captcha}{stop}{texts.no_window}")
    assert failure_message(blocked, language) == reported


@pytest.mark.parametrize("language", LANGUAGES)
def test_empty_query_has_a_message_of_its_own(language: str) -> None:
    assert failure_message(EmptyQuery(), language) == texts_of(language).query_missing
