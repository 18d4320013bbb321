"""Finding recorded elements: the same element or none."""

import attrs
import pytest

from tabwright.plugins.trace.matching import choose, kindred_roles
from tabwright.plugins.trace.records import ElementDescription, RecordedTarget

SAVE = ElementDescription(
    ref="1.1",
    role="button",
    name="Save",
    heading="Profile",
    landmark="main",
    ancestors=("form", "main"),
    around=("Nickname Save",),
    before="Nickname",
    shown=True,
)
UNIQUE = RecordedTarget("1.1", SAVE)


def row(name: str, ref: str, *more: str) -> ElementDescription:
    around = (f"{name} Smith {name.lower()}@example.org Delete", *more)
    return ElementDescription(ref=ref, role="button", name="Delete", around=around, heading="Users")


BOB = RecordedTarget(
    "1.2", row("Bob", "1.2"), count=3, place=1, distinct=("bob", "bob@example.org")
)


def chosen(recorded: RecordedTarget, *candidates: ElementDescription) -> str:
    found = choose(recorded, candidates).element
    return found.ref if found else ""


def test_unchanged_element_is_found():
    other = attrs.evolve(SAVE, ref="1.2", name="Cancel")
    assert chosen(UNIQUE, other, SAVE) == "1.1"


@pytest.mark.parametrize(
    "changes",
    [
        {"role": "link"},
        {"heading": "Your profile", "before": "Name", "around": ("Your name Save", "All Save")},
        {"landmark": "", "ancestors": (), "css": "div > div"},
        {"name": "  SAVE "},
    ],
)
def test_changed_element_is_still_found(changes):
    assert chosen(UNIQUE, attrs.evolve(SAVE, ref="1.9", **changes)) == "1.9"


@pytest.mark.parametrize(
    "changes",
    [
        {"role": "textbox"},
        {"name": "Save as"},
        {"shown": False},
        {"heading": "Newsletter", "landmark": "contentinfo", "before": "Mail", "ancestors": (),
         "around": ("Mail address Save",)},
    ],
)  # fmt: skip
def test_other_element_is_not_chosen(changes):
    assert chosen(UNIQUE, attrs.evolve(SAVE, ref="1.9", **changes)) == ""


def test_identical_element_is_found_by_its_surrounding_words():
    rows = (row("Carol", "2.1"), row("Bob", "2.2"), row("Alice", "2.3"))
    assert chosen(BOB, *rows) == "2.2"


def test_similar_element_is_not_chosen_if_the_recorded_one_is_gone():
    assert chosen(BOB, row("Carol", "2.1"), row("Alice", "2.3")) == ""
    assert chosen(BOB, row("Alice", "2.3", f"Hello Bob {'and many other words ' * 4}")) == ""


def test_two_elements_that_fit_equally_are_ambiguous():
    choice = choose(UNIQUE, (SAVE, attrs.evolve(SAVE, ref="1.2")))
    assert choice.element is None
    assert [one.reason for one in choice.scored] == ["", ""]


def test_identical_elements_match_by_place_only_if_all_still_exist():
    equals = [attrs.evolve(SAVE, ref=f"1.{place}") for place in range(3)]
    second = RecordedTarget("1.1", SAVE, count=3, place=1)
    assert chosen(second, *equals) == "1.1"
    assert chosen(second, *equals[:2]) == ""
    assert chosen(second, *equals[:2], attrs.evolve(equals[2], heading="Other")) == ""


def test_slightly_renamed_element_is_found_by_test_id():
    recorded = RecordedTarget("1.1", attrs.evolve(SAVE, test_id="save"))
    renamed = attrs.evolve(SAVE, ref="1.5", name="Save now", test_id="save")
    moved = attrs.evolve(SAVE, ref="1.6", test_id="other")
    assert chosen(recorded, renamed, moved) == "1.5"
    assert chosen(recorded, attrs.evolve(renamed, name="Delete")) == ""
    assert chosen(recorded, moved) == ""


def test_generated_numbered_id_does_not_identify_an_element():
    elsewhere = {"heading": "Newsletter", "before": "Mail", "around": ("Mail address Save",)}
    for name, expected in (("save", "1.5"), ("ember17", "")):
        recorded = RecordedTarget("1.1", attrs.evolve(SAVE, id=name))
        assert chosen(recorded, attrs.evolve(SAVE, ref="1.5", id=name, **elsewhere)) == expected


def test_same_structure_with_other_surroundings_is_not_a_match():
    other = attrs.evolve(
        SAVE, ref="1.5", heading="Newsletter", before="Mail", around=("Mail address Save",)
    )
    assert chosen(UNIQUE, other) == ""


def test_radio_button_of_another_value_is_not_chosen():
    recorded = RecordedTarget("1.1", attrs.evolve(SAVE, role="radio", choice="express"))
    other = attrs.evolve(SAVE, ref="1.2", role="radio", choice="standard")
    assert chosen(recorded, other) == ""


def test_kindred_roles_contain_the_role_itself():
    assert "link" in kindred_roles("button")
    assert kindred_roles("slider") == ("slider",)
