"""``tabwright view link``: links to the live views of running servers."""

import sys
import webbrowser

import attrs
import trio

from tabwright.cli.output import json_text, print_outcome
from tabwright.control.client import all_answers
from tabwright.control.transport import ViewLink, ViewRequest
from tabwright.text.languages import minutes

NOT_OPENED = "No browser could be opened. Open the link yourself.\n"


async def print_links(request: ViewRequest, *, opens: bool, as_json: bool) -> int:
    """Print a link to the live view of each server; return the exit code.

    Args:
        request: what the links show, and for how long they can be used.
        opens: whether to open the links in a browser, too.
        as_json: whether to print JSON.
    """

    async def work() -> str:
        """Return the links as text.

        Raises:
            NoServer: no server is running.
            TabwrightError: no server has a live view, or such a tab.
        """
        answers = await all_answers("view", ViewLink, request)
        if opens:
            for _, link in answers:
                if not await trio.to_thread.run_sync(webbrowser.open, link.url):
                    sys.stderr.write(NOT_OPENED)
        if as_json:
            links = [{"server": server.pid, **attrs.asdict(link)} for server, link in answers]
            return json_text({"links": links})
        lines = [
            link.url if len(answers) == 1 else f"Server {server.pid}  {link.url}"
            for server, link in answers
        ]
        valid = minutes(answers[0][1].valid_s)
        unit = "minute" if valid == 1 else "minutes"
        return "\n".join([*lines, f"A link can be used once, within {valid} {unit}."])

    return await print_outcome(work, as_json=as_json)
