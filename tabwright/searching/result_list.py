"""Results of a web search as the Markdown list that the caller reads."""

from collections.abc import Iterator

from tabwright.content.render.markdown import escaped, link
from tabwright.protocol.web_search import WebResult, WebResults
from tabwright.text.lines import one_line

NOTHING = "No results."


def result_list(results: WebResults) -> str:
    """The results, numbered, each with the engines that rank it; what failed stands below."""
    entries = "\n".join(
        line for number, one in enumerate(results.results, 1) for line in _entry(number, one)
    )
    failures = "\n".join(f"- {one.engine}: {one_line(one.message)}" for one in results.failures)
    gaps = [f"Engines that gave nothing:\n{failures}"] if failures else []
    return "\n\n".join([entries or NOTHING, *gaps])


def _entry(number: int, result: WebResult) -> Iterator[str]:
    indent = " " * (len(str(number)) + 2)
    places = ", ".join(f"{place.engine} {place.rank}" for place in result.rankings)
    date = f"{one_line(result.date)}; " if result.date else ""
    target = link(escaped(one_line(result.title)), one_line(result.url))
    yield f"{number}. {target} ({escaped(date)}{places})"
    if result.snippet:
        yield f"{indent}{escaped(one_line(result.snippet))}"
