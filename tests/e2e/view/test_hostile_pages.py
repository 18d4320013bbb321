"""Hostile pages that target the person in the live view, and secrets hidden from them."""

import json
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio

from tabwright.protocol.actions import Type
from tabwright.protocol.inspection import Evaluate
from tabwright.testing.replica.server import Exchange, html, open_server

pytestmark = pytest.mark.chromium

HOSTILE = """<title><img src=x onerror="window.reached = 1"></title>
<h1>&lt;img src=x onerror="window.reached = 2"&gt;</h1><p id="said"></p>
<script>
  console.error('<img src=x onerror="window.reached = 3">');
  const ask = () => confirm('<img src=x onerror="window.reached = 4">');
  const view = 'VIEW', done = [];
  const attempt = async (name, work) => {
    try { done.push(name + ' ' + await work()); } catch { done.push(name + ' refused'); }
    said.textContent = done.join(', ');
  };
  attempt('read', async () => (await fetch(view)).status);
  const post = { method: 'POST', body: 'x' };
  attempt('link', async () => (await fetch(view + '/session', post)).status);
  attempt('script', () => import(view + '/view.js'));
  attempt('socket', () => new Promise((resolve, reject) => {
    const socket = new WebSocket(view.replace('http', 'ws') + '/stream');
    socket.onopen = () => resolve('open');
    socket.onclose = reject;
  }));
  attempt('frame', () => new Promise((resolve, reject) => {
    const frame = document.createElement('iframe');
    frame.src = view;
    frame.onload = () => (frame.contentDocument === null ? reject() : resolve('readable'));
    document.body.append(frame);
  }));
</script>"""

SECRET = "█" * 8
"""A value that is easy to see: its letters fill their boxes."""

FIELD = """<style>* { margin: 0; padding: 0; border: 0 }
input, p { position: absolute; left: 0; width: 400px; height: 50px }
input, p { font: 40px/50px monospace; color: red }</style>
<input id="field" style="top: 0"><p id="echo" style="top: 100px"></p><script>
field.addEventListener('input', () => { echo.textContent = field.value; });
</script>"""

WATCH_PICTURES = """(() => {
  window.most = [0, 0];
  window.pictures = 0;
  const draw = CanvasRenderingContext2D.prototype.drawImage;
  CanvasRenderingContext2D.prototype.drawImage = function (...values) {
    draw.apply(this, values);
    if (this.canvas.id !== "canvas") return;
    window.pictures += 1;
    [0, 100].forEach((top, place) => {
      const { data } = this.getImageData(0, top, 190, 50);
      let red = 0;
      for (let at = 0; at < data.length; at += 4) red += data[at] > 150 && data[at + 1] < 130;
      window.most[place] = Math.max(window.most[place], red / (data.length / 4));
    });
  };
  return true;
})()"""


async def answer(text: str, exchange: Exchange) -> None:
    await exchange.answer(html(text))


@asynccontextmanager
async def watched(open_local, person, page: str, **settings: object):
    """Open a page in an agent's session `work`, and have the person watch it live."""
    async with open_local("agent", **settings) as agent:
        link = await agent.view_link()
        text = page.replace("VIEW", link.partition("#")[0])
        async with open_server(partial(answer, text), []) as port:
            await agent.session("work").enter(f"http://127.0.0.1:{port}/")
            await person.open(link)
            await person.click("#cards button")
            await person.sees("document.getElementById('lock-text').textContent !== ''")
            yield agent


async def test_hostile_page_reaches_neither_the_view_nor_the_person(open_local, person):
    async with watched(open_local, person, HOSTILE) as agent:
        await person.sees("document.querySelectorAll('#outline li').length > 1")
        with trio.fail_after(45):
            while True:
                evaluated = await agent.session("work").inspect(
                    Evaluate("document.getElementById('said').textContent")
                )
                tried = json.loads(evaluated.json)
                if tried.count(",") == 4:
                    break
                await trio.sleep(0.1)
        assert {one.split()[1] for one in tried.split(", ")} == {"refused"}
        await agent.session("work").inspect(Evaluate("setTimeout(ask, 0)"))
        await person.sees("document.getElementById('events').textContent.includes('confirm')")
        shown = str(await person.read("document.body.textContent"))
        assert "onerror" in shown  # as text
        assert await person.read("document.querySelectorAll('img').length") == 0
        assert await person.read("window.reached ?? null") is None


async def test_secret_is_never_visible_in_the_picture(open_local, person, tmp_path):
    secrets = tmp_path / "secrets.env"
    secrets.write_text(f"pin={SECRET}\n")
    async with watched(open_local, person, FIELD, acting__secrets=str(secrets)) as agent:
        await person.sees(WATCH_PICTURES)
        await agent.session("work").act(Type("css=#field", "{{pin}}"))
        await person.sees("window.most[1] > 0.02")  # the dots
        await trio.sleep(0.5)
        most = await person.read("window.most")
        assert isinstance(most, list)
        assert max(most) < 0.4
        script = "echo.outerHTML = '<p style=top:100px>▉▉▉▉▉▉▉▉</p>', 0"
        await agent.session("work").inspect(Evaluate(script))
        await person.sees("window.most[1] > 0.6")  # which would have been seen
