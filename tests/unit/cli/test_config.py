import json
import re
from pathlib import Path

import pytest

from tabwright.cli.command_line import parser
from tabwright.cli.config import starter
from tabwright.config.explanations import meaning_of, meanings
from tabwright.config.loader import (
    LayerRank,
    all_keys,
    core_keys,
    default_layer,
    layer_of,
    settings_from,
)
from tabwright.config.user_layers import user_file
from tabwright.config.yaml_tables import parse_table
from tabwright.protocol.errors import SettingsError


@pytest.fixture
def own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path of the user's settings file, which does not exist yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return user_file()


def run(*arguments: str) -> int:
    options = parser().parse_args(["config", *arguments])
    return options.command.work.run(options)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(text)


def test_show_lists_every_setting_with_its_source(
    own_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(own_file, "pool:\n  workers: 2\n  max_tabs: 2\n  max_held_tabs: 2\n")
    monkeypatch.setenv("TABWRIGHT_POOL__MAX_TABS", "3")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert run("show", "--set", "pool.max_held_tabs=5", "--verbose") == 0
    lines = capsys.readouterr().out.splitlines()
    shown = {line.split()[0]: line.split(None, 2)[1:] for line in lines}
    assert list(shown) == list(all_keys())
    assert shown["pool.workers"] == ["2", f"{own_file}:2"]
    assert shown["pool.max_tabs"] == ["3", "TABWRIGHT_POOL__MAX_TABS"]
    assert shown["pool.max_held_tabs"] == ["5", "--set pool.max_held_tabs"]
    assert shown["log.level"] == ["info", "--verbose or --quiet"]
    assert shown["search.language"] == ["de-DE", "LC_ALL"]
    assert shown["network.page_timeout_s"] == ["30", "default"]


def test_show_as_json_has_value_layer_and_source(
    own_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(own_file, "mcp:\n  tools: [read]\n")
    assert run("show", "--json") == 0
    shown = {one["setting"]: one for one in json.loads(capsys.readouterr().out)}
    assert list(shown) == list(all_keys())
    assert shown["mcp.tools"] == {
        "setting": "mcp.tools",
        "value": ["read"],
        "layer": "user_file",
        "source": f"{own_file}:2",
    }
    assert shown["pool.workers"]["layer"] == "defaults"


def test_show_reports_mistakes_in_file_given_with_config_option(tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text("pool:\n  worker: 2\n")
    with pytest.raises(SettingsError, match=r"my\.yaml:2: unknown setting 'pool\.worker'"):
        run("show", "--config", str(path))


def test_show_hides_tokens_of_endpoints(capsys: pytest.CaptureFixture[str]) -> None:
    endpoint = "wss://browser.example/devtools?token=hunter2"
    assert run("show", "--cdp-endpoint", endpoint) == 0
    assert run("explain", "browser.cdp_endpoint", "--cdp-endpoint", endpoint, "--json") == 0
    reported = capsys.readouterr().out
    assert "browser.example" in reported
    assert "hunter2" not in reported


def test_show_hides_headers_for_endpoints(capsys: pytest.CaptureFixture[str]) -> None:
    header = ("--cdp-header", "Authorization: Bearer hunter2")
    assert run("show", *header) == 0
    assert run("explain", "browser.cdp_headers", *header, "--json") == 0
    assert "hunter2" not in capsys.readouterr().out


def test_path_is_printed_also_if_the_settings_are_wrong(
    own_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TABWRIGHT_ZZZ", "1")
    assert run("path") == 0
    reported = capsys.readouterr()
    assert reported.out == f"{own_file}\n"
    assert "does not exist" in reported.err
    write(own_file, "no: [yaml")
    assert run("path") == 0
    assert capsys.readouterr() == (f"{own_file}\n", "")


def test_init_writes_private_file_and_never_overwrites_it(
    own_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("init") == 0
    assert own_file.read_text() == starter()
    assert own_file.stat().st_mode & 0o777 == 0o600
    own_file.write_text("pool: {workers: 2}\n")
    assert run("init") == 2
    assert "already exists" in capsys.readouterr().err
    assert own_file.read_text() == "pool: {workers: 2}\n"


def test_init_below_regular_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert run("init", "--config", str(tmp_path / "file" / "my.yaml")) == 2
    assert "is a file, not a folder" in capsys.readouterr().err


def test_starter_file_leaves_default_settings_unchanged() -> None:
    layer = layer_of(parse_table(starter(), "s"), LayerRank.USER_FILE)
    assert settings_from(layer) == settings_from()


def test_uncommented_starter_file_sets_every_default() -> None:
    text = re.sub(r"^  #(?=\S)", "  ", starter(), flags=re.MULTILINE)
    entries = layer_of(parse_table(text, "s"), LayerRank.USER_FILE).entries
    defaults = default_layer().entries
    assert {key: entry.value for key, entry in entries.items()} == {
        key: entry.value for key, entry in defaults.items()
    }
    assert list(entries) == list(defaults)


def test_explain_describes_a_setting(own_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(own_file, "reading:\n  links: inline\n  linkz: 1\n")
    assert run("explain", "reading.links") == 0
    reported = capsys.readouterr().out
    assert reported.startswith("reading.links\n\nLinks in Markdown: ")
    facts = dict(line.split(":", 1) for line in reported.splitlines()[4:])
    assert {name: fact.strip() for name, fact in facts.items()} == {
        "Type": "numbered or inline",
        "Default": "numbered",
        "Value": "inline",
        "Source": f"{own_file}:2",
        "Variable": "TABWRIGHT_READING__LINKS",
    }


def test_explain_as_json_includes_all_facts(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("explain", "pool.workers", "--set", "pool.workers=2", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "setting": "pool.workers",
        "value": 2,
        "layer": "flags",
        "source": "--set pool.workers",
        "meaning": meanings()["pool.workers"],
        "type": "integer from 1 up to 100",
        "default": 1,
        "variable": "TABWRIGHT_POOL__WORKERS",
    }


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["explain", "pool.worker"], "Did you mean 'pool.workers'?"),
        (["explain", "session"], "session is a group: session.sleep_after_s, "),
    ],
)
def test_wrong_arguments_exit_with_2_and_hint(
    arguments: list[str], reported: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments) == 2
    assert reported in capsys.readouterr().err


def test_every_setting_has_a_meaning() -> None:
    assert list(meanings()) == [*core_keys()]
    assert [key for key in all_keys() if not meaning_of(key).endswith(".")] == []
