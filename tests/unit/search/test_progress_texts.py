import pytest

from tabwright.protocol.browser_pool import TabState, TabUse, TabWait
from tabwright.protocol.errors import RateLimited
from tabwright.protocol.progress import AnswerProgress, WaitProgress, report_wait
from tabwright.protocol.rate_limit import Reason, SiteWait
from tabwright.protocol.web_search import EngineFailure
from tabwright.search.progress_texts import failure_text, found_text, in_language
from tabwright.text.languages import LANGUAGES

TURN = SiteWait("mojeek", Reason.TURN)
INTERVAL = SiteWait("mojeek", Reason.INTERVAL, 3.25)
TABS = TabWait("a search", TabUse.SEARCHING, 1, (), 0.0)
MEMORY = TabWait("a search", TabUse.SEARCHING, 1, (), 0.0, "memory is short")
WAITS = (TURN, INTERVAL, TABS, MEMORY)
OTHERS = [code for code in LANGUAGES if code != "en-US"]


def reported(wait, language):
    events = []
    report_wait(in_language(events.append, language), wait, who="mojeek")
    return events[0]


@pytest.mark.parametrize("wait", WAITS)
def test_english_wait_keeps_its_details(wait):
    assert reported(wait, "en") == WaitProgress(str(wait), "mojeek", wait)


@pytest.mark.parametrize("wait", WAITS)
def test_wait_has_its_own_text_in_each_language(wait):
    texts = {reported(wait, code).text for code in LANGUAGES}
    assert len(texts) == len(LANGUAGES)


@pytest.mark.parametrize("code", OTHERS)
def test_wait_for_a_site_names_the_site_and_the_seconds(code):
    assert reported(TURN, code).text.startswith("mojeek: ")
    assert reported(INTERVAL, code).text.startswith("mojeek: ")
    assert "3.2" in reported(INTERVAL, code).text


@pytest.mark.parametrize("code", OTHERS)
def test_wait_for_a_tab_names_no_holder(code):
    holder = TabState(1, "session private", TabUse.SEARCHING, 0, 0.0)
    text = reported(TabWait("x", TabUse.SEARCHING, 2, (holder,), 1.0), code).text
    assert "private" not in text
    assert "1" in text
    assert "2" in text


def test_other_events_and_plain_waits_are_passed_on_unchanged():
    events = []
    on_progress = in_language(events.append, "de")
    given = [AnswerProgress("Hallo"), WaitProgress("3 of 4 pages read")]
    for event in given:
        on_progress(event)
    assert events == given


@pytest.mark.parametrize("code", OTHERS)
def test_engine_result_text_is_translated(code):
    failure = EngineFailure("mojeek", RateLimited.kind, "It is paused.", True, "")
    texts = {found_text(7, code), found_text(7, code, is_recent=True), failure_text(failure, code)}
    assert len(texts) == 3
    assert not any("result" in text.split() or "paused" in text for text in texts)


@pytest.mark.parametrize(("count", "text"), [(1, "1 result"), (2, "2 results")])
def test_english_engine_result_text_uses_singular_and_plural(count, text):
    assert found_text(count, "en-US") == text
    assert found_text(count, "en-US", is_recent=True) == f"{text} of a recent search"
