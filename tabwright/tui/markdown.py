"""Markdown of a page as tokens for a terminal: numbers behind links, pictures below paragraphs.

Whatever a page has spelled out with entities of its own, nothing is left here that steers a
terminal.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tabwright.content.documents import verbatim
from tabwright.text.lines import strip_invisible

PICTURE = "picture"
"""The type of a token that stands for a picture in lines of its own; its content is the URL."""

NESTING_MAX = 100
"""The server nests no deeper; the parser would leave out what stands lower than its own 20."""

HIGHLIGHTED_MAX = 20_000
"""Characters of code that are told apart by colour; more would take too long."""

LEVELS = ("bullet_list_", "ordered_list_", "blockquote_")
ITEM = "list_item_"
"""How the types of tokens begin that have others in them."""

NONE: frozenset[str] = frozenset()

Numbering = Callable[[str], int]
"""Gives the number of the link that leads to a URL."""


def escaped(text: str) -> str:
    """Text that is to stand in Markdown as it is."""
    return re.sub(r"([\\`*_{}\[\]<>()#+\-.!|~&])", r"\\\1", strip_invisible(text))


class _Parser(MarkdownIt):
    """Leaves URLs as the server knows them; it judges them when they are followed."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802  (as its class has it)
        """As it is."""
        return url

    def validateLink(self, url: str) -> bool:  # noqa: N802  (as its class has it)
        """Any may stand in a text."""
        del url
        return True


def parsed(
    markdown: str,
    number_of: Numbering,
    pictures: Collection[str] = (),
    depth_max: int = NESTING_MAX,
) -> list[Token]:
    """The tokens of a text.

    Args:
        markdown: CommonMark with tables.
        number_of: is asked for each link, in reading order.
        pictures: the URLs of those that can be shown.
        depth_max: how deep lists and quotes may stand in one another; what stands deeper, stands
            there too.
    """
    parser = _Parser("commonmark", {"maxNesting": NESTING_MAX})
    parser.enable(["strikethrough", "table"])
    tokens = _shallow(map(_tamed, parser.parse(markdown)), depth_max)
    return list(_below(tokens, number_of, frozenset(pictures)))


def _shallow(tokens: Iterable[Token], depth_max: int) -> Iterator[Token]:
    """The tokens without lists, items and quotes that stand deeper."""
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
    """The tokens, with those of pictures after the blocks in which they stand."""
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
