"""Roles and names of elements, as in the accessibility trees of Chromium 15x."""

import pytest

from tabwright.content.html.accessibility_tree import tree_lines
from tabwright.protocol.snapshot import AccessibleNode


def tree(snap, html: str) -> str:
    lines = tree_lines(snap(html, tree=True).tree)
    return "\n".join(line.removeprefix("  ") for line in lines[1:])


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        (
            "<h2>Title <em>em</em></h2>",
            '- heading "Title em" [level=2]\n  - emphasis\n    - text: em',
        ),
        ("<p>a <b>b</b></p><p></p>", "- paragraph\n  - text: a\n  - text: b"),
        ("<a href=x>go</a><a>no</a>", '- link "go"\n- text: no'),
        ("<a href=x title=T></a>", '- link "T"'),
        ("<a href=x><img src=y alt=Pic></a>", '- link "Pic"\n  - image "Pic"'),
        ("<a href=x><div>one</div><div>two</div></a>", '- link "one two"'),
        (
            "<button>A <span aria-hidden=true>x</span> <img alt=B src=z></button>",
            '- button "A B"\n  - image "B"',
        ),
        ("<img src=x alt=''><img src=x><img src=x title=T>", '- image\n- image "T"'),
        (
            "<header>a</header><section><header>b</header></section>",
            "- banner\n  - text: a\n- sectionheader\n  - text: b",
        ),
        (
            "<section>a</section><section aria-label=S>b</section>",
            '- text: a\n- region "S"\n  - text: b',
        ),
        (
            "<nav aria-label=Main></nav><aside></aside><footer></footer>",
            '- navigation "Main"\n- complementary\n- contentinfo',
        ),
        (
            "<ul><li>a<ul><li>b</ul></ul>",
            (
                "- list\n  - listitem [level=1]\n    - text: a\n    - list\n"
                "      - listitem [level=2]\n        - text: b"
            ),
        ),
        ("<ol role=none><li>a</ol>", "- text: a"),
        (
            "<dl><dt>t</dt><dd>d</dd></dl>",
            '- DescriptionList\n  - term "t"\n  - definition\n    - text: d',
        ),
        ("<div role='foo button' aria-pressed=true>b</div>", '- button "b" [pressed]'),
        ("<span role=heading aria-level=3>h</span>", '- heading "h" [level=3]'),
        ("<div role=switch aria-checked=mixed aria-label=S></div>", '- switch "S" [checked=mixed]'),
        ("<details><summary>S</summary>in</details>", '- group\n  - DisclosureTriangle "S"'),
        (
            "<details open><summary>S</summary>in</details>",
            '- group\n  - DisclosureTriangle "S" [expanded]\n  - text: in',
        ),
        (
            "<table><tr><td>a</table>",
            '- LayoutTable\n  - LayoutTableRow\n    - LayoutTableCell "a"',
        ),
        ("<table role=presentation><tr><th>a</table>", "- text: a"),
        (
            "<table><caption>T</caption><thead><tr><th>A<th>B</thead><tr><th>r<td>1</table>",
            (
                '- table "T"\n  - caption\n    - text: T\n  - rowgroup\n    - row\n'
                '      - columnheader "A"\n      - columnheader "B"\n  - row\n'
                '    - rowheader "r"\n    - cell "1"'
            ),
        ),
        ("<p aria-labelledby=x>l</p><i id=x>By</i>", '- paragraph "By"\n  - text: l\n- text: By'),
        (
            "<fieldset disabled><legend>L</legend><input></fieldset>",
            '- group "L"\n  - Legend\n    - text: L\n  - textbox [disabled]',
        ),
        ("<math><mi>x</mi><annotation>y</annotation></math>", "- MathMLMath\n  - text: x"),
        ("<svg><title>s</title><text>no</text></svg>", '- image "s"'),
        (
            "<div style='visibility:hidden'>no<p style='visibility:visible'><a href=x>b</a></div>",
            '- paragraph\n  - link "b"',
        ),
        ("<p>a<input style='visibility:hidden'>", "- paragraph\n  - text: a"),
        (
            "<button style='visibility:hidden'>no<i style='visibility:visible'>a</i></button>",
            "- text: a",
        ),
        (
            "<dialog>no</dialog><p hidden>no</p><p style='display:none'>no</p><input type=hidden>",
            "",
        ),
    ],
)
def test_accessibility_tree_shows_role_and_name_of_elements(snap, html: str, lines: str) -> None:
    assert tree(snap, html) == lines


@pytest.mark.parametrize(
    ("html", "line"),
    [
        ("<input aria-label=A value='v  w' required>", '- textbox "A" [required]: v w'),
        ("<input placeholder=P readonly>", '- textbox "P" [readonly]'),
        ("<input type=password value=secret>", "- textbox: \u2022\u2022\u2022\u2022\u2022\u2022"),
        ("<label><input type=radio checked> R</label>", '- radio "R" [checked]'),
        ("<input type=search title=S>", '- searchbox "S"'),
        ("<input type=number value=3>", "- spinbutton: 3"),
        ("<input type=range>", "- slider: 50"),
        ("<input type=submit>", '- button "Submit"'),
        ("<input type=button value=B>", '- button "B"'),
        ("<input type=file>", '- button "Choose File": No file chosen'),
        ("<input type=date>", "- Date"),
        ("<textarea aria-label=A>t\nu</textarea>", '- textbox "A": t u'),
        ("<progress value=.50 max=1></progress>", "- progressbar: 0.5"),
        ("<select multiple><option selected>a</select>", '- listbox\n  - option "a" [selected]'),
        (
            "<select aria-label=A><option>a<option selected>b</select>",
            '- combobox "A": b\n  - MenuListPopup\n    - option "a"\n    - option "b" [selected]',
        ),
    ],
)
def test_accessibility_tree_shows_state_of_form_fields(snap, html: str, line: str) -> None:
    assert tree(snap, html) == line


def test_accessibility_tree_has_page_root_and_includes_navigation(snap) -> None:
    page = snap("<title>T</title><nav><a href=/x>go</a></nav>", tree=True)
    assert page.tree == (
        AccessibleNode(0, "RootWebArea", "T"),
        AccessibleNode(1, "navigation"),
        AccessibleNode(2, "link", "go"),
    )
    assert snap("<p>a").tree == ()


def test_names_are_quoted_and_deep_nodes_indented_no_further() -> None:
    nodes = [AccessibleNode(1, "link", 'say "hi" \\'), AccessibleNode(5_000, "link", "x")]
    first, second = tree_lines(nodes)
    assert first == '  - link "say \\"hi\\" \\\\"'
    assert len(second) < 200
