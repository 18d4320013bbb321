"""Scripts of ours that run in every new document of a page: a part of the Page domain."""

from tabwright.cdp.command import Command
from tabwright.cdp.wire import Nothing, Shape


class AddedScript(Shape, frozen=True):
    """By what a script is removed again."""

    identifier: str


def add_script(source: str) -> Command[AddedScript]:
    """Page.addScriptToEvaluateOnNewDocument: before the page's own, where those do not see it."""
    return Command(
        "Page.addScriptToEvaluateOnNewDocument",
        {"source": source, "worldName": "tabwright"},
        AddedScript,
    )


def remove_script(identifier: str) -> Command[Nothing]:
    """Page.removeScriptToEvaluateOnNewDocument."""
    return Command("Page.removeScriptToEvaluateOnNewDocument", {"identifier": identifier}, Nothing)
