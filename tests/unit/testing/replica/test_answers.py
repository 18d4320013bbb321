from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.blocks import Blocks, Citation, Code, Inline, ItemList, TableBlock, TextSpan
from tabwright.testing.replica.answers import (
    LANGUAGES,
    Language,
    language_of,
    sources_of,
    truth_of,
    words,
)

KINDS = [
    *("paragraph", "paragraph", "heading", "list", "paragraph", "heading", "list", "list"),
    *("paragraph", "table", "heading", "code", "rule", "paragraph"),
]


def runs(blocks: Blocks) -> Iterator[Inline]:
    for block in blocks:
        match block:
            case ItemList(items=items):
                for item in items:
                    yield from item.content
                    yield from runs(item.blocks)
            case TableBlock(rows):
                for row in rows:
                    for cell in row:
                        yield from cell
            case _:
                yield from getattr(block, "content", ())


def prose(blocks: Blocks) -> str:
    return "".join(run.text for run in runs(blocks) if isinstance(run, TextSpan))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("turn", [0, 1, 2])
def test_answer_has_the_expected_kinds_of_blocks(language: Language, turn: int) -> None:
    blocks = truth_of(language, turn, "q", 10).blocks
    assert [block.kind for block in blocks] == KINDS
    assert any(block.ordered for block in blocks if isinstance(block, ItemList))
    assert any(
        item.blocks for block in blocks if isinstance(block, ItemList) for item in block.items
    )
    assert any("\n    " in block.text for block in blocks if isinstance(block, Code))


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_answer_has_every_style(language: Language) -> None:
    output = [
        run for run in runs(truth_of(language, 0, "q", 10).blocks) if isinstance(run, TextSpan)
    ]
    assert all(
        any(getattr(run, style) for run in output) for style in ("bold", "italic", "code", "url")
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_answer_text_contains_no_markup_notation(language: Language) -> None:
    for turn in (0, 1):
        output = prose(truth_of(language, turn, "q", 10).blocks)
        assert not any(mark in output for mark in ("**", "[^", "](", "`", "*"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_answer_contains_boilerplate_words_as_content(language: Language) -> None:
    page = words(language).page
    output = "".join(prose(truth_of(language, turn, "q", 10).blocks) for turn in (0, 1)).casefold()
    for boilerplate in (page.help, page.privacy, page.terms, page.results, page.ai_mode, "captcha"):
        assert boilerplate.casefold() in output


@pytest.mark.parametrize("language", LANGUAGES)
def test_third_answer_repeats_the_first_and_the_second_quotes_it(
    language: Language,
) -> None:
    first, second, third = (truth_of(language, turn, "q", 10).blocks for turn in range(3))
    assert first == third
    assert first != second
    opening = prose(first[:1]).rstrip(".。")
    assert opening[1:] in prose(second)


@given(st.sampled_from(LANGUAGES), st.integers(0, 5), st.integers(0, 40))
def test_citations_refer_to_existing_sources(language: Language, turn: int, count: int) -> None:
    truth = truth_of(language, turn, "q", count)
    cited = {n for run in runs(truth.blocks) if isinstance(run, Citation) for n in run.sources}
    assert len(truth.sources) == count
    assert cited <= set(range(1, count + 1))


@given(st.sampled_from(LANGUAGES), st.integers(0, 40))
def test_sources_have_unique_url_title_and_site(language: Language, n: int) -> None:
    sources = sources_of(language, 0, n)
    for key in ("url", "title", "site"):
        assert len({getattr(source, key) for source in sources}) == n
    assert not {s.url for s in sources} & {s.url for s in sources_of(language, 1, n)}


@pytest.mark.parametrize(
    ("hl", "language"),
    [("de", "de-DE"), ("de-AT", "de-DE"), ("zh-CN", "zh-CN"), ("JA", "ja-JP"), ("tr", "fr-FR")],
)
def test_hl_parameter_matches_a_language_loosely(hl: str, language: Language) -> None:
    assert language_of(hl, "fr-FR") == language
