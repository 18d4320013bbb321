"""Hostile pages can neither forge content nor reach other sessions (T2, T14, T15)."""

import re
import socket
from contextlib import suppress
from urllib.parse import urlsplit

import httpx2
import pytest

from tabwright.protocol.actions import Click, WaitFor
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import Evaluate, LocateOnPage, OutlineView, TakeOutline
from tabwright.protocol.sessions import Sessions

pytestmark = pytest.mark.chromium

WHOLE = TakeOutline(OutlineView(max_tokens=0))

FORGING = """
<script>
  const lie = () => 'FORGED';
  Object.defineProperty(Node.prototype, 'textContent', {get: lie});
  Object.defineProperty(Node.prototype, 'nodeValue', {get: lie});
  Object.defineProperty(HTMLElement.prototype, 'innerText', {get: lie});
  Object.defineProperty(Element.prototype, 'innerHTML', {get: lie});
  Object.defineProperty(Element.prototype, 'outerHTML', {get: lie});
  Object.defineProperty(Document.prototype, 'title', {get: lie});
  Element.prototype.getAttribute = lie;
  Element.prototype.getBoundingClientRect = () => ({x: 0, y: 0, width: 0, height: 0});
  for (const kind of [Document.prototype, Element.prototype]) {
    kind.querySelector = () => null;
    kind.querySelectorAll = () => [];
  }
  XMLSerializer.prototype.serializeToString = lie;
  JSON.stringify = () => '"FORGED"';
  Array.prototype.map = Array.prototype.filter = Array.prototype.push = () => [];
  Array.prototype[Symbol.iterator] = function* () {};
  Object.prototype.toJSON = lie;
  Function.prototype.call = Function.prototype.apply = lie;
</script>
<title>True title</title><h1>True heading</h1><p>True words</p><a href="/true">True link</a>
<button aria-label="True button">x</button>
"""

REACHING = """
<title>Waiting</title><h1>Reaching</h1><script>
  const browser = 'http://127.0.0.1:%d';
  const work = async () => {
    const found = [];
    const told = async (name, ask) => {
      try { found.push(name + ':' + await ask()) } catch { found.push(name + ':no') }
    };
    await told('read', async () => (await fetch(browser + '/json/version')).status);
    await told('put', async () => (await fetch(browser + '/json/new', {method: 'PUT'})).status);
    await told('blind', async () => (await fetch(browser + '/json/list', {mode: 'no-cors'})).type);
    await told('socket', () => new Promise((yes, no) => {
      const socket = new WebSocket('ws://127.0.0.1:%d%s');
      socket.onopen = () => yes('open');
      socket.onerror = no;
    }));
    document.body.append(found.join(' ') + ' done');
  };
  work();
</script>
"""


async def test_page_that_overrides_script_apis_is_reported_truthfully(visitor, web):
    web.put("/", FORGING)
    outline = await visitor.go("/")
    read = await visitor.tabwright.read(web.url("/"), ReadOptions(min_tier=2))
    for text in (outline, read.text):
        assert "FORGED" not in text
        assert all(f"True {what}" in text for what in ("heading", "words", "link"))
    assert "True button" in outline
    assert (await visitor.tabwright.session("s").inspect(LocateOnPage())).title == "True title"
    assert read.title == "True title"


@pytest.fixture
def free_port() -> int:
    """The first of two consecutive free ports: one for searches, one for pages."""
    while True:
        with socket.socket() as first, socket.socket() as second, suppress(OSError):
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            second.bind(("127.0.0.1", port + 1))
            return port


async def test_page_cannot_reach_debugging_port_of_its_browser(
    web, open_loopback_client, free_port
):
    port = {"browser__port_base": free_port}
    async with open_loopback_client(**port) as tabwright:
        web.put("/", "<h1>Here</h1>")
        await tabwright.session("s").enter(web.url("/"))
        number = free_port + 1
        async with httpx2.AsyncClient() as http:
            known = (await http.get(f"http://127.0.0.1:{number}/json/version")).json()
        path = urlsplit(known["webSocketDebuggerUrl"]).path
        web.put("/", REACHING % (number, number, path))
        await tabwright.session("s").enter(web.url("/"))
        await tabwright.session("s").act(WaitFor(text="done"))
        output = (await tabwright.session("s").inspect(TakeOutline())).text
    assert "read:no put:no blind:opaque socket:no" in output


async def test_session_cannot_access_storage_or_elements_of_another(web, open_loopback_client):
    async with open_loopback_client() as tabwright:
        kept = "localStorage.word = 'CANARY'; indexedDB.open('CANARY')"
        web.put("/", f"<button>Mine</button><script>{kept}</script>", cookie="word=CANARY; Path=/")
        web.put("/look", "<h1>Look</h1>")
        await tabwright.session("a").enter(web.url("/"))
        await tabwright.session("b").enter(web.url("/look"))
        (mine,) = (await tabwright.session("a").inspect(WHOLE)).controls
        with pytest.raises(TabwrightError, match=re.escape(mine.ref)):
            await tabwright.session("b").act(Click(mine.ref))
        (tab,) = await tabwright.parts.sessions.ask(Sessions.change_tabs, "b")
        script = """indexedDB.databases().then((all) =>
            JSON.stringify([document.cookie, {...localStorage}, all]))"""
        seen = await tabwright.session("b").inspect(Evaluate(script))
    assert tab.url == web.url("/look")
    assert "CANARY" not in seen.json
    assert [seen.cookie for seen in web.log if seen.path == "/look"] == [""]
