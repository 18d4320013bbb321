"""Typing, filling, choosing and uploading in fields of all kinds, in a real Chromium."""

import attrs
import pytest

from tabwright.page.frames import FrameManager
from tabwright.protocol.actions import (
    Click,
    FieldValue,
    Fill,
    Press,
    SelectOption,
    Type,
    Upload,
    UseMouse,
)
from tabwright.protocol.errors import BadInput, Hint, HintKind, PageFailed
from tabwright.protocol.inspection import ListOptions
from tabwright.protocol.page_text import RenderOptions
from tabwright.protocol.sessions import Sessions
from tests.support.cases import cases

pytestmark = pytest.mark.chromium


async def test_typed_text_replaces_field_value_or_is_appended(agent):
    await agent.show(
        "<form onsubmit=\"event.preventDefault(); note('sent')\"><label>Name <input id=name"
        " value=old></label></form><label>Notes <textarea id=notes>first</textarea></label>"
        "<label>Mail <input type=email id=mail value=a@></label>"
        '<label>Keys <input id=keys onkeydown="note(event.key)"></label>'
    )
    await agent.type("Name", "Zażółć {jaźń} 😀", submit=True)
    await agent.type("Notes", "{Enter}second \\{Enter}", append=True)
    await agent.type("Mail", "b.c", append=True)
    await agent.type("Keys", "ab{Control+a}{Backspace}c", slowly=True)
    await agent.type("Keys", "")
    assert await agent.value(
        "[...document.querySelectorAll('input, textarea')].map(f => f.value)"
    ) == [
        "Zażółć {jaźń} 😀",
        "first\nsecond {Enter}",
        "a@b.c",
        "",
    ]
    assert await agent.notes() == ["sent", "a", "b", "Control", "a", "Backspace", "c", "Backspace"]


async def test_input_method_text_is_typed_with_composition_events(agent):
    await agent.show(
        "<label>Query <input id=query></label><script>for (const end of ['start', 'end'])"
        " query.addEventListener(`composition${end}`, () => note(end))</script>"
    )
    await agent.type("Query", "構造化並行性")
    assert await agent.value("query.value") == "構造化並行性"
    assert await agent.notes() == ["start", "end"]


async def test_contenteditable_editors_take_text_and_enter(agent):
    await agent.show(
        "<div contenteditable=true aria-label=Letter id=letter><p>Dear <b>old</b> text</p></div>"
        "<div contenteditable=plaintext-only aria-label=Plain id=plain></div>"
        '<div contenteditable=true role=textbox aria-label=Chat id=chat onkeydown="'
        "if (event.key === 'Enter' && !event.shiftKey)"
        " { event.preventDefault(); note(chat.innerText); chat.textContent = '' }\"></div>"
    )
    await agent.type("Letter", "One{Enter}Two")
    await agent.type("Letter", "!", append=True)
    await agent.type("Plain", "a\nb")
    await agent.type("Chat", "Hello", submit=True)
    assert (await agent.value("letter.innerText")).split() == ["One", "Two!"]
    assert (await agent.value("plain.innerText")).split() == ["a", "b"]
    assert await agent.value("chat.innerText") == ""
    assert await agent.notes() == ["Hello"]


async def test_date_color_and_range_inputs_are_set_and_invalid_values_refused(agent):
    kinds = {
        "date": "2026-11-22",
        "time": "13:45",
        "month": "2026-11",
        "week": "2026-W47",
        "datetime-local": "2026-11-22T13:45",
        "color": "#aabbcc",
        "range": "70",
        "number": "-12.5",
    }
    await agent.show(
        "".join(
            f"<label>A {kind} <input type={kind} name={kind} step=any></label>" for kind in kinds
        )
        + "<script>document.onchange = event => note(event.target.type)</script>"
    )
    for kind, value in kinds.items():
        await agent.type(f'"A {kind}"', value)
    wrong = await agent.refused(Type(await agent.ref('"A date"'), "22.11.2026"))
    beyond = await agent.refused(Type(await agent.ref('"A range"'), "170"))
    values = await agent.value("[...document.querySelectorAll('input')].map(f => f.value)")
    assert values == list(kinds.values())
    assert "does not accept that value" in wrong.message
    assert "2026-11-22" in wrong.advice
    assert "does not accept that value" in beyond.message
    assert set(kinds) - set(await agent.notes()) <= {"number"}  # that one is told when it is left


async def test_native_select_options_are_chosen_and_custom_lists_clicked(agent):
    await agent.show(
        "<label>Size <select id=size onchange=note(value)><option value=s>Small"
        "<option value=m>Medium<option value=l disabled>Large</select></label>"
        "<label>Toppings <select id=toppings multiple><option>Ham<option>Egg<option>Leek</select>"
        "</label><div role=combobox tabindex=0 aria-expanded=false aria-label=Colour"
        ' onclick="list.hidden = false">Pick</div><ul id=list role=listbox hidden>'
        "<li role=option onclick=\"note('red')\">Red<li role=option>Blue</ul>"
    )
    size, toppings = await agent.ref("Size"), await agent.ref("Toppings")
    outcome = await agent.ask(SelectOption(size, ("medium",)))
    await agent.ask(SelectOption(toppings, ("Ham", "Leek")))
    listed = await agent.ask(ListOptions(size))
    typed = await agent.refused(Type(size, "Medium"))
    two = await agent.refused(SelectOption(size, ("Small", "Medium")))
    none = await agent.refused(SelectOption(size, ("Huge",)))
    disabled = await agent.refused(SelectOption(size, ("Large",)))
    custom = await agent.refused(SelectOption(await agent.ref("Colour"), ("Red",)))
    opened = await agent.click("Colour")
    await agent.click('"Red"')
    assert 'combobox "Size" = "Medium"' in outcome.changes
    assert await agent.value("[...toppings.selectedOptions].map(o => o.value)") == ["Ham", "Leek"]
    assert [(one.value, one.selected, one.disabled) for one in listed] == [
        ("s", False, False),
        ("m", True, False),
        ("l", False, True),
    ]
    assert (type(typed), typed.advice) == (BadInput, "Use select.")
    assert "accepts one value" in two.message
    assert '"Small", "Medium"' in none.message
    assert isinstance(disabled, BadInput)
    assert "not a native list" in custom.message
    assert 'option "Red"' in opened.changes
    assert await agent.notes() == ["m", "red"]


async def test_form_fields_are_filled_by_name_label_or_ref_across_frames(agent):
    agent.stand.put(
        "/card",
        "<label>Card number <input name=card></label><select name=kind><option>Visa<option>Other"
        "</select>",
    )
    elsewhere = agent.stand.url("/card", "localhost")
    await agent.show(
        "<form onsubmit=\"event.preventDefault(); note('sent')\"><input name=first>"
        "<label>Last <input name=last></label><input id=city placeholder=City>"
        "<input type=checkbox name=news checked><label><input type=radio name=pay value=cash>Cash"
        "</label><label><input type=radio name=pay value=card>By card</label>"
        "<label>Size <select><option>S<option>M</select></label><input type=date name=born>"
        "<label><input type=checkbox role=switch name=dark style=opacity:0;position:absolute> Dark"
        "</label><input name=last-one><button>Send</button></form>"
        f"<iframe src=/card></iframe><iframe src={elsewhere}></iframe>"
        "<x-field></x-field><script>customElements.define('x-field', class extends HTMLElement {"
        " connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML ="
        " '<label>Hidden deep <input></label>' } })</script>"
    )
    cards = await agent.refs("Card number")
    several = await agent.refused(Fill((FieldValue("card", "1"),)))
    unknown = await agent.refused(Fill((FieldValue("first", "Ann"), FieldValue("nothing", "1"))))
    untouched = await agent.value("document.querySelector('[name=first]').value")
    outcome = await agent.ask(
        Fill(
            (
                FieldValue("first", "Ann {Enter}"),
                FieldValue("Last", "Lee"),
                FieldValue("city", "Łódź"),
                FieldValue("news", False),
                FieldValue("pay", "card"),
                FieldValue("size", ("M",)),
                FieldValue("born", "2000-02-29"),
                FieldValue("Dark", True),
                FieldValue("hidden deep", "found"),
                *(FieldValue(ref, f"4{number}") for number, ref in enumerate(cards)),
                FieldValue("last-one", "end"),
            ),
            submit=True,
        )
    )
    filled = await agent.value(
        "[...document.forms[0].elements].slice(0, -1).map(f =>"
        " f.type === 'checkbox' || f.type === 'radio' ? f.checked : f.value)"
    )
    assert [ref in str(several) for ref in cards] == [True, True]
    assert "'nothing'" in unknown.message
    assert untouched == ""
    assert filled == [
        "Ann {Enter}",
        "Lee",
        "Łódź",
        False,
        False,
        True,
        "M",
        "2000-02-29",
        True,
        "end",
    ]
    assert await agent.value("frames[0].document.querySelector('input').value") == "40"
    assert (
        await agent.value(
            "document.querySelector('x-field').shadowRoot.querySelector('input').value"
        )
        == "found"
    )
    assert 'textbox "Card number" = "41"' in await agent.see()
    assert await agent.notes() == ["sent"]
    assert 'Submitted the form with button "Send".' in outcome.description


async def test_a_field_of_one_frame_is_found_by_its_name(agent):
    agent.stand.put("/card", "<input name=card>")
    elsewhere = agent.stand.url("/card", "localhost")
    await agent.show(f"<p>Pay</p><iframe src={elsewhere}></iframe>")
    await agent.ask(Fill((FieldValue("card", "4111"),)))
    assert '= "4111"' in await agent.see()


async def test_typing_into_uneditable_element_is_refused_with_reason(agent):
    await agent.show(
        "<label>Fixed <input readonly value=1></label><label>Off <input disabled></label>"
        "<label>Photo <input type=file></label><button>Plain</button>"
    )
    fixed = await agent.refused(Type(await agent.ref("Fixed"), "2"))
    off = await agent.refused(Type(await agent.ref("Off"), "2"))
    photo = await agent.refused(Type(await agent.ref("Photo"), "2"))
    plain = await agent.refused(Type(await agent.ref("Plain"), "2"))
    key = await agent.refused(Press("Hyper+q"))
    assert "read-only" in fixed.message
    assert "disabled" in off.message
    assert "Use upload" in photo.advice
    assert {type(one) for one in (photo, plain)} == {BadInput}
    assert 'button "Plain"' in plain.message
    assert "Unknown key" in key.message


async def test_files_are_uploaded_to_inputs_and_to_buttons_that_open_a_chooser(agent, tmp_path):
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("1")
    two.write_text("2")
    names = "[...this.files].map(file => file.name).join()"
    await agent.show(
        f"<label>Photo <input type=file onchange=\"note('field:' + {names})\"></label>"
        f"<input type=file id=asked hidden multiple onchange=\"note('asked:' + {names})\">"
        "<button onclick=asked.click()>Browse</button><button>Nothing</button>"
        "<label style='display:block;width:90px;height:30px;background:#ccc'>Styled"
        f" <input type=file style=display:none onchange=\"note('styled:' + {names})\"></label>"
    )
    await agent.ask(Upload(await agent.ref("Photo"), (str(one),)))
    await agent.ask(Upload(await agent.ref("Browse"), (str(one), str(two))))
    asked_none = await agent.refused(Upload(await agent.ref("Nothing"), (str(one),)))
    await agent.ask(Upload(await agent.ref("Photo"), ()))
    assert isinstance(asked_none, PageFailed)
    assert "did not open a file chooser" in asked_none.message
    assert (await agent.notes())[:2] == ["field:one.txt", "asked:one.txt,two.txt"]
    await agent.ask(Upload(await agent.ref("Styled"), (str(two),)))
    assert (await agent.notes())[-1] == "styled:two.txt"


async def test_click_that_opens_a_file_chooser_hints_at_upload(agent):
    await agent.show(
        "<input type=file id=asked hidden><button onclick=asked.click()>Browse</button>"
    )
    outcome = await agent.ask(Click(await agent.ref("Browse")))
    assert Hint(HintKind.GIVE_FILES) in outcome.notes


async def test_keys_go_where_the_focus_is(agent):
    await agent.show(
        "<input id=one onfocus=note('one')><input id=two onfocus=note('two')>"
        "<script>addEventListener('keydown', event => event.key === 'Escape' && note('escaped'));"
        "addEventListener('keydown', event => event.ctrlKey && event.key === 'k'"
        " && note('palette'))</script>"
    )
    await agent.ask(Press("Tab Tab"))
    await agent.ask(Press("Shift+Tab Escape Control+k"))
    assert await agent.notes() == ["one", "two", "one", "escaped", "palette"]


SENT = "<form id=f onsubmit=\"event.preventDefault(); note('sent:' + event.submitter?.name)\">"
LIST = "<select name=last><option>a<option>b</select>"
BOX = "<input type=checkbox name=last>"
TEXT = "<textarea name=last></textarea>"
LINE = "<input name=last>"


async def test_form_fill_submits_the_form_whatever_its_last_field(agent):
    forms = (
        (f"{LIST}<button name=go>Go</button>", "b", '"Go"', "go"),
        (f"{BOX}<button name=go>Go</button>", True, '"Go"', "go"),
        (f"{TEXT}<input type=submit name=go value=Go>", "x", '"Go"', "go"),
        (f"{TEXT}<input type=image name=go alt=Go src=data:,>", "x", '"Go"', "go"),
        (f"<input name=elements>{LINE}<button name=go>Go</button>", "x", '"Go"', "go"),
        (
            f"<button name=go>Go</button></form>{LIST.replace(' ', ' form=f ', 1)}",
            "b",
            '"Go"',
            "go",
        ),
        (f"{LINE}<button type=button>No</button>", "x", "with Enter", "undefined"),
        (f"{LINE}<button hidden name=go>Go</button>", "x", "with Enter", "go"),
        (f"{BOX}<button hidden name=go>Go</button>", True, "no button", "go"),
        (LIST, "b", "no button", "undefined"),
    )
    for form, value, output, sender in forms:
        await agent.show(f"{SENT}{form}")
        outcome = await agent.ask(Fill((FieldValue("last", value),), submit=True))
        assert output in outcome.description, form
        assert await agent.notes() == [f"sent:{sender}"], form


async def test_fill_with_submit_outside_form_presses_enter_in_text_field_only(
    agent,
):
    await agent.show(
        "<input name=word onkeydown=\"event.key === 'Enter' && note('enter')\">"
        "<select name=size><option>S<option>M</select>"
    )
    word = await agent.ask(Fill((FieldValue("word", "x"),), submit=True))
    size = await agent.ask(Fill((FieldValue("size", "M"),), submit=True))
    assert "Pressed Enter: the last field is not in a form" in word.description
    assert "Nothing was submitted: the last field is not in a form" in size.description
    assert await agent.notes() == ["enter"]


async def test_form_that_fails_validation_is_reported_as_not_submitted(agent):
    await agent.show(
        f"{SENT}<input name=mail type=email aria-label=Mail required><input name=last>"
        "<button>Go</button></form>"
    )
    request = Fill((FieldValue("mail", "nobody"), FieldValue("last", "x")), submit=True)
    refused = await agent.refused(request)
    sent = await agent.ask(
        attrs.evolve(request, fields=(FieldValue("mail", "a@b.c"), request.fields[1]))
    )
    assert 'The form was not submitted: textbox "Mail": ' in refused.message
    assert "Filled in before: mail, last" in refused.message
    assert "Submitted the form" in sent.description
    assert await agent.notes() == ["sent:"]


UNSENT = 'The form was not submitted: textbox "Mail": '


@cases(
    "body",
    [
        f"{SENT}<input name=mail type=email aria-label=Mail required><button>Go</button></form>",
        f"{SENT}<input name=mail type=email aria-label=Mail required></form>",
        (
            f"{SENT}<input name=mail type=email aria-label=Mail required></form>"
            "<button form=f>Go</button>"
        ),
        (
            "<iframe srcdoc='<form><input type=email aria-label=Mail required>"
            "<button>Go</button></form>'></iframe>"
        ),
    ],
)
async def test_every_action_that_submits_an_invalid_form_reports_it_unsent(agent, body):
    await agent.show(body)
    typed = await agent.type("Mail", "nobody", submit=True)
    assert UNSENT in typed.description
    pressed = await agent.ask(Press("Enter", await agent.ref("Mail")))
    assert UNSENT in pressed.description
    if "Go" in body:
        assert UNSENT in (await agent.click("Go")).description
    sent = await agent.type("Mail", "a@b.example", submit=True)
    assert "not submitted" not in sent.description


@cases(
    "body",
    [
        (
            "<form novalidate onsubmit='event.preventDefault()'><input required aria-label=Mail>"
            "<button>Go</button></form>"
        ),
        (
            "<form onsubmit='event.preventDefault()'><input required aria-label=Mail>"
            "<button formnovalidate>Go</button></form>"
        ),
        (
            "<form><input required aria-label=Mail><button onclick='event.preventDefault();"
            "this.form.checkValidity()'>Go</button></form>"
        ),
        (
            "<form oninput='this.checkValidity()'><input type=email aria-label=Mail>"
            "<button type=button onclick='this.form.checkValidity()'>Go</button></form>"
        ),
    ],
)
async def test_form_handled_by_page_script_is_not_reported_unsent(agent, body):
    await agent.show(body)
    typed = await agent.type("Mail", "x")
    clicked = await agent.click("Go")
    assert "not submitted" not in typed.description + clicked.description


async def test_unsent_form_is_reported_by_mouse_click_but_not_by_later_keys(agent):
    await agent.show(
        "<style>button { position: fixed; left: 0; top: 0; width: 90px; height: 90px }</style>"
        f"{SENT}<input type=email aria-label=Mail required><button>Go</button></form>"
        "<iframe srcdoc='<form><input required aria-label=Inner><button>In</button></form>'>"
        "</iframe>"
    )
    clicked = await agent.ask(UseMouse("click", ((40, 40),)))
    await agent.ask(Press("Tab", await agent.ref("Inner")))
    entered = await agent.ask(Press("Enter"))  # in the frame
    later = await agent.ask(Press("Shift", await agent.ref("Inner")))
    assert UNSENT in clicked.description
    assert "not submitted" not in entered.description + later.description


@cases("end", ["f.remove()", "setTimeout(() => f.remove(), 200)"])
async def test_click_that_removes_its_own_frame_succeeds(agent, end):
    agent.stand.put("/inner", "<button onclick=\"parent.postMessage('end', '*')\">End</button>")
    inner = agent.stand.url("/inner", "localhost")
    await agent.show(
        f"<iframe id=f src={inner}></iframe><script>onmessage = () => {{ {end} }}</script>"
    )
    outcome = await agent.click('"End"')
    assert 'Clicked button "End"' in outcome.description
    assert await agent.value("document.querySelectorAll('iframe').length") == 0


async def test_submitting_form_without_button_reports_new_page(agent):
    agent.stand.put("/next", "<h1>Next</h1>")
    await agent.show("<form action=/next><select name=size><option>S<option>M</select></form>")
    outcome = await agent.ask(Fill((FieldValue("size", "M"),), submit=True))
    assert outcome.url == agent.stand.url("/next?size=M")


async def test_field_is_located_once_per_action(agent, tmp_path, monkeypatch):
    found, find = [], FrameManager.find

    async def counted(documents, ref):
        found.append(ref)
        return await find(documents, ref)

    monkeypatch.setattr(FrameManager, "find", counted)
    file = tmp_path / "one.txt"
    file.write_text("1")
    await agent.show(
        "<label>Name <input name=name></label><label>Photo <input type=file></label>"
        "<input type=file id=asked hidden><button onclick=asked.click()>Browse</button>"
    )
    photo, browse = await agent.ref("Photo"), await agent.ref("Browse")
    await agent.ask(Fill((FieldValue("name", "Ann"),)))
    await agent.ask(Upload(photo, (str(file),)))
    await agent.ask(Upload(browse, (str(file),)))
    assert len(found) == 3


async def test_page_text_and_forms_include_current_field_values(agent):
    await agent.show(
        "<form id=own><label>Name <input name=name></label><textarea name=notes>first</textarea>"
        "<input type=checkbox name=news><select name=tea><option>Green<option>Black</select>"
        "<input type=password name=word></form><p>Beyond <input aria-label=Alone value=given>"
    )
    fields = (
        FieldValue("name", "Ann of <b>Bath</b>"),
        FieldValue("notes", "one\n  two"),
        FieldValue("news", value=True),
        FieldValue("tea", "Black"),
        FieldValue("word", "hidden words"),
    )
    await agent.ask(Fill(fields))
    snapshot = await agent.tabwright.parts.sessions.ask(Sessions.snapshot, "s")
    text = (await agent.tabwright.parts.sessions.ask(Sessions.view, "s", RenderOptions())).text
    (form,) = snapshot.forms
    read = {field.name: field for field in form.fields}
    assert read["name"].value == "Ann of <b>Bath</b>"
    assert read["name"].label == "Name"
    assert read["notes"].value == "one\n  two"
    assert read["news"].checked
    assert read["tea"].value == "Black"
    assert text.replace("\\", "").count("Ann of <b>Bath</b>") == 1
    assert "one\n  two" in text
    assert "given" in text
    assert "hidden words" not in text
    assert await agent.value("document.querySelectorAll('samp, pre').length") == 0


@pytest.mark.parametrize("action", [SelectOption("#size", "Large"), Click("text=Large")])
async def test_select_that_the_page_does_not_display_is_refused(agent, action):
    await agent.show(
        "<select id=size style=display:none onchange=note('chosen')><option>Small<option>Large"
    )
    refusal = await agent.refused(action)
    assert "not visible" in refusal.message
    assert await agent.notes() == []
