from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.errors import BadInput
from tabwright.protocol.sessions import FormChoice
from tabwright.protocol.snapshots import Field, Form, Option
from tabwright.reading.form_filling import checked_values, chosen_form, filled, sending

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
FORM = Form(0, "https://a.example/do?old=1#f", "POST", id="f", fields=FIELDS)
GET = Form(1, "https://a.example/do?old=1", "GET", fields=FIELDS)


def sent(form, **fields):
    url, payload = sending(form, checked_values(form, fields))
    return parse_qsl(payload.body.decode() if payload else urlsplit(url).query, True)


def test_what_nobody_touched_is_sent_as_it_stands():
    assert sent(FORM) == [
        ("name", ""),
        ("token", "t1"),
        ("colour", "b"),
        ("size", "s"),
        ("note", "Hi"),
        ("go", "Send"),
    ]


def test_what_is_filled_in_takes_its_place():
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
        ({"size": "Huge"}, "'Huge' is no choice of 'size'"),
        ({"colour": "Green"}, "'Green' is no choice of 'colour'"),
    ],
)
def test_what_the_form_does_not_have_is_refused_by_name(fields, what):
    with pytest.raises(BadInput, match=what):
        checked_values(FORM, fields)


def test_what_is_missing_is_told():
    assert filled(FORM, {}).missing == ("name",)
    assert filled(FORM, {"name": ("Ann",)}).missing == ()


def test_a_form_is_chosen_by_its_id_or_its_place():
    assert chosen_form((FORM, GET), FormChoice("f")) is FORM
    assert chosen_form((FORM, GET), FormChoice(index=1)) is GET
    with pytest.raises(BadInput, match="no form 7"):
        chosen_form((FORM, GET), FormChoice(index=7))


def test_a_box_is_unticked_by_false():
    form = Form(0, "https://a.example/", fields=(Field("a", "checkbox", value="1", checked=True),))
    assert sent(form) == [("a", "1")]
    assert sent(form, a=False) == []


@given(st.text(), st.text())
def test_nothing_that_is_filled_in_gets_out_of_its_part(name, value):
    form = Form(
        0, "https://a.example/", "POST", "multipart/form-data", fields=(Field(name or "n", "text"),)
    )
    _, payload = sending(form, {name or "n": (value,)})
    boundary = payload.media_type.partition("boundary=")[2]
    assert payload.body.count(f"--{boundary}".encode()) == 2
