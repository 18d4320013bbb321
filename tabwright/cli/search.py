"""The command `search`, for an answer and for results of several engines."""

from tabwright.cli.output import json_text
from tabwright.cli.query import Asked, Query
from tabwright.config.engines import GOOGLE_AI_MODE
from tabwright.config.settings import Settings
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.web_search import WebSearch
from tabwright.search.ai_mode.result import document, failure_message, to_record
from tabwright.search.serp.results import result_list
from tabwright.text.languages import ENGLISH


def answer_query(query: str, language: str, *, follow_up: bool, as_json: bool) -> Query:
    """Return the query for an answer of Google AI Mode."""

    async def ask(asked: Asked) -> str:
        """Return the answer as text; raises the errors of `Tabwright.search`."""
        result = await asked.tabwright.search(
            query, language=language, follow_up=follow_up, progress=asked.progress
        )
        return json_text(to_record(result)) if as_json else document(result)

    def message(error: TabwrightError) -> str:
        """Return the error message in the language of the question."""
        return failure_message(error, language)

    return Query(ask=ask, error_text=message, as_json=as_json, parts=(GOOGLE_AI_MODE,))


def results_query(settings: Settings, request: WebSearch, *, as_json: bool) -> Query:
    """Return the query for the results of search engines."""

    async def ask(asked: Asked) -> str:
        """Return the results as text; raises the errors of `Tabwright.web_search`."""
        results = await asked.tabwright.web_search(request, progress=asked.progress)
        language = request.language or settings.search.language or ENGLISH
        return json_text(results) if as_json else result_list(results, language)

    return Query(ask=ask, as_json=as_json, parts=request.engines or ())
