"""Upload files and folders with file fields, in a real Chromium."""

import pytest

from tabwright.protocol.actions import Upload
from tabwright.protocol.errors import BadInput, Effect

pytestmark = pytest.mark.chromium

LISTED = "[...i.files].map((one) => one.webkitRelativePath || one.name).sort()"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "site" / "img").mkdir(parents=True)
    (tmp_path / "site" / "index.html").write_text("<p>")
    (tmp_path / "site" / "img" / "a.svg").write_text("<svg/>")
    return tmp_path / "site"


async def test_folder_field_gets_all_files_of_a_folder(agent, folder):
    await agent.show("<input id=i type=file webkitdirectory>")
    await agent.ask(Upload("#i", (str(folder),)))
    assert await agent.value(LISTED) == ["site/img/a.svg", "site/index.html"]


async def test_button_that_opens_a_folder_chooser_gets_a_folder(agent, folder):
    await agent.show(
        "<button id=b onclick=i.click()>Choose</button>"
        "<input id=i type=file webkitdirectory hidden>"
    )
    await agent.ask(Upload("#b", (str(folder),)))
    assert await agent.value(LISTED) == ["site/img/a.svg", "site/index.html"]


@pytest.mark.parametrize("kind", ["", "webkitdirectory"])
@pytest.mark.parametrize("hidden", ["", "hidden"])
async def test_upload_of_file_to_folder_input_or_vice_versa_is_refused(agent, folder, kind, hidden):
    await agent.show(
        f"<button id=b onclick=i.click()>Choose</button><input id=i type=file {kind} {hidden}>"
    )
    given = folder / "index.html" if kind else folder
    refusal = await agent.refused(Upload("#b" if hidden else "#i", (str(given),)))
    assert isinstance(refusal, BadInput)
    assert refusal.effect is (Effect.DONE if hidden else Effect.NONE)
    assert await agent.value("i.files.length") == 0
