"""Refs on generated pages that change before the click; the page's own log is the judge."""

import random
import re

import attrs
import pytest

from tabwright.page.frames import StaleElement
from tabwright.protocol.actions import Click
from tabwright.protocol.errors import TabwrightError

pytestmark = pytest.mark.chromium

REF = re.compile(r"\[(\d+\.\d+)\]")

NAMES = ("Ann", "Bob", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana")

ROWS = {
    "table": ("<table><tbody>{}</tbody></table>", "<tr class=row><td class=name>{}<td>{}"),
    "list": ("<ul>{}</ul>", "<li class=row><span class=name>{}</span> {}"),
    "cards": ("<div>{}</div>", "<section class=row><h3 class=name>{}</h3>{}</section>"),
    "grid": (
        "<div role=grid>{}</div>",
        (
            "<div role=row class=row><div role=gridcell class=name>{}</div>"
            "<div role=gridcell>{}</div></div>"
        ),
    ),
}
"""The container of rows, and a row with a name and a button, for each kind of page."""

SCRIPT = """<script>
const log = [];
addEventListener('click', (event) => {
  const row = event.target.closest('.row');
  if (row) log.push(row.querySelector('.name').textContent);
});
const rows = () => [...document.querySelectorAll('.row')];
const names = () => [...document.querySelectorAll('.name')];
const rename = (list) => names().forEach((one, index) => {
  const button = one.closest('.row').querySelector('button');
  if (button.textContent !== 'Delete') button.textContent = `Delete ${list[index]}`;
  one.textContent = list[index];
});
const texts = () => names().map((one) => one.textContent);
</script>"""

MUTATIONS = {
    "none": "0",
    "reversed in place": "rename(texts().reverse())",
    "sorted in place": "rename(texts().sort())",
    "renamed": "rename(texts().map((one, index) => `Ivo ${index}`))",
    "recycled": "rename([...texts().slice(1), 'Zoe'])",
    "one replaced": "rename(texts().map((one, index) => index ? one : 'Zoe'))",
    "nodes reversed": "rows().reverse().forEach((one) => one.parentNode.append(one))",
    "nodes sorted": "rows().sort((a, b) => a.textContent < b.textContent ? -1 : 1)"
    ".forEach((one) => one.parentNode.append(one))",
    "drawn again": "const all = rows()[0].parentNode; all.innerHTML = all.innerHTML",
    "rows cloned": "rows().forEach((one) => one.replaceWith(one.cloneNode(true)))",
    "buttons cloned": "rows().map((one) => one.querySelector('button'))"
    ".forEach((one) => one.replaceWith(one.cloneNode(true)))",
    "moved": "const all = rows()[0].parentNode; all.style.cssText = 'position:relative;top:40px'",
    "restyled": "rows().forEach((one) => { one.classList.add('new'); one.style.color = 'red' })",
    "row added": "const last = rows().at(-1).cloneNode(true);"
    " last.querySelector('.name').textContent = 'Zoe'; rows()[0].parentNode.append(last)",
    "another account": "history.pushState(0, '', `/accounts/${log.length + 2}`)",
}


@attrs.define
class Tally:
    """The results of clicks after mutations: descriptions of the wrong ones."""

    wrong: list[str] = attrs.field(factory=list[str])
    refused: list[str] = attrs.field(factory=list[str])
    clicked: int = 0


async def mutate(agent, draw: random.Random, tally: Tally) -> None:
    """Show a generated page, change it, and click a button by its ref from before the change."""
    kind, change = draw.choice(list(ROWS)), draw.choice(list(MUTATIONS))
    names = draw.sample(NAMES, 3)
    has_name = draw.random() < 0.5
    around, row = ROWS[kind]
    label = "Delete {}" if has_name else "Delete"
    html = "".join(row.format(name, f"<button>{label.format(name)}</button>") for name in names)
    await agent.show(around.format(html) + SCRIPT)
    chosen = draw.randrange(3)
    located = REF.findall(await agent.see())[chosen]
    await agent.value(f"{{ {MUTATIONS[change]}; }} 1")
    case = f"{kind}, {change}, {names}, {chosen}"
    try:
        await agent.ask(Click(located))
    except StaleElement:
        is_there = await agent.value(f"texts()[{chosen}] === {names[chosen]!r}")
        if is_there and change != "another account":
            tally.refused.append(case)
        return
    except TabwrightError as error:
        tally.refused.append(f"{case}: {error}")
        return
    tally.clicked += 1
    if await agent.value("log") != [names[chosen]] or change == "another account":
        tally.wrong.append(case)


@pytest.mark.parametrize(
    ("seed", "count", "refused_max"),
    [
        (1, 12, 0),
        *(pytest.param(seed, 170, 3, marks=pytest.mark.nightly) for seed in (2, 3, 4)),
    ],
)
async def test_clicks_after_mutations_hit_their_target_or_nothing(agent, seed, count, refused_max):
    draw, tally = random.Random(seed), Tally()
    for _ in range(count):
        await mutate(agent, draw, tally)
    assert tally.wrong == []
    assert len(tally.refused) <= refused_max, tally.refused
    assert tally.clicked > count / 4
