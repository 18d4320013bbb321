"""Choose the model and the key for each part of the agent."""

import os
import random
import re
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, get_args

import attrs

from tabwright.config.secrets import Secrets
from tabwright.config.settings import ModelChoice, ModelSettings, NetworkSettings, Settings
from tabwright.http.net import system_network
from tabwright.http.proxy_discovery import ProxyFinder
from tabwright.llm.providers import PROVIDERS, Provider
from tabwright.llm.vendor import ModelTraits, VendorEndpoint
from tabwright.protocol.errors import BadInput, ModelFailed, ModelFault
from tabwright.protocol.llm import Model, ModelRequest, ModelResponse, Part

if TYPE_CHECKING:
    from tabwright.llm.transport import ModelTransport


# API keys from the environment or the user's secrets.

KEY = re.compile(r"[!-~]+")
"""Characters that a header accepts; libraries would repeat an invalid key in their errors."""


@attrs.frozen
class Keys:
    """The sources of API keys. Its errors never contain a key."""

    _environment: Mapping[str, str] = attrs.field(repr=False)
    _secrets: Secrets

    def first(self, names: Iterable[str]) -> str:
        """Return the first key under these names; empty if there is none.

        Raises:
            ModelFailed: the key has characters that a header does not accept.
        """
        for name in names:
            key = self._environment.get(name, "")
            if not key and self._secrets:
                with suppress(BadInput):  # no secret has this name
                    key = self._secrets.value(name, None)
            key = key.strip()
            if key and not KEY.fullmatch(key):
                raise ModelFailed(
                    f"{name} does not contain a valid key: it has characters that no key has.",
                    fault=ModelFault.AUTHENTICATION,
                    advice="Set it to the key only, without quotation marks or spaces.",
                )
            if key:
                return key
        return ""


@attrs.frozen(eq=False)
class RoleModels:
    """Routes each question to the model of the part that asks."""

    _models: Mapping[Part, Model]

    async def answer(self, question: ModelRequest, /) -> ModelResponse:
        return await self._models[question.part].answer(question)


class ModelRouter:
    """The models under the given settings.

    Args:
        settings: settings of models.
        network: settings of the network.
        keys: sources of API keys.
        chance: varies the pauses between retries.
    """

    def __init__(
        self, settings: ModelSettings, network: NetworkSettings, keys: Keys, chance: random.Random
    ) -> None:
        self._settings = settings
        self._network = network
        self._keys = keys
        self._chance = chance
        self._line: ModelTransport | None = None

    def choose(self, client: Model | None = None) -> Model:
        """Return the model for a task, which can be four models: one for each part.

        Args:
            client: the model that the MCP client offers, if any.

        Raises:
            ModelFailed: a part has no model; the message has the setting to change.
        """
        return RoleModels({part: self._of(part, client) for part in get_args(Part)})

    async def aclose(self) -> None:
        """Close every connection, even if cancelled."""
        if self._line is not None:
            await self._line.aclose()

    def _of(self, part: Part, client: Model | None) -> Model:
        choice = self._settings.of(part)
        if choice.provider in {"auto", "client"} and client is not None:
            return client
        provider = self._provider(choice)
        base_url, name = choice.base_url or provider.base_url, choice.name or provider.name
        for setting, value in (("base_url", base_url), ("name", name)):
            if not value:
                raise _missing(
                    f"{provider.title} has no default models.{setting}.",
                    f"Set models.{setting} and models.provider.",
                )
        place = VendorEndpoint(
            vendor=provider.title,
            base_url=base_url.rstrip("/"),
            name=name,
            key=self._key(choice, provider),
        )
        from tabwright.llm.transport import HttpModel, RetryPolicy  # noqa: PLC0415  (not light)

        temperature = provider.temperature(place.name, part)
        return HttpModel(
            line=self._opened(),
            dialect=provider.dialect,
            place=place,
            traits=ModelTraits(
                temperature=temperature if choice.temperature == "auto" else choice.temperature,
                output_tokens_max=choice.output_tokens_max,
                tools=provider.tools(place.name) if choice.tools == "auto" else choice.tools,
            ),
            retry=RetryPolicy(self._chance),
            timeout_s=choice.timeout_s,
        )

    def _provider(self, choice: ModelChoice) -> Provider:
        if choice.provider == "client":
            raise _missing(
                "The MCP client offers no model.", "Set models.provider to another provider."
            )
        if choice.provider != "auto":
            return PROVIDERS[choice.provider]
        having = (one for one in PROVIDERS.values() if self._keys.first(one.variables))
        found = next(having, None)
        if found is None:
            raise _missing(
                "No model is configured.",
                "Set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY in the environment, or"
                " models.provider: ollama and models.name for a local model.",
            )
        return found

    def _key(self, choice: ModelChoice, provider: Provider) -> str:
        key = self._keys.first((choice.key,) if choice.key else provider.variables)
        if key or not (choice.key or provider.needs_key):
            return key
        if choice.key:  # not repeated in the message: it may be the key itself
            raise _missing(
                "models.key names neither an environment variable nor a secret.",
                "Set that variable, or add the secret to the file named by acting.secrets.",
            )
        raise _missing(
            f"{provider.title} requires a key.",
            f"Set {provider.variables[0]} in the environment, or set models.key to the "
            "variable or secret that has it.",
        )

    def _opened(self) -> "ModelTransport":
        from tabwright.llm.transport import ModelTransport  # noqa: PLC0415  (takes 40 ms)

        if self._line is None:
            net = system_network(self._network)
            self._line = ModelTransport(net, ProxyFinder(self._network.proxy))
        return self._line


@asynccontextmanager
async def open_models(
    settings: Settings,
    secrets: Secrets,
    chance: random.Random,
    environment: Mapping[str, str] = os.environ,
) -> AsyncGenerator[ModelRouter]:
    """Yield the models under these settings; connections are made on first use.

    Args:
        settings: tabwright's settings.
        secrets: can contain keys.
        chance: varies the pauses between retries.
        environment: can contain keys too.
    """
    keys = Keys(environment, secrets)
    models = ModelRouter(settings.models, settings.network, keys, chance)
    try:
        yield models
    finally:
        await models.aclose()


def _missing(message: str, advice: str) -> ModelFailed:
    return ModelFailed(message, fault=ModelFault.MISSING, advice=advice)
