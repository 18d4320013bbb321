"""The commands that search the web."""

import argparse
import sys
from typing import TYPE_CHECKING

import attrs

from tabwright.cli.commands.command import (
    CLICommand,
    add_browser,
    add_json,
    environment_of,
    names,
    refuse_options,
)
from tabwright.cli.exit_codes import ExitCode
from tabwright.config.settings import Settings
from tabwright.protocol.errors import BadInput
from tabwright.protocol.web_search import CATEGORIES, READ_TOKENS, SAFE_SEARCH, TIME_RANGES

if TYPE_CHECKING:
    from tabwright.cli.query import Query


def add_search(search: argparse.ArgumentParser) -> None:
    """Add the arguments of `search`."""
    search.add_argument("query", nargs="+", help="question or search terms")
    search.add_argument(
        "--web", action="store_true", help="search several web engines and print a list of results"
    )
    search.add_argument(
        "--language", metavar="CODE", help="language of the answer or the results, e.g. en-US"
    )
    search.add_argument(
        "--follow-up",
        action="store_true",
        help="continue the latest conversation of the process of `tabwright daemon start`, or begin"
        " one if none is open",
    )


def add_web_search(search: argparse.ArgumentParser) -> None:
    """Add the options of `search --web`."""
    web_search = search.add_argument_group("with --web")
    web_search.add_argument(
        "--engines", type=names, metavar="A,B", help="search engines to use, e.g. mojeek,brave"
    )
    web_search.add_argument(
        "--page", type=int, default=1, metavar="N", help="page of results (default: 1)"
    )
    web_search.add_argument(
        "--limit",
        type=int,
        default=10,
        metavar="N",
        help="number of results, 1 to 50 (default: 10)",
    )
    web_search.add_argument(
        "--time-range",
        choices=TIME_RANGES,
        help="only results of the last day, week, month or year",
    )
    web_search.add_argument(
        "--category",
        choices=CATEGORIES,
        default="web",
        help="kind of results; selects the engines if none are named (default: web)",
    )
    web_search.add_argument(
        "--region", metavar="CODE", help="region of the results: two letters, e.g. AT"
    )
    web_search.add_argument(
        "--safe-search", choices=SAFE_SEARCH, help="how much explicit content is left out"
    )
    web_search.add_argument(
        "--site", default="", metavar="HOST", help="only results of this host, e.g. docs.python.org"
    )
    web_search.add_argument(
        "--filetype", default="", metavar="TYPE", help="only files of this type, e.g. pdf"
    )
    web_search.add_argument(
        "--read",
        type=int,
        default=0,
        metavar="N",
        help="read the first N results, and print the passages that are relevant to the query",
    )
    web_search.add_argument(
        "--read-tokens",
        type=int,
        default=READ_TOKENS,
        metavar="N",
        help="maximum number of tokens of these passages in total (default: 6000)",
    )


def _query(settings: Settings, options: argparse.Namespace) -> "Query":
    """Return what to ask.

    Raises:
        BadInput: an option is not one of this kind of search.
    """
    from tabwright.cli.search import answer_query, results_query
    from tabwright.protocol.web_search import WebSearch

    words = " ".join(options.query)
    if not options.web:
        refuse_options(options, add_web_search, "requires --web")
        language = options.language or settings.language
        return answer_query(words, language, follow_up=options.follow_up, as_json=options.json)
    if options.follow_up:
        raise BadInput("--follow-up does not apply to --web.", advice="Omit one of them.")
    request = WebSearch(
        words,
        options.engines,
        options.page,
        options.limit,
        options.time_range,
        options.language,
        options.read,
        options.read_tokens,
        options.category,
        options.region,
        options.safe_search,
        options.site,
        options.filetype,
    )
    return results_query(settings, request, as_json=options.json)


async def _search(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli.query import run_alone

    query = _query(settings, options)
    if options.follow_up:
        sys.stderr.write(
            "The process of `tabwright daemon start`, which keeps conversations, has other settings"
            " than this command, or is not started (daemon.autostart). Ask the first question and"
            " the follow-up with the settings of the process.\n"
        )
        return ExitCode.WRONG_USE
    if options.web and (options.engines is None or len(options.engines) > 1):
        # Interventions end with this command, so no person is called as long as there may be other
        # results.
        search = attrs.evolve(settings.search, person_timeout_s=0.0)
        settings = attrs.evolve(settings, search=search)
        query = _query(settings, options)
    return await run_alone(query, settings, environment_of(settings))


SEARCH = CLICommand(
    "search",
    "Ask Google AI Mode a question, or search several web engines.",
    _search,
    (add_browser, add_search, add_web_search, add_json),
    examples=(
        'tabwright search "What is structured concurrency?"',
        'tabwright search --language de-DE --json "Was ist ein Nursery?"',
        'tabwright search --follow-up "And how are errors handled?"',
        "tabwright search --web trio nurseries",
        "tabwright search --web --read 3 how do trio cancel scopes work",
        "tabwright search --web --engines brave,mojeek --time-range month python 3.15",
    ),
    query=_query,
)


SEARCHING = (SEARCH,)
