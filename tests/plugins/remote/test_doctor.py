"""What `tabwright doctor` reports of remote browsers."""

from tabwright.cli.doctor import examine
from tabwright.config.loader import override, settings_from


async def test_each_source_is_listed_and_tried_without_its_token() -> None:
    listed = [
        {"url": "grid+http://me:hunter2@127.0.0.1:1", "browsers": 3},
        {"url": "browserless+ws://127.0.0.1:1/chromium?token=hunter2"},
    ]
    settings = settings_from(override(remote__sources=listed))
    findings = await examine(settings, {})
    browsers = [one.text for one in findings if one.subject == "browser"]
    assert browsers == ["up to 3 of grid 127.0.0.1:1", "up to 1 of browserless 127.0.0.1:1"]
    pages = [one for one in findings if one.subject == "page"]
    assert [one.ok for one in pages] == [False, False]
    assert pages[0].text.startswith("grid 127.0.0.1:1: ")
    assert "hunter2" not in str(findings)
