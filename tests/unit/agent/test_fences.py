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
def test_fenced_text_cannot_open_or_close_a_fence(text):
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
def test_text_without_tags_is_unchanged(text):
    assert FENCE.tamed(text) == text


def test_fence_escapes_only_its_own_tags():
    assert FENCE.tamed("<b>1 < 2</b> <a href=x>") == "<b>1 < 2</b> <a href=x>"
    assert FENCE.tamed("< /Task>") == "\u2039 /Task>"


@pytest.mark.parametrize("between", ["-", " ", "/", "\n", "1.", "\u0416"])
@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize("count", [0, 1, 9, 10, 100_000])
def test_tag_is_escaped_behind_any_number_of_signs(between, tag, count):
    hidden = f"{between * count}{tag}>"
    assert FENCE.tamed(f"<{hidden}") == f"\u2039{hidden}"
