"""Feeds: their entries, mistakes in them, and how they are recognized."""

import json
import time
from html import escape

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.content.extract import extract_snapshot
from tabwright.content.render.markdown import markdown_of, text_of
from tabwright.plugins.formats import feeds
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import LoadedPage, Selection

RSS = """<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><link>https://a.example/</link>
<description>All of it</description><language>en</language>
<item><title>First &amp; best</title><link>/1</link><pubDate>Mon, 02 Nov 2026</pubDate>
<description>&lt;p&gt;It &lt;b&gt;begins&lt;/b&gt;.&lt;/p&gt;</description></item>
<item><title>Second</title><guid>https://a.example/2</guid></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Log</title><entry><title>One</title>
<link rel="self" href="/self"/><link href="/one"/><updated>2026-11-01</updated>
<summary>Short.</summary></entry></feed>"""


def fetched(body, media_type="", url="https://a.example/file", **more):
    data = body.encode() if isinstance(body, str) else body
    return Fetched(LoadedPage(url, 200, media_type), data, **more)


def snapshot(*arguments, **more):
    return extract_snapshot(fetched(*arguments, **more), Selection(), 1).snapshot


def test_atom_entry_links_to_its_page_rather_than_its_self_link():
    feed = snapshot(ATOM, "application/atom+xml")
    assert markdown_of(feed.content) == "## [One](https://a.example/one)\n\n*2026-11-01*\n\nShort."


SUMMED_UP = "<p>In <b>short</b>: it is a summary.</p>"
LONG_TEXT = "<p>First of two.</p><img src=/p.png alt=Picture><p>Second of two.</p>"
EXCERPT = "<p>First of two. Second o\u2026</p>"


@pytest.mark.parametrize("kind", ["rss", "atom", "json"])
@pytest.mark.parametrize(
    ("summary", "shown"), [(SUMMED_UP, ["In short: it is a summary."]), (EXCERPT, [])]
)
def test_summary_of_an_entry_is_above_its_text_unless_it_is_an_excerpt(kind, summary, shown):
    if kind == "json":
        plain = summary.replace("<p>", "").replace("</p>", "").replace("<b>", "")
        entry = {"title": "T", "content_html": LONG_TEXT, "summary": plain.replace("</b>", "")}
        feed = {"version": "https://jsonfeed.org/version/1.1", "items": [entry]}
        read = snapshot(json.dumps(feed), "application/feed+json")
    elif kind == "rss":
        read = snapshot(
            '<rss xmlns:c="http://purl.org/rss/1.0/modules/content/"><channel><item>'
            f"<title>T</title><description>{escape(summary)}</description>"
            f"<c:encoded>{escape(LONG_TEXT)}</c:encoded></item></channel></rss>",
            "application/rss+xml",
        )
    else:
        read = snapshot(
            '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>T</title>'
            f'<summary type="html">{escape(summary)}</summary>'
            f'<content type="html">{escape(LONG_TEXT)}</content></entry></feed>',
            "application/atom+xml",
        )
    lines = ["T", *shown, "First of two.", "[Picture]", "Second of two."]
    assert text_of(read.content).split("\n\n") == lines


def test_podcast_feed_shows_files_authors_and_categories():
    rss = """<rss xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><item><title>Ep</title>
      <description>On &lt;b&gt;bread&lt;/b&gt;</description><dc:creator>Ann</dc:creator>
      <category>Food</category><category>Talk</category>
      <enclosure url="https://a.example/ep.mp3" type="audio/mpeg"/></item></channel></rss>"""
    feed = snapshot(rss, "application/rss+xml")
    assert markdown_of(feed.content) == (
        "## Ep\n\n*Ann*\n\n*Food, Talk*\n\nOn **bread**\n\n<https://a.example/ep.mp3>"
    )
    assert [(one.kind, one.url) for one in feed.media] == [("audio", "https://a.example/ep.mp3")]
    assert [(one.kind, one.url) for one in feed.links] == [("download", "https://a.example/ep.mp3")]


def test_atom_text_is_read_according_to_its_type():
    atom = """<feed xmlns="http://www.w3.org/2005/Atom"><title type="html">A &amp;amp; B</title>
      <entry><title type="html">Tom &amp;amp; &lt;b&gt;Jerry&lt;/b&gt;</title>
      <author><name>Ann</name><email>a@a.example</email></author><category term="t" label="Cats"/>
      <link rel="enclosure" href="/file.mp4" type="video/mp4"/>
      <content type="text">1 &lt;b&gt; 2</content></entry>
      <entry><title>T &lt;b&gt;</title><content type="xhtml"><div
      xmlns="http://www.w3.org/1999/xhtml"><p>x <a href="https://a.example/y">y</a></p></div>
      </content></entry></feed>"""
    feed = snapshot(atom, "application/atom+xml")
    assert feed.title == "A & B"
    assert text_of(feed.content).split("\n\n") == [
        *("Tom & Jerry", "Ann", "Cats", "1 <b> 2", "https://a.example/file.mp4"),
        *("T <b>", "x y"),
    ]
    assert [one.kind for one in feed.media] == ["video"]
    assert "https://a.example/y" in markdown_of(feed.content)


def test_json_feed_entry_shows_files_authors_and_categories():
    entry = {"id": "1", "title": "Ep", "authors": [{"name": "Ann"}], "tags": ["Food"]}
    entry["attachments"] = [{"url": "https://a.example/ep.mp3", "mime_type": "audio/mpeg"}]
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": "F", "items": [entry]}
    read = snapshot(json.dumps(feed), "application/feed+json")
    assert text_of(read.content).split("\n\n") == [
        *("Ep", "Ann", "Food", "https://a.example/ep.mp3"),
    ]


def test_json_feed_with_null_values_is_read():
    names = ("url", "external_url", "date_published", "content_text", "content_html", "authors")
    entry = {"title": "Ep", "summary": "Short.", "tags": [None, "Food"], "attachments": [{}]}
    entry |= dict.fromkeys(names) | {"author": {"name": "Ann"}}
    feed = {"version": "https://jsonfeed.org/version/1", "title": None, "language": None}
    read = snapshot(json.dumps(feed | {"items": [entry]}), "application/feed+json")
    assert markdown_of(read.content).split("\n\n") == ["## Ep", "*Ann*", "*Food*", "Short."]


def _json_feed(entry, **more):
    feed = {"version": "https://jsonfeed.org/version/1.1", "items": [entry, {"title": "Last"}]}
    return snapshot(json.dumps(feed | more), "application/feed+json")


@pytest.mark.parametrize(
    ("entry", "lines"),
    [
        ({"title": 2027}, ["2027"]),
        ({"title": "a", "authors": "Ann", "tags": "Food"}, ["a", "Ann", "Food"]),
        ({"title": "a", "authors": [None, "Ann", {"name": 7}], "tags": [{}]}, ["a", "Ann, 7"]),
        ({"title": "a", "author": [{"name": "Ann"}]}, ["a", "Ann"]),
        ({"title": ["a"], "content_text": 1.5, "date_published": True}, ["1.5"]),
        ({"title": "a", "attachments": "https://a.example/ep.mp3", "url": 3}, ["a"]),
        (
            {"title": "a", "attachments": {"url": "https://a.example/ep.mp3"}},
            ["a", "https://a.example/ep.mp3"],
        ),
    ],
)
def test_json_feed_with_values_of_other_types_keeps_all_entries(entry, lines):
    feed = _json_feed(entry, title=3, description=["x"], language={})
    assert text_of(feed.content).strip().split("\n\n") == [*lines, "Last"]
    assert (feed.title, feed.notice) == ("3", "")


def test_json_feed_with_a_byte_order_mark_is_read():
    feed = {"version": "https://jsonfeed.org/version/1.1", "items": [{"title": "Last"}]}
    body = "\ufeff" + json.dumps(feed)
    assert text_of(snapshot(body, "application/feed+json").content) == "Last"


def test_json_feed_entry_that_is_no_object_is_reported():
    feed = _json_feed("a")
    assert text_of(feed.content) == "Last"
    assert (feed.notice, feed.cut) == ("Not read: 1 entry of another form.", "unread_parts")


@pytest.mark.parametrize("items", [{"title": "Only"}, [{"title": "Only"}]])
def test_json_feed_with_a_single_entry_in_place_of_a_list_is_read(items):
    assert text_of(_json_feed({}, items=items).content) == "Only"


@pytest.mark.parametrize("charset", ["latin-1", "utf-8"])
def test_json_feed_is_read_in_its_encoding(charset):
    feed = {"version": "https://jsonfeed.org/version/1.1", "items": [{"title": "Café"}]}
    body = json.dumps(feed, ensure_ascii=False).encode(charset)
    assert text_of(snapshot(body, "application/feed+json").content) == "Café"


@pytest.mark.parametrize("is_json", [False, True])
def test_entries_of_a_feed_beyond_the_limit_are_counted(monkeypatch, is_json):
    monkeypatch.setattr(feeds, "ENTRIES_MAX", 1)
    if is_json:
        feed = _json_feed({"title": "First"}, items=[{"title": "First"}, {"title": "Second"}, 5])
        others = "; 1 entry of another form"
    else:
        feed, others = snapshot(RSS, "text/xml"), ""
    assert "Second" not in text_of(feed.content)
    assert feed.notice == f"Not read: 1 entry after the first 1{others}."
    assert feed.cut == "unread_parts"


def test_entry_inside_the_text_of_another_one_is_read_once():
    item = "<item><description>{}</description></item>"
    feed = f"<rss><channel>{item.format('Out' + item.format('In'))}</channel></rss>"
    assert text_of(snapshot(feed, "text/xml").content).count("In") == 1


def test_truncated_feed_is_read_up_to_its_end():
    feed = snapshot(RSS[: RSS.index("<item><title>Second")], "text/xml")
    assert "First" in markdown_of(feed.content)


def _item(inner):
    return f"<rss><channel><title>News</title><item>{inner}</item></channel></rss>"


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        ("<title>a&nbsp;caf&eacute; &copy; &unknown;</title>", "a café © &unknown;"),
        ("<title>AT&T & more</title>", "AT&T & more"),
        ("<title>I <3 a < b</title>", "I <3 a < b"),
        ("<title>a\x0bb\x00</title>", "ab"),
        ("<title>a</title><dc:creator>Ann</dc:creator>", "a\n\nAnn"),
        ("<title><![CDATA[a & b&amp;c]]></title>", "a & b&amp;c"),
        ("<title>a &AMP; b&LT;item>&QUOT;</title>", 'a & b<item>"'),
        ("<title x:y='1'>a</title>", "a"),
        ("<title>a<![CDATA[<xmlns:b>]]></title>", "a<xmlns:b>"),
        (
            "<title>don&#146;t &#X41;&#65;&#38;lt; &#0;b&#xFFFE;</title>",
            "don\u2019t AA&lt; \ufffdb",
        ),
        ("<media:title>x</media:title><title>a</title>", "a"),
        ("<title>a</title><body xmlns='urn:x'>b <p>c</p></body>", "a\n\nb\n\nc"),
        ("<title>a</title><description>b <i>c</i></description>", "a\n\nb c"),
    ],
    ids=[
        *("entities", "ampersands", "less than", "control characters", "prefixes", "sections"),
        *("entities in capitals", "prefixes of attributes", "prefixes in sections"),
        *("numbers of characters", "titles of other formats", "XHTML", "markup"),
    ],
)
def test_common_feed_mistakes_lose_no_text(inner, text):
    feed = snapshot("\n\n<?xml version='1.0'?>" + _item(inner), "text/xml")
    assert (feed.title, text_of(feed.content), feed.notice) == ("News", text, "")


def test_feed_with_element_named_like_xmlns_keeps_earlier_entries():
    feed = snapshot(_item("<title>a</title>").replace("</rss>", "<xmlns:b/></rss>"), "text/xml")
    assert text_of(feed.content) == "a"


@pytest.mark.parametrize("charset", ["euc-kr", "shift_jis", "big5", "gb2312"])
def test_feed_in_an_asian_charset_is_read(charset):
    xml = f"<?xml version='1.0' encoding='{charset}'?>" + _item("<title>\u4e2d</title>")
    assert text_of(snapshot(xml.encode(charset), "application/rss+xml").content) == "\u4e2d"


@pytest.mark.parametrize("piece", [" ", "<?xml ", "<![CDATA[", "&a", " a:b", "<a"])
def test_hostile_feed_takes_linear_time(piece):
    began = time.process_time()
    snapshot(f"<rss>{piece * 50_000}</rss>", "text/xml")
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("count", "phrase"), [(0, "0 entries"), (1, "1 entry"), (1_200, "1,200 entries")]
)
def test_damaged_feed_notice_counts_entries_read(count, phrase):
    entries = "<item><title>a</title></item>" * count
    feed = snapshot(f"<rss><channel>{entries}</x></channel></rss>", "text/xml")
    assert text_of(feed.content).split() == ["a"] * min(count, 1_000)
    assert phrase in feed.notice
    assert feed.cut == "unread_parts"


def test_feed_with_trailing_text_is_not_reported_as_damaged():
    feed = snapshot(f"{_item('<title>a</title>')}<script>x", "text/xml")
    assert (text_of(feed.content), feed.notice, feed.cut) == ("a", "", None)


@pytest.mark.parametrize("encoding", ["utf-32-le", "utf-32-be"])
def test_feed_in_utf_32_is_read(encoding):
    xml = "<?xml version='1.0' encoding='utf-32'?>" + _item("<title>a</title>")
    assert text_of(snapshot(xml.encode(encoding), "application/rss+xml").content) == "a"


def test_feed_in_utf_16_is_read():
    xml = "<?xml version='1.0' encoding='utf-16'?>" + _item("<title>\u4e2d</title>")
    assert text_of(snapshot(xml.encode("utf-16"), "application/rss+xml").content) == "\u4e2d"


def test_media_content_of_feed_entry_does_not_hide_its_text():
    media = "<media:content url='/a.jpg'/><content type='html'>Here.</content>"
    outside = "<content type='image/png' src='/b.png'/>"
    entries = "".join(f"<entry>{inner}</entry>" for inner in (media, outside))
    feed = snapshot(f"<feed xmlns:media='urn:media'>{entries}</feed>", "application/atom+xml")
    assert text_of(feed.content).split("\n\n") == ["Here.", "https://a.example/b.png"]


def test_lines_of_plain_text_in_a_json_feed_are_kept():
    feed = {"version": "https://jsonfeed.org/version/1.1", "items": [{"content_text": "a\nb"}]}
    assert text_of(snapshot(json.dumps(feed), "application/feed+json").content) == "a\nb"


def test_truncated_feed_is_not_reported_as_damaged():
    whole = fetched(_item("<title>a</title>").replace("</rss>", ""), "text/xml")
    feed = extract_snapshot(attrs.evolve(whole, cut="size_limit"), Selection(), 1).snapshot
    assert text_of(feed.content) == "a"
    assert "damaged" not in feed.notice
    assert feed.cut == "size_limit"


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        ('{"version": "https://jsonfeed.org/version/1", "items": [' + '{"a": [' * 5_000, "json"),
        (_item(f"<content type='xhtml'>{'<b>' * 5_000}a{'</b>' * 5_000}</content>"), "xml"),
    ],
    ids=["JSON", "XHTML"],
)
def test_deep_feed_is_read(body, media_type):
    assert "a" in text_of(snapshot(body, f"application/feed+{media_type}").content)


@pytest.mark.parametrize("media_type", ["text/html", "", "application/octet-stream"])
@pytest.mark.parametrize(
    "start", ["", "\ufeff", f"<?xml version='1.0'?>\n<!-- {'a' * 1_000} -->\n"]
)
def test_feed_sent_as_html_or_without_a_type_is_recognized(start, media_type):
    body = start + _item("<title>a</title><link>https://a.example/1</link>")
    feed = snapshot(body, media_type)
    assert [link.url for link in feed.links] == ["https://a.example/1"]


def test_html_page_mentioning_rss_tag_is_not_a_feed():
    assert snapshot("<p>Write <rss></p>", "text/html").media_type == "text/html"


def test_relative_feed_urls_are_resolved_against_xml_base():
    atom = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://b.example/x/"><entry>
      <title>a</title><link href="1"/><content type="html"
      xml:base="y/">&lt;a href="2"&gt;two&lt;/a&gt;
      </content></entry></feed>"""
    text = markdown_of(snapshot(atom, "application/atom+xml").content)
    assert "https://b.example/x/1" in text
    assert "https://b.example/x/y/2" in text


def test_media_description_in_feed_is_entry_text():
    group = "<media:group><media:description>Bread &amp; more</media:description></media:group>"
    entry = f"<entry><title>Ep</title>{group}</entry>"
    feed = snapshot(f'<feed xmlns:media="urn:media">{entry}</feed>', "application/atom+xml")
    assert text_of(feed.content) == "Ep\n\nBread & more"


def test_a_feed_whose_entities_are_hidden_by_control_characters_is_shown_as_text():
    bomb = '<!DOCTYPE r [<!ENT\x01ITY a "x">]><rss><channel><title>&a;</title></channel></rss>'
    assert markdown_of(snapshot(bomb, "text/xml").content).startswith("```xml\n<!DOCTYPE")


@pytest.mark.parametrize("declared", ['ENTITY a "x"', 'ATTLIST title z CDATA "5 MB"'])
def test_a_feed_that_declares_entities_is_shown_as_text(declared):
    bomb = f"<!DOCTYPE r [<!{declared}>]><rss><channel><title>A</title></channel></rss>"
    assert markdown_of(snapshot(bomb, "text/xml").content).startswith("```xml\n<!DOCTYPE")


def test_feed_with_an_entry_about_entities_is_read():
    feed = snapshot(_item("<title><![CDATA[Write <!ENTITY a 'b'>]]></title>"), "text/xml")
    assert text_of(feed.content) == "Write <!ENTITY a 'b'>"


@given(st.binary(max_size=200))
def test_any_bytes_sent_as_feed_are_read_without_error(body):
    snapshot(b"<rss>" + body, "text/xml")
    snapshot(b"{" + body, "application/feed+json")
