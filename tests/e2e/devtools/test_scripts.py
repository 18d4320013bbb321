"""Scripts with several elements, and their values in files, over MCP, on Chromium."""

import json

import pytest

pytestmark = pytest.mark.chromium

GROUP = "<div id=group><button>One</button></div><iframe srcdoc='<button>In</button>'></iframe>"


@pytest.fixture
async def page(site, call) -> str:
    site.put("/", GROUP)
    await call("navigate", url=site.url(), format="outline")
    return site.url()


async def test_script_receives_its_elements_in_order(call, page):
    tags = "(...all) => all.map(one => one.tagName)"
    contains = "(a, b) => a.contains(b)"
    button = "role=button[name=One]"
    assert await call("evaluate", script=contains, ref="#group", refs=[button]) == "true"
    assert await call("evaluate", script=contains, refs=[button, "#group"]) == "false"
    assert await call("evaluate", script=tags, ref="body", refs=[button]) == '["BODY","BUTTON"]'


async def test_script_with_elements_of_different_frames_is_refused_and_not_run(call, page):
    script = "() => { document.title = 'run' }"
    refused = await call.refused("evaluate", script=script, ref="#group", refs=["text=In"])
    assert "frame" in refused
    assert await call.value("document.title") == '"Up"'


async def test_value_is_written_into_a_file_of_the_download_folder(call, page, tmp_path):
    script = "({text: 'tab\\there', n: [1, 2]})"
    saved = await call("evaluate", script=script, filename="out.json")
    path = tmp_path / "downloads" / "out.json"
    assert str(path) in saved
    assert "there" not in saved
    assert json.loads(path.read_text()) == {"text": "tab\there", "n": [1, 2]}


async def test_script_value_is_returned_with_notice_when_it_cannot_be_saved(open_caller, site):
    site.put("/", GROUP)
    async with open_caller(acting={"downloads": None}) as call:
        await call("navigate", url=site.url(), format="outline")
        reported = await call("evaluate", script="document.title = 'run'", filename="out.json")
        assert '"run"' in reported
        assert "not saved" in reported


async def test_value_of_interrupted_script_is_reported_as_not_saved(call, page):
    reported = await call("evaluate", script="confirm('Sure?')", filename="out.json")
    assert "not saved" in reported
    assert "true" in await call("dialog", accept=True)
