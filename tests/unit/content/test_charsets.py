import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st
from webencodings import LABELS

from tabwright.content.charset import declared_charset, decoded, form_charset, form_encoded
from tabwright.content.html.sanitize import xhtml_as_html

META = '<meta charset="{}">'


@pytest.mark.parametrize(
    ("text", "encoding", "declared", "name"),
    [
        ("Grüße", "utf-8", "", "utf-8"),
        ("Grüße", "latin-1", "iso-8859-1", "windows-1252"),
        ("“quoted” €", "cp1252", "latin1", "windows-1252"),
        ("日本語", "shift_jis", "Shift_JIS", "shift_jis"),
        ("日本語", "euc_jp", "euc-jp", "euc-jp"),
        ("中文", "gb18030", "GB2312", "gbk"),
        ("中文", "big5", "big5", "big5"),
        ("한국어", "cp949", "ks_c_5601-1987", "euc-kr"),
        ("Привет", "koi8-r", "koi8-r", "koi8-r"),
        ("Привет", "cp1251", "windows-1251", "windows-1251"),
        ("日本語", "euc_jp", "x-euc-jp", "euc-jp"),
        ("שלום", "iso8859-8", "logical", "iso-8859-8-i"),
    ],
)
def test_declared_charset_is_interpreted_as_browsers_do(text, encoding, declared, name):
    assert decoded(text.encode(encoding), declared) == (text, name)


@pytest.mark.parametrize("mark", [codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
def test_byte_order_mark_overrides_header_charset(mark):
    names = {
        codecs.BOM_UTF8: "utf-8",
        codecs.BOM_UTF16_LE: "utf-16le",
        codecs.BOM_UTF16_BE: "utf-16be",
    }
    text, name = decoded(mark + "Grüße".encode(names[mark]), "koi8-r")
    assert (text, name) == ("Grüße", names[mark])


@pytest.mark.parametrize(
    "tag",
    [
        '<meta charset="windows-1251">',
        "<META CHARSET=windows-1251>",
        '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
        '<?xml version="1.0" encoding="windows-1251"?>',
    ],
)
def test_charset_declared_in_page_is_used(tag):
    text = f"{tag}<p>Привет</p>"
    assert decoded(text.encode("cp1251"))[0] == text


def test_utf16_declaration_in_readable_page_is_ignored():
    text = META.format("utf-16") + "Grüße"
    assert decoded(text.encode())[0] == text


def test_unknown_encoding_is_ignored():
    assert decoded("Grüße".encode(), "utf-99") == ("Grüße", "utf-8")
    assert decoded("Grüße".encode(), "base64") == ("Grüße", "utf-8")


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Съешь же ещё этих мягких французских булок, да выпей чаю. ", "cp1251"),
        ("Съешь же ещё этих мягких французских булок, да выпей чаю. ", "koi8-r"),
        ("<p>Съешь же ещё этих мягких французских булок</p>", "utf-16-le"),
        ("<p>Съешь же ещё этих мягких французских булок</p>", "utf-16-be"),
        ("name,size\nred,1\n", "utf-16-le"),
        ("結構化并发意味着每个任务 都有一个等待它的父任务。 ABC", "utf-16-be"),
        ("これは日本語の文章です。漢字とひらがなが混ざっています。", "shift_jis"),
        ("これは日本語の文章です。漢字とひらがなが混ざっています。", "euc_jp"),
        ("これは日本語の文章です。漢字とひらがなが混ざっています。", "iso2022_jp"),
        ("结构化并发意味着每个任务都有一个等待它的父任务。", "gbk"),
        ("Déjà vu : « à la forêt », où ça coûte très cher.", "cp1252"),
        ("Zażółć gęślą jaźń: każde zadanie ma rodzica, który na nie czeka.", "iso8859-2"),
        ("Dobrý den, příliš žluťoučký kůň úpěl ďábelské ódy.", "cp1250"),
    ],
)
def test_undeclared_charset_is_guessed(text, encoding):
    assert decoded(text.encode(encoding))[0] == text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"a,b\0\n1,2\n", "a,b\0\n1,2\n"),
        (b"a,b\n1\0,2\n", "a,b\n1\0,2\n"),
        ("Grüße\0,2\n".encode(), "Grüße\0,2\n"),
        ("Съешь\0".encode("cp1251"), "Съешь\0"),
        (b"one\0two2\0six\0", "one\0two2\0six\0"),
    ],
)
def test_text_with_stray_zero_bytes_is_not_read_as_utf_16(body, text):
    assert decoded(body, is_html=False)[0] == text


@given(st.binary(), st.text(max_size=20))
def test_any_bytes_become_text(body, declared):
    text, name = decoded(body, declared)
    assert isinstance(text, str)
    assert name in LABELS.values()


@pytest.mark.parametrize(
    ("accepted", "page", "expected"),
    [
        ("", "utf-8", "UTF-8"),
        ("", "cp1251", "windows-1251"),
        ("", "windows-1252", "windows-1252"),
        ("", "shift_jis", "Shift_JIS"),
        ("", "gb18030", "gb18030"),
        ("", "gb2312", "GBK"),
        ("", "utf-16-le", "UTF-8"),
        ("", "", "UTF-8"),
        ("koi8-r", "utf-8", "KOI8-R"),
        ("no-such latin1 utf-8", "utf-8", "windows-1252"),
        ("no-such, X-SJIS", "utf-8", "Shift_JIS"),
        ("UTF-16", "cp1251", "UTF-8"),
        ("no-such rot13", "euc-kr", "EUC-KR"),
    ],
)
def test_form_charset_is_accepted_charset_or_page_charset(accepted, page, expected):
    assert form_charset(accepted, page) == expected


@pytest.mark.parametrize(
    ("text", "charset", "expected"),
    [
        ("Grüße", "UTF-8", "Grüße".encode()),
        ("Grüße", "windows-1252", b"Gr\xfc\xdfe"),
        ("Привет", "KOI8-R", "Привет".encode("koi8-r")),
        ("中文😀", "GBK", "中文".encode("gbk") + b"&#128512;"),
        ("€ 日", "windows-1252", b"\x80 &#26085;"),
        ("日本€", "ISO-2022-JP", "日本".encode("iso2022_jp") + b"&#8364;"),
    ],
)
def test_form_character_outside_its_charset_is_sent_as_numeric_reference(text, charset, expected):
    assert form_encoded(text, charset) == expected


@given(st.text(), st.text(), st.text(st.characters(exclude_categories=())))
def test_any_form_text_can_be_encoded(accepted, page, text):
    assert bool(form_encoded(text, form_charset(accepted, page))) == bool(text)


# Declarations in a page; the cases are those of browsers' parsers.

PAD = b"<!-- " + b"x" * 9000 + b" -->"


@pytest.mark.parametrize(
    ("start", "charset"),
    [
        (b"<meta charset=iso8859-2>", "iso-8859-2"),
        (b"<meta\ncharset='iso8859-2'>", "iso-8859-2"),
        (b"<meta/charset=iso8859-2 />", "iso-8859-2"),
        (b"<metacharset=iso8859-2>", ""),
        (b"<meta charset=iso8859-2", ""),
        (b"<meta charset = 'iso8859-2>", ""),
        (b"<!-- <meta charset=iso8859-2> --><meta charset=koi8-r>", "koi8-r"),
        (b"<!--><meta charset=koi8-r>", "koi8-r"),
        (b"<p title='<meta charset=iso8859-2>'><meta charset=koi8-r>", "koi8-r"),
        (b"</p title='<meta charset=iso8859-2>'><meta charset=koi8-r>", "koi8-r"),
        (b"<meta content='text/html; charset=iso8859-2'>", ""),
        (b"<meta content='text/html; charset=iso8859-2' http-equiv=content-type>", "iso-8859-2"),
        (b"<meta http-equiv=refresh content='text/html; charset=iso8859-2'>", ""),
        (b"<meta charset=bogus><meta charset=koi8-r>", "koi8-r"),
        (b"<meta charset=utf-16>", "utf-8"),
        (b"<meta charset=x-user-defined>", "windows-1252"),
        (PAD + b"<meta charset=koi8-r>", "koi8-r"),
        (b"<?xml version='1.0' encoding='koi8-r'?>", "koi8-r"),
        (b"<a <meta charset=koi8-r>", ""),
        (b"", ""),
    ],
)
def test_declaration_is_found_as_browsers_find_it(start, charset):
    assert declared_charset(start) == charset


@given(
    st.lists(st.sampled_from([b"<", b"meta ", b"charset", b"=", b"'", b">", b"!--", b"/", b"x"]))
)
def test_charset_declaration_of_any_bytes_is_empty_or_known(parts):
    assert declared_charset(b"".join(parts)) in {"", *LABELS.values()}


def test_every_label_of_browsers_has_an_encoding():
    for label, charset in LABELS.items():
        assert decoded(b"abc", label)[1] == charset


def test_xhtml_self_closing_elements_and_cdata_become_html():
    text = "<head><title/></head><p class='a>b'/><br/>x<![CDATA[a < b]]>"
    expected = "<head><title></title></head><p class='a>b'></p><br/>xa &lt; b"
    assert xhtml_as_html(text) == expected


@pytest.mark.parametrize("before", range(4))
def test_long_utf_8_text_is_recognised_where_the_examined_part_ends_inside_a_character(before):
    text = "x" * before + "日本語" * 20_000
    assert decoded(text.encode(), is_html=False) == (text, "utf-8")
