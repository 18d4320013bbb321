import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.content.charset import decoded, form_charset, form_encoded

META = '<meta charset="{}">'


@pytest.mark.parametrize(
    ("text", "encoding", "declared", "name"),
    [
        ("Grüße", "utf-8", "", "utf-8"),
        ("Grüße", "latin-1", "iso-8859-1", "windows-1252"),
        ("“quoted” €", "cp1252", "latin1", "windows-1252"),
        ("日本語", "shift_jis", "Shift_JIS", "cp932"),
        ("日本語", "euc_jp", "euc-jp", "euc_jp"),
        ("中文", "gb18030", "GB2312", "gb18030"),
        ("中文", "big5", "big5", "big5hkscs"),
        ("한국어", "cp949", "ks_c_5601-1987", "cp949"),
        ("Привет", "koi8-r", "koi8-r", "koi8-r"),
        ("Привет", "cp1251", "windows-1251", "cp1251"),
    ],
)
def test_what_the_header_says_counts_as_browsers_mean_it(text, encoding, declared, name):
    assert decoded(text.encode(encoding), declared) == (text, name)


@pytest.mark.parametrize("mark", [codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
def test_a_byte_order_mark_counts_for_more_than_the_header(mark):
    names = {
        codecs.BOM_UTF8: "utf-8",
        codecs.BOM_UTF16_LE: "utf-16-le",
        codecs.BOM_UTF16_BE: "utf-16-be",
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
def test_the_page_itself_may_say(tag):
    text = f"{tag}<p>Привет</p>"
    assert decoded(text.encode("cp1251"))[0] == text


def test_a_page_that_can_be_read_does_not_become_utf_16_by_saying_so():
    text = META.format("utf-16") + "Grüße"
    assert decoded(text.encode())[0] == text


def test_an_encoding_that_there_is_not_is_passed_over():
    assert decoded("Grüße".encode(), "utf-99") == ("Grüße", "utf-8")
    assert decoded("Grüße".encode(), "base64") == ("Grüße", "utf-8")


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Съешь же ещё этих мягких французских булок, да выпей чаю. " * 10, "cp1251"),
        (
            "いろはにほへと ちりぬるを わかよたれそ つねならむ。これは日本語の文章です。" * 10,
            "shift_jis",
        ),
    ],
)
def test_what_nobody_says_is_guessed(text, encoding):
    assert decoded(text.encode(encoding))[0] == text


@given(st.binary(), st.text(max_size=20))
def test_any_bytes_become_text(body, declared):
    text, name = decoded(body, declared)
    assert isinstance(text, str)
    assert codecs.lookup(name)


@pytest.mark.parametrize(
    ("accepted", "page", "expected"),
    [
        ("", "utf-8", "UTF-8"),
        ("", "cp1251", "windows-1251"),
        ("", "windows-1252", "windows-1252"),
        ("", "shift_jis", "Shift_JIS"),
        ("", "gb18030", "GBK"),
        ("", "utf-16-le", "UTF-8"),
        ("", "", "UTF-8"),
        ("koi8-r", "utf-8", "KOI8-R"),
        ("no-such latin1 utf-8", "utf-8", "windows-1252"),
        ("no-such, X-SJIS", "utf-8", "Shift_JIS"),
        ("UTF-16", "cp1251", "UTF-8"),
        ("no-such rot13", "euc-kr", "EUC-KR"),
    ],
)
def test_a_form_is_sent_in_what_it_accepts_and_else_as_its_page_came(accepted, page, expected):
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
def test_what_a_form_s_charset_lacks_is_sent_as_its_number(text, charset, expected):
    assert form_encoded(text, charset) == expected


@given(st.text(), st.text(), st.text(st.characters(exclude_categories=())))
def test_any_form_can_be_sent(accepted, page, text):
    assert bool(form_encoded(text, form_charset(accepted, page))) == bool(text)
