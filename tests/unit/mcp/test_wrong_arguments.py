"""Errors for wrong arguments, which name what is accepted."""

import pytest

from tabwright.config.engines import load_engines
from tabwright.config.loader import settings_from
from tabwright.mcp.registry import toolbox
from tabwright.protocol.errors import BadInput

TOOLS = toolbox(settings_from(), load_engines())


def refusal(tool: str, **given: object) -> str:
    with pytest.raises(BadInput) as refused:
        TOOLS.tool(tool).read_arguments(given)
    return str(refused.value)


def test_unknown_argument_error_suggests_the_nearest_and_lists_all() -> None:
    assert refusal("press", keys="Enter", reff="1.2") == (
        "press has no argument 'reff'. Did you mean ref? "
        "Its arguments are keys: string, session?: string, tab?: integer, ref?: string."
    )
    assert refusal("session_list", all=True) == (
        "session_list has no argument 'all'. It has no arguments."
    )


def test_several_unknown_arguments_are_all_named() -> None:
    output = refusal("select", reff="1.2", sesion="a")
    assert output.startswith(
        "select has no argument 'reff', 'sesion'. Did you mean ref? Did you mean"
    )


def test_missing_argument_error_lists_all_arguments() -> None:
    assert refusal("upload", ref="1.2") == (
        "upload needs 'paths'. Its arguments are "
        "ref: string, paths: list of string, session?: string, tab?: integer."
    )


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"action": "drag", "ref": "1.2"}, "drag needs 'to'."),
        ({"action": "hover", "ref": "1.2", "to": "1.3"}, "hover has no argument 'to'."),
        ({"action": "mouse", "event": "drag"}, "does not have as many points"),
    ],
)
async def test_argument_that_another_action_of_pointer_has_is_refused(given, problem) -> None:
    arguments = TOOLS.tool("pointer").read_arguments(given)
    with pytest.raises(BadInput) as refused:
        await TOOLS.tool("pointer").handler(arguments, None)
    assert problem in str(refused.value)


def test_invalid_choice_error_lists_choices_and_suggests_the_nearest() -> None:
    assert refusal("click", ref="1.2", button="rigth") == (
        "Invalid value for 'button' of click: Invalid enum value 'rigth'. Did you mean right? "
        "Expected: left | middle | right."
    )
    assert refusal("browse", url="http://a.example/", max_tier=4) == (
        "Invalid value for 'max_tier' of browse: Invalid enum value 4. Expected: 1 | 2 | 3."
    )


@pytest.mark.parametrize(
    ("tool", "given", "name", "problem", "accepted"),
    [
        ("type", {"ref": True, "text": ""}, "ref", "Expected `str`, got `bool`", "string"),
        ("select", {"ref": "1.2", "values": [True]}, "values", "Expected", "list of string"),
        ("web_search", {"query": "q", "limit": 99}, "limit", "Expected `int` <= 50", "integer"),
        ("click", {"ref": "1.2", "at": [1]}, "at", "Expected", "list of number"),
    ],
)
def test_wrong_type_error_names_the_expected_type(
    tool: str, given: dict[str, object], name: str, problem: str, accepted: str
) -> None:
    output = refusal(tool, **given)
    assert f"Invalid value for '{name}' of {tool}: {problem}" in output
    assert output.endswith(f" Expected: {accepted}.")
