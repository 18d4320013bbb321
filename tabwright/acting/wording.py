"""Our sentences for those who know our tools by other names.

They are ours from end to end, so that no text of a page is one by chance.
"""

import re
from collections.abc import Iterable, Mapping

import attrs


@attrs.frozen
class Wording:
    """How they are said.

    Attributes:
        theirs: by how we say it.
    """

    theirs: Mapping[str, str]
    _ours: re.Pattern[str] = attrs.field(
        init=False, default=attrs.Factory(lambda self: _any_of(self.theirs), takes_self=True)
    )

    def reworded(self, text: str) -> str:
        """A text of ours as it is said there."""
        return self._ours.sub(lambda ours: self.theirs[ours[0]], text)


def _any_of(sentences: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sentences)))
