"""Fences round what pages say: named untrusted, with a nonce, and shut from the inside.

Whatever a text holds, it can neither open nor close a fence, nor any other block that a question to
a model is made of.
"""

import re

import attrs

TAGS = ("untrusted", "task", "plan")
"""Of the blocks that a question is made of."""

_TAG = re.compile(rf"<(?=[^<>a-z]*+(?:{'|'.join(TAGS)}))", re.IGNORECASE)
"""However many signs stand between: no sign is looked at twice, since none of them opens a tag."""


@attrs.frozen
class Fence:
    """A fence of one task.

    Attributes:
        nonce: letters and digits that no page can know.
    """

    nonce: str

    @property
    def name(self) -> str:
        """Its tag."""
        return f"{TAGS[0]}-{self.nonce}"

    def round(self, text: str) -> str:
        """The text inside the fence; empty for none."""
        return f"<{self.name}>\n{self.tamed(text)}\n</{self.name}>" if text else ""

    def tamed(self, text: str) -> str:
        """The text without anything that could be taken for a block of ours."""
        return _TAG.sub("\u2039", text.replace(self.nonce, "\u2026"))
