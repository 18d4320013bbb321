"""The commands `search` and `web-search`, each with a separate tabwright."""

from collections.abc import Awaitable, Callable

import attrs

from tabwright.app import open_tabwright
from tabwright.cli.output import json_text, print_outcome, watching
from tabwright.client import Tabwright
from tabwright.config.engines import GOOGLE_AI_MODE
from tabwright.config.settings import Settings
from tabwright.environment import Environment
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.web_search import WebSearch
from tabwright.search.ai_mode.result import document, failure_message, to_record
from tabwright.search.serp.results import result_list
from tabwright.text.languages import ENGLISH


async def search(
    settings: Settings, environment: Environment, query: str, language: str | None, *, as_json: bool
) -> int:
    """Print the answer to `query`; return the exit code."""
    language = language or settings.language

    async def ask(tabwright: Tabwright) -> str:
        """Return the answer as text; raises the errors of `Tabwright.search`."""
        with watching(GOOGLE_AI_MODE) as progress:
            result = await tabwright.search(query, language=language, progress=progress)
        return json_text(to_record(result)) if as_json else document(result)

    def message(error: TabwrightError) -> str:
        """Return the error message in the language of the question."""
        return failure_message(error, language)

    return await print_outcome(_at_home(settings, environment, ask), message, as_json=as_json)


async def web_search(
    settings: Settings, environment: Environment, request: WebSearch, *, as_json: bool
) -> int:
    """Print the results of the engines; return the exit code.

    Interventions end with this command, so no person is called as long as there may be other
    results.
    """
    if request.engines is None or len(request.engines) > 1:
        search = attrs.evolve(settings.search, person_timeout_s=0.0)
        settings = attrs.evolve(settings, search=search)

    async def ask(tabwright: Tabwright) -> str:
        """Return the results as text; raises the errors of `Tabwright.web_search`."""
        with watching(*(request.engines or ())) as progress:
            results = await tabwright.web_search(request, progress=progress)
        told = request.language or settings.search.language or ENGLISH
        return json_text(results) if as_json else result_list(results, told)

    return await print_outcome(_at_home(settings, environment, ask), as_json=as_json)


def _at_home(
    settings: Settings, environment: Environment, work: Callable[[Tabwright], Awaitable[str]]
) -> Callable[[], Awaitable[str]]:
    async def with_tabwright() -> str:
        """Run in a tabwright that is closed at the end, also when cancelled."""
        async with open_tabwright(settings, environment) as tabwright:
            return await work(tabwright)

    return with_tabwright
