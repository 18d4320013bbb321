"""A headless browser says so in its user agent and its client hints everywhere."""

import json
from pathlib import Path

import pytest
import trio

from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.protocol.browser_pool import BrowserPool, LeaseTab, TabUse
from tabwright.protocol.tab import Tab
from tabwright.testing.replica.server import Exchange, Seen, ServerResponse, open_server

pytestmark = [pytest.mark.chromium, pytest.mark.own_browser]

ASK = """(async () => ({
  agent: navigator.userAgent,
  low: navigator.userAgentData.brands.map((one) => one.brand),
  high: (await navigator.userAgentData.getHighEntropyValues(["fullVersionList"]))
    .fullVersionList.map((one) => one.brand),
}))()"""

PAGE = f"""<script>
const answer = (port) => new Promise((done) => {{ port.onmessage = (event) => done(event.data) }});
(async () => {{
  const said = {{ page: await {ASK} }};
  said.worker = await answer(new Worker("/worker.js"));
  said.shared = await answer(new SharedWorker("/shared.js").port);
  await navigator.serviceWorker.register("/service.js");
  const {{ port1, port2 }} = new MessageChannel();
  (await navigator.serviceWorker.ready).active.postMessage(1, [port2]);
  said.service = await answer(port1);
  await fetch("/from-page");
  document.documentElement.dataset.said = JSON.stringify(said);
}})();
</script>"""

ANSWER = f"async (port) => port.postMessage(await {ASK})"
SCRIPTS = {
    "/worker.js": f"({ANSWER})(self)",
    "/shared.js": f"onconnect = (event) => ({ANSWER})(event.ports[0])",
    "/service.js": f"onmessage = (event) => ({ANSWER})(event.ports[0])",
}
ACCEPT = (("Accept-CH", "Sec-CH-UA-Full-Version-List"),)

WAIT = """async function f() {
  const { dataset } = document.documentElement;
  while (!dataset.said) await new Promise((done) => setTimeout(done, 20));
  return dataset.said;
}"""


async def site(exchange: Exchange) -> None:
    if script := SCRIPTS.get(exchange.path):
        await exchange.answer(ServerResponse(script.encode(), content_type="text/javascript"))
    else:
        await exchange.answer(ServerResponse(PAGE.encode(), headers=ACCEPT))


@pytest.mark.parametrize("kept", [True, False])
async def test_user_agent_and_hints_agree_in_pages_workers_and_headers(
    kept: bool, tmp_path: Path
) -> None:
    profile = str(tmp_path / "profiles") if kept else None
    settings = override(
        browser__profile=profile, network__proxy="none", network__allow_private=True
    )
    log: list[Seen] = []
    async with open_server(site, log) as port, open_tabwright(settings_from(settings)) as tabwright:
        over = trio.Event()
        lease = await tabwright.parts.supervisor.ask(
            BrowserPool.lease_tab, LeaseTab(over, TabUse.READING, "x")
        )
        await lease.tab.ask(Tab.navigate, f"http://localhost:{port}/")
        output = json.loads(await lease.tab.ask(Tab.run_script, WAIT))
        over.set()
    assert {*output} == {"page", "worker", "shared", "service"}
    assert len({json.dumps(one) for one in output.values()}) == 1
    assert "HeadlessChrome/" in output["page"]["agent"]
    assert "HeadlessChrome" in output["page"]["low"]
    assert output["page"]["high"] == output["page"]["low"]
    assert {seen.user_agent for seen in log} == {output["page"]["agent"]}
    hinted = [seen for seen in log if seen.hints]
    assert all('"HeadlessChrome"' in seen.hints for seen in hinted)
    full = [seen.headers.get("sec-ch-ua-full-version-list") for seen in hinted]
    assert '"HeadlessChrome"' in full[-1]  # the site has asked for it by then
