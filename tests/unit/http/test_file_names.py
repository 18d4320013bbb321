import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.http.client import Client
from tabwright.http.response import FILE_NAME_MAX, ResponseHead, file_name
from tabwright.protocol.fetch import Fetch

from .web import Reply, Web


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ("", ""),
        ("inline", ""),
        ("attachment", ""),
        ("attachment; filename=report.pdf", "report.pdf"),
        ("ATTACHMENT; FILENAME = report.pdf", "report.pdf"),
        ('attachment; filename="two words.pdf"', "two words.pdf"),
        ("attachment; filename=two words.pdf", "two words.pdf"),
        (r'attachment; filename="a \"b\".pdf"', "a b.pdf"),
        ('attachment; filename="a;b.pdf"; size=5', "a;b.pdf"),
        ("attachment; filename*=UTF-8''na%C3%AFve.pdf", "na\u00efve.pdf"),
        ("attachment; filename*=iso-8859-1'de'na%EFve.pdf", "na\u00efve.pdf"),
        ("attachment; filename=b.pdf; filename*=UTF-8''a.pdf", "a.pdf"),
        ("attachment; filename=b.pdf; filename*=punycode''a.pdf", "b.pdf"),
        ("attachment; filename=b.pdf; filename*=nothing", "b.pdf"),
        ('attachment; filename="\u6c49.pdf"', "\u6c49.pdf"),
        ("attachment; filename=a.pdf; filename=b.pdf", "a.pdf"),
        ("attachment; filename=/etc/passwd", "passwd"),
        ('attachment; filename="../../x.sh"', "x.sh"),
        ("attachment; filename=C:\\temp\\x.exe", "x.exe"),
        ("attachment; filename*=UTF-8''..%2F..%2Fx.sh", "x.sh"),
        ("attachment; filename*=UTF-8''%2e%2e%5cx.sh", "x.sh"),
        ("attachment; filename=..", ""),
        ("attachment; filename=/", ""),
        ("attachment; filename=.bashrc", "bashrc"),
        ("attachment; filename*=UTF-8''a%00b%0A.pdf", "ab.pdf"),
        ("attachment; filename*=UTF-8''a%E2%80%AEfdp.exe", "afdp.exe"),
        ("attachment; filename*=UTF-8''\ud800; filename=a.pdf", "a.pdf"),
        ("attachment; filename=a\ud800.pdf", "a.pdf"),
        ("attachment; filename=nul", ""),
        ("attachment; filename=COM1.txt", ""),
        ("attachment; filename=console.txt", "console.txt"),
        ('attachment; filename="open', ""),
        ("filename=a.pdf", ""),
    ],
)
def test_download_name_is_sanitized_from_content_disposition(disposition: str, name: str) -> None:
    assert file_name(disposition) == name


def test_long_file_name_is_truncated() -> None:
    assert file_name(f"attachment; filename={'x' * 5000}.pdf") == "x" * FILE_NAME_MAX


@given(
    st.text(st.characters() | st.sampled_from("./\\\"';=%*:\u202e\0"), max_size=200),
    st.sampled_from(['; filename="{}"', "; filename={}", "; filename*=UTF-8''{}", "{}"]),
)
def test_file_name_is_never_a_path_or_hidden(text: str, form: str) -> None:
    name = file_name(f"attachment{form.format(text)}")
    assert len(name) <= FILE_NAME_MAX
    assert not set(name) & set('/\\:"<>|?*\0\n\r')
    assert not name.startswith((".", " "))
    assert not name.endswith((".", " "))
    assert name.encode().decode() == name, "a disk takes it"


async def test_fetched_page_has_its_content_disposition_file_name(web: Web, client: Client) -> None:
    named = (("Content-Disposition", 'attachment; filename="\u6c49.pdf"'),)
    web.site("a.example", Reply(headers=named))
    assert (await client.fetch(Fetch("http://a.example/"))).file_name == "\u6c49.pdf"


@pytest.mark.parametrize(
    ("content_type", "media_type", "charset"),
    [
        ("text/html", "text/html", ""),
        ("Text/HTML ; Charset = 'GB18030'", "text/html", "GB18030"),
        ('text/html; a=b; charset="utf-8"; c=d', "text/html", "utf-8"),
        ("application/vnd.api+json", "application/vnd.api+json", ""),
        ("", "", ""),
        ("html", "", ""),
        ("text/html, text/plain", "", ""),
        ("text/html; charset=;", "text/html", ""),
        ("; charset=utf-8", "", "utf-8"),
    ],
)
def test_media_type_and_charset_are_parsed_from_content_type(
    content_type: str, media_type: str, charset: str
) -> None:
    head = ResponseHead.of(200, [(b"Content-Type", content_type.encode())])
    assert (head.media_type, head.charset) == (media_type, charset)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("7", 7.0), ("", None), ("-1", None), ("1.5", None), ("\u0664", None), ("9" * 500, None)],
)
def test_retry_after_is_parsed_only_as_whole_seconds(text: str, seconds: float | None) -> None:
    assert ResponseHead.of(503, [(b"retry-after", text.encode())]).retry_after_s == seconds


def test_header_bytes_that_are_not_utf_8_decode_as_latin_1() -> None:
    assert ResponseHead.of(200, [(b"X-Own", b"caf\xe9")]).first("x-own") == "caf\u00e9"
