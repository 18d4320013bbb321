"""The pages that answers cite: short articles on ``*.example`` hosts, in the answer's language."""

import re
from html import escape

from tabwright.protocol.blocks import Paragraph, Text
from tabwright.testing.replica.answers import source_words, truth_of
from tabwright.testing.replica.languages import Language, language_of, words
from tabwright.testing.replica.templates import fill

_PLACE = re.compile(r"/(?P<language>[a-z]{2}-[A-Z]{2})/\d+/(?P<number>\d+)(?:/report\.png)?$")
_TRACKER = '<script async src="https://www.googletagmanager.com/gtm.js?id=GTM-X"></script>'


def article_at(path: str) -> str:
    """Writes the article of a source's path; any other path has the first one, in English."""
    place = _PLACE.search(path)
    if place is None:
        return article("en-US", 1)
    return article(
        language_of(place["language"], "en-US"), int(place["number"]), head_html=_TRACKER
    )


def article(language: Language, number: int, *, head_html: str = "") -> str:
    """Writes the article of the source of that number; `head_html` goes into its head."""
    title, snippet = source_words(language, number)
    return fill(
        "article.html",
        words(language).page,
        language=language,
        title=f"{title} ({number})",
        snippet=snippet,
        site=f"Site {number}",
        body_html="\n".join(f"<p>{escape(text)}</p>" for text in _paragraphs(language)),
        head_html=head_html,
    )


def _paragraphs(language: Language) -> list[str]:
    """Borrows the prose of an answer."""
    return [
        "".join(run.text for run in block.content if isinstance(run, Text))
        for block in truth_of(language, 0, "", 0).blocks
        if isinstance(block, Paragraph)
    ]
