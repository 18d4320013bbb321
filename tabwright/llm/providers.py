"""The model providers: endpoints, API keys, and suitable temperatures for their models."""

import re
from collections.abc import Mapping

import attrs

from tabwright.llm.anthropic import AnthropicDialect
from tabwright.llm.gemini import GeminiDialect
from tabwright.llm.openai import AzureDialect, OpenAIDialect
from tabwright.llm.vendor import Tools, VendorAPI
from tabwright.protocol.llm import Part

USUAL: Mapping[Part, float] = {
    "planner": 0.7,
    "navigator": 0.3,
    "validator": 0.1,
    "extractor": 0.1,
}
"""Temperatures: plans can vary, but actions, judgements and findings should be reproducible."""

ANTHROPIC: Mapping[Part, float] = {
    "planner": 0.3,
    "navigator": 0.2,
    "validator": 0.1,
    "extractor": 0.1,
}

REASONING = re.compile(r"(.*/)?(o\d|gpt-[5-9])")
"""Names of OpenAI's reasoning models at any provider; they refuse a temperature."""

THINKING = re.compile(r"(.*[/.])?claude-(?!\d|instant|(opus|sonnet|haiku)-4(?![-.][7-9]\b))")
"""Names of Anthropic models that think by default, at any provider and with any spelling of dots.

They refuse a temperature and a forced tool call.
"""


@attrs.frozen(kw_only=True)
class Provider:
    """A service that runs models, or forwards requests to other providers.

    Attributes:
        title: its name in errors and documents.
        dialect: its API.
        base_url: empty if the user must set it.
        variables: environment variables for its key; the first that is set is used.
        name: the default model; empty if there is no sensible default.
        needs_key: whether a key is required.
        temperatures: a suitable temperature for each part.
        forces: whether its models can be forced to call a tool; otherwise the tool is optional.
    """

    title: str
    dialect: VendorAPI
    base_url: str = ""
    variables: tuple[str, ...] = ()
    name: str = ""
    needs_key: bool = True
    temperatures: Mapping[Part, float] = attrs.field(default=USUAL)
    forces: bool = True

    def temperature(self, name: str, part: Part) -> float | None:
        """Return the temperature for a model; None if it refuses one."""
        refused = REASONING.match(name) or THINKING.match(name)
        return None if refused else self.temperatures[part]

    def tools(self, name: str) -> Tools:
        """Return how the model is asked for structured output."""
        return "forced" if self.forces and not THINKING.match(name) else "offered"


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(
        title="OpenAI",
        dialect=OpenAIDialect("max_completion_tokens"),
        base_url="https://api.openai.com/v1",
        variables=("OPENAI_API_KEY",),
        name="gpt-5.4",
    ),
    "anthropic": Provider(
        title="Anthropic",
        dialect=AnthropicDialect(),
        base_url="https://api.anthropic.com/v1",
        variables=("ANTHROPIC_API_KEY",),
        name="claude-sonnet-5",
        temperatures=ANTHROPIC,
    ),
    "gemini": Provider(
        title="Gemini",
        dialect=GeminiDialect(),
        base_url="https://generativelanguage.googleapis.com/v1beta",
        variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        name="gemini-flash-latest",
    ),
    "deepseek": Provider(
        title="DeepSeek",
        dialect=OpenAIDialect(),
        base_url="https://api.deepseek.com/v1",
        variables=("DEEPSEEK_API_KEY",),
        name="deepseek-v4-flash",
        forces=False,
    ),
    "grok": Provider(
        title="xAI",
        dialect=OpenAIDialect(),
        base_url="https://api.x.ai/v1",
        variables=("XAI_API_KEY",),
        name="grok-4.5",
    ),
    "openrouter": Provider(
        title="OpenRouter",
        dialect=OpenAIDialect(),
        base_url="https://openrouter.ai/api/v1",
        variables=("OPENROUTER_API_KEY",),
    ),
    "groq": Provider(
        title="Groq",
        dialect=OpenAIDialect(),
        base_url="https://api.groq.com/openai/v1",
        variables=("GROQ_API_KEY",),
    ),
    "azure": Provider(
        title="Azure OpenAI",
        dialect=AzureDialect(),
        variables=("AZURE_OPENAI_API_KEY",),
    ),
    "ollama": Provider(
        title="Ollama",
        dialect=OpenAIDialect(),
        base_url="http://127.0.0.1:11434/v1",
        needs_key=False,
    ),
    "custom": Provider(
        title="Your model server",
        dialect=OpenAIDialect(),
        variables=("CUSTOM_OPENAI_API_KEY",),
        needs_key=False,
    ),
}
"""Providers by their value of ``models.provider``; ``auto`` uses the first that has a key."""
