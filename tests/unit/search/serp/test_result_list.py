from tabwright.protocol.web_search import EngineFailure, Ranking, WebResult, WebResults
from tabwright.search.serp.results import NOTHING, result_list

STEERING = "\x1b]0;x\x07\x1b[2J\x9b31m\u202e\u2066\u200f\u061c\n"


def test_nothing_of_a_page_steers_the_terminal() -> None:
    result = WebResult(
        title=f"Bread{STEERING}",
        url=f"https://bread.example/{STEERING}",
        snippet=f"Flour{STEERING}",
        rankings=(Ranking("mojeek", 1),),
        score=0.1,
        date=f"today{STEERING}",
    )
    failure = EngineFailure("brave", "refused", f"No.{STEERING}", retryable=True)
    shown = result_list(WebResults("q", ("mojeek", "brave"), 1, (result,), (failure,)))
    assert not set(shown) & set(STEERING.replace("\n", "")) - set("]0;x[2J31m")
    assert shown.splitlines() == [
        r"1. [Bread\]0;x\[2J31m](https://bread.example/]0;x[2J31m) (today\]0;x\[2J31m; mojeek 1)",
        r"   Flour\]0;x\[2J31m",
        "",
        "Engines without results:",
        "- brave: No.]0;x[2J31m",
    ]


def test_nothing_is_said_to_be_nothing() -> None:
    assert result_list(WebResults("q", (), 1, (), ())) == NOTHING
