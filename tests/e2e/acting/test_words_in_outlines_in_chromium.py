"""Each visible word of a page is in its outline, or counted as folded, in a real Chromium."""

import re
from random import Random

import pytest

pytestmark = pytest.mark.chromium

PAGES, PARTS = 80, 4

EVENTS = (
    *("click", "dblclick", "contextmenu", "mousedown", "pointerdown", "touchstart", "mouseup"),
    *("mouseover", "mouseenter", "mousemove", "dragover", "drop"),
)
ROLES = (
    *("main", "feed", "tabpanel", "region", "grid", "row", "gridcell", "article", "listitem"),
    *("img", "slider", "combobox", "button", "link", "checkbox", "option", "tab", "treeitem"),
    *("menuitem", "group", "dialog", "progressbar", "heading", "status", "textbox", "switch"),
)
TAGS = (
    *("div", "section", "main", "article", "p", "span", "b", "ul", "li", "h2", "button", "label"),
    *("a", "fieldset", "table", "tr", "td", "nav", "form", "details", "summary", "em", "x-host"),
)
ATTRIBUTES = (
    *('tabindex="0"', 'draggable="true"', 'aria-hidden="true"', 'aria-label="{word}"'),
    *('style="cursor: pointer"', 'style="display: contents"', 'style="display: inline-block"'),
    *('onclick="1"', 'class="after"', 'class="item"', 'title="{word}"', 'href="/"'),
)
SCRIPT = """<script>
for (const element of document.querySelectorAll('[data-on]')) {
  element.addEventListener(element.dataset.on, () => 0);
}
for (const host of document.querySelectorAll('x-host')) {
  const root = host.attachShadow({mode: 'open'});
  root.innerHTML = '<p>shade</p><div><slot>spare</slot></div>';
  root.querySelector(host.tabIndex < 0 ? 'div' : 'slot').addEventListener('click', () => 0);
}
</script><style>.after::after { content: " added"; }</style>"""

VISIBLE_WORDS = r"""(() => {
  const seenWords = [];
  const visit = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      const range = document.createRange();
      range.selectNodeContents(node);
      const {width, height} = range.getBoundingClientRect();
      const parent = node.parentElement ?? node.getRootNode().host;
      const isBoxless = (one) => getComputedStyle(one).display === 'contents';
      const shown = (one) => !one || (isBoxless(one) ? shown(one.parentElement)
        : one.checkVisibility({visibilityProperty: true}));
      const isFolded = parent.closest('details:not([open])') && !parent.closest('summary');
      const seen = width > 1 && height > 1 && shown(parent) && !isFolded;
      if (seen) seenWords.push(...node.data.match(/\w+/g) ?? []);
      return;
    }
    if (/^(SCRIPT|STYLE|IFRAME|SELECT)$/.test(node.tagName)) return;
    if (node.nodeType === Node.ELEMENT_NODE && !node.closest('[aria-hidden]')) {
      for (const which of ['::before', '::after']) {
        const {content} = getComputedStyle(node, which);
        const words = content.startsWith('"') ? content.match(/\w+/g) ?? [] : [];
        if (node.checkVisibility()) seenWords.push(...words);
      }
    }
    const slotted = node.tagName === 'SLOT' ? node.assignedNodes() : [];
    for (const one of slotted.length ? slotted : (node.shadowRoot ?? node).childNodes) visit(one);
  };
  visit(document.body);
  return seenWords;
})()"""

COUNTED = re.compile(r"\(\+(\d+) characters\)|and (\d+) characters of text")


def element(chance: Random, depth: int = 0) -> str:
    """Return the HTML of an element with numbered words, and maybe a listener."""
    tag = chance.choice(TAGS)
    attributes = [
        one.format(word=f"n{chance.randint(0, 99)}")
        for one in chance.sample(ATTRIBUTES, chance.randint(0, 2))
    ]
    if chance.randint(0, 3) == 0:
        attributes.append(f'role="{chance.choice(ROLES)}"')
    if chance.randint(0, 2) == 0:
        attributes.append(f'data-on="{chance.choice(EVENTS)}"')
    count = chance.randint(0, 3 if depth < 4 else 0)
    inner = "".join(element(chance, depth + 1) for _ in range(count))
    text = " ".join(f"w{chance.randint(100, 999)}" for _ in range(chance.randint(0, 3)))
    return f"<{tag} {' '.join(attributes)}>{text}{inner}</{tag}>"


def generated_page(seed: int) -> str:
    """Return the same page for a seed in each run."""
    chance = Random(seed)
    return "".join(element(chance) for _ in range(chance.randint(1, 4)))


async def missing_words(agent, html: str) -> list[str]:
    """Return the visible words that the outline neither lists nor counts."""
    outline = await agent.show(html)
    visible = await agent.value(VISIBLE_WORDS)
    listed = re.sub(r"[^\w]+", " ", outline)
    absent = [word for word in visible if word not in listed]
    counted = sum(int(one or other) for one, other in COUNTED.findall(outline))
    return absent if sum(map(len, absent)) > counted else []


@pytest.mark.parametrize("seed", range(PARTS))
async def test_each_visible_word_of_generated_pages_is_listed_or_counted(seed, agent):
    missing = {}
    for html in map(generated_page, range(seed, PAGES, PARTS)):
        if words := await missing_words(agent, html + SCRIPT):
            missing[html] = words
    assert not missing, f"{len(missing)}: {min(missing.items(), key=lambda item: len(item[0]))}"
