import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.errors import PageFailed
from tabwright.protocol.pages import LoadedPage, PageSource
from tabwright.reading.page_script import parse_source
from tabwright.reading.page_text import read_page

PAGE = LoadedPage("https://a.example/dir/", 200, "text/html")
ARTICLE = """
<html lang="en"><head><title> An   article </title></head><body>
<header>Top</header><nav>Menu</nav>
<main><h1>Title</h1><p>See <a href="../x?a=1&amp;b=2">there</a>.</p>
<ul><li>one<ul><li>two</li></ul></li></ul>
<table><tr><th>a|b</th><th>c</th></tr><tr><td>1</td><td>2</td></tr></table>
<pre><code class="language-python">def f():
    return 1</code></pre><p hidden>not shown</p><script>alert(1)</script></main>
<footer>Bottom</footer></body></html>
"""


def read(html: str, page_format: str = "markdown") -> str:
    return read_page(PageSource(PAGE, html), page_format).text


def test_main_part_as_markdown_with_absolute_links():
    text = read(ARTICLE)
    assert "# Title" in text
    assert "[there](https://a.example/x?a=1&b=2)" in text
    assert "- one\n  - two" in text
    assert "| a\\|b | c |" in text
    assert "```python\ndef f():\n    return 1\n```" in text
    for furniture in ("Top", "Menu", "Bottom", "not shown", "alert"):
        assert furniture not in text


def test_title_language_and_formats():
    page = read_page(PageSource(PAGE, ARTICLE, cut=True), "text")
    assert (page.title, page.language, page.cut) == ("An article", "en", True)
    assert "#" not in page.text
    assert read(ARTICLE, "html").startswith("<main>")


def test_a_page_without_main_part_loses_only_its_furniture():
    html = "<body><header>Top</header><div><p>Text.</p></div><footer>Bottom</footer></body>"
    assert read(html) == "Text.\n"


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        " JavaScript:alert(1)",
        "java&#9;script:alert(1)",
        "&#1;javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "blob:https://a.example/1",
    ],
)
@pytest.mark.parametrize("page_format", ["markdown", "html"])
def test_addresses_that_do_something_are_taken_out(address, page_format):
    html = f'<main><a href="{address}">word</a><img src="{address}" alt="picture"></main>'
    text = read(html, page_format)
    assert "word" in text
    for part in ("script:", "data:", "file:", "blob:"):
        assert part not in text.lower()


@given(st.text())
def test_any_text_is_survived(html):
    assert read(html).endswith("\n")


@given(st.text())
def test_an_answer_that_is_not_the_scripts_is_told(answer):
    with pytest.raises(PageFailed):
        parse_source(answer, PAGE)
