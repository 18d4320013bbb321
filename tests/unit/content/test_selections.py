import pytest

from tabwright.content.render.markdown import text_of
from tabwright.protocol.errors import BadInput

PAGE = """
<header><h2>Site</h2></header><nav><a href=/n>Nav</a></nav>
<main><h1>Title</h1><p class=a>one and more</p><div class=b><p class=a>two</p><nav>inner</nav></div>
<p hidden class=c>hidden</p></main><aside>Aside</aside><footer>Foot</footer>
"""


def rooted(html: str) -> str:
    return f"<x-a><template shadowrootmode=open>{html}</template></x-a>"


def card(text: str, place: str = "") -> str:
    """Return a card as in Bulma, in light DOM, with the class `card` and a place in the page."""
    return (
        f"<div class=card{place}><header class=card-header>Card{place}</header><p>{text}</p>"
        f"<footer class=card-footer>End{place}</footer></div>"
    )


LONG = "<p>Long text of the page, of which cards have less.</p>"


def read(snap, html: str = PAGE, **selection) -> str:
    return text_of(snap(html, **selection).content).replace("\n\n", "|")


@pytest.mark.parametrize(
    ("selectors", "text"),
    [
        ((".a",), "one and more|two"),
        ((".b", "h1"), "Title|two"),
        (("main",), "Title|one and more|two"),
        (("main", ".a"), "Title|one and more|two"),
        (("nav",), "Nav|inner"),
        (("main", "main nav"), "Title|one and more|two|inner"),
        ((".c",), "hidden"),
        (("footer",), "Foot"),
        ((".none",), ""),
    ],
)
def test_selectors_keep_only_matching_elements_in_page_order(snap, selectors, text: str) -> None:
    assert read(snap, selectors=selectors) == text


def test_exclude_selectors_drop_matching_content(snap) -> None:
    assert read(snap, exclude_selectors=(".b", "h1")) == "one and more"
    assert read(snap, selectors=("main",), exclude_selectors=(".a",)) == "Title"
    assert read(snap, exclude_selectors=("body", "html")) == "Title|one and more|two"


@pytest.mark.parametrize("selector", ["div[", "", "a:nope", "..x", "\ud800"])
def test_invalid_selector_is_named_in_the_error(snap, selector: str) -> None:
    for kind in ("selectors", "exclude_selectors"):
        with pytest.raises(BadInput) as refused:
            snap(PAGE, **{kind: (selector,)})
        assert repr(selector) in str(refused.value)


def test_boilerplate_is_left_out(snap) -> None:
    assert read(snap) == "Title|one and more|two"


CHAPTERS = "<nav><p><a href=/1>Chapter 1</a><p><a href=/2>Chapter 2</a></nav>"

BYLINE = (
    "<div><h1>Title</h1><p>By me</p> and others <p><a href=/>Home</a></p></div><!-- -->"
    "<div>Summary <nav>Parts</nav></div><div><main>Long text of the page itself, with more words."
    "</main></div><div>After</div>"
)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<header>Top</header><div><p>Text.</p></div><footer>Bottom</footer>", "Text."),
        ("<div><header>Top</header><p>Text.</p><footer>Bottom</footer></div>", "Text."),
        (
            "<p>Long text of the page.</p>"
            + rooted("<header>Card</header><p>It.<footer>End</footer>"),
            "Long text of the page.|Card|It.|End",
        ),
        (f"{rooted('<header>Site</header>')}<p>Long text of the page.", "Long text of the page."),
        (rooted("<header>Site</header><p>All text of the page."), "All text of the page."),
        ("<article><header>Of it</header>Text.<footer>End</footer></article>", "Of it|Text.|End"),
        (
            LONG + card("A text that is longer.") + LONG,
            f"{LONG[3:-4]}|Card|A text that is longer.|End|{LONG[3:-4]}",
        ),
        (
            f"<div>{card('a', '1')}{card('b', '2')}{card('c', '3')}</div>",
            "Card1|a|End1|Card2|b|End2|Card3|c|End3",
        ),
        (LONG + card("a") + LONG, f"{LONG[3:-4]}|a|{LONG[3:-4]}"),
        (
            "<header><h1>Title</h1></header><main>Long text of the page.</main>",
            "Title|Long text of the page.",
        ),
        (BYLINE, "Title|By me|and others|Summary|Long text of the page itself, with more words."),
        ("<main>Long text of the page.</main><h1>Title</h1>End", "Title|Long text of the page."),
        ("<main></main><p>Text.</p>", "Text."),
        ("<main>a</main><main>b</main>", "a|b"),
        ("<dialog open>No</dialog><div role=alertdialog>No</div>Text.", "Text."),
        ("<nav>Only <a href=/x>this</a></nav>", "Only this"),
        (f"<nav>Site</nav><h1>Index</h1>{CHAPTERS}<nav>About</nav>", "Index|Chapter 1|Chapter 2"),
        (f"<main><p>Parts</p>{CHAPTERS}</main>", "Parts|Chapter 1|Chapter 2"),
        (f"<p>Parts</p>{CHAPTERS}", "Parts"),
        (f"<h1>Title</h1>Text.<footer>{CHAPTERS}</footer>", "Title|Text."),
        (f"<h1>Title</h1>{LONG}{CHAPTERS * 20}", f"Title|{LONG[3:-4]}"),
        ("<body hidden><p>All</p>", "All"),
        ("<div style='display:none'>App</div>", "App"),
        ("", ""),
    ],
)
def test_boilerplate_removal_never_removes_all_text(snap, html: str, text: str) -> None:
    assert read(snap, html) == text
