"""The HTML of a turn: the question, the blocks, the action bar, the column of sources."""

from urllib.parse import urlsplit

import attrs

from tabwright.protocol.ai_search import SearchSource
from tabwright.protocol.blocks import Block, Paragraph
from tabwright.testing.replica.answers import Truth
from tabwright.testing.replica.languages import Language, PageStrings, words
from tabwright.testing.replica.links import sealed, wrapped
from tabwright.testing.replica.markup import Markup
from tabwright.testing.replica.markup_drift import echoes
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

    def whole(self) -> str:
        """Writes the turn as it stands when all of it is there."""
        marked = "complete" not in self.scenario.drop_signals
        return fill(
            "turn.html",
            self.strings,
            **_head(self.truth.question, self.strings),
            id_html="",
            loading_html="",
            complete_html=' data-complete="true"' if marked else "",
            main_html=self._column() + self.foot(),
            aside_html=self.aside(),
        )

    def _column(self) -> str:
        """Writes all blocks; what belongs into a shadow root waits for the page in a template."""
        blocks = "".join(self.block(at, block) for at, block in enumerate(self.truth.blocks))
        shadow = self.scenario.shadow
        if shadow == "none":
            return blocks
        return f'<div><template data-shadow="{shadow}">{blocks}</template></div>'

    def block(self, at: int, block: Block) -> str:
        """Writes a block as it stays; the page nests some of its paragraphs, here every odd one."""
        if at == 0 and isinstance(block, Paragraph):
            html = self.markup.opening(block)
        elif at % 2 and isinstance(block, Paragraph):
            html = self.markup.nested(block)
        else:
            html = self.markup.block(block)
        return html + (echoes(html, at) if self.scenario.noise else "")

    def foot(self) -> str:
        """Writes the action bar, with the feedback survey that nobody sees."""
        dropped = "action_bar" in self.scenario.drop_signals
        return "" if dropped else fill("foot.html", self.strings)

    def aside(self) -> str:
        """Writes the source cards: three in sight, all of them in a hidden dialog."""
        cards = [self._card(number, source) for number, source in enumerate(self.truth.sources, 1)]
        if not cards:
            return ""
        return fill(
            "aside.html",
            self.strings,
            count=self.strings.site_count.format(count=len(cards)),
            visible_html="".join(cards[:_VISIBLE_CARDS]),
            all_html="".join(cards),
        )

    def _card(self, number: int, source: SearchSource) -> str:
        """Writes a source; every other site has a picture of its own."""
        icon = fill("icon.html", host=urlsplit(source.url).hostname or "")
        return fill(
            "card.html",
            self.strings,
            id=f"{self.number}-{number}",
            icon_html=icon if number % 2 else "",
            href=wrapped(source.url, self.scenario.links),
            label=f"{source.title}. {self.strings.new_tab}",
            title=source.title,
            snippet=source.snippet,
            site=source.site,
        )

    def notice(self) -> str:
        """Writes the sentence that stands in place of an answer."""
        return fill("notice.html", text=self.strings.no_answer)


def empty_turn(question: str, strings: PageStrings, *, first: bool) -> str:
    """Writes the place of a turn before anything of its answer is there."""
    return fill(
        "turn.html",
        strings,
        **_head(question, strings),
        id_html='id="aim-chrome-initial-inline-async-container" ' if first else "",
        loading_html=fill("loading.html", strings),
        complete_html="",
        main_html="",
        aside_html="",
    )


def _head(question: str, strings: PageStrings) -> dict[str, str]:
    return {
        "question": question,
        "copy_question": strings.copy_question.format(question=question),
        "edit_question": strings.edit_question.format(question=question),
        "token": sealed(question)[:12],
    }
