"""Roles and accessible names match those that a real Chromium computes.

With ``TABWRIGHT_WPT`` set to a checkout of web-platform-tests, its cases are compared as well.
"""

import os
import re
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Final

import attrs
import msgspec
import pytest
import trio

from tabwright.browser.identity import identity_of
from tabwright.browser.running import RunningBrowser
from tabwright.browser.watchdogs import MemoryWatchdog
from tabwright.cdp.chromium.arguments import LaunchPlan
from tabwright.cdp.chromium.finding import PREFERENCE, SHELL, find_browser
from tabwright.cdp.chromium.process import launch
from tabwright.cdp.connection import CDPConnection
from tabwright.cdp.domains import browser, runtime
from tabwright.cdp.pipe import PipeLink
from tabwright.cdp.session import CDPSession
from tabwright.concurrency.nursery import background_nursery
from tabwright.page.open_page import PageOptions, open_page
from tabwright.page.scripts import LIBRARY
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

FOLDER: Final = Path(__file__).with_name("names")
PAGES: Final = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.html")}
WPT: Final = os.environ.get("TABWRIGHT_WPT")
SUITES: Final = ("accname", "html-aam", "wai-aria")
SWITCHES: Final = (
    "--enable-blink-features=ComputedAccessibilityInfo", "--force-renderer-accessibility",
)  # fmt: skip
"""Give scripts of a page `computedRole` and `computedName`, and keep what these are made of."""

LISTED_AS: Final = {
    "disclosure": "", "password": "textbox", "file": "button", "color": "", "date": "", "time": "",
    "month": "", "week": "", "datetime": "", "frame": "", "audio": "", "video": "", "canvas": "",
    "plugin": "",
}  # fmt: skip
"""Words of outlines that are more exact than Chromium's role. All others are that role.

An outline also lists tables that Chromium takes for mere layout, keeps the given role of an item
outside of a list, and calls what can be edited a textbox.
"""

SCRIPT: Final = (FOLDER / "compare.js").read_text(encoding="utf-8")
ROLES: Final = (FOLDER / "roles.txt").read_text(encoding="utf-8").split()
SHAPES: Final = (
    "<div><div role={0}>c</div></div>",
    "<div><div role={0} tabindex=0>c</div></div>",
    "<div><div role={0} aria-label=L>c</div></div>",
    "<div><div role={0} title=T></div></div>",
    "<div role=button>a<span role={0}>c</span>b</div>",
    "<div role=button>a<span role={0} title=T>c</span>b</div>",
    "<div role=button aria-labelledby=l-{0}></div><div role={0} id=l-{0}>c</div>",
    "<label>a <span role={0}>c</span> b <input></label>",
)
ELEMENTS: Final = (FOLDER / "elements.txt").read_text(encoding="utf-8").splitlines()
SOURCES: Final = (FOLDER / "sources.txt").read_text(encoding="utf-8").splitlines()
LABELS: Final = (
    "<div id=one{0}>one</div><div id=two{0}>two</div><div hidden id=hidden{0}>hidden</div>"
    "<label for=labelled{0}>labelled</label><label for=twice{0}>first</label>"
    "<label for=twice{0}>second</label><label for=blank{0}> </label>"
)
PICTURES: Final = (
    "<button>a<svg><text>x</text></svg>b</button>",
    "<button><svg><g><title>G</title></g></svg></button>",
)
"""What Chromium named without the text in its picture, up to `PICTURES_UNREAD`."""
PICTURES_UNREAD: Final = 150
VERSION: Final = "navigator.userAgent.match(/Chrome\\/(\\d+)/)[1]"
PICKER: Final = re.compile(r"(Choose File)?(: )?No file chosen")


@attrs.frozen
class Computed:
    """Role and name of an element, by Chromium and by the outline."""

    html: str
    role: str
    name: str
    our_role: str
    our_name: str
    listed: str
    edited: bool

    @property
    def differs(self) -> bool:
        return bool(self.other_role or self.other_name or self.other_word)

    @property
    def other_role(self) -> bool:
        return plain(self.role) != plain(self.our_role)

    @property
    def other_name(self) -> bool:
        """Tell whether the names differ, ignoring the browser's text in a file field."""
        if self.is_loose_item:
            return False
        reported = PICKER.sub("", self.name).strip()
        return reported != self.our_name and not (self.listed == "file" and not reported)

    @property
    def other_word(self) -> bool:
        role = plain(self.role)
        same = self.listed in ("", role) or LISTED_AS.get(self.listed) == role
        same = same or (self.listed == "table" and role == "")
        return not (same or self.is_loose_item or (self.edited and self.listed == "textbox"))

    @property
    def is_loose_item(self) -> bool:
        return self.listed in ("option", "treeitem", "listitem") and self.listed != self.role


def plain(role: str) -> str:
    return "" if role == "generic" else role


@pytest.fixture
async def session() -> AsyncGenerator[CDPSession]:
    plan = LaunchPlan(path=find_browser((SHELL, *PREFERENCE)).path, extra_args=SWITCHES)
    async with launch(plan) as chromium, background_nursery() as nursery:
        assert chromium.pipe is not None
        link = PipeLink(*chromium.pipe.take())
        connection = CDPConnection(link)
        nursery.start_soon(connection.run)
        version = await connection.root.execute(browser.get_version())
        identity = identity_of(None, version.user_agent, visible=False)
        watchdog = MemoryWatchdog(1 << 40)
        running = RunningBrowser(connection, version.product, identity, watchdog)
        async with open_page(running, PageOptions(context="names")) as opened:
            yield opened.session
        await link.aclose()


def cases_of(suite: str) -> dict[str, str]:
    folder = Path(str(WPT)) / suite
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.html"))}


async def value(session: CDPSession, expression: str) -> object:
    answer = await session.execute(runtime.evaluate(expression))
    assert answer.exception_details is None
    return answer.result.value


async def differences(session: CDPSession, html: str) -> tuple[int, list[Computed]]:
    """Return the number of compared elements of a page, and those that differ."""
    text = msgspec.json.encode(html).decode().replace("</", "<\\/")
    await value(session, f"(document.open(), document.write({text}), document.close())")
    with trio.fail_after(60):
        await value(session, "new Promise((done) => requestAnimationFrame(() => done(0)))")
        reported = await value(session, SCRIPT.replace("/* library */", LIBRARY))
    rows = msgspec.json.decode(str(reported), type=list[Computed])
    return len(rows), [row for row in rows if row.differs]


@cases("page", sorted(PAGES))
async def test_accessible_names_and_roles_match_those_of_chromium(session: CDPSession, page: str):
    compared, different = await differences(session, f"<!doctype html>{PAGES[page]}")
    assert compared > 30
    if int(str(await value(session, VERSION))) <= PICTURES_UNREAD:
        different = [row for row in different if row.html not in PICTURES]
    assert different == []


async def test_accessible_name_of_each_role_matches_chromium(session: CDPSession):
    found: dict[str, list[Computed]] = {}
    for role in ROLES:
        html = "".join(shape.format(role) for shape in SHAPES)
        found[role] = (await differences(session, f"<!doctype html>{html}"))[1]
    assert {role: different for role, different in found.items() if different} == {}


async def test_accessible_name_from_each_source_matches_chromium(session: CDPSession):
    found: dict[str, list[Computed]] = {}
    for source in SOURCES:
        cases = (LABELS + element.format(source) for element in ELEMENTS)
        html = "".join(case.format(number) for number, case in enumerate(cases))
        compared, found[source] = await differences(session, f"<!doctype html>{html}")
        assert compared > len(ELEMENTS)
    assert {source: different for source, different in found.items() if different} == {}


@pytest.mark.skipif(WPT is None, reason="TABWRIGHT_WPT names no checkout of web-platform-tests")
@cases("suite", SUITES)
async def test_accessible_names_in_web_platform_tests_match_chromium(
    session: CDPSession, suite: str
):
    found: dict[str, list[Computed]] = {}
    for name, html in cases_of(suite).items():
        found[name] = (await differences(session, html))[1]
    assert {name: different for name, different in found.items() if different} == {}
