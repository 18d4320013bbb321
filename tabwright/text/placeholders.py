"""Words by which a page says that something on it is still to come, in the languages of the web."""

import re
from typing import Final

LOADING_WORDS: Final = (
    *("loading", "please wait", "just a moment", "one moment", "checking your browser"),
    *("fetching", "getting your", "preparing your"),
    *("wird geladen", "werden geladen", "wird geprüft", "lädt", "bitte warten"),
    *("chargement", "veuillez patienter", "cargando", "espere", "caricamento", "attendere"),
    *("carregando", "aguarde", "laden...", "even geduld", "wczytywanie", "ładowanie"),
    *("proszę czekać", "načítání", "laddar", "indlæser", "laster inn", "yükleniyor"),
    *("загрузка", "загружается", "подождите", "завантаження", "φόρτωση"),
    *("加载中", "正在加载", "载入中", "載入中", "正在載入", "读取中"),
    *("読み込み中", "読込中", "お待ちください", "로딩", "불러오는", "잠시만"),
    *("جار", "लोड", "กำลังโหลด", "đang tải", "memuat"),
)
"""Beginnings of such texts, in lower case."""

LATER_WORDS: Final = ("wird geladen", "werden geladen", "please wait", "bitte warten")
"""Words that may stand anywhere in them."""

PLACEHOLDER_CHARACTERS_MAX: Final = 40
"""A longer text is one of the page itself."""

_LOADING: Final = re.compile(
    rf"\W*(?:{'|'.join(map(re.escape, LOADING_WORDS))})"
    rf"|.*(?:{'|'.join(LATER_WORDS)})"
)
_BLANK: Final = re.compile(r"-{2,}|…|\.{3,}|\?{2,}")


def is_blank(text: str) -> bool:
    """Return whether a text is a placeholder for one to come, for example for a price."""
    return _BLANK.fullmatch(text) is not None


def is_loading(text: str) -> bool:
    """Return whether a short text says that something is being loaded."""
    return len(text) <= PLACEHOLDER_CHARACTERS_MAX and _LOADING.match(text.lower()) is not None
