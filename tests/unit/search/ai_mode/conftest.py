from collections.abc import Callable
from pathlib import Path

import pytest

from tabwright.search.ai_mode.page_state import PageState, parse_page_state

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture
def recorded() -> Callable[[str], PageState]:
    """Return a function that loads a page state recorded in Chromium, by its name."""
    return lambda name: parse_page_state((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))
