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


@pytest.mark.parametrize(
    ("foreign", "ours"),
    [
        ("page.getByRole('link', { name: 'Next page' })", 'role=link[name="Next page"i]'),
        ("getByRole('button', {name: /save/i}).first()", 'role=button[name="save"i] >> nth=0'),
        ('get_by_role("tab", name="A", exact=True)', 'role=tab[name="A"]'),
        ('get_by_label("Email", exact=True)', 'label="Email"'),
        ("await page.get_by_text('Add').nth(2)", "text=Add >> nth=2"),
        ("getByTestId('send')", 'testid="send"'),
        ("page.locator('#a').last()", "#a >> nth=-1"),
        ("//a[text()='Terms']", "xpath=//a[text()='Terms']"),
        ("(//a)[2]", "xpath=(//a)[2]"),
        ("name=email", 'css=[name="email"]'),
        ("link text=Foo", 'role=link[name="Foo"i]'),
        ('button "Send order"', 'role=button[name="Send order"i]'),
        ("text: Save", "text=Save"),
        ("label:hover", "label:hover"),
        ("Save: now", "Save: now"),
    ],
)
def test_foreign_locator_is_read_as_ours(foreign: str, ours: str) -> None:
    assert parse_locator(foreign).text == ours


@pytest.mark.parametrize(
    ("text", "kind"),
    [("Send order", "words"), ("Price (EUR)", "words"), ("form button", "words"), ("a > b", "css"),
     ("a.b", "css"), ("input[name=a]", "css"), (".a", "css"), ("tr:has-text('Bob')", "css")],
)  # fmt: skip
def test_text_without_a_kind_is_words_unless_written_as_css(text: str, kind: str) -> None:
    assert only(text).kind == kind


def test_selector_with_a_text_is_split() -> None:
    step = only("tr.row:has-text('Bob')")
    assert (step.value.text, step.name) == ("tr.row", LocatorText("Bob"))


@pytest.mark.parametrize(
    "foreign",
    [
        "getByRole('button', {name: /^Delete$/})",
        "getByRole('button', {name: label})",
        "getByRole('checkbox', {checked: true})",
        "locator('tr', {hasText: 'Bob'})",
        "getByText('a').filter({hasText: 'b'})",
    ],
)
def test_foreign_locator_with_an_unknown_option_is_not_translated(foreign: str) -> None:
    with suppress(BadInput):
        assert parse_locator(foreign).text == foreign


def test_locator_of_excessive_length_is_refused() -> None:
    with pytest.raises(BadInput):
        parse_locator("a" + " " * 60_000 + "b")
