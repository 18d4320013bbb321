"""The main content of a page, found by how the page is built.

The body is folded into kinds of elements, and its text into strands (`folding`). Of every strand a
few numbers are taken (`content_signals`), and weights that were learned from labelled pages say how
likely it is content (`content_score`). What is most worth reading as a whole is kept (`pruning`).
Comments on an article are left out from the first (`comments`).
No word of the text counts, so that no language is better off than another.
"""

import operator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.readability.dom_shapes import FoldedPage, Strand, folded
from tabwright.content.readability.main_content import pruned
from tabwright.content.readability.signals import signals_of
from tabwright.reading.comments import without_comments
from tabwright.reading.content_score import ContentScore, shipped_score
from tabwright.reading.page_head import PageHead

_CAUTION = 1.07
"""How many times as likely as the odds ask for must a strand be. Strands of one page are wrong
together, which the odds do not know.
"""


def main_content(document: LexborHTMLParser) -> tuple[LexborNode, ...]:
    """The roots of the main content, in the order of the page; all else is taken out of them.

    A page with text has content. One without text is left as it is: its body is the root.

    Args:
        document: any; it is the caller's to throw away, and is changed.
    """
    body = document.body
    if body is None:
        return ()
    page = folded(body)
    if not page.strands:
        return (body,)
    return (pruned(page, content(page, PageHead.of(document), shipped_score())),)


def content(page: FoldedPage, head: PageHead, score: ContentScore) -> list[Strand]:
    """The strands that are content; at least one, if there are any."""
    page = without_comments(page, head)
    likelihoods = [score.likelihood(signals) for signals in signals_of(page, head, score.worth)]
    limit = _CAUTION * _limit(likelihoods, page.strands)
    limit = min(limit, max(likelihoods, default=0.0))
    pairs = zip(likelihoods, page.strands, strict=True)
    return [strand for likelihood, strand in pairs if likelihood >= limit]


def _limit(likelihoods: list[float], strands: list[Strand]) -> float:
    """How likely a strand must be for keeping it to do more good than harm.

    Good is the harmonic mean of precision and recall (F1), in characters. Whatever is more likely
    than half of what that mean will be raises it.
    """
    chars = [strand.tally.chars for strand in strands]
    expected = sum(map(operator.mul, likelihoods, chars))
    best, right, kept = 0.0, 0.0, 0
    for likelihood, more in sorted(zip(likelihoods, chars, strict=True), reverse=True):
        right += likelihood * more
        kept += more
        best = max(best, 2 * right / (kept + expected))
    return best / 2
