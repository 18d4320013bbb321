from collections.abc import Callable

import pytest

from tabwright.search.ai_mode.page_kind import PageKind, page_kind
from tabwright.search.ai_mode.page_state import Look, Turn

GOOGLE = "https://www.google.com"
EVIL = "https://google.com.evil.example"


@pytest.mark.parametrize(
    ("look", "kind"),
    [
        (Look(f"{GOOGLE}/search?q=a", turns=1, turn=Turn()), PageKind.ANSWER),
        (Look(f"{GOOGLE}/search?q=a", turns=1, turn=Turn(), captcha=True), PageKind.ANSWER),
        (Look(f"{GOOGLE}/search?q=a", turns=1, turn=Turn(), consent=True), PageKind.CONSENT),
        (Look(f"{GOOGLE}/sorry/index?q=a", captcha=True), PageKind.CAPTCHA),
        (Look("https://www.google.de/sorry", captcha=True), PageKind.CAPTCHA),
        (Look(f"{GOOGLE}/sorry/index?q=a", text="Ungewöhnlicher Verkehr"), PageKind.BLOCKED),
        (Look(f"{GOOGLE}/sorry/index?q=a", ready=False), PageKind.OTHER),
        (Look("https://shop.example/x", captcha=True), PageKind.OTHER),
        (Look("https://shop.example/x", consent=True), PageKind.OTHER),
        (Look(f"{GOOGLE}/search?q=a", text="Our systems saw unusual traffic."), PageKind.BLOCKED),
        (Look(f"{GOOGLE}/search?q=a", text="unusual traffic, " * 100), PageKind.OTHER),
        (Look(f"{GOOGLE}/sorry/index", text="sending automated queries"), PageKind.BLOCKED),
        (
            Look(f"{GOOGLE}/sorry/index", text="sending automated queries", captcha=True),
            PageKind.CAPTCHA,
        ),
        (Look(f"{EVIL}/sorry/index"), PageKind.OTHER),
        (Look("https://consent.google.de/ml?continue=x"), PageKind.CONSENT),
        (Look("https://consent.google.com.evil.example/", consent=True), PageKind.OTHER),
        (Look(f"{GOOGLE}/httpservice/retry/enablejs?sei=x"), PageKind.SCRIPT_CHECK),
        (Look(f"{GOOGLE}/search?q=a", composer=True), PageKind.SHELL),
        (Look(f"{GOOGLE}/search?q=a", composer=True, text="unusual traffic"), PageKind.SHELL),
        (Look("about:blank"), PageKind.OTHER),
        (Look("https://[bad"), PageKind.OTHER),
    ],
)
def test_url_and_structure_decide(look: Look, kind: PageKind) -> None:
    assert page_kind(look) is kind


@pytest.mark.parametrize(
    "text",
    [
        "AI Mode is not available in your country or language",
        "AI Mode isn\u2019t available",
        "KI-Modus ist nicht verfügbar",
        "Le Mode IA n'est pas disponible dans votre pays ou votre langue.",
    ],
)
def test_a_shell_that_says_so_is_unavailable(text: str) -> None:
    shell = Look(f"{GOOGLE}/search?q=a", composer=True, text=f"KI-Modus Alle Bilder\n{text}")
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
def test_recorded_pages(recorded: Callable[[str], Look], page: str, kind: PageKind) -> None:
    assert page_kind(recorded(page)) is kind
