from pathlib import Path

import pytest

from tabwright.llm.providers import ANTHROPIC, PROVIDERS, USUAL, Provider

PAGE = Path(__file__).parents[3] / "docs" / "howto" / "choose-a-model.md"


@pytest.mark.parametrize(
    ("provider", "name", "temperature", "tools"),
    [
        ("openai", "gpt-4.1", 0.3, "forced"),
        ("openai", "gpt-4o-mini", 0.3, "forced"),
        ("openai", "gpt-5.4", None, "forced"),
        ("openai", "o3-mini", None, "forced"),
        ("openrouter", "openai/gpt-5.4", None, "forced"),
        ("openrouter", "meta/llama-4", 0.3, "forced"),
        ("openrouter", "anthropic/claude-3.7-sonnet:thinking", 0.3, "forced"),
        ("openrouter", "anthropic/claude-opus-4", 0.3, "forced"),
        ("openrouter", "anthropic/claude-sonnet-4.6", 0.3, "forced"),
        ("openrouter", "anthropic/claude-opus-4.7", None, "offered"),
        ("openrouter", "anthropic/claude-opus-4.8:beta", None, "offered"),
        ("openrouter", "anthropic/claude-sonnet-5", None, "offered"),
        ("custom", "claude-opus-4-7", None, "offered"),
        ("custom", "bedrock/us.anthropic.claude-opus-4-7-v1:0", None, "offered"),
        ("custom", "bedrock/us.anthropic.claude-sonnet-4-6-v1:0", 0.3, "forced"),
        ("custom", "o3", None, "forced"),
        ("custom", "openai/gpt-5.4", None, "forced"),
        ("custom", "some-model", 0.3, "forced"),
        ("groq", "openai/gpt-oss-120b", 0.3, "forced"),
        ("anthropic", "claude-3-5-haiku-latest", 0.2, "forced"),
        ("anthropic", "claude-opus-4-20250514", 0.2, "forced"),
        ("anthropic", "claude-sonnet-4-6", 0.2, "forced"),
        ("anthropic", "claude-opus-4-7", None, "offered"),
        ("anthropic", "claude-opus-4-8-20260601", None, "offered"),
        ("anthropic", "claude-sonnet-5", None, "offered"),
        ("deepseek", "deepseek-v4-flash", 0.3, "offered"),
        ("gemini", "gemini-flash-latest", 0.3, "forced"),
    ],
)
def test_provider_temperature_and_tools_depend_on_the_model(
    provider, name, temperature, tools
) -> None:
    known = PROVIDERS[provider]
    assert known.temperature(name, "navigator") == temperature
    assert known.tools(name) == tools


def test_temperature_depends_on_the_agent_part() -> None:
    openai = PROVIDERS["openai"]
    assert openai.temperature("gpt-4.1", "planner") == 0.7
    assert openai.temperature("gpt-4.1", "validator") == 0.1


def test_provider_that_needs_a_key_names_its_environment_variables() -> None:
    assert all(one.variables for one in PROVIDERS.values() if one.needs_key)


def test_providers_have_distinct_key_variables() -> None:
    variables = [name for one in PROVIDERS.values() for name in one.variables]
    assert len(set(variables)) == len(variables)


def row(name: str, provider: Provider) -> str:
    keys = " or ".join(f"`{variable}`" for variable in provider.variables) or "none"
    request = "" if provider.needs_key or not provider.variables else ", if the server requires one"
    return f"| `{name}` | {keys}{request} | {provider.name or 'none; set `models.name`'} |"


def test_docs_list_every_provider_in_order_of_preference() -> None:
    rows = "\n".join(row(name, provider) for name, provider in PROVIDERS.items())
    assert rows in PAGE.read_text()


@pytest.mark.parametrize(
    ("title", "temperatures"), [("Anthropic", ANTHROPIC), ("all others", USUAL)]
)
def test_docs_list_the_temperature_of_each_agent_part(title, temperatures) -> None:
    reported = " | ".join(map(str, temperatures.values()))
    assert f"| {title} | {reported} |" in PAGE.read_text()
