"""Answers read from the replica are exactly its truth, whatever the page looks like."""

import re
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import asynccontextmanager

import attrs
import pytest
import trio

from tabwright import Tabwright
from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.content.render.markdown import markdown_of
from tabwright.protocol.ai_search import SearchResult
from tabwright.protocol.browser_pool import TabUse
from tabwright.protocol.errors import NavigationFailed, PageFailed, SearchBlocked
from tabwright.search.ai_mode.completion import SILENCE_S
from tabwright.search.ai_mode.page_state import all_page_words
from tabwright.testing.replica import LANGUAGES, Replica, Scenario, open_replica
from tabwright.testing.replica.answers import Truth, parts, words
from tabwright.text.languages import texts_of

pytestmark = pytest.mark.chromium

ERRANDS = {
    "update.googleapis.com",
    "accounts.google.com",
    "optimizationguide-pa.googleapis.com",
}
"""Where Chromium goes by itself, the last one when it has lived for a while."""

FAST = Scenario(step_s=0.004, classes=5)
QUESTION = "What does it do, and why?"
FOLLOW_UP = "And then?"


@asynccontextmanager
async def client_on(replica: Replica, **settings: object) -> AsyncGenerator[Tabwright]:
    chosen = {"browser__extra_args": replica.chromium_args, "browser__profile": None}
    async with open_tabwright(settings_from(override(**chosen, **settings))) as tabwright:
        yield tabwright


def reported(result: SearchResult, truth: Truth, sources_max: int = 10) -> None:
    """Check that the result is exactly the truth: all blocks and sources, in order."""
    assert result.blocks == truth.blocks
    assert result.sources == truth.sources[:sources_max]
    assert truth.question not in result.ai_answer
    lines = result.ai_answer.splitlines()
    known = all_page_words()[result.language]
    assert not {known.tab, *known.labels, *known.notices} & set(lines)


@attrs.frozen
class Languages:
    """The languages of pages: for each change one of each page, in turn; for each night all."""

    each: bool

    def of(self, pages: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Return pages by their names, with their languages."""
        for turn, page in enumerate(pages):
            for language in LANGUAGES if self.each else [LANGUAGES[turn % len(LANGUAGES)]]:
                yield page, language


@pytest.fixture(params=["one", pytest.param("each", marks=pytest.mark.nightly)])
def languages(request: pytest.FixtureRequest) -> Languages:
    return Languages(request.param == "each")


SHAPES = {
    "as it is": {},
    "other class names": {"classes": 77},
    "no attributes": {"attributes": "bare"},
    "open shadow root": {"shadow": "open"},
    "closed shadow root": {"shadow": "closed"},
    "wrapped links": {"links": "url"},
    "opaque links": {"links": "goto"},
    "no noise": {"noise": False},
    "three sources": {"source_count": 3},
    "no sources": {"source_count": 0},
    "no composer": {"composer": "missing"},
    "unchanged live region": {"live_region": "unchanged"},
    "rebuilt": {"rebuild": 4},
    "all at once": {"step_s": 0.0},
}


async def test_search_answer_matches_the_page_in_each_language(
    subtests: pytest.Subtests, languages: Languages
) -> None:
    async with open_replica(FAST) as replica, client_on(replica) as tabwright:
        for shape, language in languages.of(SHAPES):
            with subtests.test(shape=shape, language=language):
                replica.scenario = attrs.evolve(FAST, **SHAPES[shape])
                result = await tabwright.search(QUESTION, language=language)
                reported(result, replica.truth())
                assert result.warning == ""


async def test_sources_are_limited_to_ten_or_to_the_configured_maximum() -> None:
    scenario = attrs.evolve(FAST, source_count=40)
    async with open_replica(scenario) as replica:
        async with client_on(replica, search__sources_max=40) as tabwright:
            reported(await tabwright.search(QUESTION, language="de-DE"), replica.truth(), 40)
        async with client_on(replica) as tabwright:
            result = await tabwright.search(QUESTION, language="de-DE")
            assert result.sources == replica.truth(-1).sources[:10]


SIGNS = ("complete", "action_bar", "live_region", "stop_button", "stream_end")


PAIRS = [{one, other} for one in SIGNS for other in SIGNS if one < other]
EACH_SIGN = ({"action_bar", "complete"}, {"live_region", "stop_button"}, {"complete", "stream_end"})


@pytest.mark.parametrize(
    "kept",
    [pytest.param(pair, marks=() if pair in EACH_SIGN else pytest.mark.nightly) for pair in PAIRS],
)
async def test_any_two_completion_signals_suffice_for_answer_and_follow_up(kept: set[str]) -> None:
    dropped = frozenset(SIGNS) - kept
    scenario = attrs.evolve(FAST, step_s=0.03, drop_signals=dropped)  # each sign can be seen
    async with open_replica(scenario) as replica, client_on(replica) as tabwright:
        first = await tabwright.search(QUESTION, language="en-US")
        second = await tabwright.search(FOLLOW_UP, language="en-US", follow_up=True)
        reported(first, replica.truth(0))
        reported(second, replica.truth(1))
        assert (first.warning, second.warning) == ("", "")
        assert second.continued


THREADS = {
    "two answers in turns": {"repeat": "cycle"},
    "the same answer always": {"repeat": "same"},
    "newest turn first": {"newest": "first"},
    "newest turn first, without attributes": {"newest": "first", "attributes": "bare"},
    "each quotes the last": {"repeat": "quote"},
    "without attributes": {"attributes": "bare"},
    "rebuilt while it is read": {"rebuild": 3},
    "unchanged live region": {"live_region": "unchanged"},
    "composer in a closed shadow root": {"composer": "closed_root"},
    "answers in a closed shadow root": {"shadow": "closed"},
}


async def test_follow_up_returns_only_its_own_turn(
    subtests: pytest.Subtests, languages: Languages
) -> None:
    async with open_replica(FAST) as replica, client_on(replica) as tabwright:
        for thread, language in languages.of(THREADS):
            with subtests.test(thread=thread, language=language):
                replica.scenario = attrs.evolve(FAST, **THREADS[thread])
                first = await tabwright.search(QUESTION, language=language)
                for turn in range(1, 3 if languages.each else 2):
                    result = await tabwright.search(
                        FOLLOW_UP, language=language, follow_up=first.conversation
                    )
                    reported(result, replica.truth(turn))
                    assert result.continued
                    assert result.warning == ""


@pytest.mark.parametrize("repeat", ["same", pytest.param("quote", marks=pytest.mark.nightly)])
async def test_thread_of_forty_turns_can_be_continued(repeat: str) -> None:
    scenario = attrs.evolve(FAST, thread=39, repeat=repeat, noise=False, step_s=0.0)
    async with open_replica(scenario) as replica, client_on(replica) as tabwright:
        reported(await tabwright.search(QUESTION, language="en-US"), replica.truth(-1))
        for _ in range(2):
            result = await tabwright.search(QUESTION, language="en-US", follow_up=True)
            reported(result, replica.truth(-1))
            assert result.continued


async def test_follow_up_without_composer_starts_new_search_with_warning(
    languages: Languages,
) -> None:
    scenario = attrs.evolve(FAST, composer="missing")
    async with open_replica(scenario) as replica, client_on(replica) as tabwright:
        for _, language in languages.of(["missing"]):
            await tabwright.search(QUESTION, language=language)
            result = await tabwright.search(FOLLOW_UP, language=language, follow_up=True)
            reported(result, replica.truth(-1))
            assert not result.continued
            assert result.warning == texts_of(language).new_conversation


async def test_unfinished_answer_is_stopped_before_the_follow_up() -> None:
    slow = attrs.evolve(FAST, stall_at=3, stall_s=3600)
    async with open_replica(slow) as replica:
        async with client_on(replica, search__timeout_s=15) as tabwright:
            first = await tabwright.search(QUESTION, language="en-US")
            assert first.warning == texts_of("en-US").partial
            replica.scenario = FAST
            result = await tabwright.search(FOLLOW_UP, language="en-US", follow_up=True)
            reported(result, replica.truth(-1))
            assert result.continued
            assert result.warning == ""


def uncited(answer: str) -> str:
    """Remove the citation marks, which appear only once the sources are there."""
    return re.sub(r"\[\d+\]", "", answer)


# Slowly: when a body breaks off, Chromium discards what the page has not read of it yet.
PARTS = {"cut": {"cut_at": 30, "step_s": 0.03}, "hung": {"hang_at": 30}}


@pytest.mark.parametrize("part", PARTS)
async def test_part_of_an_answer_is_given_with_a_warning(part: str, languages: Languages) -> None:
    scenario = attrs.evolve(FAST, **PARTS[part])
    async with open_replica(scenario) as replica:
        async with client_on(replica, search__timeout_s=15) as tabwright:
            for _, language in languages.of([part]):
                replica.scenario = scenario
                result = await tabwright.search(QUESTION, language=language)
                assert result.warning == texts_of(language).partial
                *shown, _ = uncited(result.ai_answer).splitlines()
                assert len(shown) > 3
                assert uncited(markdown_of(replica.truth().blocks)).startswith("\n".join(shown))


async def test_stream_that_never_closes_returns_its_text_after_silence() -> None:
    signs = frozenset({"complete", "action_bar", "live_region", "stop_button", "stream_end"})
    scenario = attrs.evolve(FAST, drop_signals=signs)
    async with open_replica(scenario) as replica, client_on(replica) as tabwright:
        began_s = trio.current_time()
        result = await tabwright.search(QUESTION, language="en-US")
        assert trio.current_time() - began_s < SILENCE_S + 10
        assert result.blocks == replica.truth().blocks
        assert result.warning == texts_of("en-US").partial


async def test_page_that_reloads_during_answer_is_read_completely() -> None:
    scenario = attrs.evolve(FAST, reload_at=30)
    async with open_replica(scenario) as replica, client_on(replica) as tabwright:
        result = await tabwright.search(QUESTION, language="en-US")
        assert result.blocks == replica.truth(0).blocks


async def test_renderer_crash_fails_the_search_and_the_next_one_works() -> None:
    scenario = attrs.evolve(FAST, crash_at=20)
    async with open_replica(scenario) as replica, client_on(replica) as tabwright:
        with pytest.raises(PageFailed):
            await tabwright.search(QUESTION, language="en-US")
        replica.scenario = FAST
        reported(await tabwright.search(QUESTION, language="en-US"), replica.truth())


@pytest.mark.parametrize("ids", [True, False], ids=["with ids", "without ids"])
@pytest.mark.parametrize("choice", ["reject", "accept"])
async def test_consent_is_answered_as_the_settings_say(
    choice: str, languages: Languages, *, ids: bool
) -> None:
    scenario = attrs.evolve(FAST, consent=True, consent_ids=ids)
    async with open_replica(scenario) as replica:
        async with client_on(replica, search__consent=choice) as tabwright:
            for _, language in languages.of([choice]):
                replica.scenario = scenario
                reported(await tabwright.search(QUESTION, language=language), replica.truth())
        assert replica.consent == choice


async def test_script_check_passes_without_intervention() -> None:
    scenario = attrs.evolve(FAST, script_check=True)
    async with open_replica(scenario) as replica, client_on(replica) as tabwright:
        reported(await tabwright.search(QUESTION, language="fr-FR"), replica.truth())


BARRIERS = {
    "captcha": ({"captcha": True}, "captcha"),
    "refused": ({"rate_limited": True}, "refused"),
    "unavailable": ({"unavailable": True}, "unavailable"),
    "log-in": ({"log_in": True}, "log_in"),
    "no answer": ({"apology": "Hay un problema. Prueba otra pregunta."}, "no_answer"),
}


@pytest.mark.parametrize("barrier", BARRIERS)
async def test_each_barrier_has_its_own_message_in_each_language(
    barrier: str, languages: Languages
) -> None:
    changes, name = BARRIERS[barrier]
    async with open_replica(attrs.evolve(FAST, **changes)) as replica:
        async with client_on(replica, search__person_timeout_s=0) as tabwright:
            for _, language in languages.of([barrier]):
                with pytest.raises(SearchBlocked) as caught:
                    await tabwright.search(QUESTION, language=language)
                assert caught.value.barrier == name
                texts = texts_of(language)
                messages = {
                    "captcha": texts.captcha,
                    "refused": texts.blocked,
                    "unavailable": texts.unavailable,
                    "log_in": texts.log_in,
                    "no_answer": texts.declined,
                }
                assert caught.value.message == messages[name]
                assert not caught.value.retryable


async def test_blank_page_is_retryable_and_loaded_twice() -> None:
    async with open_replica(attrs.evolve(FAST, blank=True)) as replica:
        async with client_on(replica) as tabwright:
            with pytest.raises(NavigationFailed) as caught:
                await tabwright.search(QUESTION, language="en-US")
        loaded = [seen for seen in replica.log if seen.path.startswith("/search")]
    assert caught.value.retryable
    assert len(loaded) == 2


@pytest.mark.parametrize("attributes", ["full", "bare"])
async def test_missing_answer_yields_no_boilerplate(attributes: str, languages: Languages) -> None:
    async with open_replica(attrs.evolve(FAST, empty=True, attributes=attributes)) as replica:
        async with client_on(replica) as tabwright:
            for _, language in languages.of([attributes]):
                result = await tabwright.search(QUESTION, language=language)
                assert (result.ai_answer, result.blocks, result.sources) == ("", (), ())
                assert result.warning == texts_of(language).no_answer


async def test_known_no_answer_sentence_is_not_returned_as_answer(languages: Languages) -> None:
    async with open_replica(attrs.evolve(FAST, error=True)) as replica:
        async with client_on(replica) as tabwright:
            for _, language in languages.of(["error"]):
                result = await tabwright.search(QUESTION, language=language)
                sentence = words(language).page.no_answer
                is_known = bool(all_page_words()[language].no_answer)
                texts = texts_of(language)
                assert result.ai_answer == ("" if is_known else sentence)
                assert result.warning == (texts.no_answer if is_known else texts.partial)
                assert result.sources == ()


async def test_http_error_of_the_answer_stream_fails_the_search() -> None:
    scenario = attrs.evolve(FAST, stream_status=500)
    async with open_replica(scenario) as replica, client_on(replica) as tabwright:
        with pytest.raises(NavigationFailed) as caught:
            await tabwright.search(QUESTION, language="de-DE")
        assert caught.value.message == texts_of("de-DE").stream_failed
        assert caught.value.retryable
        replica.scenario = FAST
        reported(await tabwright.search(QUESTION, language="en-US"), replica.truth())


async def test_first_paragraph_of_a_broken_stream_is_kept_with_a_warning() -> None:
    async with open_replica(FAST) as replica, client_on(replica) as tabwright:
        await tabwright.search(QUESTION, language="en-US")
        count = sum(1 for _ in parts(replica.truth().blocks[0]))
        replica.scenario = attrs.evolve(FAST, **PARTS["cut"] | {"cut_at": count + 2})
        result = await tabwright.search(QUESTION, language="en-US")
        assert len(result.blocks) == 1
        assert result.warning == texts_of("en-US").partial


@pytest.mark.parametrize("composer", ["shown", "closed_root"])
async def test_question_ignored_in_the_url_is_typed_into_the_composer(
    composer: str,
) -> None:
    scenario = attrs.evolve(FAST, ignored=True, composer=composer)
    async with open_replica(scenario) as replica, client_on(replica) as tabwright:
        first = await tabwright.search(QUESTION, language="en-US")
        reported(first, replica.truth(0))
        assert not first.continued
        assert first.warning == ""
        second = await tabwright.search(FOLLOW_UP, language="en-US", follow_up=True)
        reported(second, replica.truth(1))
        assert second.continued


async def test_search_page_without_conversation_or_input_field_is_unavailable() -> None:
    scenario = attrs.evolve(FAST, ignored=True, composer="missing")
    async with open_replica(scenario) as replica, client_on(replica) as tabwright:
        with pytest.raises(SearchBlocked) as caught:
            await tabwright.search(QUESTION, language="en-US")
        assert caught.value.barrier == "unavailable"


async def test_search_sends_locale_of_its_language_and_loads_no_media(
    languages: Languages,
) -> None:
    async with open_replica(FAST) as replica, client_on(replica) as tabwright:
        for language in (*(language for _, language in languages.of(["any"])), "pt-BR"):
            del replica.log[:]
            result = await tabwright.search(QUESTION, language=language)
            assert result.ai_answer
            (page,) = (seen for seen in replica.log if seen.path.startswith("/search"))
            assert page.accept_language.startswith(language)
            assert f"hl={language}" in page.path
            hosts = {seen.host for seen in replica.log}
            assert hosts - ERRANDS == {"www.google.com"}
            assert not [s.path for s in replica.log if s.path.endswith((".png", ".woff2", ".mp3"))]


@pytest.mark.parametrize(
    ("max_tabs", "at_once"),
    [
        pytest.param(1, 1, marks=pytest.mark.nightly),
        pytest.param(2, 2, marks=pytest.mark.nightly),
        (3, 2),
    ],
)
async def test_concurrent_searches_are_limited_by_tabs_and_engine(
    max_tabs: int, at_once: int
) -> None:
    slow, most = attrs.evolve(FAST, stall_at=2, stall_s=2.5), 0
    async with (
        open_replica(slow) as replica,
        client_on(replica, pool__max_tabs=max_tabs) as tabwright,
    ):
        async with trio.open_nursery() as watching:

            async def watch() -> None:
                nonlocal most
                while True:
                    pool = await tabwright.pool()
                    most = max(most, sum(tab.use is TabUse.SEARCHING for tab in pool.tabs))
                    await trio.sleep(0.05)

            watching.start_soon(watch)
            async with trio.open_nursery() as nursery:
                for number in range(4):
                    nursery.start_soon(_answered, tabwright, f"Question {number}?")
            watching.cancel_scope.cancel()
        streams = [seen for seen in replica.log if seen.path.startswith("/async/folwr")]
    assert most == at_once
    assert len(streams) == 4


async def _answered(tabwright: Tabwright, query: str) -> None:
    result = await tabwright.search(query, language="en-US")
    assert result.ai_answer
