"""A search result as the Markdown document that the caller reads, and what can be read back."""

import re
from functools import cache

import attrs

from tabwright.content.render.markdown import escaped, link
from tabwright.protocol.ai_search import SearchResult, SearchSource
from tabwright.text.languages import Texts, all_texts, texts_of


@attrs.frozen
class Essentials:
    """What a document tells about its result.

    Attributes:
        query: in one line.
        has_answer: whether it has the section of the answer.
        sources: how many it lists.
    """

    query: str
    has_answer: bool
    sources: int


def document(result: SearchResult, *, follow_up: bool = False) -> str:
    """The result in the language of its search: title, query, answer, numbered sources."""
    texts = texts_of(result.language)
    if not result.success:
        return failure(result.error, result.language)
    title = texts.follow_up_title if follow_up else texts.title
    parts = [
        f"## {title}",
        f"**{texts.query}**: {_one_line(result.query)}",
        *([f"> {texts.warning}: {_one_line(result.warning)}"] if result.warning else []),
        *([f"### {texts.answer}", result.ai_answer] if result.ai_answer else [texts.no_answer]),
        f"### {texts.sources.format(count=len(result.sources))}",
    ]
    if result.sources:
        parts.append("\n".join(_entries(result.sources)))
    return "\n\n".join(parts)


def failure(error: str, language: str) -> str:
    """What the caller reads when there is no result."""
    return texts_of(language).failed.format(error=error)


def read_document(text: str) -> Essentials | None:
    """What `document` wrote, in whichever language; None for any other text."""
    head, _, rest = text.partition("\n\n")
    for texts in all_texts().values():
        if head in {f"## {texts.title}", f"## {texts.follow_up_title}"}:
            return _read_body(rest, texts)
    return None


def _entries(sources: tuple[SearchSource, ...]) -> list[str]:
    return [
        f"{number}. {link(escaped(_one_line(source.title) or source.url), source.url)}"
        for number, source in enumerate(sources, start=1)
    ]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _read_body(body: str, texts: Texts) -> Essentials | None:
    query_line, _, rest = body.partition("\n\n")
    label = f"**{texts.query}**: "
    if not query_line.startswith(label):
        return None
    if rest.startswith(f"> {texts.warning}: "):
        rest = rest.partition("\n\n")[2]
    return Essentials(
        query=query_line.removeprefix(label),
        has_answer=rest.startswith(f"### {texts.answer}\n"),
        sources=_count(rest, texts),
    )


def _count(rest: str, texts: Texts) -> int:
    """The last heading counts: an answer may show a list of sources of its own."""
    counts = _sources_heading(texts.sources).findall(rest)
    return int(counts[-1]) if counts else 0


@cache
def _sources_heading(heading: str) -> re.Pattern[str]:
    pattern = re.escape(f"### {heading}").replace(re.escape("{count}"), r"(\d+)")
    return re.compile(f"^{pattern}$", re.MULTILINE)
