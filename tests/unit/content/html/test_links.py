import pytest

from tabwright.content.render.markdown import text_of
from tabwright.protocol.snapshot import PageLink

HOME = "https://a.example"


def test_links_of_the_content_come_first_and_each_url_once(snap) -> None:
    page = snap(
        "<nav><a href=/n>Nav</a><a href=/c>Elsewhere</a></nav>"
        "<p><a href=/b>b</a> <a href=/c>c</a> <a href=/b>b again</a></p>"
        "<footer><a href=/f>Foot</a></footer>"
    )
    assert page.links == (
        PageLink(1, "b", f"{HOME}/b", "content"),
        PageLink(2, "c", f"{HOME}/c", "content"),
        PageLink(3, "Nav", f"{HOME}/n", "navigation"),
        PageLink(4, "Foot", f"{HOME}/f", "navigation"),
    )


@pytest.mark.parametrize(
    ("link", "kind"),
    [
        ("<a href='#there'>x</a>", "anchor"),
        ("<a href='/dir/page#there'>x</a>", "anchor"),
        ("<a href='/other#there'>x</a>", "content"),
        ("<a href='/report.PDF?x=1'>x</a>", "download"),
        ("<a href='/x' download>x</a>", "download"),
        ("<a href='/pdf'>x</a>", "content"),
        ("<a href='https://www.a.example/x'>x</a>", "content"),
        ("<a href='https://sub.a.example/x'>x</a>", "content"),
        ("<a href='https://nota.example/x'>x</a>", "external"),
        ("<a href='https://b.example/x'>x</a>", "external"),
        ("<a href='mailto:x@a.example'>x</a>", "external"),
        ("<nav><a href='/x'>x</a></nav>", "navigation"),
        ("<div role=navigation><a href='https://b.example/'>x</a></div>", "navigation"),
    ],
)
def test_link_kind_depends_on_url_and_position(snap, link: str, kind: str) -> None:
    (found,) = snap(f"<p>Text.</p>{link}").links
    assert found.kind == kind


@pytest.mark.parametrize(
    ("link", "text"),
    [
        ("<a href=/x> a\n <b>b</b> </a>", "a b"),
        ("<a href=/x><img src=y alt=Pic></a>", "Pic"),
        ("<a href=/x aria-label=Label></a>", "Label"),
        ("<a href=/x title=Title><svg></svg></a>", "Title"),
        ("<a href=/x></a>", ""),
        ("<a href=/x></a><a href=/x>later</a>", "later"),
        ("<nav><a href=/x><div>one</div><div>two</div></a></nav>", "one two"),
        ("<map><area href=/x alt=Area></map>", "Area"),
    ],
)
def test_link_text_is_taken_from_content_or_labels(snap, link: str, text: str) -> None:
    (found,) = snap(f"<p>Text.</p>{link}").links
    assert found.text == text


def test_a_long_text_is_cut(snap) -> None:
    (found,) = snap(f"<a href=/x>{'word ' * 500}</a>").links
    assert len(found.text) == 300


def test_links_outside_selection_are_listed_after_selected_content(snap) -> None:
    page = snap("<p><a href=/a>a</a></p><div id=x><a href=/b>b</a></div>", selectors=("#x",))
    assert [(link.url, link.kind) for link in page.links] == [
        (f"{HOME}/b", "content"),
        (f"{HOME}/a", "content"),
    ]


@pytest.mark.parametrize(
    ("icon", "name"),
    [
        ("<svg><title>Settings</title></svg>", "Settings"),
        ("<svg aria-label=Home></svg>", "Home"),
        ("<i class=icon title=Close></i>", "Close"),
        ("<b aria-hidden=true class=icons>home</b>", "home"),
        ("<b aria-hidden=true>\ue001</b>", "news"),
        ("<svg><use href='#x'></svg>", "news"),
        ("<i class=icon></i>", "news"),
        ("<svg><text>9</text></svg>", "9"),
        ("<img src=i.png alt=Picture>", "Picture"),
        ("<img src=i.png alt=''>", ""),
        ("", ""),
    ],
)
def test_icon_link_has_the_name_of_its_icon_or_the_end_of_its_url(snap, icon, name) -> None:
    page = snap(f"<p>Text.</p><div><a href=/all/news/>{icon}</a></div>")
    assert text_of(page.content).partition("\n\n")[2].strip("[]") == name
    assert page.links[0].text == name


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<a href=//www.b.example/x><i></i></a><a href=/y><i></i></a>", "b.example y"),
        ("<a href='mailto:me@a.example?subject=x'><i></i></a>", "me@a.example"),
        ("<a href='?page=2'><i></i></a>", "page?page=2"),
        ("<a href='#part'><svg><title>Link</title></svg></a>Part", "Part"),
        ("<a href=/x><i></i></a> <a href=/x>Named</a>", "Named"),
        ("<a href=/x aria-label=Own><svg><title>Icon</title></svg></a>", "Own"),
        ("<a href=/x><i></i> Own</a>", "Own"),
    ],
)
def test_icon_link_is_named_where_its_url_has_no_other_name(snap, html: str, text: str) -> None:
    assert text_of(snap(f"<p>{html}").content) == text
