from typing import get_args

import attrs
import pytest

from tabwright.config.loader import LayerRank, layer_of, load_settings, override
from tabwright.config.settings import UNNAMED, ModelChoice, ModelOverride, ProviderName
from tabwright.config.yaml_tables import parse_table
from tabwright.llm.providers import PROVIDERS
from tabwright.protocol.errors import SettingsError
from tabwright.protocol.tasks import Limits

OTHERS = {"provider": "openai", "name": "m", "base_url": "https://a.example/v1", "key": "MINE"}


def test_every_provider_can_be_set() -> None:
    assert set(get_args(ProviderName)) == {*PROVIDERS, *UNNAMED}


def test_a_part_may_differ_in_everything() -> None:
    names = [field.name for field in attrs.fields(ModelChoice)]
    assert names == list(ModelOverride.__struct_fields__)


def test_a_part_differs_in_what_is_said_of_it_alone() -> None:
    models = load_settings(
        override(
            models__provider="openai",
            models__name="big",
            models__temperature=0.5,
            models__navigator={"name": "small", "temperature": None},
        )
    ).models
    planner, navigator = models.of("planner"), models.of("navigator")
    assert (planner.name, planner.temperature) == ("big", 0.5)
    assert navigator == attrs.evolve(planner, name="small", temperature=None)


def test_with_another_provider_nothing_is_kept_that_was_for_the_first() -> None:
    values = {f"models__{name}": value for name, value in OTHERS.items()}
    settings = load_settings(override(**values, models__validator={"provider": "anthropic"}))
    validator = settings.models.of("validator")
    assert (validator.name, validator.base_url, validator.key) == (None, None, None)
    assert settings.models.of("planner").key == "MINE"


@pytest.mark.parametrize("name", ["name", "base_url", "api_version", "key"])
@pytest.mark.parametrize("provider", ["auto", "client"])
def test_it_has_to_be_said_whose_a_key_or_an_address_is(name: str, provider: str) -> None:
    values = {f"models__{name}": "https://a.example" if name == "base_url" else "A"}
    with pytest.raises(SettingsError, match=rf"models\.{name}: .* Set models\.provider"):
        load_settings(override(models__provider=provider, **values))
    with pytest.raises(SettingsError, match=rf"models\.{name}: .* Set models\.provider"):
        load_settings(override(models__planner={name: values[f"models__{name}"]}))


@pytest.mark.parametrize(
    "url",
    [
        "a.example/v1",
        "ftp://a.example",
        "https://me:hunter2@a.example",
        "https://a.example/?key=hunter2",
        "https://a.example/#hunter2",
        "https://",
        " https://a.example",
    ],
)
def test_an_address_that_is_none_is_reported_and_not_repeated(url: str) -> None:
    with pytest.raises(SettingsError, match=r"models\.base_url") as caught:
        load_settings(override(models__provider="custom", models__base_url=url))
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("part", "reported"),
    [
        ("{temprature: 1}", "temprature"),
        ("{temperature: 3}", "<= 2"),
        ("{provider: nobody}", "nobody"),
        ("{key: sk-hunter2}", "regex"),
        ("high", "object"),
    ],
)
def test_a_mistake_in_a_part_is_reported_with_its_line(part: str, reported: str) -> None:
    table = parse_table(f"models:\n  planner: {part}\n", "my.yaml")
    layer = layer_of(table, LayerRank.USER_FILE)
    with pytest.raises(SettingsError) as caught:
        load_settings(layer)
    (mistake,) = caught.value.message.splitlines()[1:]
    assert mistake.startswith("  my.yaml:2: models.planner: ")
    assert reported in mistake
    assert "hunter2" not in mistake


def test_the_name_of_a_key_shows_in_no_repr() -> None:
    values = {f"models__{name}": value for name, value in OTHERS.items()}
    assert "MINE" not in repr(load_settings(override(**values)))


def test_the_limits_of_a_task_are_those_of_the_settings() -> None:
    assert load_settings().agent.limits == Limits()
    changed = load_settings(
        override(agent__steps_max=5, agent__validate=False, agent__pictures=["planner"])
    )
    limits = Limits(steps_max=5, validates=False, pictures=("planner",))
    assert changed.agent.limits == limits
