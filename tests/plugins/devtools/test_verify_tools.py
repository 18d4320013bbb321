"""Assertions and generated locators, over MCP, on Chromium."""

import re

import pytest

pytestmark = pytest.mark.chromium

BODY = """<h1>Welcome</h1>
<button>Save</button><button data-testid=other>Other</button><button>Same</button>
<button>Same</button>
<label>Name <input value="John Doe"></label><input placeholder="Search here">
<input type=checkbox aria-label=Old checked>
<select aria-label=Tea><option>Green<option selected>Black tea</select>
<button>Go >> there</button><h3>Only once</h3>
<ul aria-label=Fruit tabindex=0><li>Apple<li>Banana</ul>
<div role=alert aria-label="Well done"></div><p hidden>Secret words</p>
<iframe srcdoc="<h2>Inside the frame</h2><img alt=Photo src=data:,>"></iframe>"""


@pytest.fixture
async def ref(site, call):
    site.put("/", BODY)
    outline = await call("navigate", url=site.url(), format="outline")

    def of(name: str, nth: int = 0) -> str:
        lines = [line for line in outline.splitlines() if name in line and "[" in line]
        found = re.search(r"\[\*?([\d.]+)\]", lines[nth])
        assert found, outline
        return found[1]

    return of


PRESENT = [
    {"text": "Welcome"},
    {"text": "Inside the frame"},
    {"role": "button", "name": "Save"},
    {"role": "button", "name": "sav"},
    {"role": "heading", "name": "Inside"},
    {"role": "alert", "name": "Well done"},
    {"role": "img", "name": "Photo"},
    {"role": "checkbox"},
]
MISSING = [
    {"text": "Goodbye"},
    {"text": "Secret words"},
    {"role": "button", "name": "Cancel"},
    {"role": "dialog"},
    {"role": "heading", "name": "Save"},
    {"name": "Save"},
    {},
]


@pytest.mark.smoke
async def test_visible_text_and_elements_are_verified_and_missing_ones_are_errors(call, ref):
    for expected in PRESENT:
        assert "Verified" in await call("verify", **expected)
    for expected in MISSING:
        await call.refused("verify", **expected)


async def test_value_of_a_field_is_verified(call, ref):
    await call("verify", ref=ref('"Name'), value="John Doe")
    await call("verify", ref=ref('"Old"'), value="true")
    await call("verify", ref=ref('"Tea"'), value="Black tea")
    assert "John Doe" in await call.refused("verify", ref=ref('"Name'), value="Jane")
    await call.refused("verify", ref=ref('"Old"'), value="false")
    await call.refused("verify", ref="9.999", value="x")


async def test_locators_find_the_element_again_and_no_other(call, ref):
    assert 'role=button[name="Save"]' in await call("verify", ref=ref('"Save"'))
    assert "getByTestId('other')" in await call("verify", ref=ref('"Other"'))
    for name, nth in (
        ('"Save"', 0),
        ("Go >> there", 0),
        ('"Same"', 0),
        ('"Same"', 1),
        ('"Name', 0),
        ('"Tea"', 0),
    ):
        shown = await call("verify", ref=ref(name, nth))
        css = re.search(r"CSS: (.+)", shown)[1]
        assert await call.value(f"document.querySelectorAll({css!r}).length") == "1"
        locator = re.search(r"Locator: (.+)", shown)[1]
        assert css in await call("verify", ref=locator)
    second = await call("verify", ref=ref('"Same"', 1))
    assert "nth-of-type" in second
    assert "role=" not in second
