"""Changes between two outlines."""

from collections import Counter

import attrs
from hypothesis import given
from hypothesis import strategies as st

from tabwright.page.outline import OutlineControl, OutlineLine
from tabwright.page.outline_text import (
    COMPARED_MAX,
    LINE_TOKENS_MAX,
    MINOR_CHANGES_MAX,
    TOKENS_MIN,
    line_text,
)
from tabwright.page.outline_text import diff_outlines as changes_and_rest
from tabwright.text.hints import OWN
from tabwright.text.token_budget import count_tokens, cut

from .pages import OUTLINES, button, outline, text_line

ALL = 0
SOME = st.lists(st.sampled_from("abcdef"), max_size=20)
MANY = COMPARED_MAX + 5


def changes(before, after, max_tokens):
    """Return the added and removed lines, and the notes about the other changes."""
    reported, notes = changes_and_rest(before, after, max_tokens)
    return "\n".join(filter(None, (reported, *OWN.lines(notes))))


def texts(*names):
    return outline(*map(text_line, names))


def counted(taken):
    """Return how often each line occurs, in the form in which changes show it."""
    return Counter(cut(f"+ {line_text(line).strip()}", LINE_TOKENS_MAX)[2:] for line in taken.lines)


def applied(before, reported):
    """Apply reported changes to the lines of `before`."""
    lines = counted(before)
    for change in reported.split("\n") if reported else ():
        lines[change[2:].replace("[*", "[")] += 1 if change.startswith("+ ") else -1
    return +lines


def uncovered(taken):
    """Return the outline without any covered controls."""
    return attrs.evolve(
        taken,
        lines=tuple(
            attrs.evolve(
                line,
                parts=tuple(
                    attrs.evolve(part, covered="") if isinstance(part, OutlineControl) else part
                    for part in line.parts
                ),
            )
            for line in taken.lines
        ),
    )


@given(OUTLINES)
def test_a_page_that_is_the_same_has_no_changes(taken):
    assert changes(taken, taken, ALL) == ""


@given(OUTLINES, OUTLINES)
def test_changes_applied_to_the_old_lines_give_the_new_lines(before, after):
    before, after = uncovered(before), uncovered(after)
    reported = changes(before, after, ALL)
    assert applied(before, reported) == counted(after)


@given(OUTLINES)
def test_covered_controls_are_not_reported_as_changes(taken):
    assert changes(taken, uncovered(taken), ALL) == ""


@given(SOME, SOME)
def test_unchanged_lines_are_not_reported_as_changes(before, after):
    reported = changes(texts(*before), texts(*after), ALL)
    gone = [line for line in reported.split("\n") if line.startswith("- ")]
    come = [line for line in reported.split("\n") if line.startswith("+ ")]
    assert len(before) - len(gone) == len(after) - len(come)
    if set(before).isdisjoint(after):
        assert len(gone) == len(before)


@given(OUTLINES, OUTLINES, st.integers(1, 400))
def test_changes_fit_the_budget_and_count_the_omitted_ones(before, after, budget):
    everything = changes(before, after, ALL).split("\n")
    text = changes(before, after, budget)
    assert count_tokens(text) <= max(budget, TOKENS_MIN)
    reported = text.split("\n")
    if reported == everything:
        return
    *kept, notice = reported
    assert not Counter(kept) - Counter(everything)
    assert notice == f"({len(everything) - len(kept)} more changes: snapshot shows them)"


def test_added_and_removed_lines_are_reported_in_order():
    before, after = texts("a", "old", "c"), texts("a", "new", "c", "d")
    assert changes(before, after, ALL) == "- old\n+ new\n+ d"


def test_a_new_control_is_marked_and_one_that_changed_is_not():
    before = outline(OutlineLine(0, "", (button(1, "Send", states=("disabled",)),), document=1))
    after = outline(
        OutlineLine(0, "", (button(1, "Send"),), document=1),
        OutlineLine(0, "", (button(2, "Undo"),), document=1),
    )
    assert changes(before, after, ALL) == (
        '- [1.1] button "Send" disabled\n+ [1.1] button "Send"\n+ [*1.2] button "Undo"'
    )


def test_focus_move_is_not_reported_as_a_change():
    plain = button(1, "A")
    focused = attrs.evolve(plain, states=("focused",))
    before, after = (outline(OutlineLine(0, "", (one,), document=1)) for one in (plain, focused))
    assert changes(before, after, ALL) == ""


def test_completely_different_pages_are_compared_as_sets():
    before = texts(*(f"old {number}" for number in range(MANY)), "same")
    after = texts("same", *(f"new {number}" for number in range(MANY)))
    reported = changes(before, after, ALL).split("\n")
    assert reported[0] == "- old 0"
    assert reported[MANY] == "+ new 0"
    assert len(reported) == 2 * MANY


def page(*lines):
    return outline(*(OutlineLine(0, "", (one,)) for one in lines))


def test_new_dialog_is_listed_before_the_page_it_hides():
    behind = [button(ref, f"A button of the page {ref}") for ref in range(1, 60)]
    dialog = [button(ref, f"Option {ref}") for ref in range(60, 66)]
    reported = changes(page(*behind), page(*dialog), TOKENS_MIN).split("\n")
    assert reported[:6] == [f'+ [*0.{ref}] button "Option {ref}"' for ref in range(60, 66)]
    assert sum(line.startswith("- ") for line in reported) <= MINOR_CHANGES_MAX


def test_reappearing_page_is_listed_after_its_new_content():
    behind = [button(ref, f"A button of the page {ref}") for ref in range(1, 60)]
    dialog = [button(ref, f"Option {ref}") for ref in range(60, 62)]
    reported = changes(page(*dialog), page(*behind, "Option 61 was chosen"), TOKENS_MIN).split("\n")
    assert reported[:3] == [
        "+ Option 61 was chosen",
        '- [0.60] button "Option 60"',
        '- [0.61] button "Option 61"',
    ]
    assert sum('"A button' in line for line in reported) <= MINOR_CHANGES_MAX
