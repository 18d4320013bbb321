"""``tabwright doctor --demo``: runs a search on a replica of Google AI Mode, without the internet.

An MCP client starts ``tabwright serve`` as a subprocess, asks a question and a follow-up, and reads
one of the sources. If no Chromium is available, the fake browser is used instead, and the demo says
so.
"""

import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Final, cast

import attrs
import mcp_types as mcp
import msgspec
import yaml
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from tabwright.app import open_tabwright
from tabwright.browser.launch import chosen_browser
from tabwright.config.loader import own_command
from tabwright.config.settings import Settings
from tabwright.environment import Environment
from tabwright.protocol.errors import BrowserMissing
from tabwright.protocol.untrusted_text import STRUCTURED, unmarked
from tabwright.ratelimit.store import MemoryLimiterStore
from tabwright.testing.fake import FakeAnswer, FakePage, FakeSite, fake_launcher
from tabwright.testing.fake.browser import fake_fetching
from tabwright.testing.replica import Replica, Scenario, open_replica
from tabwright.text.records import each_text

# Reading the text of a tool without the fences around untrusted parts.


def text_of(result: mcp.CallToolResult) -> str:
    """The texts of a tool's answer, one after the other."""
    texts = [part.text for part in result.content if isinstance(part, mcp.TextContent)]
    return "\n".join(map(unmarked, texts))


def unfenced(text: str) -> str:
    """A text with words of pages, without the fences around these.

    Raises:
        AssertionError: it has none.
    """
    bare = unmarked(text)
    if bare == text:
        raise AssertionError(f"{text!r} has no fence.")
    return bare


def record_of(result: mcp.CallToolResult) -> dict[str, object]:
    """The record of an answer whose client has asked for it; empty for none."""
    return msgspec.convert(each_text(result.structured_content or {}, unmarked), dict[str, object])


QUESTION = "What is structured concurrency?"
FOLLOW_UP = "And how is a task cancelled?"
LANGUAGE: Final = "en-US"

ENGINES = ("mojeek", "ecosia")

LINE_MAX = 100
"""Characters of a step that is shown as it is."""

PAGE_URL = "https://trio.example/nurseries"
STAND_IN = FakeSite(
    pages={PAGE_URL: FakePage("<title>Nurseries</title><main><p>A page of the fake.</p></main>")},
    answer=FakeAnswer(
        paragraphs=("Every task has a parent that waits for it.", "So no error is lost."),
        sources=(("Nurseries", PAGE_URL),),
    ),
)


async def show(settings: Settings) -> int:
    """Run the demo and print its output; return 0 if all of it worked."""
    try:
        found = chosen_browser(attrs.evolve(settings.browser, profile=None))
    except BrowserMissing as error:
        _say(f"{error}\nWithout a browser, the demo runs on a fake browser.")
        return await _show_fake(settings)
    if settings.browser.cdp_endpoint:
        _say("The demo cannot use a running browser, so it starts one.")
    _say(f"Browser: {found.path}. Starting a replica of Google AI Mode, and `tabwright serve`.")
    return await _show_real(settings)


async def _show_real(settings: Settings) -> int:
    async with open_replica(Scenario(language=LANGUAGE)) as replica:
        with tempfile.TemporaryDirectory(prefix="tabwright-demo-") as folder:
            config = Path(folder) / "demo.yaml"
            config.write_text(yaml.safe_dump(_config(settings, replica, Path(folder))))
            program, *arguments = own_command("serve", "--config", str(config))
            async with Client(StdioServerParameters(command=program, args=arguments)) as client:
                listed = await client.list_tools()
                _say(f"Tools: {', '.join(tool.name for tool in listed.tools)}")
                answer = await _call(client, "google_ai_search", query=QUESTION, language=LANGUAGE)
                _say(text_of(answer))
                follow_up = await _call(
                    client, "google_ai_search", query=FOLLOW_UP, language=LANGUAGE, follow_up=True
                )
                _say(text_of(follow_up))
                sources = msgspec.convert(record_of(answer), _Answered).sources
                url = sources[0].url if sources else "about:blank"
                page = await _call(client, "browse", url=url)
                _say(f"The first source, read with `browse`:\n\n{text_of(page)}")
                found = await _call(
                    client,
                    "web_search",
                    query=QUESTION,
                    engines=ENGINES,
                    limit=5,
                    language=LANGUAGE,
                )
                _say(
                    f"What {' and '.join(ENGINES)} found, merged into one list:\n\n{text_of(found)}"
                )
                return int(any(result.is_error for result in (answer, follow_up, page, found)))


def _config(settings: Settings, replica: Replica, folder: Path) -> dict[str, object]:
    """The settings of the server: the browser that was found, and the way to the replica.

    The user's profile and counts are not used, and neither is a proxy, which could not reach the
    replica.
    """
    extra_args = [*settings.browser.extra_args, *replica.chromium_args]
    browser: dict[str, object] = {
        "extra_args": extra_args,
        "path": settings.browser.path,
        "headless": settings.browser.headless,
        "profile": None,
    }
    network = {"allow_private": True, "proxy": "none", **replica.network(folder)}
    return {"browser": browser, "network": network, "engines": {"counts": None}}


async def _call(client: Client, tool: str, **arguments: object) -> mcp.CallToolResult:
    async def show_growth(
        progress: float,
        total: float | None,  # noqa: ARG001  (as the SDK calls it)
        message: str | None,
    ) -> None:
        """Print a step of what a tool does."""
        text = message or ""
        if "\n" in text or len(text) > LINE_MAX:  # a part of an answer
            text = f"{len(text)} characters so far"
        sys.stderr.write(f"  … {progress:.0f}: {text}\n")

    sys.stderr.write(f"> {tool} {arguments}\n")
    return await client.call_tool(
        tool,
        arguments,
        progress_callback=show_growth,
        meta=cast("mcp.RequestParamsMeta", {STRUCTURED: True}),
    )


class _Source(msgspec.Struct):
    url: str


class _Answered(msgspec.Struct):
    sources: tuple[_Source, ...] = ()


async def _show_fake(settings: Settings) -> int:
    launcher = fake_launcher(STAND_IN, Random(0))  # noqa: S311
    fetching = fake_fetching(STAND_IN)
    environment = Environment(
        launcher=launcher, fetching=fetching, limiter_store=MemoryLimiterStore()
    )
    async with open_tabwright(settings, environment) as tabwright:
        answer = await tabwright.search(QUESTION, language=LANGUAGE)
        page = await tabwright.read(PAGE_URL)
    _say(f"{QUESTION}\n\n{answer.ai_answer}\n\n{answer.sources[0].url}, read with `browse`:")
    _say(page.text)
    return 0


def _say(text: str) -> None:
    sys.stdout.write(text + "\n\n")
    sys.stdout.flush()
