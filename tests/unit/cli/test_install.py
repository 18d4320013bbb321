"""``tabwright install``: the settings files of MCP clients."""

import json
import stat
import sys
import tomllib
from pathlib import Path

import pytest

from tabwright import BadInput
from tabwright.cli.install import (
    CLIENTS,
    Folders,
    client_file,
    folders_of,
    install,
    listing,
    server_entry,
    uninstall,
)

ENTRY = server_entry(("--tools", "read"), {"DISPLAY": ":5", "OPENAI_API_KEY": "secret"})
NAMES = [client.name for client in CLIENTS]
JSON_NAMES = [name for name in NAMES if name != "codex"]


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return folders_of("linux", {}, tmp_path)


def servers_in(path: Path, key: str) -> dict[str, dict[str, object]]:
    text = path.read_text()
    settings = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    return settings.get(key, {})


def copies_of(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.bak*"))


@pytest.mark.parametrize("name", NAMES)
def test_installed_entry_has_absolute_command_and_only_display_variable(
    name: str, folders: Folders
) -> None:
    file = client_file(name, folders)
    install(name, ENTRY, folders)
    entry = servers_in(file.path, file.client.key)["tabwright"]
    assert Path(str(entry["command"])).is_absolute()
    assert entry["args"] == [*ENTRY.args[:-2], "--tools", "read"]
    assert ENTRY.args[-3] == "serve"
    assert entry["env"] == {"DISPLAY": ":5"}
    assert ("type" in entry) is (name in {"claude-code", "vscode"})


@pytest.mark.parametrize("name", JSON_NAMES)
def test_install_preserves_other_entries_and_makes_backup(name: str, folders: Folders) -> None:
    file = client_file(name, folders)
    file.path.parent.mkdir(parents=True, exist_ok=True)
    before = {"theme": "dark", file.client.key: {"other": {"command": "x"}}, "z": [1, 2.5, None]}
    file.path.write_text(json.dumps(before))
    file.path.chmod(0o600)
    install(name, ENTRY, folders)
    after = json.loads(file.path.read_text())
    assert list(after) == list(before)
    assert after[file.client.key].pop("tabwright")
    assert after == before
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    [copy] = copies_of(file.path)
    assert json.loads(copy.read_text()) == before


def test_install_keeps_comments_of_a_toml_file(folders: Folders) -> None:
    file = client_file("codex", folders)
    file.path.parent.mkdir(parents=True)
    before = '# mine\nmodel = "o9"  # the best\n\n[mcp_servers.other]\ncommand = "x"\n'
    file.path.write_text(before)
    install("codex", ENTRY, folders)
    assert file.path.read_text().startswith(before)
    uninstall("codex", folders)
    assert file.path.read_text().rstrip() == before.rstrip()


@pytest.mark.parametrize("name", NAMES)
def test_repeated_install_changes_nothing(name: str, folders: Folders) -> None:
    file = client_file(name, folders)
    install(name, ENTRY, folders)
    text = file.path.read_text()
    assert "already" in install(name, ENTRY, folders)
    assert file.path.read_text() == text
    assert copies_of(file.path) == []


@pytest.mark.parametrize("name", NAMES)
def test_uninstall_removes_entry_and_fails_when_repeated(name: str, folders: Folders) -> None:
    file = client_file(name, folders)
    install(name, ENTRY, folders)
    uninstall(name, folders)
    assert servers_in(file.path, file.client.key) == {}
    with pytest.raises(BadInput):
        uninstall(name, folders)


@pytest.mark.parametrize(
    "text", ['{"mcpServers": {} / mine\n}', "[]", '{"mcpServers": []}', "\0", '{"a": 1']
)
def test_unparseable_client_file_is_refused_and_unchanged(text: str, folders: Folders) -> None:
    file = client_file("cursor", folders)
    file.path.parent.mkdir(parents=True)
    file.path.write_text(text)
    with pytest.raises(BadInput):
        install("cursor", ENTRY, folders)
    assert file.path.read_text() == text
    assert [one.name for one in file.path.parent.iterdir()] == ["mcp.json"]


def test_reinstall_keeps_environment_variables_added_by_user(folders: Folders) -> None:
    file = client_file("cursor", folders)
    install("cursor", ENTRY, folders)
    settings = json.loads(file.path.read_text())
    settings["mcpServers"]["tabwright"]["env"]["OPENAI_API_KEY"] = "mine"
    file.path.write_text(json.dumps(settings))
    assert "already" in install("cursor", ENTRY, folders)
    install("cursor", server_entry(("--tools", "act"), {"DISPLAY": ":6"}), folders)
    entry = servers_in(file.path, "mcpServers")["tabwright"]
    assert entry["env"] == {"DISPLAY": ":6", "OPENAI_API_KEY": "mine"}
    assert entry["args"][-1] == "act"


def test_forwarded_ssh_display_is_left_out_of_entry() -> None:
    assert server_entry((), {"DISPLAY": "localhost:10.0"}).env == {}


def test_folders_that_the_user_chose_for_clients_are_used(tmp_path: Path) -> None:
    chosen = {"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x"}
    folders = folders_of("linux", chosen, tmp_path)
    assert client_file("claude-code", folders).path == Path("/c/.claude.json")
    assert client_file("codex", folders).path == Path("/x/config.toml")


def test_every_change_makes_its_own_backup(folders: Folders) -> None:
    file = client_file("cursor", folders)
    install("cursor", ENTRY, folders)
    uninstall("cursor", folders)
    install("cursor", ENTRY, folders)
    assert [copy.name for copy in copies_of(file.path)] == ["mcp.json.bak", "mcp.json.bak2"]


def test_install_through_symlink_changes_target_and_keeps_link(
    folders: Folders, tmp_path: Path
) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    file = client_file("cursor", folders)
    file.path.parent.mkdir(parents=True)
    file.path.symlink_to(real)
    install("cursor", ENTRY, folders)
    assert file.path.is_symlink()
    assert "tabwright" in real.read_text()


def test_unknown_client_is_refused_with_the_nearest(folders: Folders) -> None:
    with pytest.raises(BadInput, match=r"Did you mean cursor\?"):
        client_file("curser", folders)


def test_listing_shows_install_state_of_every_client(folders: Folders) -> None:
    install("cursor", ENTRY, folders)
    states = {
        line.split()[0]: " ".join(line.split()[1:-1]) for line in listing(folders).splitlines()
    }
    assert list(states) == NAMES
    assert states["cursor"] == "added"
    assert states["claude-code"] == "not added"
    assert states["windsurf"] == "not found"


@pytest.mark.parametrize(
    ("platform", "folder"),
    [
        ("darwin", "Library/Application Support"),
        ("linux", ".config"),
        ("win32", "AppData/Roaming"),
    ],
)
def test_desktop_settings_folder_depends_on_platform(platform: str, folder: str) -> None:
    assert folders_of(platform, {}, Path("/h")).programs == Path("/h") / folder


def test_language_and_folder_of_settings_are_passed_on() -> None:
    variables = {"LANG": "de_DE.UTF-8", "LC_ALL": "", "XDG_CONFIG_HOME": "/c", "HOME": "/h"}
    passed_on = {"XDG_CONFIG_HOME": "/c", "LANG": "de_DE.UTF-8"}
    assert server_entry((), variables).env == passed_on
    assert server_entry((), {"LANG": "C.UTF-8"}).env == {}


@pytest.mark.parametrize(
    ("prefix", "args"),
    [
        ("/h/.cache/uv/archive-v0/abc", ("tabwright", "serve")),
        ("/h/.local/share/pipx/.cache/abc", ("run", "tabwright", "serve")),
        ("/h/.local/share/pipx/venvs/tabwright", ("serve",)),
    ],
)
def test_entry_does_not_reference_ephemeral_environment(
    prefix: str, args: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", prefix)
    entry = server_entry((), {})
    assert entry.args == args
    assert prefix not in entry.command or "venvs" in prefix
