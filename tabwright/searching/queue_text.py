"""What waits for a person, as lines that a person reads."""

from collections.abc import Sequence

from tabwright.protocol.interventions import Intervention
from tabwright.text.languages import minutes

IN_SECONDS_S = 90

NOTHING = "Nothing waits for a person."


def queue_text(interventions: Sequence[Intervention]) -> str:
    """One line for each, and what to do about those that are open."""
    lines = [_line(one) for one in interventions]
    return "\n".join(lines) if lines else NOTHING


def _line(one: Intervention) -> str:
    state = one.state.replace("_", " ")
    head = f"{one.id}  {state}  {one.site} asks for a person"
    if not one.state.is_open:
        return f"{head} ({_ago(one)})"
    window = "its window is open" if one.held else "open shows its window"
    return f"{head} ({_ago(one)}; {window}; {_told(one.left_s)} left)"


def _ago(one: Intervention) -> str:
    return f"{_told(one.age_s)} ago"


def _told(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < IN_SECONDS_S else f"{minutes(seconds)} min"
