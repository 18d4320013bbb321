"""A step of reading that fails does not cost the text of the page."""

import pytest
from selectolax.lexbor import SelectolaxError

from tabwright.content import extract
from tabwright.content.html import snapshot
from tabwright.content.render.markdown import markdown_of
from tabwright.protocol.errors import BadInput
from tabwright.protocol.snapshot import LoadedPage, PageSource, Selection

SOURCE = PageSource(
    LoadedPage("https://a.example/", 200, "text/html"),
    "<title>T</title><style>p {}</style><h1>Head</h1><p hidden>No<p>Text <a href=/x>on</a></p>",
)


@pytest.mark.parametrize(
    ("module", "step"),
    [
        (snapshot, "parsed"),
        (snapshot, "place_formulas"),
        (snapshot, "forms_of"),
        (snapshot, "main_content"),
        (snapshot, "remove_redundant_names"),
        (extract, "judged"),
    ],
)
@pytest.mark.parametrize("error", [KeyError, SelectolaxError, RecursionError])
def test_failing_step_leaves_text_and_links(
    monkeypatch: pytest.MonkeyPatch, module: object, step: str, error: type[Exception]
) -> None:
    def fail(*_args: object) -> None:
        raise error

    monkeypatch.setattr(module, step, fail)
    page = extract.extract_snapshot(SOURCE, Selection(readability=True), 1).snapshot
    assert markdown_of(page.content) == "# Head\n\nText [on](https://a.example/x)"
    assert [link.url for link in page.links] == ["https://a.example/x"]
    assert page.title == "T"
    assert page.notice == extract.ONLY_TEXT


def test_failing_step_leaves_the_selected_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "forms_of", None)
    selection = Selection(selectors=("p",), exclude_selectors=("a",))
    page = extract.extract_snapshot(SOURCE, selection, 1).snapshot
    assert markdown_of(page.content) == "Text"


def test_invalid_selector_is_refused_as_such() -> None:
    with pytest.raises(BadInput):
        extract.extract_snapshot(SOURCE, Selection(selectors=("<",)), 1)
