from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.content.html.form_data import checked_values, chosen_form, filled, sending
from tabwright.protocol.errors import BadInput
from tabwright.protocol.sessions import FormChoice
from tabwright.protocol.snapshot import Field, Option, PageForm
from tabwright.protocol.untrusted_text import Quoted

FIELDS = (
    Field("name", "text", required=True, label="Your name"),
    Field("token", "hidden", value="t1", hidden=True),
    Field("colour", "radio", value="r", label="Red"),
    Field("colour", "radio", value="b", label="Blue", checked=True),
    Field("news", "checkbox", value="yes", label="News"),
    Field("size", "select", options=(Option("s", "Small"), Option("l", "Large"))),
    Field("tags", "select", multiple=True, options=(Option("1", "One"), Option("2", "Two"))),
    Field("off", "text", value="x", disabled=True),
    Field("note", "textarea", value="Hi"),
    Field("go", "submit", value="Send"),
    Field("stop", "submit", value="Stop"),
)
FORM = PageForm(0, "https://a.example/do?old=1#f", "POST", id="f", fields=FIELDS)
GET = PageForm(1, "https://a.example/do?old=1", "GET", fields=FIELDS)


def sent(form, **fields):
    url, payload = sending(form, checked_values(form, fields))
    return parse_qsl(payload.body.decode() if payload else urlsplit(url).query, True)


def test_untouched_fields_are_sent_with_their_defaults():
    assert sent(FORM) == [
        ("name", ""),
        ("token", "t1"),
        ("colour", "b"),
        ("size", "s"),
        ("note", "Hi"),
        ("go", "Send"),
    ]


def test_filled_in_values_replace_defaults_in_form_order():
    pairs = sent(FORM, name="Ann", colour="Red", news=True, size="Large", tags=("1", "Two"))
    assert pairs == [
        ("name", "Ann"),
        ("token", "t1"),
        ("colour", "r"),
        ("news", "yes"),
        ("size", "l"),
        ("tags", "1"),
        ("tags", "2"),
        ("note", "Hi"),
        ("go", "Send"),
    ]


def test_a_get_form_replaces_the_query_of_its_url():
    url, payload = sending(GET, checked_values(GET, {"name": "A & B"}))
    assert payload is None
    assert url.startswith("https://a.example/do?name=A+%26+B&token=t1")
    assert "old" not in url


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"nome": "x"}, "no field 'nome'"),
        ({"size": "Huge"}, "'Huge' is not an option of 'size'"),
        ({"colour": "Green"}, "'Green' is not an option of 'colour'"),
    ],
)
def test_unknown_field_or_option_is_refused_by_name(fields, what):
    with pytest.raises(BadInput, match=what):
        checked_values(FORM, fields)


def test_missing_required_field_is_reported():
    assert filled(FORM, {}).missing == ("name",)
    assert filled(FORM, {"name": ("Ann",)}).missing == ()


def test_a_form_is_chosen_by_its_id_or_its_place():
    assert chosen_form((FORM, GET), FormChoice("f")) is FORM
    assert chosen_form((FORM, GET), FormChoice(index=1)) is GET
    with pytest.raises(BadInput, match="no form 7"):
        chosen_form((FORM, GET), FormChoice(index=7))


def test_checkbox_is_unchecked_by_false():
    form = PageForm(
        0, "https://a.example/", fields=(Field("a", "checkbox", value="1", checked=True),)
    )
    assert sent(form) == [("a", "1")]
    assert sent(form, a=False) == []


@pytest.mark.parametrize("choice", ["b", "Blue"])
def test_a_radio_button_is_chosen_by_its_value_or_its_label(choice):
    assert checked_values(FORM, {"colour": choice}) == {"colour": ("b",)}


def test_radio_value_takes_precedence_over_label_of_another_option():
    crossed = (Field("c", "radio", value="1", label="2"), Field("c", "radio", value="2", label="1"))
    assert checked_values(PageForm(0, "/", fields=crossed), {"c": "2"}) == {"c": ("2",)}


@pytest.mark.parametrize("given", [True, "true", "yes", "I agree"])
def test_single_radio_button_is_switched_on(given):
    form = PageForm(0, "/", fields=(Field("ok", "radio", value="yes", label="I agree"),))
    assert checked_values(form, {"ok": given}) == {"ok": ("yes",)}


@pytest.mark.parametrize("given", [True, "true"])
def test_true_selects_radio_option_with_value_true(given):
    fields = (Field("ok", "radio", value="true"), Field("ok", "radio", value="false"))
    assert checked_values(PageForm(0, "/", fields=fields), {"ok": given}) == {"ok": ("true",)}
    with pytest.raises(BadInput, match="'true' is not an option of 'colour'"):
        checked_values(FORM, {"colour": given})


def test_unknown_choice_error_lists_options():
    with pytest.raises(BadInput) as refused:
        checked_values(FORM, {"colour": "Green"})
    assert Quoted("'r' (Red), 'b' (Blue)") in refused.value.chunks


@pytest.mark.parametrize("field", ["colour", "size"])
def test_two_values_for_single_choice_field_are_refused(field):
    with pytest.raises(BadInput, match=f"'{field}' accepts one value, but 2 were given"):
        checked_values(FORM, {field: ("Red", "Small")})


CYRILLIC = (Field("имя", "text"), Field("_charset_", "hidden", value="odd", hidden=True))


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        (
            "application/x-www-form-urlencoded",
            b"%E8%EC%FF=%A8%E6+%26%2326085%3B&_charset_=windows-1251",
        ),
        ("text/plain", "имя=Ёж &#26085;\r\n_charset_=windows-1251\r\n".encode("cp1251")),
    ],
)
def test_form_body_uses_form_charset_and_fills_charset_field(encoding, body):
    form = PageForm(
        0, "https://a.example/", "POST", encoding, fields=CYRILLIC, charset="windows-1251"
    )
    _, payload = sending(form, checked_values(form, {"имя": "Ёж 日", "_charset_": "x"}))
    assert payload.body == body


def test_multipart_form_uses_form_charset():
    form = PageForm(
        0, "https://a.example/", "POST", "multipart/form-data", fields=CYRILLIC, charset="KOI8-R"
    )
    _, payload = sending(form, {"имя": ("Ёж",)})
    assert 'name="имя"\r\n\r\nЁж\r\n'.encode("koi8-r") in payload.body
    assert b'name="_charset_"\r\n\r\nKOI8-R\r\n' in payload.body


def test_form_query_uses_form_charset():
    form = PageForm(0, "https://a.example/", fields=(Field("q", "text"),), charset="Shift_JIS")
    assert sending(form, {"q": ("日",)}) == ("https://a.example/?q=%93%FA", None)


@given(st.text(), st.text())
def test_multipart_values_cannot_break_out_of_their_part(name, value):
    form = PageForm(
        0, "https://a.example/", "POST", "multipart/form-data", fields=(Field(name or "n", "text"),)
    )
    _, payload = sending(form, {name or "n": (value,)})
    boundary = payload.media_type.partition("boundary=")[2]
    assert payload.body.count(f"--{boundary}".encode()) == 2
