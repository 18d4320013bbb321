import string

import attrs
import pytest

from tabwright.protocol.errors import BadInput
from tabwright.text.languages import (
    LANGUAGES,
    Texts,
    accept_language,
    all_texts,
    checked_language,
    texts_of,
)


@pytest.mark.parametrize(
    ("code", "checked"),
    [
        ("zh-cn", "zh-CN"),
        ("EN-us", "en-US"),
        ("pt-BR", "pt-BR"),
        ("es-419", "es-419"),
        ("fil", "fil"),
        ("zh-hant-tw", "zh-Hant-TW"),
    ],
)
def test_language_code_is_normalised(code: str, checked: str) -> None:
    assert checked_language(code) == checked


@pytest.mark.parametrize(
    "code", ["", "e", "english", "en_US", "en-", "en-US-x", "en US", "中文", "zh-CN\n", "e\u0301n"]
)
def test_malformed_language_code_is_refused(code: str) -> None:
    with pytest.raises(BadInput, match="not a language code"):
        checked_language(code)


@pytest.mark.parametrize(
    ("code", "languages"),
    [
        ("zh-CN", "zh-CN,zh,en"),
        ("en-US", "en-US,en"),
        ("de", "de,en"),
        ("en", "en"),
    ],
)
def test_accept_language_lists_the_language_then_english(code: str, languages: str) -> None:
    assert accept_language(code) == languages


def fields_of(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_every_text_with_the_same_fields(code: str) -> None:
    for name in (field.name for field in attrs.fields(Texts)):
        text, english = getattr(texts_of(code), name), getattr(texts_of("en-US"), name)
        assert text.strip()
        assert fields_of(text) == fields_of(english), name


def test_document_titles_are_unique_across_languages() -> None:
    titles = [(t.title, t.follow_up_title) for t in all_texts().values()]
    assert len({title for pair in titles for title in pair}) == 2 * len(LANGUAGES)


@pytest.mark.parametrize(
    ("code", "same_as"),
    [("", "zh-CN"), ("zh-TW", "zh-CN"), ("de-AT", "de-DE"), ("pt-BR", "en-US"), ("fr", "fr-FR")],
)
def test_other_language_codes_use_the_nearest_texts(code: str, same_as: str) -> None:
    assert texts_of(code) is texts_of(same_as)


def test_chinese_texts_are_those_of_the_original_program() -> None:
    texts = texts_of("zh-CN")
    assert texts.query_missing == "错误: 请提供搜索关键词"
    assert texts.no_browser == "未找到可用的浏览器\uff08Chrome 或 Edge\uff09"
    assert texts.extraction_failed.format(detail="x") == "提取内容失败: x"
    assert texts.failed.format(error="x") == "搜索失败: x"
