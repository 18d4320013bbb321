"""A search result as JSON-able values and as Markdown."""

from typing import TypeAlias

import attrs

from tabwright.content.render.markdown import escaped, link
from tabwright.protocol.ai_search import SearchResult
from tabwright.text.languages import texts_of

Record: TypeAlias = dict[str, object]


def to_record(result: SearchResult) -> Record:
    """The result as dictionaries, tuples and scalars, under the names of its attributes."""
    return attrs.asdict(result)


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
        parts.append(
            "\n".join(
                [
                    f"{number}. {link(escaped(_one_line(source.title) or source.url), source.url)}"
                    for number, source in enumerate(result.sources, start=1)
                ]
            )
        )
    return "\n\n".join(parts)


def failure(error: str, language: str) -> str:
    """What the caller reads when there is no result."""
    return texts_of(language).failed.format(error=error)


def _one_line(text: str) -> str:
    return " ".join(text.split())
