"""Files given to pages and left behind by them, and whose scripts run (T10, T11, T13)."""

import pytest
import trio

from tabwright.protocol.extraction import ReadOptions
from tabwright.testing.demo import text_of

pytestmark = pytest.mark.chromium


async def test_upload_accepts_only_files_in_allowed_folders(
    web, write_config, open_client, tmp_path
):
    allowed, outside = tmp_path / "allowed", tmp_path / "allowed-not" / "id_rsa"
    for folder in (allowed, outside.parent):
        folder.mkdir()
    outside.write_text("CANARY")
    (allowed / "given.txt").write_text("given")
    (allowed / "link.txt").symlink_to(outside)
    (allowed / "folder").symlink_to(outside.parent)
    (allowed / "hard.txt").hardlink_to(outside)
    (allowed / ".git").mkdir()
    for hidden in (".env", ".git/config", ".listed"):
        (allowed / hidden).write_text("CANARY")
    web.put("/", "<input type=file aria-label=File onchange='document.title = files[0].name'>")
    acting = {"upload_roots": [str(allowed), str(allowed / ".listed")], "downloads": None}
    async with open_client(write_config(acting=acting)) as client:
        taken = await client.call_tool("navigate", {"url": web.url("/"), "format": "outline"})
        (line,) = [line for line in text_of(taken).splitlines() if '"File"' in line]
        ref = line.partition("[")[2].partition("]")[0]
        for path in (
            outside,
            allowed / "link.txt",
            allowed / "folder" / "id_rsa",
            allowed / ".." / "allowed-not" / "id_rsa",
            "~/.ssh/id_rsa",
            allowed / "hard.txt",
            allowed / ".env",
            allowed / ".git" / "config",
            f"{allowed / 'given.txt'}\0",
            "/etc/hostname",
            "/proc/self/environ",
        ):
            refused = await client.call_tool("upload", {"ref": ref, "paths": [str(path)]})
            assert refused.is_error
            assert refused.meta["tabwright/error"]["kind"] == "bad_input"
            assert refused.meta["tabwright/error"]["effect"] == "none"
            assert "CANARY" not in text_of(refused)
        for name in ("given.txt", ".listed"):
            paths = [str(allowed / name)]
            given = await client.call_tool("upload", {"ref": ref, "paths": paths})
            assert not given.is_error
            assert name in text_of(given)


async def test_scripts_of_an_agent_are_refused_unless_the_user_allows_them(
    web, write_config, open_client
):
    web.put("/", "<title>As it was</title>")
    script = {"script": "document.title = 'CHANGED'"}
    async with open_client(write_config()) as client:
        await client.call_tool("navigate", {"url": web.url("/"), "format": "outline"})
        refused = await client.call_tool("evaluate", script)
        taken = await client.call_tool("snapshot", {"format": "outline"})
    assert refused.is_error
    assert "acting.scripts" in text_of(refused)
    assert "As it was" in text_of(taken)
    assert "CHANGED" not in text_of(taken)


async def test_download_started_by_page_while_reading_leaves_no_file(
    web, open_loopback_client, monkeypatch, tmp_path
):
    monkeypatch.setenv("HOME", str(tmp_path))
    web.put("/big", "x" * 100_000)
    web.put("/next", "<h1>Next</h1>")
    web.put("/", "<a href=/big download=big>Get</a><script>document.links[0].click()</script>")
    async with open_loopback_client() as tabwright:
        await tabwright.read(web.url("/"), ReadOptions(min_tier=2))
        with trio.fail_after(60):
            while "/big" not in [seen.path for seen in web.log]:
                await trio.sleep(0.05)
        await tabwright.read(web.url("/next"), ReadOptions(min_tier=2))
    assert [path for path in tmp_path.rglob("*big*") if path.is_file()] == []
    assert not (tmp_path / "Downloads").exists()
