"""Hints in the vocabulary of each audience."""

import json
from pathlib import Path

import pytest

from tabwright.agent.prompts import AGENT, BrowserObservation
from tabwright.cli.tool_names import SHELL
from tabwright.page.render import render_outcome
from tabwright.plugins.playwright.tools import PLAYWRIGHT
from tabwright.protocol.actions import Dialog, Outcome
from tabwright.protocol.errors import BadInput, Hint, HintKind, PageFailed
from tabwright.protocol.inspection import OutlineText
from tabwright.text.hints import OWN, advised

AUDIENCES = {"own": OWN, "playwright": PLAYWRIGHT, "agent": AGENT, "shell": SHELL}
SAID = json.loads(Path(__file__).with_name("hints.json").read_text(encoding="utf-8"))
VALUES = {"count": 3, "offset": 7, "after": 12, "counts": "2 errors, 1 warning"}
OWN_SENTENCES = [output["own"] for output in SAID.values()]


@pytest.mark.parametrize("names", AUDIENCES.values(), ids=AUDIENCES)
def test_hint_table_of_each_audience_covers_every_kind(names):
    assert set(names.sentences) == set(HintKind)


@pytest.mark.parametrize("kind", HintKind)
def test_hint_wording_for_each_audience_matches_the_snapshot(kind):
    reported = {audience: names.hint(Hint(kind, VALUES)) for audience, names in AUDIENCES.items()}
    assert reported == SAID[kind.name]


def test_hint_snapshot_covers_exactly_the_known_kinds():
    assert set(SAID) == {kind.name for kind in HintKind}


def test_error_advice_is_the_default_rendering_of_its_hint():
    error = BadInput("It takes files", **advised(HintKind.UPLOAD_FILES))
    assert error.hints == (Hint(HintKind.UPLOAD_FILES),)
    assert error.advice == OWN.advice(error)
    assert str(error) == OWN.error(error)


def test_advice_without_a_hint_is_the_same_for_every_audience():
    error = PageFailed("It rests.", **advised("Scroll to it first."))
    assert {names.advice(error) for names in AUDIENCES.values()} == {"Scroll to it first."}


def test_hint_value_that_looks_like_a_template_is_not_expanded():
    hint = Hint(HintKind.CONSOLE_COUNTS, {"counts": "{counts} {0}"})
    assert "{counts} {0}" in OWN.hint(hint)


@pytest.mark.parametrize("names", [PLAYWRIGHT, AGENT, SHELL], ids=["playwright", "agent", "shell"])
@pytest.mark.parametrize("sentence", OWN_SENTENCES)
def test_page_text_equal_to_an_own_sentence_is_rendered_unchanged(names, sentence):
    outcome = Outcome("Clicked.", changes=f"+ {sentence}", dialogs=(Dialog("alert", sentence),))
    assert render_outcome(outcome, names) == (f'Clicked.\nDialog: alert "{sentence}"\n+ {sentence}')
    assert names.error(BadInput(sentence)) == sentence


@pytest.mark.parametrize("sentence", OWN_SENTENCES)
def test_observation_keeps_page_text_equal_to_an_own_sentence(sentence):
    assert BrowserObservation(page=OutlineText(sentence)).text == f"Page:\n{sentence}"
