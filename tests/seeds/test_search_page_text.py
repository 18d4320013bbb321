import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.searching.cleaning import cleaned
from tabwright.searching.furniture import is_furniture, mentions_captcha
from tabwright.searching.incremental import new_part
from tabwright.searching.interstitials import PageKind, page_kind
from tabwright.searching.languages import LANGUAGES
from tabwright.searching.look import Look, Node, Turn
from tabwright.searching.page_words import all_page_words

SITES = {
    "zh-CN": "{} 个网站",
    "en-US": "{} sites",
    "ja-JP": "{} 件のサイト",
    "ko-KR": "사이트 {}개",
    "de-DE": "{} Websites",
    "fr-FR": "{} sites",
}
ANSWERS = [
    "Help, privacy and terms of the service are not touched by it.",
    "Search results rank pages; the AI Mode tab is another thing.",
    "Das Hilfesystem und die Nutzungsbedingungen bleiben.",
    "帮助和隐私权条款都在下面。",
    "ヘルプとプライバシーは下にあります。",
    "도움말은 아래에 있습니다.",
    "def f():\n    return 1  # Help",
]
FURNITURE = {
    code: [words.tab, *words.labels, *words.notices] for code, words in all_page_words().items()
}
LANGUAGE = st.sampled_from(LANGUAGES)


@st.composite
def furniture(draw: st.DrawFn, *, language: str = "") -> list[str]:
    code = language or draw(LANGUAGE)
    fixed = st.sampled_from(FURNITURE[code])
    counted = st.integers(1, 99).map(SITES[code].format)
    return draw(st.lists(st.one_of(fixed, counted, st.just("")), max_size=5))


@st.composite
def answers(draw: st.DrawFn) -> str:
    inner = draw(st.lists(st.one_of(st.sampled_from(ANSWERS), st.just("Help"), st.just(""))))
    ends = [draw(st.sampled_from(ANSWERS)), draw(st.sampled_from(ANSWERS))]
    return "\n".join([ends[0], *inner, ends[1]])


# Feature: nodriver-migration, Property 3: Navigation Text Cleaning
@given(head=furniture(), answer=answers(), foot=furniture())
def test_furniture_goes_and_the_answer_stays(head: list[str], answer: str, foot: list[str]) -> None:
    page = "\n".join([*head, answer, *foot])
    assert cleaned(page).strip("\n") == answer


@given(answer=answers())
def test_cleaning_a_clean_answer_changes_nothing(answer: str) -> None:
    assert cleaned(answer) == answer


@given(text=st.text(st.sampled_from("Help\n 帮助"), max_size=30))
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert cleaned(cleaned(text)) == cleaned(text)


# Feature: google-ai-search-mcp, Property 2: 文本清理正确性
@given(lines=furniture(language="zh-CN"), answer=st.sampled_from(ANSWERS))
def test_no_line_of_the_page_is_left_in_the_answer(lines: list[str], answer: str) -> None:
    left = cleaned("\n".join([*lines, answer, *reversed(lines)])).splitlines()
    assert not {line for line in lines if line} & set(left)
    assert "\n".join(left).strip("\n") == answer
    assert cleaned("\n".join(lines)).strip() == ""


# Feature: nodriver-migration, Property 4: Multi-Language Label Recognition
@given(language=LANGUAGE, sites=st.integers(1, 10_000), data=st.data())
def test_labels_of_each_language_are_recognised(
    language: str, sites: int, data: st.DataObject
) -> None:
    line = data.draw(st.sampled_from(FURNITURE[language]))
    assert is_furniture(line)
    assert is_furniture(f"  {line.upper()} ")
    assert is_furniture(SITES[language].format(sites))
    assert not is_furniture(f"{line} {ANSWERS[0]}")


WORDS = st.text(st.sampled_from("abc de国。?"), min_size=1, max_size=12).map(
    lambda text: " ".join(text.split())
)
PARAGRAPHS = st.lists(WORDS.filter(bool), min_size=1, max_size=5)


# Feature: nodriver-migration, Property 5: Incremental Content Extraction
@given(
    earlier=PARAGRAPHS,
    previous=PARAGRAPHS,
    query=WORDS.filter(bool),
    new=PARAGRAPHS,
    gap=st.sampled_from(["\n", "\n\n", "\n \n"]),
)
def test_only_the_new_answer_is_left(
    earlier: list[str], previous: list[str], query: str, new: list[str], gap: str
) -> None:
    marked = [f"new: {line}" for line in new]
    thread = gap.join([*earlier, *previous, query, *marked])
    part = new_part(thread, previous="\n".join(previous), query=query)
    assert [line for line in part.splitlines() if line.strip()] == marked


@given(previous=PARAGRAPHS, query=WORDS.filter(bool), new=PARAGRAPHS)
def test_a_text_that_is_new_already_only_loses_the_question(
    previous: list[str], query: str, new: list[str]
) -> None:
    marked = "\n".join(f"new: {line}" for line in new)
    assert new_part(marked, previous="\n".join(previous), query=query) == marked
    assert new_part(f"{query}\n{marked}", previous="\n".join(previous), query=query) == marked


CAPTCHA_SENTENCES = {
    "zh-CN": "我们的系统检测到您的计算机网络中存在异常流量。",
    "en-US": "Our systems have detected unusual traffic from your computer network.",
    "ja-JP": "お使いのコンピュータ ネットワークから通常と異なるトラフィックが検出されました。",
    "ko-KR": "Google의 시스템이 컴퓨터 네트워크에서 비정상적인 트래픽을 감지했습니다.",
    "de-DE": "Unsere Systeme haben ungewöhnlichen Datenverkehr aus Ihrem Netzwerk festgestellt.",
    "fr-FR": "Nos systèmes ont détecté un trafic exceptionnel sur votre réseau informatique.",
}
URLS = st.sampled_from(["https://www.google.com/search?udm=50&q=a", "https://www.google.com/x"])


# Feature: nodriver-migration, Property 6: CAPTCHA Detection
@given(language=LANGUAGE, before=st.text(), after=st.text(), url=URLS)
def test_a_captcha_page_is_known_by_its_text(
    language: str, before: str, after: str, url: str
) -> None:
    text = f"{before} {CAPTCHA_SENTENCES[language]} {after}"
    assert mentions_captcha(text)
    assert page_kind(Look(url, text=text)) is PageKind.CAPTCHA


@given(language=LANGUAGE, data=st.data())
def test_every_known_mark_is_found(language: str, data: st.DataObject) -> None:
    mark = data.draw(st.sampled_from(all_page_words()[language].captcha))
    assert mentions_captcha(f"x {mark.upper()} y")


@given(text=st.text())
def test_url_and_structure_need_no_language(text: str) -> None:
    sorry = "https://www.google.com/sorry/index?continue=x&q=y"
    assert page_kind(Look(sorry, text=text, captcha=True)) is PageKind.CAPTCHA
    searched = "https://www.google.com/search?udm=50&q=a"
    assert page_kind(Look(searched, text=text, captcha=True)) is PageKind.CAPTCHA


@given(language=LANGUAGE, url=URLS)
def test_an_answer_that_speaks_of_captchas_is_an_answer(language: str, url: str) -> None:
    words = CAPTCHA_SENTENCES[language] + " captcha recaptcha"
    turn = Turn(column=(Node("box", kids=(Node("text", text=words),)),))
    assert page_kind(Look(url, turns=1, turn=turn)) is PageKind.ANSWER


@pytest.mark.parametrize(
    "text", ["A captcha keeps robots out.", "reCAPTCHA is a service.", "什么是验证码"]
)
def test_the_word_captcha_alone_is_no_block(text: str) -> None:
    assert not mentions_captcha(text)
    assert re.search("captcha|验证码", text, re.IGNORECASE)
