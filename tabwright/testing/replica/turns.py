"""The HTML of a turn around its answer: the question, the action bar, the column of sources."""

import attrs

from tabwright.protocol.answers import SearchSource
from tabwright.testing.replica.answers import Truth
from tabwright.testing.replica.disguise import commented, renamed
from tabwright.testing.replica.languages import Language, PageStrings, words
from tabwright.testing.replica.links import sealed, wrapped
from tabwright.testing.replica.markup import Markup
from tabwright.testing.replica.scenario import Scenario
from tabwright.testing.replica.templates import fill

_VISIBLE_CARDS = 3


@attrs.frozen
class Turn:
    """One question of a conversation on its way to the page.

    Attributes:
        number: counted from 0.
        language: of the page.
        truth: what is answered.
        scenario: how.
        first: whether the page was loaded for it, with a place for it already there.
    """

    number: int
    language: Language
    truth: Truth
    scenario: Scenario
    first: bool = attrs.field(kw_only=True)

    @property
    def strings(self) -> PageStrings:
        """The words of the page."""
        return words(self.language).page

    @property
    def markup(self) -> Markup:
        """The hand that writes the blocks."""
        return Markup(self.strings, self.truth.sources, self.scenario.links)

    def dressed(self, html: str) -> str:
        """Gives a piece of the page the class names and the noise of the scenario."""
        return renamed(commented(html) if self.scenario.noise else html, self.scenario.classes)

    def foot(self) -> str:
        """Writes the action bar, with the feedback survey that nobody sees."""
        return self.dressed(fill("foot.html", self.strings))

    def aside(self) -> str:
        """Writes the source cards: three in sight, all of them in a hidden dialog."""
        cards = [self._card(number, source) for number, source in enumerate(self.truth.sources, 1)]
        count = self.strings.site_count.format(count=len(cards))
        return self.dressed(
            fill(
                "aside.html",
                self.strings,
                count=count,
                visible_html="".join(cards[:_VISIBLE_CARDS]),
                all_html="".join(cards),
            )
        )

    def _card(self, number: int, source: SearchSource) -> str:
        return fill(
            "card.html",
            self.strings,
            id=f"{self.number}-{number}",
            href=wrapped(source.url, self.scenario.links),
            label=f"{source.title}. {self.strings.new_tab}",
            title=source.title,
            snippet=source.snippet,
            site=source.site,
        )

    def notice(self) -> str:
        """Writes the sentence that stands in place of an answer."""
        return self.dressed(fill("notice.html", text=self.strings.no_answer))


def empty_turn(question: str, strings: PageStrings, *, first: bool) -> str:
    """Writes the place of a turn before anything of its answer is there."""
    return fill(
        "turn.html",
        strings,
        question=question,
        copy_question=strings.copy_question.format(question=question),
        edit_question=strings.edit_question.format(question=question),
        container_html='id="aim-chrome-initial-inline-async-container"' if first else "",
        token=sealed(question)[:12],
    )
