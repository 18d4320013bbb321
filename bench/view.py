"""Measure the live view: the age of displayed pictures, the delay of input, and picture sizes.

Two browsers on one machine. The first shows a page of 1280 by 720 pixels that changes all the time
and carries its clock as a row of black and white squares. The second has the live view open, and
compares the clock in each picture that it has drawn with its own. Input is measured from the event
in the view to the event in the page.

Usage: python bench/view.py [SECONDS]
"""

import os
import statistics
import sys
import tempfile
from functools import partial

import msgspec
import trio

from tabwright import Tabwright
from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.protocol.actions import Click, Emulate
from tabwright.protocol.inspection import Evaluate
from tabwright.testing.replica.server import Exchange, html, open_server

SECONDS = 15.0
PRESSES = 60
PRESS_S = 0.15
BITS = 32
SIDE = 16
"""Side length of a square of the clock, in pixels."""

TEXT = " ".join(f"Word{number % 97} and some more of it." for number in range(400))

HEAD = f"""<title>Bench</title><style>
body {{ margin: 0; font: 16px/1.5 sans-serif; overflow: hidden }}
canvas {{ position: fixed; left: 0; top: 0 }}
main {{ padding: 40px 24px; column-width: 22rem; min-height: 640px }}
</style><canvas id="clock" width="{BITS * SIDE}" height="{SIDE}"></canvas>
<main id="main">MAIN</main><script>
const context = clock.getContext('2d');
window.pressed = [];
addEventListener('mousedown', () => pressed.push(Date.now()));
addEventListener('mousemove', () => {{ window.moved = Date.now(); }});
let frame = 0;
(function draw() {{
  const now = Date.now() % 2 ** {BITS};
  for (let bit = 0; bit < {BITS}; bit += 1) {{
    context.fillStyle = Math.floor(now / 2 ** bit) % 2 ? '#000' : '#fff';
    context.fillRect(bit * {SIDE}, 0, {SIDE}, {SIDE});
  }}
  frame += 1;
  CHANGE
  requestAnimationFrame(draw);
}})();
</script>"""

GRADIENT = "`linear-gradient(${frame % 360}deg, #08f, #f80, #0a4)`"

PAGES = {
    "a counter on a plain page": ("<h1 id=count></h1>", "count.textContent = frame;"),
    "a page of text that scrolls": (
        f"<p>{TEXT}</p>",
        "main.style.transform = `translateY(${-(frame % 300)}px)`;",
    ),
    "a gradient that moves": ("", f"main.style.background = {GRADIENT};"),
}

MEASURE = f"""(() => {{
  window.ages = []; window.sizes = [];
  const draw = CanvasRenderingContext2D.prototype.drawImage;
  CanvasRenderingContext2D.prototype.drawImage = function (...values) {{
    draw.apply(this, values);
    if (this.canvas.id !== 'canvas' || values[2] > 0) return;
    const {{ data }} = this.getImageData(0, {SIDE // 2}, {BITS * SIDE}, 1);
    let shown = 0;
    for (let bit = 0; bit < {BITS}; bit += 1) {{
      if (data[4 * (bit * {SIDE} + {SIDE // 2})] < 128) shown += 2 ** bit;
    }}
    const age = (Date.now() % 2 ** {BITS}) - shown;
    if (age >= 0 && age < 10000) ages.push(age);
  }};
  const take = Blob;
  window.Blob = class extends take {{
    constructor(parts, ...rest) {{ super(parts, ...rest); sizes.push(this.size); }}
  }};
  window.sent = [];
  const note = () => sent.push(Date.now());
  document.getElementById('picture').addEventListener('pointerdown', note, true);
  return true;
}})()"""


PRESS = f"""(() => {{
  const picture = document.getElementById('picture');
  const {{ left, top }} = picture.getBoundingClientRect();
  const point = {{ clientX: left + 300, clientY: top + 300, pointerType: 'mouse', bubbles: true }};
  let left_over = {PRESSES};
  const timer = setInterval(() => {{
    picture.dispatchEvent(new PointerEvent('pointerdown', point));
    picture.dispatchEvent(new PointerEvent('pointerup', point));
    if (--left_over === 0) clearInterval(timer);
  }}, {PRESS_S * 1000});
  return true;
}})()"""


async def answer(page: str, exchange: Exchange) -> None:
    """Serve the page."""
    await exchange.answer(html(page))


async def numbers(tabwright: Tabwright, script: str) -> list[float]:
    """Return the numbers that a script returns."""
    evaluated = await tabwright.session("bench").inspect(Evaluate(script))
    return msgspec.json.decode(evaluated.json, type=list[float])


def row(name: str, values: list[float], unit: str) -> str:
    """Return a line with the median, the 95th percentile and the maximum."""
    p95 = statistics.quantiles(values, n=20)[-1]
    return (
        f"  {name:<24} median {statistics.median(values):8.1f}  p95 {p95:8.1f}"
        f"  max {max(values):8.1f} {unit}  ({len(values)})"
    )


async def measure(name: str, seconds: float, agent: Tabwright, person: Tabwright) -> None:
    """Watch one page and act in it, and print the figures."""
    body, change = PAGES[name]
    page = HEAD.replace("MAIN", body).replace("CHANGE", change)
    async with open_server(partial(answer, page), []) as port:
        await agent.session("bench").enter(f"http://127.0.0.1:{port}/")
        await agent.session("bench").act(Emulate(viewport=(1280, 720)))
        await person.session("bench").enter(await agent.view_link())
        await person.session("bench").act(Click("css=#cards button"))
        await person.session("bench").act(Click("css=#take"))
        await trio.sleep(1)
        await person.session("bench").inspect(Evaluate(MEASURE))
        await trio.sleep(seconds)
        ages, sizes = await numbers(person, "ages"), await numbers(person, "sizes")
        await person.session("bench").inspect(Evaluate(PRESS))
        await trio.sleep(PRESSES * PRESS_S + 1)
        sent, pressed = await numbers(person, "sent"), await numbers(agent, "pressed")
        took = [after - before for before, after in zip(sent, pressed, strict=True)]
        sys.stdout.write(
            "\n".join(
                (
                    f"{name}: {len(ages) / seconds:.1f} pictures a second",
                    row("glass to glass", ages, "ms"),
                    row("input", took, "ms"),
                    row("size of a picture", [one / 1000 for one in sizes], "kB"),
                    "",
                )
            )
        )


async def main(seconds: float) -> None:
    """Measure each page."""
    sys.stdout.write(f"load before {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    with tempfile.TemporaryDirectory() as folder:
        chosen = override(
            network__allow_private=True,
            network__proxy="none",
            browser__profile=None,
            session__dir=folder,
            acting__scripts=True,
            browser__extra_args=("--window-size=1700,1000",),
        )
        for name in PAGES:
            async with (
                open_tabwright(settings_from(chosen)) as agent,
                open_tabwright(settings_from(chosen)) as person,
            ):
                await measure(name, seconds, agent, person)
    sys.stdout.write(f"load after {os.getloadavg()[0]:.1f}\n")


if __name__ == "__main__":
    trio.run(main, float(sys.argv[1]) if sys.argv[1:] else SECONDS)
