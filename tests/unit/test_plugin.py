"""How plugins are found, and what of them is refused."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tabwright.cli.commands.command import CLICommand
from tabwright.cli.exit_codes import ExitCode
from tabwright.cli.main import main
from tabwright.config.loader import override, settings_from
from tabwright.config.settings_group import SettingsGroup
from tabwright.content.extract import extract_snapshot
from tabwright.content.formats import Format, formats
from tabwright.mcp.registry import tools_of
from tabwright.mcp.tool import AnyTool
from tabwright.plugin import (
    BUILT_IN,
    Plugin,
    built_in,
    foreign_places,
    installed,
    named_parts,
    plugin_named,
    plugins,
)
from tabwright.protocol.blocks import Code
from tabwright.protocol.errors import PageFailed, SettingsError
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import LoadedPage, Selection


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The source of an installed plugin `units`."""
    info = tmp_path / "units-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: units\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[tabwright.plugins]\nunits = units_plugin:PLUGIN\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    foreign_places.cache_clear()
    yield tmp_path / "units_plugin.py"
    foreign_places.cache_clear()
    formats.cache_clear()
    sys.modules.pop("units_plugin", None)


UNITS = (
    "from tabwright.plugin import Plugin\nPLUGIN = Plugin(name='units', summary='Converts units.')"
)


CLASHES = """
from tabwright.cli.commands.command import CLICommand
from tabwright.plugin import Plugin

COMMAND = CLICommand("read", "Convert units.", print, ())
PLUGIN = Plugin(name="units", summary="Converts units.", commands=lambda: [COMMAND])
"""


def crawl_of_a_site() -> tuple[AnyTool, ...]:
    [crawl] = (plugin for plugin in built_in() if plugin.name == "crawl")
    return tools_of([crawl])[:1]


def test_plugins_of_tabwright_are_named_like_their_packages() -> None:
    assert tuple(plugin.name for plugin in built_in()) == BUILT_IN


def test_plugin_of_others_is_used_only_if_it_is_enabled(foreign: Path) -> None:
    foreign.write_text(UNITS)
    assert [plugin.name for plugin in installed()] == [*BUILT_IN, "units"]
    assert [plugin.name for plugin in plugins()] == [*BUILT_IN]
    assert [plugin.name for plugin in plugins(["units"])] == [*BUILT_IN, "units"]


READS_UNITS = """
from tabwright.content.documents import snapshot_of_response
from tabwright.content.formats import Format
from tabwright.plugin import Plugin
from tabwright.protocol.blocks import Code

UNITS = Format(
    {".units": "application/units"},
    lambda declared, body: "",
    lambda kind, body: kind == "application/units",
    lambda fetched, kind, selection: snapshot_of_response(fetched, kind, (Code("3 m"),)),
)
PLUGIN = Plugin(name="units", summary="Reads units.", formats=lambda: [UNITS])
"""


def test_format_of_others_is_read_only_if_its_plugin_is_enabled(foreign: Path) -> None:
    foreign.write_text(READS_UNITS)
    file = Fetched(LoadedPage("https://a.example/three.units", 200, ""), b"\0")
    with pytest.raises(PageFailed):
        extract_snapshot(file, Selection(), 1)
    read = extract_snapshot(file, Selection(), 1, ("units",)).snapshot
    assert (read.media_type, read.content) == ("application/units", (Code("3 m"),))


def test_enabled_plugin_that_is_not_installed_is_refused() -> None:
    with pytest.raises(SettingsError):
        list(plugins(["unheard-of"]))


@pytest.mark.parametrize("source", ["PLUGIN = 1", "import unheard_of", "", "raise ImportError"])
def test_plugin_that_cannot_be_imported_is_a_mistake_in_the_settings(
    foreign: Path, source: str
) -> None:
    foreign.write_text(source)
    with pytest.raises(SettingsError, match="units"):
        plugin_named("units")


def test_part_of_another_class_is_refused_with_the_name_of_the_plugin() -> None:
    plugin = Plugin(name="units", summary="Converts units.", formats=lambda: ["metre"])
    with pytest.raises(SettingsError, match="units adds a str"):
        plugin.parts("formats", Format)


async def work(_settings, _options):
    return 0


def test_part_with_the_name_of_another_one_is_refused_with_the_name_of_the_plugin() -> None:
    command = CLICommand("browse", "Convert units.", work, ())
    plugin = Plugin(name="units", summary="Converts units.", commands=lambda: [command])
    assert named_parts([plugin], "commands", CLICommand, ["config"]) == (command,)
    for taken, those in ((["browse"], [plugin]), ([], [plugin, plugin])):
        with pytest.raises(SettingsError, match="units adds browse to the commands"):
            named_parts(those, "commands", CLICommand, taken)


def test_tools_of_a_plugin_are_in_its_groups() -> None:
    with pytest.raises(SettingsError, match="units adds tools, but no group"):
        Plugin(name="units", summary="Converts units.", tools=list)
    [tool] = crawl_of_a_site()
    plugin = Plugin(name="units", summary="Converts.", groups=("units",), tools=lambda: [tool])
    with pytest.raises(SettingsError, match=f"{tool.name} is in the group crawl"):
        tools_of([plugin])


@pytest.mark.parametrize("source", ["import unheard_of", CLASHES])
def test_plugin_of_others_that_is_wrong_is_named_at_the_shell(foreign, source, capsys) -> None:
    foreign.write_text(source)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["tabwright", "convert"])
        assert main() == ExitCode.WRONG_USE
    assert "The plugin units" in capsys.readouterr().err


@pytest.mark.parametrize(
    "plugin", [one for one in built_in() if one.parts("settings", SettingsGroup)]
)
def test_settings_of_a_plugin_have_their_defaults_until_one_is_changed(plugin: Plugin) -> None:
    [group] = plugin.parts("settings", SettingsGroup)
    assert group.name == plugin.name
    assert group.of(settings_from()) == group.default


def test_setting_of_a_plugin_is_read_and_checked_like_one_of_the_core() -> None:
    [group] = built_in()[0].parts("settings", SettingsGroup)
    assert group.of(settings_from(override(playwright__caps=("pdf",)))).caps == ("pdf",)
    with pytest.raises(SettingsError, match=r"playwright\.caps"):
        settings_from(override(playwright__caps=("cooking",)))
    with pytest.raises(SettingsError, match=r"playwright\.cap"):
        settings_from(override(playwright__cap=("pdf",)))
