"""Page sources that contain shadow roots and frames."""

import pytest

from tabwright.content.html.snapshot import take_snapshot
from tabwright.content.render.markdown import markdown_of
from tabwright.protocol.snapshot import FrameSource, LoadedPage, PageSource, Selection

PAGE = LoadedPage("https://a.example/dir/page", 200, "text/html")


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        (
            (
                "<x-a><template shadowrootmode=open><h2><slot name=t></slot></h2><slot></slot>"
                "</template><p>Body</p><b slot=t>Title</b> tail</x-a>"
            ),
            "## Title\n\nBody\n\ntail",
        ),
        ("<x-a><template shadowrootmode=closed>in</template>out</x-a>", "in"),
        ("<x-a><template shadowrootmode=open><slot>default</slot></template></x-a>", "default"),
        ("<svg><template shadowrootmode=open>drawn</template></svg>after", "after"),
        (
            (
                "<x-a><template shadowrootmode=open><slot name=t></slot><i>(<slot name=n></slot>)"
                "</i><slot></slot></template><span slot=t>Title</span><b slot=n>5</b>Body</x-a>"
            ),
            "Title (***5***)Body",
        ),
        ("<x-a>a</x-a><x-b>b</x-b><i>c</i>d", "a b *c*d"),
        ("<x-a>a</x-a><!---->b<x-b>c</x-b><!----><x-b>d</x-b>", "abc d"),
        ("<x-a><template shadowrootmode=open><slot>no</slot></template>yes</x-a>", "yes"),
        (
            (
                "<x-a><template shadowrootmode=open><x-b><template shadowrootmode=open><p>"
                "<slot></slot><p><slot name=end></slot></template><slot name=t></slot>"
                "<slot slot=end></slot></x-b></template><i>1</i><i slot=t>2</i></x-a>"
            ),
            "*2*\n\n*1*",
        ),
        (
            (
                "<x-a><template shadowrootmode=open>1<x-b><template shadowrootmode=open>2<slot>"
                "</slot></template>3</x-b></template></x-a>"
            ),
            "123",
        ),
        (
            (
                "<x-a><template shadowrootmode=open>a</template>"
                "<template shadowrootmode=open>b</template></x-a>"
            ),
            "a",
        ),
        ("<x-a><template>c</template>d</x-a>", "d"),
    ],
)
def test_shadow_root_content_is_placed_as_rendered(snap, html: str, markdown: str) -> None:
    assert markdown_of(snap(html).content) == markdown


@pytest.mark.parametrize(
    ("html", "over_http", "in_tab"),
    [
        ("<x-a>Wo</x-a><x-a>rd</x-a>", "Wo rd", "Word"),
        ("<code><x-a>a</x-a><x-a>.b</x-a></code>", "`a.b`", "`a.b`"),
        (
            (
                "<x-a><template shadowrootmode=open><slot name=a></slot><slot name=b></slot>"
                "</template><i slot=a>$</i><b slot=b>19</b></x-a>"
            ),
            "$ **19**",
            "$**19**",
        ),
    ],
)
def test_components_are_kept_apart_unless_a_tab_has_laid_them_out(
    html: str, over_http: str, in_tab: str
) -> None:
    texts = [
        markdown_of(take_snapshot(source, Selection()).content)
        for source in (PageSource(PAGE, html), PageSource(PAGE, html, is_laid_out=True))
    ]
    assert texts == [over_http, in_tab]


def test_links_and_selectors_reach_into_shadow_roots(snap) -> None:
    html = "<x-a><template shadowrootmode=open><a href=/x class=k>x</a></template></x-a><p>y</p>"
    page = snap(html, selectors=(".k",))
    assert markdown_of(page.content) == "[x](https://a.example/x)"


def test_frame_content_replaces_iframe_elements() -> None:
    html = (
        "<p>a</p><iframe src=/f/one></iframe><iframe src=https://b.example/></iframe>"
        "<iframe srcdoc=x></iframe>"
    )
    frames = ("<body><a href=two>in</a></body>", "", "<body><a href=two>doc</a></body>")
    source = PageSource(PAGE, html, frames=tuple(map(FrameSource, frames)))
    page = take_snapshot(source, Selection())
    assert markdown_of(page.content) == (
        "a\n\n[in](https://a.example/f/two)\n\n[b.example](https://b.example/)\n\n"
        "[doc](https://a.example/dir/two)"
    )


def test_shadow_root_content_in_frame_is_placed_as_rendered() -> None:
    frame = "<x-a><template shadowrootmode=open>b<slot></slot></template>c</x-a>"
    source = PageSource(PAGE, "<p>a</p><iframe src=/f></iframe>", frames=(FrameSource(frame),))
    assert markdown_of(take_snapshot(source, Selection()).content) == "a\n\nbc"


def test_nested_and_shadow_root_frames_show_their_content() -> None:
    html = (
        "<x-a><template shadowrootmode=open><iframe src=/f/root></iframe>"
        "<x-b><template shadowrootmode=open><iframe></iframe></template></x-b></template></x-a>"
        "<iframe src=https://b.example/></iframe>"
    )
    nested = FrameSource(
        "<iframe src=https://c.example/d/></iframe>"
        "<x-c><template shadowrootmode=open><iframe srcdoc=fourth></iframe></template></x-c>",
        (FrameSource("<a href=e>third</a>"),),
    )
    frames = nested, FrameSource("<a href=two>first</a>"), FrameSource("second")
    page = take_snapshot(PageSource(PAGE, html, frames=frames), Selection())
    assert markdown_of(page.content) == (
        "[first](https://a.example/f/two)\n\nsecond\n\n[third](https://c.example/d/e)\n\nfourth"
    )


def test_truncated_source_with_invalid_characters_is_read() -> None:
    source = PageSource(PAGE, "<p>a\ud800b<iframe>", cut=True, frames=(FrameSource("<p>c\udfffd"),))
    page = take_snapshot(source, Selection())
    assert (markdown_of(page.content), page.cut) == ("ab\n\ncd", "size_limit")
