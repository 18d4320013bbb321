"""The client hints of a browser (User-Agent Client Hints, W3C), asked of itself without the net."""

from contextlib import suppress

import msgspec
import trio

from tabwright.browser.identity import Hint, Hints
from tabwright.browser.running import RunningBrowser
from tabwright.cdp.domains import page, runtime
from tabwright.cdp.errors import CDPError
from tabwright.page.open_page import PagePlan, open_page
from tabwright.protocol.errors import TabwrightError

SECURE_PAGE = "file:///dev/null"
"""Only secure pages have hints; this one is empty, and there in the headless shell too."""

ASK_S = 3.0
"""For the browser to open it, which takes it a tenth of a second."""

QUESTION = """navigator.userAgentData?.getHighEntropyValues([
  "architecture", "bitness", "fullVersionList", "model", "platformVersion", "wow64",
]).then((hints) => JSON.stringify(hints))"""

CHROMIUM = "Chrome/"
"""In the user agent of every browser that has hints."""

HINTS = frozenset(
    {"architecture", "bitness", "brands", "fullVersionList", "mobile", "model"}
    | {"platform", "platformVersion", "wow64"}
)
"""What ``Emulation.UserAgentMetadata`` takes of the answer."""


async def ask_hints(running: RunningBrowser) -> Hints | None:
    """What ``Emulation.setUserAgentOverride`` takes as its metadata, empty for a browser without.

    Opens a page to ask it, for `ASK_S` seconds at most; closed again, also when cancelled. None
    where it did not tell.
    """
    if CHROMIUM not in running.identity.user_agent:
        return {}
    with suppress(CDPError, TabwrightError), trio.move_on_after(ASK_S):
        async with open_page(running, PagePlan(context="")) as opened:
            await opened.session.execute(page.navigate(SECURE_PAGE))
            said = await opened.session.execute(runtime.evaluate(QUESTION))
            return _hints_of(said.result.value)
    return None


def _hints_of(said: object) -> Hints:
    if not isinstance(said, str):
        return {}
    hints = msgspec.json.decode(said, type=dict[str, Hint])
    return {name: hints[name] for name in hints if name in HINTS}
