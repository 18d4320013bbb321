"""The content of a page as plain HTML."""

from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from tabwright.content.html.snapshot import take_snapshot
from tabwright.content.render.markdown import html_of
from tabwright.content.render.write import write
from tabwright.protocol.page_text import RenderOptions
from tabwright.protocol.snapshot import LoadedPage, PageSource, Selection


def snapshot(html):
    page = LoadedPage("https://a.example/", 200, "text/html")
    return take_snapshot(PageSource(page, html), Selection())


def test_content_is_html_without_scripts_styles_and_attributes():
    page = snapshot(
        "<h1 class=x>T</h1><p onclick=x()>A <b>b</b> <a href=/c>d</a><script>x()</script>"
        "<table><tr><th>e<th>e<tr><td>f<td>f</table><pre>g\n h</pre><ul><li>i</ul>"
    )
    text = write(page, RenderOptions(format="html")).text
    assert "<h1>T</h1>" in text
    assert '<p>A <strong>b</strong> <a href="https://a.example/c">d</a></p>' in text
    assert "<td>f</td>" in text
    assert "g\n h" in text
    assert "<li>i</li>" in text
    assert "onclick" not in text
    assert "x()" not in text


@given(st.text(st.sampled_from("<>&\"'scriptimg onerror=/[]()`*_#\n"), max_size=60))
def test_text_of_a_page_never_becomes_an_element(text):
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    written = html_of(snapshot(f"<p>{escaped}</p>").content)
    tree = LexborHTMLParser(written)
    assert not tree.css("script, [onerror], style, iframe")
