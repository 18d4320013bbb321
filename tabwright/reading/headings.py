"""The headings of HTML (HTML, section 4.3.6)."""

from collections.abc import Mapping

HEADING_LEVELS: Mapping[str, int] = {f"h{level}": level for level in range(1, 7)}
"""The level of each, by its tag."""
