"""Secrets in a trace: names replace text that was typed into password fields."""

from tabwright.config.secrets import Secrets
from tabwright.plugins.trace.masking import HIDDEN, TraceMask
from tabwright.plugins.trace.records import ElementDescription, PerformedAction, RecordedTarget
from tabwright.protocol.actions import Click, FieldValue, Fill, Press, Type

PASSWORD = ElementDescription(role="password", name="Password", field="pass", confidential=True)
CODE = ElementDescription(role="textbox", name="Code", field="pass", confidential=True)
NAME = ElementDescription(role="textbox", name="Name", field="user")


def performed(action, *elements: ElementDescription) -> PerformedAction:
    targets = tuple(RecordedTarget(f"1.{place}", one) for place, one in enumerate(elements))
    return PerformedAction(action, targets, done=True)


def test_typed_password_is_masked_in_all_later_records():
    mask = TraceMask(Secrets({}))
    learned = mask.learn(performed(Type("1.0", "hunter2!{Enter}"), PASSWORD))
    assert learned.action == Type("1.0", "{{PASS}}{Enter}")
    record = {"url": "/?p=hunter2%21", "list": ("hunter2!", 1, None)}
    assert mask.record(record) == {"url": "/?p={{PASS}}", "list": ["{{PASS}}", 1, None]}


def test_equal_passwords_share_a_name_and_different_ones_do_not():
    mask = TraceMask(Secrets({"PASS": "taken already"}))
    texts = [
        mask.learn(performed(Type("1.0", text), element)).action.text
        for text, element in (("first one", PASSWORD), ("second", CODE), ("first one", CODE))
    ]
    assert texts == ["{{PASS_2}}", "{{PASS_3}}", "{{PASS_2}}"]


def test_named_secrets_and_text_of_other_fields_are_not_masked():
    mask = TraceMask(Secrets({"LOGIN": "from the file"}))
    for action, element in (
        (Type("1.0", "{{LOGIN}}"), PASSWORD),
        (Type("1.0", "Ann"), NAME),
        (Click("1.0"), PASSWORD),
    ):
        assert mask.learn(performed(action, element)).action == action


def test_password_in_a_form_is_masked_and_other_values_are_kept():
    form = Fill((FieldValue("Name", "Ann"), FieldValue("Password", "hunter2!")))
    learned = TraceMask(Secrets({})).learn(performed(form, NAME, PASSWORD)).action
    assert [one.value for one in learned.fields] == ["Ann", "{{PASS}}"]


def test_text_for_an_unknown_field_and_keys_for_a_password_are_hidden():
    mask = TraceMask(Secrets({}))
    assert mask.learn(performed(Type("1.0", "hunter2!"))).action.text == HIDDEN
    assert mask.learn(performed(Press("h u n t", "1.0"), PASSWORD)).action.keys == HIDDEN
    form = Fill((FieldValue("Password", "hunter2!"),))
    assert mask.learn(performed(form)).action.fields[0].value == HIDDEN
