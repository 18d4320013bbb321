import json

import pytest
from jsonschema import Draft202012Validator

from tabwright.agent.actions import ACTIONS
from tabwright.agent.replies import NAVIGATOR, PLANNER, VALIDATOR, navigator_reply_in

FORMS = [PLANNER, NAVIGATOR, VALIDATOR]
PLAIN = {"type", "description", "properties", "required", "items"}


def parts(schema):
    """Yield a schema and every schema within it."""
    yield schema
    inner = [*schema.get("properties", {}).values(), *filter(None, [schema.get("items")])]
    for one in inner:
        yield from parts(one)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_schemas_use_only_features_that_every_vendor_supports(form):
    Draft202012Validator.check_schema(form.schema)
    for part in parts(form.schema):
        assert set(part) <= PLAIN
        assert part["type"] in {"object", "array", "string", "boolean", "integer", "number"}
        assert part["type"] != "object" or part["properties"]
        assert "\n" not in part.get("description", "")


def test_navigator_schema_contains_every_action():
    actions = NAVIGATOR.schema["properties"]["action"]["items"]["properties"]
    assert list(actions) == list(ACTIONS)
    assert actions["click_element"]["required"] == ["index"]
    assert actions["answer_dialog"]["properties"]["text"] == {
        "type": "string",
        "description": "Answer to a prompt; default: the suggested text.",
    }


def test_json_of_a_navigator_reply_keeps_to_its_schema():
    move = navigator_reply_in(
        '{"action": [{"done": {"text": "x", "success": true}}, {"scroll_up": {}}]}'
    )
    Draft202012Validator(NAVIGATOR.schema).validate(json.loads(move.json))
