"""Difficult HTML, case by case: the page and the content that is read from it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.content.html.forms import OPTIONS_SHOWN_MAX
from tabwright.content.html.media import DRAWING_CHARACTERS_MAX
from tabwright.content.render.json_record import snapshot_record
from tabwright.content.render.markdown import markdown_of, text_of
from tabwright.protocol.blocks import (
    Formula,
    Heading,
    Image,
    Item,
    ItemList,
    Paragraph,
    Quote,
    TableBlock,
    TextSpan,
)

HOME = "https://a.example"

TABLES = [
    pytest.param(
        "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
        "| a | b |\n| --- | --- |\n| 1 | 2 |",
        id="a row of headers is the header",
    ),
    pytest.param(
        "<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>",
        "|  |  |\n| --- | --- |\n| a | b |\n| 1 | 2 |",
        id="a table without a header has an empty one",
    ),
    pytest.param(
        "<table><tr><th>k</th><td>v</td></tr></table>",
        "|  |  |\n| --- | --- |\n| k | v |",
        id="headers of rows are no header",
    ),
    pytest.param(
        "<table><thead><tr><th colspan=2>S</th><th>c</th></tr></thead>"
        "<tr><td rowspan=2>x</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>",
        "| S |  | c |\n| --- | --- | --- |\n| x | 1 | 2 |\n| x | 3 | 4 |",
        id="spans are laid out, downwards again and again",
    ),
    pytest.param(
        "<table><tr><th>a</th><th>b</th></tr><tr><td rowspan=0>x</td><td>1</td></tr>"
        "<tr><td>2</td></tr><tr><td>3</td></tr></table>",
        "| a | b |\n| --- | --- |\n| x | 1 |\n| x | 2 |\n| x | 3 |",
        id="a span of no rows is one of all",
    ),
    pytest.param(
        "<table><tr><th>a</th><th>b</th></tr><tr><td colspan=9>all</td></tr>"
        "<tr><td>1</td><td>2</td></tr></table>",
        "| a | b |\n| --- | --- |\n| all |  |\n| 1 | 2 |",
        id="columns that only a span has are none",
    ),
    pytest.param(
        "<table><tfoot><tr><td>sum</td><td>3</td></tr></tfoot><tbody><tr><td>x</td><td>3</td></tr>"
        "</tbody><thead><tr><th>a</th><th>b</th></tr></thead></table>",
        "| a | b |\n| --- | --- |\n| x | 3 |\n| sum | 3 |",
        id="the head comes first and the foot last",
    ),
    pytest.param(
        "<table><caption>Cap</caption><tr><td>1</td><td>2</td></tr>"
        "<tr><td>3</td><td>4</td></tr></table>",
        "Cap\n\n|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |",
        id="a caption stands above its table",
    ),
    pytest.param(
        "<table><tr><th>a|b</th><th><code>x|y</code></th></tr>"
        "<tr><td>one<br>two</td><td><ul><li>l<li>m</ul></td></tr></table>",
        "| a\\|b | `x\\|y` |\n| --- | --- |\n| one<br>two | - l<br>- m |",
        id="pipes, breaks and lists in cells",
    ),
    pytest.param(
        "<table><tr><th>a</th><th>b</th></tr><tr><td></td><td>2</td></tr><tr><td>3</td></tr>"
        "<tr></tr></table>",
        "| a | b |\n| --- | --- |\n|  | 2 |\n| 3 |  |",
        id="missing cells are empty and empty rows are none",
    ),
    pytest.param(
        "<table role=presentation><tr><th>l</th><td>m</td></tr><tr><td>n</td><td>o</td></tr>"
        "</table>",
        "l\n\nm\n\nn\n\no",
        id="a layout by its own account flows",
    ),
    pytest.param(
        "<table><tr><td><h2>Head</h2><p>Text</p></td><td>Side</td></tr></table>",
        "## Head\n\nText\n\nSide",
        id="a layout by what is in it flows",
    ),
    pytest.param(
        "<div role=code><textarea></textarea><div><div>if a:</div><div>&nbsp; b</div></div></div>"
        "<p>The <i role=code>word</i></p>",
        "```\nif a:\n  b\n```\n\nThe *word*",
        id="lines of code by their role are a block of it",
    ),
    pytest.param(
        "<div role=grid>Two <div role=row><span role=columnheader>a</span><span "
        "role=columnheader>b</span></div><div role=rowgroup><x-row role=row><x-cell role=gridcell>1"
        "</x-cell><x-cell role=gridcell>2</x-cell></x-row><div role=row>"
        "<div role=cell>3</div><div role=cell>4</div></div></div></div>",
        "Two\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |",
        id="a table by its roles is a table",
    ),
    pytest.param(
        "<div role=grid><div role=row><div role=gridcell>a</div></div>"
        "<div role=row><div role=gridcell>b</div></div></div><x-row role=row>c</x-row>d",
        "a\n\nb\n\nc\n\nd",
        id="one column or a row by roles is no table",
    ),
    pytest.param(
        "<div role=table><div role=row><button role=columnheader>a</button><h3 role=columnheader>"
        "b</h3></div><div role=row><a role=cell href=/1>1</a><a role=cell>2</a></div>"
        "<div role=row><input role=cell value=3><b role=cell>4</b></div></div>",
        f"| a | b |\n| --- | --- |\n| [1]({HOME}/1) | 2 |\n| 3 | **4** |",
        id="links, buttons and inputs are cells by their roles",
    ),
    pytest.param(
        "<div role=table><div role=row><b role=columnheader>a</b><b role=columnheader>b</b></div>"
        "<a role=row href=/1><span role=cell>1</span><span role=cell>2</span></a></div>",
        f"| **a** | **b** |\n| --- | --- |\n| [1]({HOME}/1) | [2]({HOME}/1) |",
        id="a link is a row by its role",
    ),
    pytest.param(
        "<div role=table>Two<ul><li role=row><i role=cell>1</i><i role=cell>2</i></ul><ol "
        "role=rowgroup><li role=row><span role=cell>3</span><span role=cell>4</span></ol></div>",
        "Two\n\n|  |  |\n| --- | --- |\n| *1* | *2* |\n| 3 | 4 |",
        id="items of lists are rows by their roles",
    ),
    pytest.param(
        "<ul role=grid><li role=row><a role=gridcell>1</a><a role=gridcell>2</a>"
        "<li role=row><a role=gridcell>3</a><a role=gridcell>4</a></ul>"
        "<ul><li role=row>a<li role=row><a role=cell href=/b>b</a></ul>",
        f"|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n\n- a\n- [b]({HOME}/b)",
        id="a list is a table by its role only",
    ),
    pytest.param("<table><tr><td>a<tr><td>b</table>", "a\n\nb", id="one column is no table"),
    pytest.param(
        "<table><tr><td>menu</td><td><table><tr><th>in</th><th>ner</th></tr>"
        "<tr><td>1</td><td>2</td></tr></table></td></tr></table>",
        "menu\n\n| in | ner |\n| --- | --- |\n| 1 | 2 |",
        id="a table in a layout is a table",
    ),
    pytest.param(
        "<table><tr><th>a</th><th>b</th></tr><tr><td>much more than is in the other table</td>"
        "<td><table><tr><th>x</th><th>y</th></tr><tr><td>1</td><td>2</td></tr></table></td></tr>"
        "</table>",
        "| a | b |\n| --- | --- |\n| much more than is in the other table | x \\| y<br>1 \\| 2 |",
        id="a small table in a table is lines of a cell",
    ),
]

LISTS = [
    pytest.param(
        "<ul><li>a<ol><li>b<ul><li>c</ul></ol><li>d</ul>",
        "- a\n  1. b\n     - c\n- d",
        id="lists nest",
    ),
    pytest.param("<ol start=5><li>a<li>b</ol>", "5. a\n6. b", id="a list begins where it says"),
    pytest.param("<ol><li>a<li><li>b</ol>", "1. a\n3. b", id="an empty item has a number too"),
    pytest.param("<ul><li><hr></ul>", "- ___", id="a rule in an item is a rule"),
    pytest.param(
        "<ol><li>a</ol><ol><li>b</ol><ol><li>c</ol><ul><li>d</ul>",
        "1. a\n\n1) b\n\n1. c\n\n- d",
        id="adjacent lists stay apart",
    ),
    pytest.param("<ol reversed><li>a<li>b</ol>", "2. a\n1. b", id="a list counts down"),
    pytest.param("<ol><li>a<li value=7>b<li>c</ol>", "1. a\n7. b\n8. c", id="an item's own number"),
    pytest.param(
        "<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>",
        "- a\n  - b\n- c",
        id="a list right in a list belongs to the item before it",
    ),
    pytest.param("<ul><ul><li>a</li></ul></ul>", "- a", id="a list round a list says nothing"),
    pytest.param("<ul>text<li>a</ul>", "- text\n- a", id="text right in a list is an item"),
    pytest.param("<li>a</li> <li>b</li><p>c</p>", "- a\n- b\n\nc", id="items without a list"),
    pytest.param(
        "<ul><li><p>a</p><p>b</p><li><pre>c</pre></ul>",
        "- a\n\n  b\n- ```\n  c\n  ```",
        id="blocks in items",
    ),
    pytest.param(
        "<ul><li><input type=checkbox checked> a<li><label><input type=checkbox> b</label></ul>",
        "- \u2611 a\n- \u2610 b",
        id="boxes that are ticked or not",
    ),
    pytest.param(
        "<dl><dt>T</dt><dd>one</dd><dd>two</dd><div><dt>U:</dt><dd><p>p</p><ul><li>l</ul></dd></div>"
        "<dt>V</dt></dl>",
        "- **T**: one\n\n  two\n- **U:** p\n  - l\n- **V**",
        id="terms and what they mean",
    ),
    pytest.param("<ul><li></li><li> </li></ul>x", "x", id="empty lists vanish"),
]

CODE = [
    pytest.param(
        '<pre><code class="language-python">def f():\n    return 1\n\n</code></pre>',
        "```python\ndef f():\n    return 1\n```",
        id="indentation and language",
    ),
    pytest.param("<pre>```\na\n```</pre>", "````\n```\na\n```\n````", id="fences in code"),
    pytest.param("<pre>a<br>b</pre>", "```\na\nb\n```", id="breaks in code"),
    pytest.param(
        "<pre><code><div>a</div><div>  b</div></code></pre>",
        "```\na\n  b\n```",
        id="lines that are elements",
    ),
    pytest.param(
        '<div class="highlight highlight-source-shell"><pre>ls</pre></div>',
        "```shell\nls\n```",
        id="a language in a class round it",
    ),
    pytest.param('<pre class="brush: js;">x</pre>', "```js\nx\n```", id="a brush"),
    pytest.param('<pre class="python hljs">x</pre>', "```python\nx\n```", id="a bare class"),
    pytest.param("<pre data-lang=rust lang=en>x</pre>", "```rust\nx\n```", id="an attribute"),
    pytest.param('<pre lang=en class="language-text">x</pre>', "```\nx\n```", id="no language"),
    pytest.param(
        "<pre><span class=lineno>1 </span>a\n<span class=lineno>2 </span>b<button>Copy</button>",
        "```\na\nb\n```",
        id="numbers of lines are no code",
    ),
    pytest.param(
        "<table><tr><td class=linenos><pre>1\n2</pre><td class=code><pre>a\n  b</pre></table>",
        "```\na\n  b\n```",
        id="numbers in a column beside it",
    ),
    pytest.param(
        "<table><tr><td class=blob-num></td><td class=blob-code>def f():</td></tr>"
        "<tr><td class=blob-num></td><td class=blob-code></td></tr>"
        "<tr><td class=blob-num></td><td class=blob-code>    pass</td></tr></table>",
        "```\ndef f():\n\n    pass\n```",
        id="lines that are rows",
    ),
    pytest.param(
        "<p>Use <code>a`b</code>, <kbd>Ctrl</kbd>+<kbd>C</kbd>, <var>n</var></p>",
        "Use ``a`b``, `Ctrl`+`C`, `n`",
        id="code in a line",
    ),
    pytest.param("<pre> </pre>x", "x", id="empty code vanishes"),
    pytest.param(
        "<code class=a>one</code> <code class=a>two</code>, <kbd>A</kbd><kbd>B</kbd>",
        "`one` `two`, `A` `B`",
        id="code beside code",
    ),
    pytest.param("<kbd><kbd>A</kbd>+<kbd>B</kbd></kbd>", "`A+B`", id="keys in keys"),
    pytest.param(
        "<div class=line><code class=a>one</code> <code class=b>two</code></div>",
        "`one two`",
        id="parts of a line of code",
    ),
    pytest.param("<code>a<br>b</code> c", "`a`\\\n`b` c", id="a break in code in a line"),
    pytest.param(
        "<pre><code><span style='display: block'>a</span><span style='display: block'>b <b>c</b>"
        "</span></code></pre>",
        "```\na\nb c\n```",
        id="lines by their style",
    ),
    pytest.param(
        "<pre>a <i style='display:inline-block'>b</i><i style='display:inline-block'>c</i></pre>",
        "```\na bc\n```",
        id="blocks in a line of code",
    ),
    pytest.param(
        "<pre><span class=line>a</span><span class=line>b</span>\n<span class=line>c</span></pre>",
        "```\na\nb\nc\n```",
        id="lines by their class",
    ),
    pytest.param(
        "<table><tr><td class=blob-num><td class='blob-code blob-code-context'>"
        "<span data-code-marker=' '>a</span></tr><tr><td class=blob-num-deletion>"
        "<td class=blob-code-deletion><span data-code-marker='-'>b</span></tr>"
        "<tr><td class=blob-num><td class='blob-code blob-code-addition'>c</tr></table>",
        "```\n a\n-b\n+c\n```",
        id="signs of changed lines on GitHub",
    ),
    pytest.param(
        "<table><tr><td class='diff-line-num old'>1<td class='line_content old'>a</tr>"
        "<tr><td class='diff-line-num new'>1<td class='line_content new'>b</tr>"
        "<tr><td class=diff-line-num>2<td class=line_content>c</tr></table>",
        "```\n-a\n+b\n c\n```",
        id="signs of changed lines on GitLab",
    ),
]

LINKS = [
    pytest.param(
        '<a href="../up">u</a> <a href="//cdn.example/x">c</a> <a href="?q=1">q</a>'
        ' <a href="#f">f</a>',
        f"[u]({HOME}/up) [c](https://cdn.example/x) [q]({HOME}/dir/page?q=1)"
        f" [f]({HOME}/dir/page#f)",
        id="addresses are absolute",
    ),
    pytest.param(
        '<base href="/b/"><a href=x>x</a>', f"[x]({HOME}/b/x)", id="relative to the page's base"
    ),
    pytest.param('<a href="javascript:x()">a</a> <a href="#">b</a>', "a b", id="no links at all"),
    pytest.param('<a href="mailto:a@b.c">m</a>', "[m](mailto:a@b.c)", id="mail"),
    pytest.param(
        "<a href=/i><img src=i.png alt=Icon></a> <a href=/j aria-label=Close><svg></svg></a>",
        f"[Icon]({HOME}/i) [Close]({HOME}/j)",
        id="links that only show a picture",
    ),
    pytest.param(
        "<a href=/c><img src=t.jpg alt=T><h3>Title</h3><p>Excerpt</p></a>",
        f"![T]({HOME}/dir/t.jpg)\n\n### [Title]({HOME}/c)\n\nExcerpt",
        id="a card leads on once",
    ),
    pytest.param(
        "<a href=/l>multi <em>part</em> <code>link</code></a>",
        f"[multi *part* `link`]({HOME}/l)",
        id="styles in a link",
    ),
    pytest.param("wow!<a href=/z>z</a>", f"wow\\![z]({HOME}/z)", id="no picture by accident"),
    pytest.param(f"<a href=/y>{HOME}/y</a>", f"<{HOME}/y>", id="an address that shows itself"),
    pytest.param(
        "<h2>Part<a class=headerlink href=#p>\u00b6</a></h2>", "## Part", id="links for copying"
    ),
    pytest.param(
        "<h2 id=p><a href=#p>Part</a></h2><h3><a id=q href=#q>Piece</a></h3>"
        "<h3 id=größe><a href=#gr%C3%B6%C3%9Fe>Size</a></h3>",
        "## Part\n\n### Piece\n\n### Size",
        id="headings that lead to themselves",
    ),
    pytest.param(
        "<main id=q><h2 id=p><a href=#q>Part</a></h2></main>",
        "## [Part](https://a.example/dir/page#q)",
        id="a heading that leads elsewhere",
    ),
    pytest.param(
        "<iframe src=https://v.example/1 title=Film></iframe><iframe src=about:blank></iframe>",
        "[Film](https://v.example/1)",
        id="frames",
    ),
    pytest.param(
        "<embed src=/a.pdf><object data=/b.pdf title=Plan><p>No viewer.</object>",
        f"[a.example]({HOME}/a.pdf)\n\n[Plan]({HOME}/b.pdf)\n\nNo viewer.",
        id="files in viewers",
    ),
    pytest.param(
        "<object data=/a.swf><embed src=/a.swf type=application/x-shockwave-flash>Old</object>",
        "Old",
        id="a plug-in",
    ),
    pytest.param("<iframe src='http://['></iframe>", "[\\[](http://[)", id="a frame of nothing"),
    pytest.param(
        "<a href=/o>o<x-a><template shadowrootmode=open><a href=/i>i</a></template></x-a></a> p",
        f"[o]({HOME}/o)[i]({HOME}/i) p",
        id="a link in a link",
    ),
    pytest.param(
        'fact<sup><a href="#n">1</a></sup>', f"fact[1]({HOME}/dir/page#n)", id="the mark of a note"
    ),
]

PICTURES = [
    pytest.param(
        '<img data-src=/real.jpg src="data:image/gif;base64,AA" alt=x>',
        f"![x]({HOME}/real.jpg)",
        id="lazy",
    ),
    pytest.param(
        '<img src="data:," srcset="/s.jpg 1x, /l.jpg 2x" alt=x>',
        f"![x]({HOME}/l.jpg)",
        id="the best of a set",
    ),
    pytest.param(
        '<picture><source srcset="/a.webp 400w, /b,b.webp 800w"><img alt=x></picture>',
        f"![x]({HOME}/b,b.webp)",
        id="the best of several sets",
    ),
    pytest.param(
        '<img src="data:," alt=x> <noscript><img src=/n.jpg alt=y></noscript>',
        f"![x]({HOME}/n.jpg)",
        id="one for browsers without scripts",
    ),
    pytest.param(
        "a<img src=/dot.gif width=1 height=1><img src=/line.png alt=''> b", "a b", id="decoration"
    ),
    pytest.param(
        "<figure><img src=/p.png alt=''><figcaption>Cap</figcaption></figure>",
        f"![]({HOME}/p.png)\n\nCap",
        id="a picture with a caption is none",
    ),
    pytest.param('<img src="/a b.png" alt="[x]">', f"![\\[x\\]]({HOME}/a%20b.png)", id="odd names"),
]

TEXT = [
    pytest.param(
        "<b>bold</b> <i>it</i> <b><i>both</i></b> <s>old</s> H<sub>2</sub>O x<sup>2</sup>",
        "**bold** *it* ***both*** ~~old~~ H<sub>2</sub>O x<sup>2</sup>",
        id="styles",
    ),
    pytest.param("a<b> b </b>c", "a **b** c", id="marks stand at words"),
    pytest.param(
        "\u9762\u5305\u7684<b>\u300a\u6c34\u300b</b>\u5f88\u91cd",
        "\u9762\u5305\u7684<strong>\u300a\u6c34\u300b</strong>\u5f88\u91cd",
        id="bold in Chinese, where stars would not be marks",
    ),
    pytest.param(
        "\u9762\u5305\u7684<b>\u6c34</b>\u5f88\u91cd",
        "\u9762\u5305\u7684**\u6c34**\u5f88\u91cd",
        id="bold in Chinese, where they are",
    ),
    pytest.param(
        "<p>\u8fd9\u662f\n  \u4e00\u884c</p>",
        "\u8fd9\u662f\u4e00\u884c",
        id="lines of source in Chinese",
    ),
    pytest.param(
        "a&nbsp;b &lt;i&gt; &amp;amp; &copy; so&shy;ft ze<i>&#8203;</i>ro &#x202e;left &#xf101;",
        "a b \\<i> \\&amp; \u00a9 soft zero left",
        id="entities, and characters that nobody sees",
    ),
    pytest.param(
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        id="joiners",
    ),
    pytest.param(
        "<p dir=rtl>\u05e9\u05dc\u05d5\u05dd <a href=/he>\u05e2\u05d5\u05dc\u05dd</a></p>",
        f"\u05e9\u05dc\u05d5\u05dd [\u05e2\u05d5\u05dc\u05dd]({HOME}/he)",
        id="from right to left",
    ),
    pytest.param(
        "<abbr title='World Wide'>WW</abbr> <abbr title='World Wide'>WW</abbr>",
        "WW (World Wide) WW",
        id="abbreviations are written out once",
    ),
    pytest.param("<ruby>\u6f22<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "\u6f22(kan)", id="ruby"),
    pytest.param("he said <q>no</q>", "he said \u201cno\u201d", id="quotations in a line"),
    pytest.param("one<br>two<br> <br>three", "one\\\ntwo\n\nthree", id="breaks"),
    pytest.param("loose<p>para</p>tail", "loose\n\npara\n\ntail", id="loose text"),
    pytest.param(
        "<p>1. a</p><p># b</p><p>- c</p><p>x<br>+ d</p>",
        "1\\. a\n\n\\# b\n\n\\- c\n\nx\\\n\\+ d",
        id="lines that look like marks",
    ),
    pytest.param(
        "_a_ *b* [c] `d` ~~e~~", "\\_a\\_ \\*b\\* \\[c\\] \\`d\\` \\~\\~e\\~\\~", id="marks"
    ),
    pytest.param("<h3> <b>All bold</b>\n</h3><h1></h1>", "### All bold", id="headings"),
    pytest.param("<div role=heading aria-level=4>H</div>", "#### H", id="headings by role"),
    pytest.param(
        "<blockquote>a<blockquote>b</blockquote></blockquote>", "> a\n>\n> > b", id="quotes"
    ),
    pytest.param(
        "a<map name=m><area href=/1 alt=North><area alt=Sea><area href=/2></map>b",
        "a [North](https://a.example/1) b",
        id="areas of pictures",
    ),
    pytest.param(
        "<amp-img src=a.png alt=Tree width=90 height=90></amp-img>",
        "![Tree](https://a.example/dir/a.png)",
        id="pictures of AMP",
    ),
    pytest.param("<pre>a\x0cb\u2028c</pre>", "```\na\nb\nc\n```", id="line ends in code"),
    pytest.param("a<hr>b", "a\n\n---\n\nb", id="rules"),
    pytest.param(
        "<details><summary>More</summary>Inside</details>", "**More**\n\nInside", id="details"
    ),
    pytest.param("<button>Yes</button><button>No</button>", "Yes No", id="buttons"),
    pytest.param("<label>A</label><label>B</label>, C", "A B, C", id="labels"),
    pytest.param(
        "a<script>s</script><style>t</style><noscript>n</noscript><template>u</template>"
        "<canvas>w</canvas><input type=hidden value=x><input type=password value=y>b",
        "ab",
        id="what is no text",
    ),
    pytest.param(
        "a<svg><title>icon</title><path d=M0 /></svg><svg role=img aria-label=b></svg>b",
        "ab",
        id="drawing without text",
    ),
    pytest.param(
        "a<svg><title>Sales</title><g><text>2024: <tspan>55</tspan></text></g><text>2025</text>"
        "<switch><foreignObject><p>total</p></foreignObject><text>not shown</text></switch></svg>b",
        "a Sales: 2024: 55, 2025, total b",
        id="texts of a drawing",
    ),
    pytest.param(
        "<label>Size <select><option>small<option selected>large</select></label>",
        "Size \u2610 small \u2611 large",
        id="chosen option",
    ),
    pytest.param(
        "<select><option>a<option label=b>c<option></select>"
        "<select multiple><optgroup label=g><option>d</select>",
        "\u2611 a \u2610 b g: \u2610 d",
        id="no chosen option, and a group",
    ),
    pytest.param(
        "<input type=submit value='Buy now'><input value=given readonly><input type=image alt=Go>"
        "<textarea>note</textarea><input placeholder=none><input type=color value=#ff0000>",
        "Buy now given Go note",
        id="values of fields",
    ),
    pytest.param(
        "<p>a<textarea>one\n  two </textarea>b",
        "a\n\n```\none\n  two\n```\n\nb",
        id="value of several lines",
    ),
    pytest.param(
        "<p hidden>a</p><p aria-hidden=true>b</p><p style='Display : None'>c</p>"
        "<p style='visibility:hidden'>d</p><p hidden=until-found>e</p>",
        "e",
        id="what is not shown",
    ),
    pytest.param(
        "<div style='visibility:hidden'>a<p>b</p><div>c<p style='visibility: visible'>d"
        "<i style='display:none'>e</i></p></div></div>"
        "<div style='display:none'>f<p style='visibility:visible'>g</p></div>",
        "d",
        id="what is visible in what is not",
    ),
]

FORMULAS = [
    pytest.param(
        "<math><mi>x</mi><annotation encoding='application/x-tex'>a_1*b</annotation></math>",
        "$a_1*b$",
        id="TeX beside it",
    ),
    pytest.param(
        "<math display=block alttext='{\\displaystyle E=mc^2}'></math>",
        "$$E=mc^2$$",
        id="TeX in it",
    ),
    pytest.param(
        "<span style='display:none'><math alttext='x'></math></span><img aria-hidden=true src=x>",
        "$x$",
        id="for those who do not see",
    ),
    pytest.param(
        "<math><mfrac><mi>a</mi><msqrt><mn>2</mn></msqrt></mfrac><msubsup><mi>x</mi><mn>1</mn>"
        "<mrow><mn>1</mn><mn>0</mn></mrow></msubsup></math>",
        "$\\frac{a}{\\sqrt{2}}x_1^{10}$",
        id="by its presentation",
    ),
    pytest.param(
        'x <script type="math/tex; mode=display">y</script>', "x $$y$$", id="for a script"
    ),
    pytest.param(
        "<span class=MathJax_Preview>p</span><span class=MathJax><nobr aria-hidden=true>x</nobr>"
        "<span class=MJX_Assistive_MathML><math><mi>x</mi></math></span></span>"
        "<script type=math/tex>y</script>",
        "$y$",
        id="drawn by MathJax 2",
    ),
    pytest.param(
        "a <mjx-container display=true><mjx-math aria-hidden=true data-latex='\\pi'>P</mjx-math>"
        "</mjx-container> b",
        "a $$\\pi$$ b",
        id="drawn by MathJax 4",
    ),
    pytest.param(
        "a <mjx-container><mjx-math aria-hidden=true>x</mjx-math>"
        "<mjx-speech aria-label='x squared'></mjx-speech></mjx-container> b",
        "a x squared b",
        id="of which only the speech is there",
    ),
    pytest.param(
        "<mjx-container><svg aria-hidden=true><g data-mml-node=math><g data-mml-node=msubsup>"
        "<g data-mml-node=mi><use data-c=1D465 /></g>"
        "<g data-mml-node=mn transform='translate(5,363)'><use data-c=32 /></g>"
        "<g data-mml-node=mi transform='translate(5,-10)'><use data-c=1D456 /></g></g>"
        "<g data-mml-node=mfrac><g data-mml-node=mn><path data-c=31 /></g>"
        "<g data-mml-node=mn><path data-c=32 /></g><rect /></g></g></svg></mjx-container>",
        "$x_i^2\\frac{1}{2}$",
        id="drawn as SVG",
    ),
    pytest.param(
        "<math><mmultiscripts><mi>C</mi><mn>6</mn><none/><mprescripts/><none/><mn>2</mn>"
        "</mmultiscripts><mover><mi>v</mi><mo>\u2192</mo></mover></math>",
        "${}^2C_6\\vec{v}$",
        id="scripts before, and an arrow over a letter",
    ),
    pytest.param(
        "<math><mtext>if </mtext><mi>x</mi><mo>=</mo><mi>sin</mi><mo>&#x2061;</mo>"
        "<mi>y</mi></math>",
        "$\\text{if }x=\\sin y$",
        id="a text and a function",
    ),
    pytest.param(
        "<math><mo>{</mo><mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr><mtr><mtd>3</mtd></mtr></mtable>"
        "</math> <math><mo>{</mo><mtable><mtr><mtd>1</mtd></mtr></mtable><mo>}</mo></math>",
        "$\\begin{cases} 1 & 2 \\\\ 3 \\end{cases}$ $\\{\\begin{matrix} 1 \\end{matrix}\\}$",
        id="cases and a matrix",
    ),
    pytest.param(
        "<math><mfenced open='[' close=')'><mn>0</mn><mn>1</mn></mfenced></math>",
        "$[0,1)$",
        id="fences",
    ),
    pytest.param(
        "<script src=/mathjax.js></script>a \\(x_1\\), \\[y \\\\[2pt] z\\], $$w$$, 5$ or 6$"
        " <code>\\(v\\)</code>",
        "a $x_1$, $$y \\\\[2pt] z$$, $$w$$, 5$ or 6$ `\\(v\\)`",
        id="in the text of a page that loads MathJax",
    ),
    pytest.param(
        "<script src=/katex.js></script><script>go({left: '$', right: '$'})</script>$x_1$, $5, $6",
        "$x_1$, $5, $6",
        id="between dollar signs if the page says so",
    ),
    pytest.param("\\(x_1\\)", "\\\\(x_1\\\\)", id="in the text of another page"),
]


@pytest.mark.parametrize(
    ("html", "markdown"),
    [*TABLES, *LISTS, *CODE, *LINKS, *PICTURES, *TEXT, *FORMULAS],
)
def test_difficult_html_is_converted_to_markdown(snap, html: str, markdown: str) -> None:
    assert markdown_of(snap(html).content) == markdown


def test_numbered_links_and_pictures_are_written_without_urls(snap) -> None:
    page = snap("<a href=/b>b</a> <a href=/a>a</a><img src=p alt=P><img src=q>")
    numbers = {link.url: link.number for link in page.links}
    assert markdown_of(page.content, numbers) == "b [1] a [2]![P]"


def test_plain_text_has_no_markdown_markup(snap) -> None:
    html = (
        "<h2>T</h2><p>a <b>b</b> 10<sup>6</sup> <a href=x>c</a><img src=x alt=p></p>"
        "<table><tr><th>h<th>i<tr><td>1<br>2<td></table><ol><li>x<pre>y\n  z</pre></ol>"
        "<blockquote>q<p>r</blockquote>"
    )
    assert text_of(snap(html).content) == (
        "T\n\na b 10^6 c[p]\n\nh\ti\n1 2\t\n\n1. x\n   y\n     z\n\n> q\n>\n> r"
    )


def test_content_blocks_compare_by_value(snap) -> None:
    html = "<h2>T</h2><p>a <a href=/x>l</a><img src=/p alt=P><math alttext=y></math></p>"
    assert snap(html).content == (
        Heading(2, (TextSpan("T"),)),
        Paragraph(
            (
                TextSpan("a "),
                TextSpan("l", url=f"{HOME}/x"),
                Image(f"{HOME}/p", "P"),
                Formula("y"),
            )
        ),
    )


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 100_000 + "in",
        "<blockquote>" * 100_000 + "in",
        "<ul><li>" * 20_000 + "in",
        "<dl><dd>" * 9_000 + "in",
        "<table><tr><td>" * 9_000 + "in",
        "<div>" * 9_000 + "in",
        "<blockquote>" * 9_000 + "in",
        "<b><i>" * 50_000 + "in",
        "<a href=x><div>" * 9_000 + "in",
        "<math>" + "<mrow>" * 9_000 + "in",
    ],
    ids=lambda html: f"{html[:12]} {len(html)}",
)
def test_deeply_nested_page_is_read_to_the_end(snap, html: str) -> None:
    page = snap(html, tree=True)
    assert "in" in markdown_of(page.content)
    assert "in" in text_of(page.content)
    assert "in" in str(snapshot_record(page))


def test_table_with_many_columns_keeps_all_its_cells(snap) -> None:
    row = "".join(f"<td>c{number}" for number in range(500))
    cells = markdown_of(snap(f"<table><tr>{row}<tr>{row}</table>").content).split()
    assert [cell for cell in cells if cell[0] == "c"] == [f"c{number}" for number in range(500)] * 2


def test_table_spans_do_not_inflate_output(snap) -> None:
    wide = "<table><tr>" + "<td rowspan=65534 colspan=1000>x" * 300 + "<tr><td>y" * 3_000
    tall = "<table><tr><th rowspan=9999>" + "long " * 1_000 + "<th>b" + "<tr><td>y" * 3_000
    assert len(markdown_of(snap(wide).content)) < 10 * len(wide)
    assert len(markdown_of(snap(tall).content)) < 10 * len(tall)


PIECES = (
    "<p> </p> <b> </b> <i> <a href=x> </a> <ul> <ol> <li> </li> </ul> <table> <tr> <td> <th>"
    " </table> <thead> <caption> <pre> </pre> <code> <blockquote> </blockquote> <h1> </h1> <br>"
    " <hr> <img src=y alt=z> <dl> <dt> <dd> </dl> <figure> <svg> <math> <mi> </math> <select>"
    " <option> <textarea> </textarea> <template shadowrootmode=open> </template> <slot>"
    " <td rowspan=3 colspan=2> text two&nbsp;words _* |"
)
MARKUP = st.lists(st.sampled_from([*re.findall(r"<[^>]+>|[^<\s]+", PIECES), " ", "\n"])).map(
    "".join
)


@given(html=st.one_of(st.text(), MARKUP))
def test_any_html_can_be_rendered_in_every_format(snap, html: str) -> None:
    page = snap(html, tree=True)
    numbers = {link.url: link.number for link in page.links}
    written = (markdown_of(page.content), markdown_of(page.content, numbers), text_of(page.content))
    assert all(text == text.strip("\n") for text in written)
    assert all(link.url.startswith(("http", "mailto:", "tel:")) for link in page.links)


@given(html=MARKUP)
def test_rows_of_a_table_are_equally_long(snap, html: str) -> None:
    for block in walked(snap(html).content):
        if isinstance(block, TableBlock):
            assert len({len(row) for row in block.rows}) == 1


def walked(blocks):
    for block in blocks:
        yield block
        match block:
            case Quote(inner):
                yield from walked(inner)
            case ItemList(_, items):
                for item in items:
                    assert isinstance(item, Item)
                    yield from walked(item.blocks)
            case _:
                pass


ADDRESSES = [
    "javascript:alert(1)",
    " JavaScript:alert(1)",
    "java&#9;script:alert(1)",
    "&#1;javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "blob:https://a.example/1",
    "vbscript:x",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_unsafe_urls_are_dropped_from_links_and_media(snap, address: str) -> None:
    page = snap(f'<a href="{address}">word</a><img src="{address}" alt="picture">')
    assert markdown_of(page.content) == "word"
    assert page.links == ()
    assert all(medium.url == "" for medium in page.media)


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        (
            "<p>Rated:<span role=img aria-label='4,5 von 5'>\u2605\u2605</span></p>",
            "Rated: 4,5 von 5",
        ),
        ("<p>Rated:<i aria-label='4,5 von 5'></i> by all</p>", "Rated: 4,5 von 5 by all"),
        ("<div aria-label='4,5 von 5'><svg></svg></div><p>x</p>", "4,5 von 5\n\nx"),
        ("<p><span aria-label='four'>4</span></p>", "4"),
        ("<div role=dialog aria-label=Chat></div><p>x</p>", "x"),
    ],
)
def test_accessible_name_replaces_picture_without_text(snap, html: str, markdown: str) -> None:
    assert markdown_of(snap(html).content) == markdown


@pytest.mark.parametrize(
    ("icon", "shown"),
    [
        ("<svg role=img aria-label=Nope><path /></svg>", "Nope"),
        ("<svg><title>Nope</title><path /></svg>", "Nope"),
        ("<span title=Nope><svg><title>x</title></svg></span>", "Nope"),
        ("<i class=x title=Once></i><i class=x title=Twice></i>", "Once Twice"),
        ("<a href=/y title=Look><i title=Nope></i></a>", f"[Look]({HOME}/y)"),
        ("<svg aria-label=Info></svg>word", "word"),
    ],
)
def test_icon_name_is_content_of_cell_without_text(snap, icon: str, shown: str) -> None:
    table = f"<table><tr><th>a<th>b</tr><tr><td>1<td>{icon}</tr></table>"
    assert markdown_of(snap(table).content).endswith(f"| 1 | {shown} |")


@pytest.mark.parametrize(
    ("icon", "shown"),
    [
        ("<svg role=img aria-label='Not included'></svg>", "Not included"),
        ("<svg><title>Yes</title></svg>", "Yes"),
        ("<i title=No></i>", "No"),
        ("<svg role=img aria-label='3 of 5'></svg>", "3 of 5"),
        ("<svg><title>logo 3</title></svg>", ""),
        ("<i title=Share></i>", ""),
    ],
)
def test_icon_name_beside_text_is_content_only_if_it_is_an_answer(
    snap, icon: str, shown: str
) -> None:
    assert text_of(snap(f"<p>{icon}Support</p>").content) == f"{shown} Support".strip()


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<label><input type=radio checked> A</label> <label><input type=radio>B</label>",
         "\u2611 A \u2610 B"),
        ("<input type=checkbox id=a checked><label for=a>A</label>", "\u2611 A"),
        ("<label for=a>A</label><input type=checkbox id=a>", "A \u2610"),
        ("<input type=checkbox> A", "\u2610 A"),
        ("<input type=radio aria-label=White>", "\u2610 White"),
        ("<input type=checkbox id=a><label for=a title=Pink></label>", "\u2610 Pink"),
        ("<input type=checkbox id=menu><label for=menu><span></span></label>a", "a"),
        ("<div role=radio aria-checked=true>A</div>", "\u2611 A"),
        ("<button role=switch aria-checked=false>A</button>", "\u2610 A"),
    ],
)  # fmt: skip
def test_mark_says_whether_named_choice_is_chosen(snap, html: str, shown: str) -> None:
    assert text_of(snap(f"<form>{html}</form>").content) == shown


@pytest.mark.parametrize(
    ("box", "shown"),
    [("checked", "\u2611"), ("disabled", "\u2610"), ("aria-label='Select row'", "")],
)
def test_mark_in_cell_is_of_chosen_or_disabled_checkbox(snap, box: str, shown: str) -> None:
    table = (
        f"<table><tr><th>a<th>b<th>c</tr><tr><td>1<td><input type=checkbox {box}><td>2</tr></table>"
    )
    row = text_of(snap(table).content).splitlines()[1].split("\t")
    assert "".join(row[1:-1]) == shown


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("Volume <input type=range value=40>", "Volume 40"),
        ("<label>Ink <input type=color value='#ff0000'></label>", "Ink #ff0000"),
        ("Disk <progress value=3 max=10>a third</progress>", "Disk 3/10"),
        ("Load <meter value=.6></meter><meter value=0.6></meter>", "Load 60%"),
        ("Page <progress value=0 max=100></progress><progress></progress>", "Page"),
        ("Light <span role=slider aria-valuenow=7 aria-valuemax=10></span>", "Light 7/10"),
        ("Done <span role=progressbar aria-valuenow=75></span>", "Done 75/100"),
        ("Done <span role=progressbar aria-valuenow=75>75%</span>", "Done 75%"),
        ("Hot <span role=meter aria-valuenow=75 aria-valuetext='75 degrees'></span>",
         "Hot 75 degrees"),
    ],
)  # fmt: skip
def test_value_of_gauge_is_read(snap, html: str, shown: str) -> None:
    assert text_of(snap(f"<p>{html}</p>").content) == shown


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<div class=swatches><button title=Red></button><button aria-label=Blue></button></div>",
         "Red Blue"),
        ("<button aria-pressed=true aria-label=Large></button>", "\u2611 Large"),
        ("<button aria-label=Close></button>a", "a"),
        ("<button class=color-mode aria-label=Dark><svg></svg></button>a", "a"),
        ("<select aria-label=Size><option>small</select>", "Size: \u2611 small"),
        ("<label>Size <select aria-label=Size><option>small</select></label>",
         "Size \u2611 small"),
    ],
)  # fmt: skip
def test_name_of_swatch_and_of_list_without_label_is_read(snap, html: str, shown: str) -> None:
    assert text_of(snap(html).content) == shown


def test_long_option_list_shows_selected_option_and_counts_omitted_ones(snap):
    options = "".join(f"<option{' selected' * (n == 200)}>land{n}" for n in range(250))
    text = text_of(snap(f"<select>{options}</select>").content)
    assert "\u2611 land200" in text
    assert text.count("land") == OPTIONS_SHOWN_MAX + 1
    assert str(250 - OPTIONS_SHOWN_MAX - 1) in text


def test_svg_texts_are_limited_and_omitted_ones_counted(snap):
    html = "".join(f"<text>label{n}</text>" for n in range(1_000))
    text = text_of(snap(f"<p>Map <svg>{html}</svg></p>").content)
    shown = text.count("label")
    assert DRAWING_CHARACTERS_MAX - 10 < len(text.partition(" (")[0]) < DRAWING_CHARACTERS_MAX + 10
    assert f"({1_000 - shown} more" in text
