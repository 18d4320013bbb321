import random
from collections.abc import Mapping

import pytest

from tabwright.config.loader import override, settings_from
from tabwright.config.secrets import Secrets
from tabwright.llm.providers import PROVIDERS
from tabwright.llm.router import Keys, ModelRouter
from tabwright.llm.transport import HttpModel
from tabwright.llm.vendor import ModelTraits
from tabwright.protocol.errors import ModelFailed, ModelFault
from tabwright.protocol.llm import ModelRequest, ModelResponse, Part

from .asking import KEY, question


class Client:
    """A fake model of an MCP client."""

    async def answer(self, question: ModelRequest, /) -> ModelResponse:
        return ModelResponse(f"client: {question.part}")


def models(
    environment: Mapping[str, str], secrets: Secrets | None = None, **values: object
) -> ModelRouter:
    settings = settings_from(override(**{f"models__{name}": it for name, it in values.items()}))
    keys = Keys(environment, secrets or Secrets())
    return ModelRouter(settings.models, settings.network, keys, random.Random(1))


def chosen(found: ModelRouter, part: Part = "planner") -> HttpModel:
    """Return the model that the router chose for a part."""
    model = found.choose()._models[part]
    assert isinstance(model, HttpModel)
    return model


def missing(found: ModelRouter) -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        found.choose()
    assert caught.value.fault is ModelFault.MISSING
    return caught.value


@pytest.mark.parametrize("provider", ["auto", "client"])
async def test_client_model_is_used_if_the_client_offers_one(provider: str) -> None:
    model = models({"OPENAI_API_KEY": KEY}, provider=provider).choose(Client())
    assert await model.answer(question(part="validator")) == ModelResponse("client: validator")


def test_client_provider_without_a_client_model_is_refused() -> None:
    failure = missing(models({"OPENAI_API_KEY": KEY}, provider="client"))
    assert "models.provider" in failure.advice


@pytest.mark.parametrize(
    ("environment", "vendor"),
    [
        ({"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}, "OpenAI"),
        ({"XAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}, "Anthropic"),
        ({"GOOGLE_API_KEY": KEY}, "Gemini"),
        ({"GEMINI_API_KEY": KEY, "OPENAI_API_KEY": " "}, "Gemini"),
        ({"DEEPSEEK_API_KEY": KEY}, "DeepSeek"),
    ],
)
def test_first_provider_with_a_key_is_chosen(environment, vendor) -> None:
    place = chosen(models(environment)).place
    assert (place.vendor, place.key) == (vendor, KEY)


def test_missing_model_advice_names_the_settings_to_set() -> None:
    advice = missing(models({})).advice
    assert "OPENAI_API_KEY" in advice
    assert "models.provider" in advice


@pytest.mark.parametrize(
    ("values", "reported"),
    [
        ({"provider": "groq"}, "models.name"),
        ({"provider": "openrouter"}, "models.name"),
        ({"provider": "ollama"}, "models.name"),
        ({"provider": "azure", "name": "d"}, "models.base_url"),
        ({"provider": "custom", "name": "d"}, "models.base_url"),
        ({"provider": "openai"}, "OPENAI_API_KEY"),
        ({"provider": "openai", "key": "gsk_hunter2"}, "models.key"),
        ({"provider": "ollama", "name": "m", "key": "gsk_hunter2"}, "models.key"),
    ],
)
def test_missing_model_setting_is_named_without_exposing_the_key(
    values: Mapping[str, str], reported: str
) -> None:
    environment = {"GROQ_API_KEY": KEY, "OPENROUTER_API_KEY": KEY, "AZURE_OPENAI_API_KEY": KEY}
    failure = missing(models(environment, **values))
    assert reported in str(failure)
    assert "hunter2" not in str(failure)


def test_provider_key_can_come_from_the_secrets() -> None:
    secrets = Secrets({"MY_KEY": KEY, "ANTHROPIC_API_KEY": "sk-other"})
    assert chosen(models({}, secrets, provider="openai", key="MY_KEY")).place.key == KEY
    assert chosen(models({}, secrets, provider="anthropic")).place.key == "sk-other"
    missing(models({}, secrets, provider="openai", key="NO_KEY"))


def test_environment_key_overrides_the_secrets() -> None:
    secrets = Secrets({"OPENAI_API_KEY": "sk-other"})
    assert chosen(models({"OPENAI_API_KEY": f" {KEY}\n"}, secrets)).place.key == KEY


@pytest.mark.parametrize("key", ["sk hunter2", "sk-hunter2\r\nX: y", "“hunter2”"])
def test_malformed_api_key_is_reported_without_being_repeated(key: str) -> None:
    with pytest.raises(ModelFailed, match="OPENAI_API_KEY") as caught:
        models({"OPENAI_API_KEY": key}).choose()
    assert caught.value.fault is ModelFault.AUTHENTICATION
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_can_be_asked(provider: str) -> None:
    environment = {variable: KEY for one in PROVIDERS.values() for variable in one.variables}
    place = chosen(
        models(environment, provider=provider, name="m", base_url="https://a.example/v1/")
    ).place
    assert (place.name, place.base_url) == ("m", "https://a.example/v1")
    assert bool(place.key) is bool(PROVIDERS[provider].variables)


def test_each_agent_part_can_have_its_own_model() -> None:
    found = models(
        {"OPENAI_API_KEY": KEY},
        provider="openai",
        name="gpt-4.1",
        roles={
            "navigator": {"provider": "ollama", "name": "m", "output_tokens_max": None},
            "validator": {"temperature": 1, "tools": "none", "timeout_s": 5},
        },
    )
    assert chosen(found).traits == ModelTraits(temperature=0.7, output_tokens_max=4096)
    navigator = chosen(found, "navigator")
    assert (navigator.place.vendor, navigator.place.key) == ("Ollama", "")
    assert navigator.traits == ModelTraits(temperature=0.3)
    validator = chosen(found, "validator")
    assert validator.traits == ModelTraits(temperature=1, output_tokens_max=4096, tools="none")
    assert validator.timeout_s == 5


def test_provider_key_is_not_shown_in_any_repr() -> None:
    found = models({"OPENAI_API_KEY": KEY}, Secrets({"OTHER": KEY}))
    model = chosen(found)
    call = model.dialect.call(question(), model.place, model.traits)
    assert "hunter2" not in f"{found!r} {found.choose()!r} {model!r} {call!r} {found._keys!r}"
    assert "hunter2" not in call.url
