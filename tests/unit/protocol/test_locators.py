"""Locators: how their text is parsed, and which are refused."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.errors import BadInput
from tabwright.protocol.locators import (
    LocatorStep,
    LocatorText,
    ParsedLocator,
    is_locator,
    is_ref,
    parse_locator,
)


def only(text: str) -> LocatorStep:
    (step,) = parse_locator(text).steps
    return step


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("#save", LocatorStep("css", LocatorText("#save"))),
        ("css=a[href='x=y']", LocatorStep("css", LocatorText("a[href='x=y']"))),
        ("text=Sign in", LocatorStep("text", LocatorText("Sign in"))),
        ('text="Sign \\"in\\""', LocatorStep("text", LocatorText('Sign "in"', exact=True))),
        ("label='Email'", LocatorStep("label", LocatorText("Email", exact=True))),
        ("role=Button", LocatorStep("role", LocatorText("button"))),
        (
            'role=button[name="Save]"][disabled]',
            LocatorStep(
                "role",
                LocatorText("button"),
                LocatorText("Save]", exact=True),
                (("disabled", "true"),),
            ),
        ),
        (
            'role=button[name="Save"i]',
            LocatorStep("role", LocatorText("button"), LocatorText("Save")),
        ),
        (
            "role=heading[level=2][name=Plans and prices]",
            LocatorStep(
                "role", LocatorText("heading"), LocatorText("Plans and prices"), (("level", "2"),)
            ),
        ),
    ],
)
def test_locator_step_is_parsed_into_kind_value_name_and_states(text, step):
    assert only(text) == step


def test_steps_are_separated_by_two_angle_brackets():
    locator = parse_locator("role=row[name=Bob] >> css=td > button >> nth=-1")
    assert [step.kind for step in locator.steps] == ["role", "css", "nth"]
    assert locator.steps[1].value.text == "td > button"


@pytest.mark.parametrize(
    "text",
    ["", "  ", "text=", "role=", "role=button[name=", "role=1", "role=button[size=2]", "nth=0",
     "text=a >> nth=first", "role=button[name]"],
)  # fmt: skip
def test_an_invalid_locator_is_refused(text):
    with pytest.raises(BadInput):
        parse_locator(text)


@given(st.text(min_size=1).filter(lambda text: text.strip() and ">>" not in text))
def test_a_quoted_text_is_read_back(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    assert only(f'text="{escaped}"').value == LocatorText(text, exact=True)


@given(st.text())
def test_any_text_is_a_locator_or_refused(text):
    with suppress(BadInput):
        assert isinstance(parse_locator(text), ParsedLocator)


def test_refs_and_locators_are_distinguished():
    assert is_ref("[1.5]")
    assert not is_ref("css=1.5")
    assert is_locator("label=1.5")
    assert not is_locator("#label=1")


@pytest.mark.parametrize("text", ["shot4:134,227", "shot4@134", "shot4(134, 227)"])
def test_malformed_screenshot_point_is_refused_with_an_example(text):
    with pytest.raises(BadInput) as caught:
        parse_locator(text)
    assert "shot3@120,45" in caught.value.advice


def test_screenshot_point_is_rejected_as_locator_without_format_advice():
    with pytest.raises(BadInput) as caught:
        parse_locator("shot4@134,227")
    assert "shot3@120,45" not in caught.value.advice
