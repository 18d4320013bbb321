from collections.abc import Callable

import pytest

from tabwright.search.ai_mode.page_state import (
    PageKind,
    PageState,
    ThreadTurn,
    is_unasked,
    page_kind,
)

GOOGLE = "https://www.google.com"
EVIL = "https://google.com.evil.example"


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        (PageState(f"{GOOGLE}/search?q=a", turns=1, turn=ThreadTurn()), PageKind.ANSWER),
        (
            PageState(f"{GOOGLE}/search?q=a", turns=1, turn=ThreadTurn(), captcha=True),
            PageKind.ANSWER,
        ),
        (
            PageState(f"{GOOGLE}/search?q=a", turns=1, turn=ThreadTurn(), consent=True),
            PageKind.CONSENT,
        ),
        (PageState(f"{GOOGLE}/sorry/index?q=a", captcha=True), PageKind.CAPTCHA),
        (PageState("https://www.google.de/sorry", captcha=True), PageKind.CAPTCHA),
        (PageState(f"{GOOGLE}/sorry/index?q=a", text="Ungewöhnlicher Verkehr"), PageKind.BLOCKED),
        (PageState(f"{GOOGLE}/sorry/index?q=a", ready=False), PageKind.OTHER),
        (PageState("https://shop.example/x", captcha=True), PageKind.OTHER),
        (PageState("https://shop.example/x", consent=True), PageKind.OTHER),
        (
            PageState(f"{GOOGLE}/search?q=a", text="Our systems saw unusual traffic."),
            PageKind.BLOCKED,
        ),
        (PageState(f"{GOOGLE}/search?q=a", text="unusual traffic, " * 100), PageKind.OTHER),
        (PageState(f"{GOOGLE}/sorry/index", text="sending automated queries"), PageKind.BLOCKED),
        (
            PageState(f"{GOOGLE}/sorry/index", text="sending automated queries", captcha=True),
            PageKind.CAPTCHA,
        ),
        (PageState(f"{EVIL}/sorry/index"), PageKind.OTHER),
        (PageState("https://consent.google.de/ml?continue=x"), PageKind.CONSENT),
        (PageState("https://consent.google.com.evil.example/", consent=True), PageKind.OTHER),
        (PageState(f"{GOOGLE}/httpservice/retry/enablejs?sei=x"), PageKind.SCRIPT_CHECK),
        (PageState(f"{GOOGLE}/search?q=a", composer=True), PageKind.SHELL),
        (PageState(f"{GOOGLE}/search?q=a", composer=True, text="unusual traffic"), PageKind.SHELL),
        (PageState("https://accounts.google.com/v3/signin/identifier"), PageKind.LOG_IN),
        (PageState("https://accounts.google.co.jp/ServiceLogin"), PageKind.LOG_IN),
        (PageState("https://accounts.google.com/signin", captcha=True), PageKind.CAPTCHA),
        (PageState("https://accounts.google.com.evil.example/"), PageKind.OTHER),
        (PageState(f"{GOOGLE}/search?q=a", log_in=True), PageKind.LOG_IN),
        (PageState(f"{GOOGLE}/search?q=a", log_in=True, composer=True), PageKind.SHELL),
        (PageState("https://shop.example/x", log_in=True), PageKind.OTHER),
        (PageState("about:blank"), PageKind.OTHER),
        (PageState("https://[bad"), PageKind.OTHER),
    ],
)
def test_page_kind_is_decided_by_url_and_structure(state: PageState, kind: PageKind) -> None:
    assert page_kind(state) is kind


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (PageState(f"{GOOGLE}/search?q=a&udm=50"), True),
        (PageState(f"{GOOGLE}/search?q=a", composer=True), True),
        (PageState(f"{GOOGLE}/search?q=a"), False),
        (PageState(f"{EVIL}/search?q=a&udm=50", composer=True), False),
        (PageState(f"{GOOGLE}/search?q=a&udm=50", text="AI Mode isn't available"), False),
        (PageState(f"{GOOGLE}/search?q=a&udm=50", captcha=True), False),
    ],
)
def test_only_ai_mode_page_without_question_is_unasked(state: PageState, *, expected: bool) -> None:
    assert is_unasked(state) is expected


@pytest.mark.parametrize(
    "text",
    [
        "AI Mode is not available in your country or language",
        "AI Mode isn\u2019t available",
        "KI-Modus ist nicht verfügbar",
        "Le Mode IA n'est pas disponible dans votre pays ou votre langue.",
    ],
)
def test_shell_that_states_unavailability_is_unavailable(text: str) -> None:
    shell = PageState(f"{GOOGLE}/search?q=a", composer=True, text=f"KI-Modus Alle Bilder\n{text}")
    assert page_kind(shell) is PageKind.UNAVAILABLE


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        ("marked", PageKind.ANSWER),
        ("streaming", PageKind.ANSWER),
        ("error", PageKind.ANSWER),
        ("captcha", PageKind.CAPTCHA),
        ("consent", PageKind.CONSENT),
        ("blocked", PageKind.BLOCKED),
        ("shell", PageKind.SHELL),
    ],
)
def test_recorded_pages_have_expected_page_kind(
    recorded: Callable[[str], PageState], page: str, kind: PageKind
) -> None:
    assert page_kind(recorded(page)) is kind
