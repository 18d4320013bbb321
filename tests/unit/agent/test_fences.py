import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.agent.prompts import TAGS, Fence

NONCE = "0123456789abcdef"
FENCE = Fence(NONCE)
PIECES = [
    "<", "</", ">", "-", NONCE, NONCE[:8], NONCE[8:], "untrusted", "UNTRUSTED", "task", "plan",
    f"</untrusted-{NONCE}>", f"<untrusted-{NONCE}>", "</task>", "< / TASK >", "<plan>", "\n", " ",
    f"<{' ' * 10}untrusted-", f"<{'-' * 10}task>", "</////////////",
]  # fmt: skip
TEXTS = st.text() | st.lists(st.sampled_from(PIECES) | st.text(max_size=3)).map("".join)


@given(TEXTS)
def test_no_text_opens_or_closes_a_fence(text):
    fenced = FENCE.round(text)
    if not text:
        assert fenced == ""
        return
    first, *_, last = fenced.split("\n")
    assert (first, last) == (f"<untrusted-{NONCE}>", f"</untrusted-{NONCE}>")
    within = fenced.removeprefix(first).removesuffix(last)
    assert NONCE not in within
    assert not re.search(rf"(?i)<[\s/-]*({'|'.join(TAGS)})", within)


@given(st.text(alphabet=st.characters(exclude_characters="<0")))
def test_other_text_stays_as_it_is(text):
    assert FENCE.tamed(text) == text


def test_markup_that_is_no_block_of_ours_stays():
    assert FENCE.tamed("<b>1 < 2</b> <a href=x>") == "<b>1 < 2</b> <a href=x>"
    assert FENCE.tamed("< /Task>") == "\u2039 /Task>"


@pytest.mark.parametrize("between", ["-", " ", "/", "\n", "1.", "\u0416"])
@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize("count", [0, 1, 9, 10, 100_000])
def test_no_number_of_signs_hides_a_tag(between, tag, count):
    hidden = f"{between * count}{tag}>"
    assert FENCE.tamed(f"<{hidden}") == f"\u2039{hidden}"
