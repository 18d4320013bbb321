"""Secrets are masked before the text of the outline is split."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.config.secrets import Secrets
from tabwright.page.outline import Options, Outline, OutlineControl, OutlineLine, mask_secrets
from tabwright.page.outline_view import written
from tabwright.protocol.inspection import OutlineView

SECRET = "correct horse battery staple " * 40 + "end"
SECRETS = Secrets({"PASS": SECRET})


def outline(*lines: OutlineLine, url: str = "", title: str = "") -> Outline:
    return Outline(1, url, title, 0, 100, (100, 100), lines)


@given(before=st.text(max_size=300), limit=st.integers(0, 400))
def test_no_part_of_a_secret_appears_in_paged_text(before: str, limit: int) -> None:
    page = outline(
        OutlineLine(0, "", (f"{before} {SECRET}",)), url=f"https://a.example/?p={SECRET}"
    )
    clean = mask_secrets(page, SECRETS)
    reported, offset = "", 0
    while offset is not None:
        text = written(clean, OutlineView(max_tokens=limit, offset=offset, whole=True))
        reported, offset = reported + text.text, text.next_offset
    assert "horse" not in reported
    assert "PASS" in reported


@pytest.mark.parametrize(
    "control",
    [
        OutlineControl(1, "button", name=SECRET),
        OutlineControl(1, "textbox", value=SECRET),
        OutlineControl(1, "link", url=f"/{SECRET}"),
        OutlineControl(1, "button", covered=SECRET),
        OutlineControl(1, "button", guess=SECRET),
        OutlineControl(1, "combobox", options=Options(1, (SECRET,))),
    ],
)
def test_secrets_are_masked_in_every_control_field(control: OutlineControl) -> None:
    page = outline(OutlineLine(0, "", (None, control)), title=SECRET)
    assert "horse" in str(attrs.asdict(page))
    assert "horse" not in str(attrs.asdict(mask_secrets(page, SECRETS)))


def test_masking_without_secrets_returns_the_same_outline() -> None:
    page = outline(OutlineLine(0, "", ("a",)))
    assert mask_secrets(page, Secrets()) is page
