"""What every tab of a house works with."""

from collections.abc import Iterator
from itertools import count

import attrs

from tabwright.config.secrets import Secrets
from tabwright.config.settings import Settings


@attrs.frozen(eq=False)
class TabOutfit:
    """What tabs work with.

    Attributes:
        settings: what they may do.
        secrets: what may be typed by its name.
        documents: numbers for documents; no two of all tabs have the same.
    """

    settings: Settings
    secrets: Secrets = attrs.field(factory=Secrets)
    documents: Iterator[int] = attrs.field(factory=lambda: count(1))
