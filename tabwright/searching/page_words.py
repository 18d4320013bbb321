"""What the engine's page says round an answer, or in its place, in the six languages.

A language's gaps are strings that nobody has seen on a page: nothing may depend on them.
"""

from functools import cache

import attrs

from tabwright.text.languages import LANGUAGES, read_words


@attrs.frozen
class PageWords:
    """What the engine's page says round an answer, or in its place.

    Attributes:
        tab: the label of the AI Mode tab.
        labels: names of tabs, buttons, links and hidden headings, each a whole line.
        notices: sentences about AI answers, code and progress, each a whole line.
        sites: the toggle that counts the sources, as a pattern for a whole line.
        captcha: parts of sentences on a CAPTCHA page.
        no_answer: parts of sentences that stand in the place of an answer.
        not_available: sentences of a page that offers no AI Mode.
    """

    tab: str
    labels: tuple[str, ...]
    notices: tuple[str, ...]
    sites: str
    captcha: tuple[str, ...]
    no_answer: tuple[str, ...] = ()
    not_available: tuple[str, ...] = ()


@attrs.frozen
class _File:
    page: PageWords


@cache
def all_page_words() -> dict[str, PageWords]:
    """The words by language code, in the order of `LANGUAGES`."""
    return {code: read_words(code, _File).page for code in LANGUAGES}
