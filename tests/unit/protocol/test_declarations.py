"""The fields of actions as their declarations describe them."""

from collections.abc import Mapping
from inspect import signature
from typing import Annotated, Literal

import attrs
import pytest

from tabwright.objects.page import Page
from tabwright.protocol.actions import ACTIONS, Drag, Fill, Scroll, UseMouse, WaitFor
from tabwright.protocol.declarations import Parameter, declared_fields, element_fields
from tabwright.protocol.errors import BadInput

LOUD = Parameter("How loud.", ge=0, le=10)


@attrs.frozen
class Play:
    song: str
    volume: Annotated[int, LOUD] | None = None
    mood: Literal["calm", "wild"] = "calm"
    by: Annotated[str, Parameter(accepts=str | int)] = attrs.field(default="", converter=str)


def test_declared_field_has_type_metadata_and_default():
    fields = declared_fields(Play)
    assert isinstance(fields, Mapping)
    assert list(fields) == ["song", "volume", "mood", "by"]
    assert fields["song"].required
    assert fields["song"].parameter == Parameter()
    assert (fields["volume"].accepted, fields["volume"].nullable) == (int, True)
    assert fields["volume"].parameter is LOUD
    assert (fields["mood"].accepted, fields["mood"].default) == (Literal["calm", "wild"], "calm")


def test_field_with_converter_accepts_what_the_converter_accepts():
    assert declared_fields(Play)["by"].accepted == str | int
    assert declared_fields(WaitFor)["text"].accepted == str | tuple[str, ...]


def test_element_fields_are_those_that_name_elements():
    assert element_fields(Drag) == ("ref", "to")
    assert element_fields(Scroll) == ("ref",)  # its `to` is a goal
    assert element_fields(UseMouse) == ()  # its `to` is a point
    assert element_fields(Fill) == ()  # they are in its values


def test_actions_have_names_of_their_own():
    names = [kind.declared.name for kind in ACTIONS if kind.declared]
    assert len(names) == len({*names})


def test_every_declared_action_is_a_method_of_pages_under_its_name():
    for kind in ACTIONS:
        if kind.declared is not None:
            assert signature(getattr(Page, kind.declared.name)).parameters.keys() >= {
                field.name for field in attrs.fields(kind)
            }


def test_wait_without_a_condition_is_refused():
    with pytest.raises(BadInput):
        WaitFor()
    assert WaitFor("Done").limit_s == 10
    assert WaitFor(seconds=0).limit_s == 0


@pytest.mark.parametrize(
    ("action", "goal"),
    [(Scroll(), "by"), (Scroll(text="a"), "text"), (Scroll("element", text="a"), "element")],
)
def test_scroll_with_only_a_text_goes_to_the_text(action, goal):
    assert action.goal == goal
