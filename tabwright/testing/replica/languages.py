"""The words of the replica by language (``languages/``), and its page files (``pages/``)."""

from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

import attrs
import msgspec

Language: TypeAlias = Literal["zh-CN", "en-US", "ja-JP", "ko-KR", "de-DE", "fr-FR"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


@attrs.frozen
class PageStrings:
    """The words of the page around an answer; `{…}` marks what is filled in."""

    ai_mode: str
    all: str
    images: str
    videos: str
    news: str
    more: str
    sign_in: str
    skip: str
    accessibility_links: str
    accessibility_help: str
    accessibility_feedback: str
    filters: str
    results: str
    history: str
    signed_out: str
    conversation: str
    copy_question: str
    edit_question: str
    searching: str
    ready: str
    disclaimer: str
    learn_more: str
    site_count: str
    show_all: str
    related: str
    about: str
    new_tab: str
    caution: str
    ask: str
    send: str
    stop: str
    copy: str
    share: str
    public_link: str
    good: str
    bad: str
    feedback: str
    feedback_hint: str
    help: str
    privacy: str
    terms: str
    unavailable: str
    no_answer: str
    sorry: str
    sorry_text: str
    sorry_why: str
    robot: str
    consent: str
    accept: str
    reject: str


@attrs.frozen
class Words:
    """Everything that the replica says in one language.

    Attributes:
        page: the strings of the page.
        sources: title and snippet of the sources, taken in turns.
        answers: each answer a list of blocks as `tabwright.testing.replica.answers` reads them.
    """

    page: PageStrings
    sources: tuple[tuple[str, str], ...]
    answers: tuple[tuple[Mapping[str, object], ...], ...]


@cache
def words(language: Language) -> Words:
    """Reads the words of a language."""
    text = (files(__package__ or "") / "languages" / f"{language}.yaml").read_text(encoding="utf-8")
    return msgspec.yaml.decode(text, type=Words)


_BY_PREFIX: Mapping[str, Language] = MappingProxyType({name[:2]: name for name in LANGUAGES})


def language_of(hl: str, otherwise: Language) -> Language:
    """Finds the language that an ``hl`` parameter names, as ``de``, ``de-DE`` or ``de-AT``."""
    return _BY_PREFIX.get(hl[:2].lower(), otherwise)


# The files of ``pages/``: HTML with ``$name`` gaps, scripts and styles.


@cache
def bytes_of(name: str) -> bytes:
    """The bytes of a file of `pages/`."""
    return (files(__package__ or "") / "pages" / name).read_bytes()


def text_of(name: str) -> str:
    """The text of a file of `pages/`."""
    return bytes_of(name).decode()


def fill(name: str, strings: PageStrings | None = None, **values: str) -> str:
    """Fills the gaps of a template.

    Args:
        name: the file.
        strings: fill the gaps of their names, escaped.
        values: likewise; those whose name ends in ``_html`` go in as they are.
    """
    said: dict[str, str] = attrs.asdict(strings) if strings else {}
    gaps = {key: value if key.endswith("_html") else escape(value) for key, value in values.items()}
    return Template(text_of(name)).substitute(
        {key: escape(value) for key, value in said.items()} | gaps
    )
