"""Markdown of a page as tokens for a terminal: numbers after links, pictures after paragraphs.

Control sequences for terminals are removed, even if a page wrote them as entities.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tabwright.text.lines import strip_invisible, verbatim

PICTURE = "picture"
"""The type of a token for a picture as a block; its content is the URL."""

NESTING_MAX = 100
"""The server's maximum nesting; the parser's default of 20 would omit deeper content."""

HIGHLIGHTED_MAX = 20_000
"""The maximum length of code that is highlighted, in characters; more would take too long."""

LEVELS = ("bullet_list_", "ordered_list_", "blockquote_")
ITEM = "list_item_"
"""The prefix of token types that contain other tokens."""

NONE: frozenset[str] = frozenset()

Numbering = Callable[[str], int]
"""Returns the number of the link to a URL."""


def escaped(text: str) -> str:
    """Escape text for Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>()#+\-.!|~&])", r"\\\1", strip_invisible(text))


class _Parser(MarkdownIt):
    """A parser that leaves URLs as the server knows them; they are checked when followed."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802  (as its class has it)
        """Return it unchanged."""
        return url

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802  (as its class has it)
        """Accept any link."""
        return True


def parsed(
    markdown: str,
    number_of: Numbering,
    pictures: Collection[str] = (),
    depth_max: int = NESTING_MAX,
) -> list[Token]:
    """Parse a text into tokens.

    Args:
        markdown: CommonMark with tables.
        number_of: called for each link, in reading order.
        pictures: the URLs of the pictures that can be shown.
        depth_max: the maximum nesting of lists and quotes; deeper ones are flattened to it.
    """
    parser = _Parser("commonmark", {"maxNesting": NESTING_MAX})
    parser.enable(["strikethrough", "table"])
    tokens = _shallow(map(_tamed, parser.parse(markdown)), depth_max)
    return list(_below(tokens, number_of, frozenset(pictures)))


def _shallow(tokens: Iterable[Token], depth_max: int) -> Iterator[Token]:
    """Yield the tokens without lists, items and quotes that are nested deeper."""
    depth = 0
    for token in tokens:
        is_level = token.type.startswith(LEVELS)
        depth += is_level and token.nesting > 0
        if depth <= depth_max or not (is_level or token.type.startswith(ITEM)):
            yield token
        depth -= is_level and token.nesting < 0


def _below(
    tokens: Iterable[Token], number_of: Numbering, pictures: frozenset[str]
) -> Iterator[Token]:
    """Yield the tokens, with pictures after the blocks that contain them."""
    waiting: list[Token] = []
    rows = 0
    for token in tokens:
        rows += token.nesting * (token.type in {"table_open", "table_close"})
        if token.type == "inline" and token.children:
            shown = NONE if rows else pictures
            token.children = list(_inline(token.children, number_of, shown, waiting))
        yield token
        if token.nesting < 0:
            yield from waiting
            waiting.clear()


def _inline(
    children: Iterable[Token],
    number_of: Numbering,
    pictures: frozenset[str],
    waiting: list[Token],
) -> Iterator[Token]:
    leads_to = ""
    for child in map(_tamed, children):
        if child.type == "link_open":
            leads_to = str(child.attrs.get("href", ""))
        if child.type == "link_close":
            yield _text(f"[{number_of(leads_to)}]")
        if child.type != "image":
            yield child
        elif (url := str(child.attrs.get("src", ""))) in pictures:
            waiting.append(Token(PICTURE, "", 0, content=url))
        else:
            parts = child.children or ()  # in which nothing is escaped any more
            alt = strip_invisible("".join(part.content for part in parts if part.type == "text"))
            yield _text(f"[image: {alt}]" if alt else "[image]")


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _tamed(token: Token) -> Token:
    if token.type in {"fence", "code_block"}:
        token.content = verbatim(token.content)
        token.info = token.info if len(token.content) <= HIGHLIGHTED_MAX else ""
    elif token.type in {"text", "code_inline"}:
        token.content = strip_invisible(token.content)
    return token
