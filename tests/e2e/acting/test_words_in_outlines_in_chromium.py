"""Each visible word of a page is in its outline, or counted as folded, in a real Chromium."""

import re
from itertools import count
from pathlib import Path
from random import Random

import pytest
import trio
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import randoms

from tests.support.cases import cases

pytestmark = pytest.mark.chromium

VISIBLE_TEXTS = Path(__file__).parents[2].joinpath("support", "visible_words.js").read_text()

EVENTS = (
    *("click", "dblclick", "contextmenu", "mousedown", "pointerdown", "touchstart", "mouseup"),
    *("mouseover", "mouseenter", "mousemove", "dragover", "drop"),
)
ROLES = (
    *("main", "feed", "tabpanel", "region", "grid", "row", "gridcell", "article", "listitem"),
    *("img", "slider", "combobox", "button", "link", "checkbox", "option", "tab", "treeitem"),
    *("menuitem", "group", "dialog", "progressbar", "heading", "status", "textbox", "switch"),
    *("listbox", "list", "math", "tooltip", "meter", "spinbutton", "searchbox", "presentation"),
    *("application", "alert", "cell", "columnheader", "menu", "tree", "toolbar", "separator"),
)
TAGS = (
    *("div", "section", "main", "article", "p", "span", "b", "ul", "li", "h2", "button", "label"),
    *("a", "fieldset", "table", "tr", "td", "nav", "form", "details", "summary", "em", "x-host"),
    *("dl", "dt", "dd", "pre", "figure", "figcaption", "header", "legend", "ruby", "output"),
    *("optgroup", "dialog", "mark", "sub", "q", "picture"),
)
STYLES = (
    *("cursor: pointer", "display: contents", "display: inline-block", "display: flex"),
    *("display: block", "display: inline", "display: table-cell", "position: absolute"),
    *("position: relative; overflow: hidden", "float: left", "opacity: 0", "opacity: 0.5"),
    *("visibility: hidden", "visibility: visible", "display: none", "width: 0; height: 0"),
    *("height: 0; overflow: hidden", "position: fixed; top: 5px", "text-transform: uppercase"),
    "position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0)",
    *("columns: 2", "overflow: auto; height: 40px", "transform: scale(1)"),
)
ATTRIBUTES = (
    *('tabindex="0"', 'tabindex="-1"', 'draggable="true"', 'aria-hidden="true"', "inert", "hidden"),
    *('aria-label="{word}"', 'title="{word}"', 'href="/"', "onclick=1", "open", "contenteditable"),
    *('class="after" data-after="{word}"', 'class="before" data-before="{word}"', 'slot="one"'),
    *('class="both" data-before="{word}" data-after="{word}"', 'class="item"', "disabled"),
    *('aria-hidden="true" class="after" data-after="{word}"', 'aria-valuetext="{word}"'),
)
PARTS = (
    *('<input placeholder="{word}">', '<input value="{word}">', '<textarea placeholder="{word}">'),
    *("<input type=checkbox>", '<input type=submit value="{word}">', "<br>", "<hr>", "<wbr>"),
    *('<input aria-label="{word}" placeholder="{word}">', '<input type=button value="{word}">'),
    *("<label>{word} <input type=checkbox></label>", "<label>{word}<input></label>"),
    "<label><input type=checkbox style='display: none'>{word}</label>",
    "<select><option>{word}<option selected>{word}</select>",
    *('<img alt="{word}">', "<svg width=90 height=20><text y=15>{word}</text></svg>"),
    *("<p>{word} <a href=/x>{word}</a>, {word}</p>", "<ruby>{word}<rt>{word}</rt></ruby>"),
    "<table><caption>{word}</caption><tr><th>{word}<td>{word}</table>",
    "<table><tr><td>{word}<tr><td><button>{word}</button>{word}</table>",
    "<fieldset><legend>{word}</legend>{word}</fieldset>",
    "<details><summary>{word}</summary>{word}</details>",
    "<button><span aria-hidden=true>{word}</span></button>",
)
SCRIPT = """<script>
for (const element of document.querySelectorAll('[data-on]')) {
  element.addEventListener(element.dataset.on, () => 0);
}
let number = 0;
for (const host of document.querySelectorAll('x-host')) {
  number += 1;
  const root = host.attachShadow({mode: 'open'});
  root.innerHTML = [
    `<p>shade${number}</p><div><slot>spare${number}</slot></div>`,
    `<slot name=one>spare${number}</slot><button><slot></slot></button>`,
    `<div style="cursor: pointer"><slot></slot> shade${number}</div>`,
    `<style>:host::before {content: "host${number}"}</style><slot></slot>`,
    `<label>shade${number}<input placeholder="field${number}"></label><slot></slot>`,
  ][number % 5];
  const part = root.querySelector(host.tabIndex < 0 ? 'div' : 'slot');
  part?.addEventListener(['click', 'mouseover', 'pointerdown'][number % 3], () => 0);
}
</script><style>
.after::after { content: attr(data-after) } .before::before { content: attr(data-before) " " }
.both::before { content: attr(data-before); display: block }
.both::after { content: attr(data-after); position: absolute }
</style>"""

COUNTED = re.compile(r"\(\+(\d+) characters\)|and (\d+) characters of text")


class Writer:
    """Writes the HTML of a page, in which no word occurs twice."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._numbers = count(1)

    def page(self) -> str:
        return "".join(self._element(0) for _ in range(self._chance.randint(1, 4)))

    def _word(self) -> str:
        return f"w{next(self._numbers)}q"

    def _filled(self, text: str) -> str:
        return re.sub(r"\{word\}", lambda _: self._word(), text)

    def _element(self, depth: int) -> str:
        chance = self._chance
        if chance.randint(0, 4) == 0:
            return self._filled(chance.choice(PARTS))
        tag = chance.choice(TAGS)
        attributes = list(map(self._filled, chance.sample(ATTRIBUTES, chance.choice((0, 1, 2)))))
        if chance.randint(0, 1) == 0:
            attributes.append(f'style="{chance.choice(STYLES)}"')
        if chance.randint(0, 2) == 0:
            attributes.append(f'role="{chance.choice(ROLES)}"')
        if chance.randint(0, 2) == 0:
            attributes.append(f'data-on="{chance.choice(EVENTS)}"')
        inner = [self._element(depth + 1) for _ in range(chance.randint(0, 3 if depth < 4 else 0))]
        for _ in range(chance.randint(0, 2)):
            words = " ".join(self._word() for _ in range(chance.choice((1, 1, 1, 2, 2, 30))))
            inner.insert(chance.randint(0, len(inner)), chance.choice((words, f" {words} ")))
        return f"<{tag} {' '.join(attributes)}>{''.join(inner)}</{tag}>"


async def missing_words(agent, html: str) -> list[str]:
    """Return the visible words that the outline neither lists nor counts."""
    outline = await agent.show(html)
    visible = re.findall(r"[^\W_]+", " ".join(await agent.value(VISIBLE_TEXTS)).casefold())
    words = re.findall(r"[^\W_]+", outline.casefold())
    listed, joined = set(words), "".join(words)
    absent = [word for word in visible if word not in listed and word not in joined]
    counted = sum(int(one or other) for one, other in COUNTED.findall(outline))
    return absent if sum(map(len, absent)) > counted else []


async def test_each_visible_word_of_generated_pages_is_listed_or_counted(agent):
    @settings(max_examples=80, suppress_health_check=list(HealthCheck))
    @given(chance=randoms(use_true_random=False))
    def check(chance: Random) -> None:
        html = Writer(chance).page()
        assert not trio.from_thread.run(missing_words, agent, html + SCRIPT), html

    await trio.to_thread.run_sync(check)


# The smallest pages on which a generated one had lost words.
LOST = [
    "<button class=after data-after=w1q aria-hidden=true></button>",
    "<h2 aria-hidden=true><input placeholder=w1q></h2>",
    "<details open contenteditable role=combobox>w1q</details>",
    "<div contenteditable><input placeholder=w1q>w2q</div>",
    "<label><meter></meter>w1q</label>",
    "<div style='max-height: 0; overflow: hidden'><p><b style='position: fixed'>w1q</b></div>",
    "<x-host>w1q</x-host><x-host>w2q</x-host><x-host>w3q</x-host>",
    "<hgroup role=row class=after data-after=w1q></hgroup>",
    "<div role=row><input placeholder=w1q></div>",
    "<label><input type=button value=w1q>w2q</label>",
]


@cases("html", LOST)
async def test_each_visible_word_is_listed_or_counted(agent, html):
    assert not await missing_words(agent, html + SCRIPT)
