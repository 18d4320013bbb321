import attrs
import pytest

from tabwright.content.html.snapshot import take_snapshot
from tabwright.protocol.snapshot import Field, LoadedPage, Option, PageForm, PageSource, Selection

HOME = "https://a.example"


def fields(snap, html: str) -> tuple[Field, ...]:
    (form,) = snap(f"<form>{html}</form>").forms
    return form.fields


def field(snap, html: str) -> Field:
    (one,) = fields(snap, html)
    return one


def test_form_action_method_encoding_id_and_name_are_read(snap) -> None:
    page = snap(
        "<base href=/b/><form id=f name=n action=go method=POST enctype=multipart/form-data></form>"
        "<form></form>"
    )
    assert page.forms == (
        PageForm(0, f"{HOME}/b/go", "POST", "multipart/form-data", id="f", name="n"),
        PageForm(1, f"{HOME}/dir/page"),
    )


def test_first_submit_button_overrides_form_action(snap) -> None:
    html = (
        "<form action=/a><button type=button formaction=/no>x</button>"
        "<button formaction=/b formmethod=post formenctype=text/plain>y</button></form>"
    )
    (form,) = snap(html).forms
    assert (form.action, form.method, form.encoding) == (f"{HOME}/b", "POST", "text/plain")


def test_form_with_script_action_is_sent_to_page_url(snap) -> None:
    (form,) = snap("<form action='javascript:x()' enctype=odd>", url=f"{HOME}/p#top").forms
    assert form == PageForm(0, f"{HOME}/p")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<input name=a>", Field("a", "text")),
        ("<input type=odd name=a value=1>", Field("a", "text", "1")),
        ("<input type=EMAIL name=a required>", Field("a", "email", required=True)),
        ("<input type=hidden name=a value=1>", Field("a", "hidden", "1", hidden=True)),
        ("<input type=checkbox name=a>", Field("a", "checkbox", "on")),
        ("<input type=radio name=a value=x checked>", Field("a", "radio", "x", checked=True)),
        ("<input type=submit value=Go>", Field("", "submit", "Go", "Go")),
        ("<button name=a value=1><b>Go</b></button>", Field("a", "submit", "1", "Go")),
        ("<button type=reset>No</button>", Field("", "reset", label="No")),
        ("<input type=image name=a alt=Map>", Field("a", "image", label="Map")),
        ("<textarea name=a>\n one\n two</textarea>", Field("a", "textarea", " one\n two")),
        ("<input name=a disabled hidden>", Field("a", "text", disabled=True, hidden=True)),
        ("<fieldset disabled><input name=a></fieldset>", Field("a", "text", disabled=True)),
        ("<fieldset disabled><legend><input name=a></legend></fieldset>", Field("a", "text")),
    ],
)
def test_form_fields_are_read_with_type_value_and_state(snap, html: str, expected: Field) -> None:
    assert field(snap, html) == expected


def test_select_has_options_and_value_of_selected_one(snap) -> None:
    options = "<option value=1>One</option><option label=Two>2</option>"
    read = field(snap, f"<select name=a>{options}</select>")
    assert read.options == (Option("1", "One"), Option("2", "Two"))
    assert read.value == "1"
    chosen = field(snap, f"<select name=a multiple>{options}<option selected value=''>No</select>")
    assert (chosen.multiple, chosen.value, chosen.options[-1].selected) == (True, "", True)


@pytest.mark.parametrize(
    ("html", "label"),
    [
        ("<label for=i>For</label><input id=i>", "For"),
        ("<label>Round <select><option>no</select></label>", "Round"),
        ("<label><input type=checkbox> <b>Box</b></label>", "Box"),
        ("<input aria-label=Aria placeholder=P>", "Aria"),
        ("<input placeholder=P>", "P"),
        ("<input title=T placeholder=P>", "T"),
        ("<p id=x>By</p><i id=y>two</i><input aria-labelledby='x none y' aria-label=no>", "By two"),
        ("<label for=i>one<br>line</label><input id=i>", "one line"),
        ("<label for=gone>No</label><input>", ""),
    ],
)
def test_field_label_is_read_from_label_element_or_aria(snap, html: str, label: str) -> None:
    assert field(snap, html).label == label


def test_fields_outside_form_are_assigned_by_form_attribute(snap) -> None:
    page = snap(
        "<form id=f><input name=a></form><input name=b form=f><input name=c>"
        "<form><input name=d form=f><input name=e form=gone></form>"
    )
    assert [[one.name for one in form.fields] for form in page.forms] == [["a", "b", "d"], []]


def test_form_between_table_rows_owns_following_fields(snap) -> None:
    (form,) = snap("<table><form action=/x><tr><td><input name=a></table>").forms
    assert attrs.astuple(form)[1] == f"{HOME}/x"
    assert [one.name for one in form.fields] == ["a"]


def test_form_charset_comes_from_accept_charset_or_page() -> None:
    html = "<form accept-charset='odd windows-1251'></form><form></form>"
    page = LoadedPage(HOME, 200, "text/html")
    snapshot = take_snapshot(PageSource(page, html, charset="shift_jis"), Selection())
    assert [form.charset for form in snapshot.forms] == ["windows-1251", "Shift_JIS"]
