"""The scripts that look at an engine's page and act on it; they run inside the browser.

Each is a function declaration for ``Runtime.callFunctionOn`` in an isolated world.
"""

from functools import cache
from importlib import resources


def look_function() -> str:
    """``look(...closedRoots)``.

    Its arguments are the page's closed shadow roots, which may be none; its value is the JSON text
    that `read_look` takes.
    """
    return _source("look.js")


def compose_function() -> str:
    """``compose(...closedRoots, anywhere)``: focuses the field for the next question.

    With the word ``anywhere`` any field will do, where the page's own is not to be found.
    Its value is ``ready``, or ``missing`` where the page has no such field.
    """
    return _source("compose.js")


def stop_function() -> str:
    """``stop()``: stops an answer that is still being written.

    Its value is ``stopped``, or ``quiet`` where there was nothing to stop.
    """
    return _source("stop.js")


def consent_function() -> str:
    """``consent(choice)``: answers the engine's privacy question by ``reject`` or ``accept``.

    Its value is ``answered``, or ``missing`` where there is nothing to answer by.
    """
    return _source("consent.js")


def submit_function() -> str:
    """``submit(selector, fields)``: fills in a form and submits it; `fields` is a JSON object.

    Its value is ``submitted``, or ``missing`` where there is no such form.
    """
    return _source("submit.js")


@cache
def _source(name: str) -> str:
    return (
        resources.files("tabwright.search.ai_mode").joinpath("js", name).read_text(encoding="utf-8")
    )
