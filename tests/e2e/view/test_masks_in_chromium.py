"""How page text is listed for masking in the live view, in a real Chromium."""

import json

import pytest

from tabwright.page.scripts import LIBRARY
from tabwright.protocol.inspection import Evaluate
from tabwright.testing.replica.server import html, open_server

pytestmark = pytest.mark.chromium

LISTED = f"""(() => {{
  {LIBRARY}
  const listed = () => uncovered().items.map((item) => item.text).filter((text) => text.trim());
  const seen = [listed(), listed()];
  drawAsDots([]);
  seen.push(listed());
  document.querySelector('p').textContent = 'new';
  return [...seen, listed()];
}})()"""


async def test_texts_are_listed_until_checked_for_secrets(open_local):
    async def answer(exchange) -> None:
        await exchange.answer(html("<p>text</p>"))

    async with open_server(answer, []) as port, open_local("agent") as agent:
        await agent.session("work").enter(f"http://127.0.0.1:{port}/")
        evaluated = await agent.session("work").inspect(Evaluate(LISTED))
    assert json.loads(evaluated.json) == [["text"], ["text"], [], ["new"]]
