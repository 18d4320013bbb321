"""The tables of actions and inspections of a page."""

from typing import Any, get_args, get_type_hints

import pytest

from tabwright.page.action_runner import ANSWERERS, PERFORMERS
from tabwright.page.dispatch import KINDS
from tabwright.protocol.actions import ACTIONS, FieldValue, Fill, RunSteps
from tabwright.protocol.inspection import Inspection


def answer_type(kind: type[Inspection[Any]]) -> object:
    [base] = kind.__orig_bases__
    [answer] = get_args(base)
    return answer


def test_performers_cover_exactly_the_actions():
    assert {*ACTIONS, RunSteps} == {*PERFORMERS}


def test_answerers_cover_exactly_the_inspections():
    assert {*Inspection.__subclasses__()} == {*ANSWERERS}


@pytest.mark.parametrize("kind", ANSWERERS)
def test_answerer_return_type_matches_its_inspection(kind):
    assert get_type_hints(ANSWERERS[kind].function)["return"] == answer_type(kind)


@pytest.mark.parametrize("kind", [*PERFORMERS, *ANSWERERS])
def test_performer_accepts_its_kind_and_lives_in_a_known_module(kind):
    function = {**PERFORMERS, **ANSWERERS}[kind].function
    _, value = [name for name in get_type_hints(function) if name != "return"]
    assert get_type_hints(function)[value] is kind
    is_of_plugin = function.__module__.startswith("tabwright.plugins.")
    assert is_of_plugin or function.__module__ in {module.__name__ for module in KINDS}


@pytest.mark.parametrize(
    "fields", [{"Name": "Eve"}, (("Name", "Eve"),), [FieldValue("Name", "Eve")]]
)
def test_fill_with_other_fields_than_field_values_is_a_type_error(fields):
    with pytest.raises(TypeError):
        Fill(fields)
