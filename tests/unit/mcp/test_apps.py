"""The live view as an MCP App: which clients are offered it, and what its page may do."""

import hashlib
import re
from base64 import b64encode
from collections.abc import Mapping

import attrs
import pytest

from tabwright.config.engines import load_engines
from tabwright.config.loader import override, settings_from
from tabwright.mcp.apps import (
    APP_TYPE,
    APP_URI,
    APPS,
    app_meta,
    app_page,
    app_tool,
    choose_page,
    declares_apps,
    listing_for,
)
from tabwright.mcp.registry import toolbox
from tabwright.mcp.tool import Toolset
from tabwright.protocol.browser_pool import NO_LEASE, TabState

ABLE: Mapping[str, object] = {APPS: {"mimeTypes": [APP_TYPE]}}


def tools(**settings: object) -> Toolset:
    return toolbox(settings_from(override(**settings)), load_engines())


def meta_of(box: Toolset, extensions: Mapping[str, object] | None) -> dict[object, object]:
    listing = listing_for(box, extensions)
    return {tool["name"]: tool["_meta"] for tool in listing if "_meta" in tool}


@pytest.mark.parametrize(
    ("extensions", "declares"),
    [
        (None, False),
        ({}, False),
        ({"other": {"mimeTypes": [APP_TYPE]}}, False),
        ({APPS: {}}, False),
        ({APPS: None}, False),
        ({APPS: {"mimeTypes": APP_TYPE}}, False),
        ({APPS: {"mimeTypes": ["text/html"]}}, False),
        (ABLE, True),
    ],
)
def test_only_clients_that_support_app_pages_get_app_tools(
    extensions: Mapping[str, object] | None, declares: bool
) -> None:
    assert declares_apps(extensions) == declares
    assert (app_tool(tools(), "view_tabs", extensions) is not None) == declares


def test_listing_for_other_clients_is_unchanged() -> None:
    box = tools()
    assert listing_for(box, None) == box.listing
    assert not meta_of(box, None)


def test_apps_listing_links_the_page_and_hides_its_tool_from_the_model() -> None:
    page = {"ui": {"resourceUri": APP_URI}}
    hidden = {"ui": {"visibility": ["app"]}}
    assert meta_of(tools(), ABLE) == {"screenshot": page, "view_tabs": hidden}
    both = meta_of(tools(mcp__tools=("act", "sessions")), ABLE)
    assert both == {"screenshot": page, "interventions": page, "view_tabs": hidden}


@pytest.mark.parametrize(
    "settings",
    [{"view__address": None}, {"mcp__tools": ("search",)}, {"mcp__compat": "playwright"}],
)
def test_page_is_not_offered_where_it_has_nothing_to_show(settings: dict[str, object]) -> None:
    assert not meta_of(tools(**settings), ABLE)


def test_app_page_csp_allows_only_its_own_script_and_style() -> None:
    page = app_page()
    policy = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)[0]
    for tag in ("script", "style"):
        (text,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "connect-src" not in policy
    assert "http" not in policy
    assert "$version" not in page
    assert app_meta()["ui"] == {
        "csp": {"connectDomains": [], "resourceDomains": []},
        "prefersBorder": True,
    }


def test_page_sets_text_only_as_text() -> None:
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", app_page())


@attrs.frozen
class Page:
    """A fake page with only the values that the choice of a page depends on."""

    number: int
    help: str = ""

    def state(self) -> TabState:
        return attrs.evolve(NO_LEASE, number=self.number)


@pytest.mark.parametrize(("requested", "chosen"), [(None, 2), (1, 1), (3, 3), (9, 2)])
def test_tab_that_needs_a_person_is_shown_unless_another_is_requested(
    requested: int | None, chosen: int
) -> None:
    pages = (Page(1), Page(2, "Solve the CAPTCHA."), Page(3))
    assert choose_page(pages, requested) == pages[chosen - 1]


def test_newest_tab_is_shown_if_none_needs_a_person() -> None:
    assert choose_page((Page(1), Page(2)), None) == Page(2)
    assert choose_page((), None) is None
