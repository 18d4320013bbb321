import ssl
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import attrs
import httpx2
import pytest
import trio
from selectolax.lexbor import LexborHTMLParser

from tabwright.testing.replica import LANGUAGES, Language, Replica, Scenario
from tabwright.testing.replica.answers import words

Visit: TypeAlias = Callable[..., Awaitable[httpx2.Response]]
Shell: TypeAlias = Callable[[str], Awaitable[LexborHTMLParser]]
Watch: TypeAlias = Callable[[str], Awaitable[list[dict[str, object]]]]

SEARCH = "https://www.google.com/search?udm=50&q=why%20%3Cso%3E%3F"
FIRST = "https://www.google.com/async/folwr?q=why%20%3Cso%3E%3F"
NEXT = "https://www.google.com/async/folif?q=and%20then"


@pytest.mark.parametrize("language", LANGUAGES)
async def test_shell_is_in_the_language_of_the_hl_parameter(
    shell: Shell, language: Language
) -> None:
    page = await shell(f"{SEARCH}&hl={language}")
    assert page.css("html")[0].attributes["lang"] == language
    strings = words(language).page
    assert page.css('[role="listitem"] > a[aria-current="page"]')[0].text() == strings.ai_mode
    assert strings.results in [heading.text() for heading in page.css("h1.bNg8Rb")]


async def test_shell_without_hl_parameter_is_in_the_scenario_language(
    replica: Replica, shell: Shell
) -> None:
    replica.scenario = Scenario(language="ko-KR")
    assert (await shell(SEARCH)).css("html")[0].attributes["lang"] == "ko-KR"


async def test_shell_contains_composer_and_empty_turn(shell: Shell) -> None:
    page = await shell(SEARCH)
    assert page.css('[data-xid="aim-mars-input-plate"] textarea.ITIRGe[maxlength="8192"]')
    assert page.css('[data-xid="input-plate-send-button"][disabled]')
    assert page.css('[data-xid="ljhwxf"].Z3UdVc')
    (turn,) = page.css('[data-xid="aim-mars-turn-root"]')
    assert turn.css("span.VndcI > span")[0].text() == "why <so>?"
    assert turn.css(".OBWDNe > b.NuOswe")
    assert turn.css('[data-container-id="main-col"]')[0].text() == ""
    assert not page.css("[data-complete]")


async def test_hidden_results_heading_precedes_the_answer(visit: Visit) -> None:
    html = (await visit(SEARCH)).text
    assert html.index("Search Results") < html.index('data-container-id="main-col"')
    assert html.index(">AI Mode<") < html.index("Search Results")


async def test_first_and_later_turns_have_the_same_class_names(
    replica: Replica, shell: Shell, watch: Watch
) -> None:
    replica.scenario = Scenario(step_s=0, classes=9)
    (first,) = (await shell(SEARCH)).css('[data-xid="aim-mars-turn-root"]')
    html = str((await watch(NEXT))[0]["html"])
    (later,) = LexborHTMLParser(html).css('[data-xid="aim-mars-turn-root"]')
    assert first.attributes["class"] == later.attributes["class"] != "qJYHHd mp0vvc"


async def test_unavailable_ai_mode_page_has_no_turn(replica: Replica, shell: Shell) -> None:
    replica.scenario = Scenario(unavailable=True, language="fr-FR")
    page = await shell(SEARCH)
    assert not page.css('[data-xid="aim-mars-turn-root"]')
    assert not page.css("b.NuOswe")
    assert "Le Mode IA n'est pas disponible" in page.css('[data-xid="Lr04i"]')[0].text()


async def test_start_page_has_composer_but_no_turn(shell: Shell) -> None:
    page = await shell("https://www.google.com/aimode?hl=en")
    assert page.css('[data-xid="aim-mars-input-plate"]')
    assert not page.css('[data-xid="aim-mars-turn-root"]')


async def test_page_html_does_not_contain_the_answer(replica: Replica, visit: Visit) -> None:
    html = (await visit(SEARCH)).text
    await visit(FIRST)
    assert replica.truth().sources[0].title not in html
    assert "Structured concurrency" not in html


async def test_expected_answer_of_a_turn_is_available_once_it_is_asked(
    replica: Replica, visit: Visit
) -> None:
    with pytest.raises(LookupError):
        replica.truth()
    await visit(FIRST)
    await visit(NEXT)
    assert [replica.truth(turn).question for turn in (0, 1, -1)] == [
        "why <so>?",
        "and then",
        "and then",
    ]
    replica.scenario = attrs.evolve(replica.scenario, language="de-DE")
    with pytest.raises(LookupError):
        replica.truth()


@pytest.mark.parametrize("language", LANGUAGES)
async def test_stream_delivers_every_block_of_the_expected_answer(
    replica: Replica, watch: Watch, language: Language
) -> None:
    frames = await watch(f"{FIRST}&hl={language}")
    whole = [frame for frame in frames if frame["kind"] == "block"]
    assert len(whole) == len(replica.truth().blocks)
    assert frames[-1] == {"kind": "done", "complete": True, "say": words(language).page.ready}


async def test_repeated_first_stream_sends_no_new_turn_container(watch: Watch) -> None:
    for _ in range(2):
        assert (await watch(FIRST))[0]["html"] == ""


async def test_scenario_and_request_log_are_available_over_http(
    replica: Replica, client: httpx2.AsyncClient, visit: Visit
) -> None:
    address = f"https://127.0.0.1:{replica.port}"
    set_it = await client.post(f"{address}/__scenario", json={"language": "ja-JP", "links": "goto"})
    assert set_it.status_code == 204
    assert replica.scenario == Scenario(language="ja-JP", links="goto")
    await visit(SEARCH, cookie="SOCS=1")
    seen = (await client.get(f"{address}/__log")).json()[1]
    assert (seen["host"], seen["method"], seen["cookie"]) == ("www.google.com", "GET", "SOCS=1")


async def test_invalid_scenario_is_refused_and_changes_nothing(
    replica: Replica, client: httpx2.AsyncClient
) -> None:
    before = replica.scenario
    url = f"https://127.0.0.1:{replica.port}/__scenario"
    refused = await client.post(url, json={"source_count": 99})
    assert refused.status_code == 400
    assert "source_count" in refused.text
    assert replica.scenario is before


async def test_request_log_records_host_method_path_and_user_agent(
    replica: Replica, visit: Visit
) -> None:
    await visit("https://accounts.google.com/ListAccounts?json=1", method="POST")
    (seen,) = replica.log
    assert (seen.host, seen.method) == ("accounts.google.com", "POST")
    assert seen.path == "/ListAccounts?json=1"
    assert seen.user_agent.startswith("python-httpx")


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("https://accounts.google.com/ListAccounts", 404),
        ("https://www.google.com/nothing", 404),
        (SEARCH + "a" * 8200, 400),
        ("https://www.google.com/goto", 400),
        ("https://www.google.com/url", 400),
        ("https://www.google.com/httpservice/retry/enablejs?sei=forged-by-hand", 400),
    ],
)
async def test_unknown_path_or_invalid_url_gets_an_error_status(
    visit: Visit, url: str, status: int
) -> None:
    assert (await visit(url)).status_code == status


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_source_can_be_opened(replica: Replica, visit: Visit, language: Language) -> None:
    await visit(f"{FIRST}&hl={language}")
    source = replica.truth().sources[6]
    page = LexborHTMLParser((await visit(source.url)).text)
    assert page.css("html")[0].attributes["lang"] == language
    assert page.css("article h1")[0].text() == source.title
    assert len(page.css("article p")) > 5


async def test_chromium_args_map_all_hosts_to_the_replica(replica: Replica) -> None:
    assert replica.chromium_args == (
        f"--host-resolver-rules=MAP * 127.0.0.1:{replica.port}",
        "--ignore-certificate-errors",
    )


async def test_replica_certificate_is_untrusted_by_default(replica: Replica) -> None:
    async with await trio.open_ssl_over_tcp_stream("127.0.0.1", replica.port) as stream:
        with pytest.raises(trio.BrokenResourceError) as refusal:
            await stream.do_handshake()
    assert isinstance(refusal.value.__cause__, ssl.SSLCertVerificationError)
