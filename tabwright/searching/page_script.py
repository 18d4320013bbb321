"""The scripts that look at an AI Mode page and write into it; they run inside the browser."""

from functools import cache
from importlib import resources


@cache
def look_function() -> str:
    """The JavaScript function declaration ``look(...closedRoots)``.

    For ``Runtime.callFunctionOn`` in an isolated world: the arguments are the page's closed shadow
    roots, which may be none, and the value it returns is the JSON text that `read_look` takes.
    """
    return resources.files("tabwright.searching").joinpath("look.js").read_text(encoding="utf-8")


@cache
def compose_function() -> str:
    """The declaration ``compose()``: focuses the field for the next question.

    Its value is ``ready``, or ``missing`` where the page has no such field.
    """
    return resources.files("tabwright.searching").joinpath("compose.js").read_text(encoding="utf-8")
