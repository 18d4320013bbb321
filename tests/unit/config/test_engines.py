from pathlib import Path

import pytest

from tabwright.config.engines import EngineConfig, RatePolicy, load_engines
from tabwright.config.search_parsers import load_parsers
from tabwright.config.yaml_tables import WEB
from tabwright.protocol.errors import SettingsError

POLICY = {
    "mojeek": (2, 4, None),
    "duckduckgo": (3, 2, None),
    "ecosia": (4, 3, None),
    "startpage": (5, 5, None),
    "brave": (5, 10, 50),
    "google": (10, 20, 10),
    "bing": (10, 20, 10),
}


def loaded(tmp_path: Path, text: str) -> EngineConfig:
    path = tmp_path / "my.yaml"
    path.write_text(text)
    return load_engines(path, load_parsers())


def mistakes(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        loaded(tmp_path, text)
    head, *lines = caught.value.message.splitlines()
    assert head == "The settings cannot be used:"
    return [line.removeprefix(f"  {tmp_path}/") for line in lines]


@pytest.mark.parametrize("engine", POLICY)
def test_the_shipped_policy_is_that_of_the_table(engine: str) -> None:
    pace = load_engines().paces[engine]
    assert (pace.priority, pace.min_interval_s, pace.daily_limit) == POLICY[engine]
    assert pace.concurrency == 1


def test_default_engines_are_mojeek_duckduckgo_and_brave() -> None:
    assert load_engines(None, load_parsers()).default == ("mojeek", "duckduckgo", "brave")


def test_engines_file_overrides_only_the_keys_it_sets(tmp_path: Path) -> None:
    text = "default: [bing]\nengines: {brave: {daily_limit: null}}\nweb: {concurrency: 9}\n"
    engines, shipped = loaded(tmp_path, text), load_engines()
    assert engines.default == ("bing",)
    assert engines.paces["brave"] == RatePolicy(10, 1, None, 60, 5)
    assert engines.paces[WEB] == RatePolicy(0, 9)
    assert engines.paces["mojeek"] == shipped.paces["mojeek"]


def test_a_file_may_add_an_engine(tmp_path: Path) -> None:
    text = "engines:\n  mine: {min_interval_s: 1, concurrency: 2}\n"
    assert loaded(tmp_path, text).paces["mine"] == RatePolicy(1, 2)


@pytest.mark.parametrize("text", ["", "{}", "engines:\n", "engines: {brave: }\n", "web:\n"])
def test_a_file_that_sets_nothing_changes_nothing(tmp_path: Path, text: str) -> None:
    assert loaded(tmp_path, text) == load_engines()


def test_every_mistake_of_a_file_is_reported_with_its_line(tmp_path: Path) -> None:
    text = """\
defaults: [mojeek]
engines:
  brave:
    min_intervall_s: 3
    concurrency: many
  bing: slow
  mine: {concurrency: 0}
web: {min_interval_s: -1}
"""
    assert mistakes(tmp_path, text) == [
        "my.yaml:1: defaults: unknown key. Did you mean 'default'?",
        "my.yaml:4: engines.brave.min_intervall_s: unknown key. Did you mean 'min_interval_s'?",
        "my.yaml:5: engines.brave.concurrency: Expected `int`, got `str`",
        "my.yaml:6: engines.bing: expected a mapping of keys to values",
        "my.yaml:7: engines.mine.min_interval_s: is missing",
        "my.yaml:7: engines.mine.concurrency: Expected `int` >= 1",
        "my.yaml:8: web.min_interval_s: Expected `float` >= 0.0",
    ]


def test_default_engine_needs_rate_policy_and_parser(tmp_path: Path) -> None:
    assert mistakes(tmp_path, "# mine\ndefault: [bing, altavista, google_ai_mode]\n") == [
        "my.yaml:2: default: 'altavista' has no entry under engines",
        "my.yaml:2: default: 'altavista' has no parser in search_parsers.yaml",
        "my.yaml:2: default: 'google_ai_mode' has no parser in search_parsers.yaml",
    ]


def test_default_engine_may_use_custom_parser(tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text("default: [mine]\nengines: {mine: {min_interval_s: 1, concurrency: 1}}\n")
    assert load_engines(path, {"mine"}).default == ("mine",)


@pytest.mark.parametrize("number", [".inf", "-.inf", ".nan"])
def test_non_finite_rate_interval_is_refused(tmp_path: Path, number: str) -> None:
    reported = number.replace(".", "")
    assert mistakes(tmp_path, f"engines:\n  mojeek:\n    min_interval_s: {number}\n") == [
        f"my.yaml:3: engines.mojeek.min_interval_s: Expected a finite number, got {reported}"
    ]


def test_reserved_engine_name_web_is_refused(tmp_path: Path) -> None:
    text = "engines:\n  mojeek: {priority: 3}\n  web: {min_interval_s: 1, concurrency: 1}\n"
    (mistake,) = mistakes(tmp_path, text)
    assert mistake.startswith("my.yaml:3: engines.web: this name is reserved.")


@pytest.mark.parametrize("text", ["default: []\n", "default: mojeek\n", "default:\n"])
def test_default_engines_must_be_non_empty_list(tmp_path: Path, text: str) -> None:
    (mistake,) = mistakes(tmp_path, text)
    assert mistake.startswith("my.yaml:1: default: Expected `array`")


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        load_engines(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    ("category", "language", "engine"),
    [
        ("web", "", "duckduckgo"),
        ("web", "de-AT", "duckduckgo"),
        ("web", "zh-TW", "baidu"),
        ("science", "zh", "pubmed"),
    ],
)
def test_usual_engines_follow_category_and_language(category, language, engine) -> None:
    assert engine in load_engines().usual(category, language)
    assert ("baidu" in load_engines().usual(category, language)) == (engine == "baidu")
