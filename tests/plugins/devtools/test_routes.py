"""The routes that a call describes."""

from types import SimpleNamespace
from typing import cast

import pytest

from tabwright.config.secrets import Secrets, SecretSite
from tabwright.mcp.tool import ToolContext
from tabwright.plugins.devtools.route_tool import RouteArguments, new_route
from tabwright.protocol.errors import BadInput

BOUND = Secrets({"PASS": "correct-horse"}, {"PASS": SecretSite.of("shop.example")})


@pytest.mark.parametrize(
    ("pattern", "is_sent"),
    [
        ("https://shop.example/**", True),
        ("http://a.shop.example:8080/x", True),
        ("https://other.example/?https://shop.example/", False),
        ("**://shop.example/**", False),
        ("https://shop.example**", False),
        ("https://shop.example*/", False),
        ("https://{shop.example,other.example}/", False),
    ],
)
async def test_secret_with_site_is_inserted_only_into_routes_for_its_site(
    pattern: str, is_sent: bool
) -> None:
    arguments = RouteArguments(action="add", pattern=pattern, headers=("X-Own: {{PASS}}",))
    context = cast(
        "ToolContext",
        SimpleNamespace(tabwright=SimpleNamespace(parts=SimpleNamespace(secrets=BOUND))),
    )
    if is_sent:
        assert (await new_route(arguments, context)).headers == (("X-Own", "correct-horse"),)
    else:
        with pytest.raises(BadInput):
            await new_route(arguments, context)


@pytest.mark.parametrize(
    "given",
    [
        {"action": "add"},
        {"action": "add", "pattern": "**"},
        {"action": "add", "pattern": "**", "block": True, "status": 200},
        {"action": "add", "pattern": "**", "har": "x.har", "remove_headers": ("A",)},
    ],
)
def test_route_with_missing_or_conflicting_actions_is_refused(given: dict) -> None:
    with pytest.raises(BadInput):
        RouteArguments(**given)
