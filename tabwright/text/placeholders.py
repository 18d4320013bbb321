"""Texts by which a page says that something on it is still to come, in the languages of the web.

A page about harbours has a section "Loading docks". So the text must be such words and little else.
The patterns are those of Python and of JavaScript with the flag ``u``, for texts in lower case that
begin with a letter and have single spaces.
"""

import re
from typing import Final

_FIRST_WORDS: Final = (
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

_LATER_WORDS: Final = ("wird geladen", "werden geladen", "please wait", "bitte warten")
"""Words that may stand anywhere in them."""

PLACEHOLDER_CHARACTERS_MAX: Final = 40
"""A longer text is one of the page itself."""

SAYING: Final = "(?:{}|.*(?:{}))".format(
    "|".join(word.replace(".", r"\.") for word in _FIRST_WORDS), "|".join(_LATER_WORDS)
)
"""The pattern of a text that begins so; enough if it is all that a page shows."""

_OPEN_END: Final = r"(?=.*(?:…|\.\.)$)"
"""The end of a text that is to be replaced; without it, it can be a word of a sentence."""

_OPEN: Final = f"{_OPEN_END}{SAYING}"

LOADING_PATTERNS: Final = {
    **dict.fromkeys(
        ("div", "main", "output", "p", "section", "span"),
        rf"{_OPEN}|{SAYING}\S*(?: \S+){{0,2}}$(?<![:\uff1a])",
    ),
    **dict.fromkeys(
        ("b", "h1", "h2", "h3", "li", "strong", "td"),
        rf"{_OPEN}|{SAYING}[ .!]*$",
    ),
    "": _OPEN,
}
"""The patterns of these texts by the tag of their element; that of all others has no tag.

Titles, labels and items are often names.
"""

OTHER_TEXTS: Final = (
    *("a", "button", "code", "iframe", "option", "pre", "samp", "script", "style", "textarea"),
)
"""The tags of elements whose text is none of these: it is code, or stands for something else."""

BLANK_PATTERN: Final = r"^(?:-{2,}|…|\.{3,}|\?{2,})$"
"""The pattern of texts that stand for one to come, for example for a price, or for nothing."""

_LOADING: Final = {tag: re.compile(pattern) for tag, pattern in LOADING_PATTERNS.items()}
_BLANK: Final = re.compile(BLANK_PATTERN)
_BEFORE: Final = re.compile(r"[\W\d_]*")


def is_blank(text: str) -> bool:
    """Return whether a text is a placeholder for one to come, for example for a price."""
    return _BLANK.match(text) is not None


def is_dash(text: str) -> bool:
    """Return whether a text is a dash, which stands for nothing or for a text to come."""
    return text in {"-", "\u2013", "\u2014", "--"}


def is_loading(text: str, tag: str | None = "div") -> bool:
    """Return whether the text of an element says that something is being loaded."""
    if len(text) > PLACEHOLDER_CHARACTERS_MAX:
        return False
    words = _BEFORE.sub("", text.lower(), count=1)
    return _LOADING.get(tag or "", _LOADING[""]).match(words) is not None
