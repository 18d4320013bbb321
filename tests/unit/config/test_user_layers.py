from collections.abc import Mapping
from pathlib import Path

import pytest

from tabwright.config.loader import (
    Layer,
    LayerEntry,
    LayerRank,
    core_keys,
    override,
    settings_from,
    variable_of,
)
from tabwright.config.user_layers import (
    environment_layer,
    locale_layer,
    text_value,
    user_file,
    user_layers,
)
from tabwright.protocol.errors import SettingsError


@pytest.fixture
def own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path of the user's settings file, which does not exist yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = user_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def test_user_file_missing_leaves_the_defaults(own_file: Path) -> None:
    assert not own_file.exists()
    assert settings_from(*user_layers({})) == settings_from()


def test_user_file_is_read_if_it_exists(own_file: Path) -> None:
    own_file.write_text("pool: {workers: 3}\n")
    assert settings_from(*user_layers({})).pool.workers == 3


def test_user_file_is_not_read_without_user_layers(
    own_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_file.write_text("pool: {workers: 3}\n")
    monkeypatch.setenv("TABWRIGHT_POOL__WORKERS", "4")
    assert settings_from().pool.workers == 1


def test_named_file_replaces_the_user_file(own_file: Path, tmp_path: Path) -> None:
    own_file.write_text("pool: {workers: 3}\n")
    named = tmp_path / "named.yaml"
    named.write_text("pool: {max_tabs: 2}\n")
    settings = settings_from(*user_layers({}, named))
    assert (settings.pool.workers, settings.pool.max_tabs) == (1, 2)


def test_named_file_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        user_layers({}, tmp_path / "missing.yaml")


def test_user_file_mistake_is_reported_with_its_line(own_file: Path) -> None:
    own_file.write_text("pool:\n  workers: many\n")
    with pytest.raises(SettingsError) as caught:
        settings_from(*user_layers({}))
    assert f"{own_file}:2: pool.workers" in caught.value.message


def test_environment_overrides_the_file_and_code_overrides_both(own_file: Path) -> None:
    own_file.write_text("pool: {workers: 3, max_tabs: 3, max_held_tabs: 3}\n")
    variables = {"TABWRIGHT_POOL__WORKERS": "4", "TABWRIGHT_POOL__MAX_TABS": "4"}
    pool = settings_from(*user_layers(variables), override(pool__workers=5)).pool
    assert (pool.workers, pool.max_tabs, pool.max_held_tabs) == (5, 4, 3)


def test_user_layers_read_process_environment_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABWRIGHT_POOL__WORKERS", "4")
    assert settings_from(*user_layers()).pool.workers == 4


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("search.language", "en-US", "en-US"),
        ("search.language", "no", "no"),
        ("search.language", "null", None),
        ("pool.workers", "2", 2),
        ("browser.headless", "false", False),
        ("network.page_timeout_s", "1.5", 1.5),
        ("mcp.tools", "[read, act]", ["read", "act"]),
        ("mcp.tools", "read, act", ["read", "act"]),
        ("mcp.tools", "read", ["read"]),
        ("mcp.tools", "null", None),
        ("network.languages", "no", ["no"]),
        ("network.allow_urls", "", []),
        ("network.allow_urls", "*.example.com,example.org", ["*.example.com", "example.org"]),
        ("network.user_agent", "4", "4"),
        ("browser.profile", "2024-10-21", "2024-10-21"),
        ("models.roles", "{planner: {tools: none}}", {"planner": {"tools": "none"}}),
        ("browser.path", "@odd: [", "@odd: ["),
    ],
)
def test_setting_text_is_parsed_by_type_of_setting(key: str, text: str, value: object) -> None:
    assert text_value(key, text) == value
    settings_from(Layer(LayerRank.FLAGS, {key: LayerEntry(value, "here")}))


def test_environment_variables_are_parsed_into_settings() -> None:
    layer = environment_layer({"TABWRIGHT_MCP__TOOLS": "read,act", "TABWRIGHT_POOL__WORKERS": "2"})
    assert {key: entry.value for key, entry in layer.entries.items()} == {
        "mcp.tools": ["read", "act"],
        "pool.workers": 2,
    }


def test_empty_variable_sets_nothing() -> None:
    assert environment_layer({"TABWRIGHT_POOL__WORKERS": ""}).entries == {}
    with pytest.raises(SettingsError, match="TABWRIGHT_POOL__WORKER: unknown"):
        settings_from(environment_layer({"TABWRIGHT_POOL__WORKER": ""}))


def test_user_file_in_inaccessible_folder_is_ignored(
    own_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path) -> bool:
        raise PermissionError

    monkeypatch.setattr(Path, "exists", refuse)
    assert settings_from(*user_layers({})) == settings_from()


def test_every_setting_has_a_variable() -> None:
    read = {key: list(environment_layer({variable_of(key): "1"}).entries) for key in core_keys()}
    assert read == {key: [key] for key in core_keys()}


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("TABWRIGHT_SEARCH__LANGUAG", " Did you mean TABWRIGHT_SEARCH__LANGUAGE?"),
        ("TABWRIGHT_SEARCH_LANGUAGE", " Did you mean TABWRIGHT_SEARCH__LANGUAGE?"),
        ("TABWRIGHT_ZZZ", ""),
    ],
)
def test_unknown_variable_is_refused_with_suggestion(variable: str, meant: str) -> None:
    with pytest.raises(SettingsError) as caught:
        settings_from(environment_layer({variable: "x"}))
    [mistake] = caught.value.message.splitlines()[1:]
    assert mistake == f"  {variable}: unknown environment variable.{meant}"


@pytest.mark.parametrize(
    ("variable", "text", "problem"),
    [
        ("TABWRIGHT_POOL__WORKERS", "many", "pool.workers: Expected `int`, got `str`"),
        ("TABWRIGHT_MCP__TOOLS", "read,acting", "mcp.tools: there is no group 'acting'"),
    ],
)
def test_invalid_variable_value_is_reported_with_variable_name(
    variable: str, text: str, problem: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        settings_from(environment_layer({variable: text}))
    assert f"  {variable}: {problem}" in caught.value.message


def test_unrelated_environment_variables_are_ignored() -> None:
    assert environment_layer({"PATH": "/bin", "tabwright_pool__workers": "2"}).entries == {}


# The language of answers.


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, None),
        ({"LANG": "de_DE.UTF-8"}, "de-DE"),
        ({"LANG": "pt_BR"}, "pt-BR"),
        ({"LANG": "sr_RS@latin"}, "sr-RS"),
        ({"LANG": "fr"}, "fr"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "fr_FR.UTF-8"}, "fr-FR"),
        ({"LANG": "de_DE", "LC_MESSAGES": "fr_FR", "LC_ALL": "ja_JP.UTF-8"}, "ja-JP"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": ""}, "de-DE"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "C.UTF-8"}, None),
        ({"LANG": "C"}, None),
        ({"LANG": "POSIX"}, None),
        ({"LANG": "C.UTF-8"}, None),
        ({"LANG": "../../etc"}, None),
    ],
)
def test_locale_determines_search_language(
    environment: Mapping[str, str], language: str | None
) -> None:
    layer = locale_layer(environment)
    assert layer.rank is LayerRank.LOCALE
    entry = layer.entries.get("search.language")
    assert (entry.value if entry else None) == language


GERMAN = {"LANG": "de_DE.UTF-8"}


@pytest.mark.parametrize(
    ("environment", "values", "language"),
    [
        ({}, {}, "zh-CN"),
        ({"LANG": "C.UTF-8"}, {}, "zh-CN"),
        (GERMAN, {}, "de-DE"),
        (GERMAN, {"network__languages": ["ja", "en"]}, "ja"),
        (GERMAN, {"network__languages": None}, "de-DE"),
        (GERMAN, {"network__languages": ["ja"], "search__language": "fr-FR"}, "fr-FR"),
        ({**GERMAN, "TABWRIGHT_SEARCH__LANGUAGE": "en-US"}, {}, "en-US"),
        ({**GERMAN, "TABWRIGHT_NETWORK__LANGUAGES": "ko-KR, en"}, {}, "ko-KR"),
    ],
)
def test_answer_language_follows_setting_precedence(
    environment: Mapping[str, str], values: Mapping[str, object], language: str
) -> None:
    settings = settings_from(*user_layers(environment), override(**values))
    assert settings.language == language


def test_languages_of_pages_do_not_follow_the_locale() -> None:
    assert settings_from(*user_layers(GERMAN)).network.page_languages == ("en-US",)
    set_by_code = settings_from(override(network__languages=["de", "en"]))
    assert set_by_code.network.page_languages == ("de", "en")
