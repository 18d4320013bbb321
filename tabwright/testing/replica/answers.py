"""The texts of the replica by language, and the truth: what an extractor should return.

An answer is written in `languages/` as a list of blocks, each a mapping of its kind to its content.
Text is marked ``**bold**``, ``*italic*``, ```code```, ``[link](url)`` and ``[^1]``, which cites the
first source.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

import attrs
import msgspec

from tabwright.protocol.ai_search import SearchSource
from tabwright.protocol.blocks import (
    Block,
    Blocks,
    Citation,
    Code,
    Heading,
    Inlines,
    Item,
    ItemList,
    Paragraph,
    Quote,
    TableBlock,
    TextSpan,
    ThematicBreak,
)

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
    """All texts of the replica in one language.

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
    """Read the words of a language."""
    text = (files(__package__ or "") / "languages" / f"{language}.yaml").read_text(encoding="utf-8")
    return msgspec.yaml.decode(text, type=Words)


_BY_PREFIX: Mapping[str, Language] = MappingProxyType({name[:2]: name for name in LANGUAGES})


def language_of(hl: str, otherwise: Language) -> Language:
    """Return the language of an ``hl`` parameter such as ``de``, ``de-DE`` or ``de-AT``."""
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
    """Fill the gaps of a template.

    Args:
        name: the file.
        strings: fill the gaps of their names, escaped.
        values: likewise; those whose name ends in ``_html`` go in as they are.
    """
    texts: dict[str, str] = attrs.asdict(strings) if strings else {}
    gaps = {key: value if key.endswith("_html") else escape(value) for key, value in values.items()}
    return Template(text_of(name)).substitute(
        {key: escape(value) for key, value in texts.items()} | gaps
    )


# The truth.

_HEADING_LEVEL = 3
_AD_LIKE = 3
_MARKED = re.compile(
    r"\*\*(?P<bold>.+?)\*\*|\*(?P<italic>.+?)\*|`(?P<code>.+?)`"
    r"|\[\^(?P<source>\d+)\]|\[(?P<link>.+?)\]\((?P<url>.+?)\)|(?P<plain>[^*`\[]+)"
)

_CITED = re.compile(r"\[\^(?P<source>\d+)\]")


@attrs.frozen
class Truth:
    """The expected content of one turn of a conversation.

    Attributes:
        question: the question.
        blocks: the answer. A citation names the single source that its chip shows; the others,
            which the chip only counts, are not part of it.
        sources: in the order of the page.
    """

    question: str
    blocks: Blocks
    sources: tuple[SearchSource, ...]


@attrs.frozen
class _Branch:
    text: str
    bullets: tuple[str, ...]


def truth_of(language: Language, turn: int, question: str, source_count: int) -> Truth:
    """Return the expected n-th turn, counted from 0; every other turn repeats an answer."""
    spoken = words(language)
    written = spoken.answers[turn % len(spoken.answers)]
    blocks: list[Block] = []
    for passage in written:
        ((kind, content),) = passage.items()
        blocks.append(_BLOCKS[kind](content, source_count))
    return Truth(question, tuple(blocks), sources_of(language, turn, source_count))


def sources_of(language: Language, turn: int, count: int) -> tuple[SearchSource, ...]:
    """List the sources of the n-th turn; the turns share hosts, but no page."""
    sources: list[SearchSource] = []
    for number in range(1, count + 1):
        title, snippet = source_words(language, number)
        place = f"{language}/{turn + 1}/{number}"
        url, site = f"https://site{number}.example/{place}?from=ai&part=a%20b", f"Site {number}"
        if number == _AD_LIKE:  # a careless list would take it for an advertisement
            url = f"https://ads-research.example/doubleclick.net/{place}/report.png?utm=1"
            site = "Ads-Research"
        sources.append(SearchSource(f"{title} ({number})", url, snippet, site))
    return tuple(sources)


def source_words(language: Language, number: int) -> tuple[str, str]:
    """Return title and snippet of the source of that number."""
    sources = words(language).sources
    return sources[(number - 1) % len(sources)]


_Builder: TypeAlias = Callable[[object, int], Block]


def _list(content: object, source_count: int, *, ordered: bool) -> Block:
    entries = msgspec.convert(content, tuple[str | _Branch, ...])
    items: list[Item] = []
    for entry in entries:
        if isinstance(entry, str):
            items.append(Item(_inlines(entry, source_count)))
        else:
            nested = _list(entry.bullets, source_count, ordered=False)
            items.append(Item(_inlines(entry.text, source_count), (nested,)))
    return ItemList(ordered, tuple(items))


def _table(content: object, source_count: int) -> Block:
    rows = msgspec.convert(content, tuple[tuple[str, ...], ...])
    return TableBlock(tuple(tuple(_inlines(cell, source_count) for cell in row) for row in rows))


_BLOCKS: Mapping[str, _Builder] = MappingProxyType(
    {
        "paragraph": lambda content, count: Paragraph(
            _inlines(msgspec.convert(content, str), count)
        ),
        "heading": lambda content, count: Heading(
            _HEADING_LEVEL, _inlines(msgspec.convert(content, str), count)
        ),
        "bullets": lambda content, count: _list(content, count, ordered=False),
        "steps": lambda content, count: _list(content, count, ordered=True),
        "table": _table,
        "code": lambda content, _: msgspec.convert(content, Code),
        "rule": lambda _, __: ThematicBreak(),
    }
)


def _inlines(marked: str, source_count: int) -> Inlines:
    def kept(match: re.Match[str]) -> str:
        """A citation of an existing source; others are removed."""
        return match[0] if int(match["source"]) <= source_count else ""

    return tuple(
        Citation((int(match["source"]),)) if match["source"] else _text(match)
        for match in _MARKED.finditer(_CITED.sub(kept, marked))
    )


def _text(match: re.Match[str]) -> TextSpan:
    style = str(match.lastgroup)
    if style == "url":
        return TextSpan(match["link"], url=match["url"])
    return TextSpan(
        match[style], bold=style == "bold", italic=style == "italic", code=style == "code"
    )


# How a block grows on the page: the parts of it that a reader sees before the whole.

# The real page shows twelve words at a time. Our paragraphs are short: four still make them grow.
_GROUP = re.compile(
    r"(?:[\u3040-\u30ff\u3400-\u9fff]{1,2}[^\w\s]*|[^\s\u3040-\u9fff]+\s*|\s+){1,4}"
)

_PIECES_MAX = 16
"""The maximum number of pieces of a quotation, which may repeat earlier answers."""


def parts(block: Block) -> Iterator[Block]:
    """Yield the partial versions of a block, from its first piece to all but its last."""
    match block:
        case Paragraph(content):
            # Groups of words; citations come with the whole block only.
            texts = (run for run in content if isinstance(run, TextSpan))
            groups = tuple(
                attrs.evolve(run, text=group) for run in texts for group in _GROUP.findall(run.text)
            )
            yield from (Paragraph(groups[:end]) for end in range(1, len(groups)))
        case ItemList(items=items):
            yield from (attrs.evolve(block, items=items[:end]) for end in range(1, len(items)))
        case TableBlock(rows):
            yield from (TableBlock(rows[:end]) for end in range(1, len(rows)))
        case Quote(blocks):
            step = 1 + len(blocks) // _PIECES_MAX
            yield from (Quote(blocks[:end]) for end in range(1, len(blocks), step))
        case Code(text=text):
            lines = text.splitlines(keepends=True)
            yield from (
                attrs.evolve(block, text="".join(lines[:end])) for end in range(1, len(lines))
            )
        case _:
            pass


# Answers that repeat the answer before them.


def quoting(truth: Truth, before: Truth) -> Truth:
    """Put the text of the whole answer `before` in front of the answer, as a quotation."""
    lines = (" ".join(line.split()) for line in _lines(before.blocks))
    quotation = Quote(tuple(Paragraph((TextSpan(line),)) for line in lines))
    return attrs.evolve(truth, blocks=(quotation, *truth.blocks))


def _lines(blocks: Blocks) -> Iterator[str]:
    for block in blocks:
        match block:
            case Paragraph(content) | Heading(_, content):
                yield _plain_text(content)
            case ItemList(items=items):
                for item in items:
                    yield _plain_text(item.content)
                    yield from _lines(item.blocks)
            case TableBlock(rows):
                yield from (" ".join(map(_plain_text, row)) for row in rows)
            case Code(text):
                yield text
            case Quote(quoted):
                yield from _lines(quoted)
            case ThematicBreak():
                pass


def _plain_text(content: Inlines) -> str:
    return "".join(run.text for run in content if isinstance(run, TextSpan))
