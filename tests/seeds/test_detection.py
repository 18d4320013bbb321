import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.search.ai_mode.page_state import (
    ContentNode,
    PageKind,
    PageState,
    ThreadTurn,
    all_page_words,
    mentions_captcha,
    page_kind,
)
from tabwright.text.languages import LANGUAGES

LANGUAGE = st.sampled_from(LANGUAGES)
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
@given(language=LANGUAGE, before=st.text(), after=st.text())
def test_a_captcha_page_is_known_by_its_text(language: str, before: str, after: str) -> None:
    text = f"{before} {CAPTCHA_SENTENCES[language]} {after}"
    assert mentions_captcha(text)
    sorry = "https://www.google.com/sorry/index?continue=x"
    assert page_kind(PageState(sorry, text=text, captcha=True)) is PageKind.CAPTCHA
    assert page_kind(PageState(sorry, text=text)) is PageKind.BLOCKED  # nothing for a person to do


@given(language=LANGUAGE, data=st.data())
def test_every_captcha_phrase_is_detected_in_upper_case(language: str, data: st.DataObject) -> None:
    mark = data.draw(st.sampled_from(all_page_words()[language].captcha))
    assert mentions_captcha(f"x {mark.upper()} y")


@given(text=st.text())
def test_captcha_url_and_structure_are_detected_with_any_text(text: str) -> None:
    sorry = "https://www.google.com/sorry/index?continue=x&q=y"
    assert page_kind(PageState(sorry, text=text, captcha=True)) is PageKind.CAPTCHA
    searched = "https://www.google.com/search?udm=50&q=a"
    assert page_kind(PageState(searched, text=text, captcha=True)) is PageKind.CAPTCHA


@given(language=LANGUAGE, url=URLS)
def test_answer_that_mentions_captchas_is_not_a_captcha_page(language: str, url: str) -> None:
    words = CAPTCHA_SENTENCES[language] + " captcha recaptcha"
    turn = ThreadTurn(column=(ContentNode("box", kids=(ContentNode("text", text=words),)),))
    assert page_kind(PageState(url, turns=1, turn=turn)) is PageKind.ANSWER


@pytest.mark.parametrize(
    "text", ["A captcha keeps robots out.", "reCAPTCHA is a service.", "什么是验证码"]
)
def test_word_captcha_alone_is_not_a_block(text: str) -> None:
    assert not mentions_captcha(text)
    assert re.search("captcha|验证码", text, re.IGNORECASE)
