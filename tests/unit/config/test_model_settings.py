from typing import get_args

import attrs
import pytest

from tabwright.config.loader import LayerRank, layer_of, override, settings_from
from tabwright.config.settings import UNNAMED, ModelChoice, ModelOverride, ProviderName
from tabwright.config.yaml_tables import parse_table
from tabwright.llm.providers import PROVIDERS
from tabwright.protocol.errors import SettingsError
from tabwright.protocol.tasks import Limits

OTHERS = {"provider": "openai", "name": "m", "base_url": "https://a.example/v1", "key": "MINE"}


def test_every_provider_can_be_set() -> None:
    assert set(get_args(ProviderName)) == {*PROVIDERS, *UNNAMED}


def test_role_override_covers_every_model_setting() -> None:
    names = [field.name for field in attrs.fields(ModelChoice)]
    assert names == list(ModelOverride.__struct_fields__)


def test_role_override_changes_only_the_fields_it_sets() -> None:
    models = settings_from(
        override(
            models__provider="openai",
            models__name="big",
            models__temperature=0.5,
            models__roles={"navigator": {"name": "small", "temperature": None}},
        )
    ).models
    planner, navigator = models.of("planner"), models.of("navigator")
    assert (planner.name, planner.temperature) == ("big", 0.5)
    assert navigator == attrs.evolve(planner, name="small", temperature=None)


def test_role_with_other_provider_inherits_no_name_url_or_key() -> None:
    values = {f"models__{name}": value for name, value in OTHERS.items()}
    settings = settings_from(
        override(**values, models__roles={"validator": {"provider": "anthropic"}})
    )
    validator = settings.models.of("validator")
    assert (validator.name, validator.base_url, validator.key) == (None, None, None)
    assert settings.models.of("planner").key == "MINE"


@pytest.mark.parametrize("name", ["name", "base_url", "key"])
@pytest.mark.parametrize("provider", ["auto", "client"])
def test_model_key_or_address_requires_explicit_provider(name: str, provider: str) -> None:
    values = {f"models__{name}": "https://a.example" if name == "base_url" else "A"}
    with pytest.raises(SettingsError, match=rf"models\.{name}: .* Set models\.provider"):
        settings_from(override(models__provider=provider, **values))
    with pytest.raises(SettingsError, match=rf"models\.{name}: .* Set models\.provider"):
        settings_from(override(models__roles={"planner": {name: values[f"models__{name}"]}}))


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
def test_invalid_base_url_is_refused_without_its_secrets(url: str) -> None:
    with pytest.raises(SettingsError, match=r"models\.base_url") as caught:
        settings_from(override(models__provider="custom", models__base_url=url))
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
def test_invalid_role_override_is_reported_with_its_line(part: str, reported: str) -> None:
    table = parse_table(f"models:\n  roles: {{planner: {part}}}\n", "my.yaml")
    layer = layer_of(table, LayerRank.USER_FILE)
    with pytest.raises(SettingsError) as caught:
        settings_from(layer)
    (mistake,) = caught.value.message.splitlines()[1:]
    assert mistake.startswith("  my.yaml:2: models.roles: ")
    assert reported in mistake
    assert "hunter2" not in mistake


def test_model_key_name_is_hidden_in_repr() -> None:
    values = {f"models__{name}": value for name, value in OTHERS.items()}
    assert "MINE" not in repr(settings_from(override(**values)))


def test_agent_limits_come_from_settings() -> None:
    assert settings_from().agent.limits == Limits()
    changed = settings_from(
        override(agent__steps_max=5, agent__validate=False, agent__pictures=["planner"])
    )
    limits = Limits(steps_max=5, validates=False, pictures=("planner",))
    assert changed.agent.limits == limits
