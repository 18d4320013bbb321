"""The classic result page: the sources of the first answer as a list, and no answer."""

from tabwright.protocol.ai_search import SearchSource
from tabwright.testing.replica.answers import sources_of
from tabwright.testing.replica.languages import Language, words
from tabwright.testing.replica.links import LinkForm, wrapped
from tabwright.testing.replica.markup_drift import dressed
from tabwright.testing.replica.scenario import Scenario
from tabwright.testing.replica.templates import fill


def result_page(question: str, language: Language, scenario: Scenario) -> str:
    """Writes the page."""
    sources = sources_of(language, 0, scenario.source_count)
    page = fill(
        "results.html",
        words(language).page,
        language=language,
        question=question,
        results_html="\n".join(_result(source, scenario.links) for source in sources),
    )
    return dressed(page, scenario)


def _result(source: SearchSource, links: LinkForm) -> str:
    return fill(
        "result.html",
        href=wrapped(source.url, links),
        title=source.title,
        site=source.site,
        snippet=source.snippet,
    )
