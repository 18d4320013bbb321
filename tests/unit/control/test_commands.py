"""`tabwright view captchas` and `tabwright top --pool`, against running servers."""

import json

import pytest
import trio

from tabwright.cli.servers import interventions, pool
from tabwright.cli.view import print_links
from tabwright.control.client import ANSWER_S
from tabwright.control.transport import ViewRequest
from tabwright.protocol.errors import BrowserUnavailable
from tabwright.protocol.interventions import InterventionState

NOBODY = "No tabwright server is running. MCP clients start one with `tabwright serve`.\n"
WAITS = """\
7f3a  pending  mojeek needs a person (3 min ago; use open to show its page; 177
      min left)
"""
HINT = "Act on one: tabwright view captchas open ID (or solved ID, or skip ID)\n"


@pytest.fixture(autouse=True)
def terminal_of_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


async def test_commands_without_a_server_report_it_and_fail(runtime_folder, capsys) -> None:
    assert await interventions("list", None, as_json=False) == 1
    assert await pool(reset=True, as_json=False) == 1
    reported = capsys.readouterr()
    assert (reported.out, reported.err) == ("", 2 * NOBODY)


async def test_json_output_without_a_server_has_kind_no_server(runtime_folder, capsys) -> None:
    assert await interventions("skip", "7f3a", as_json=True) == 1
    record = json.loads(capsys.readouterr().out)
    assert (record["kind"], record["retryable"]) == ("no_server", True)


async def test_intervention_list_of_a_single_server_omits_its_name(
    tabwright, serve_client, capsys
) -> None:
    async with serve_client(tabwright):
        assert await interventions("list", None, as_json=False) == 0
    reported = capsys.readouterr()
    assert (reported.out, reported.err) == (f"{WAITS}\n{HINT}", "")
    assert max(map(len, reported.out.splitlines())) <= 80


async def test_view_prints_a_link_for_each_server(tabwright, serve_client, capsys) -> None:
    async with serve_client(tabwright):
        assert await print_links(ViewRequest(None, "", 600), opens=False, as_json=False) == 0
        assert await print_links(ViewRequest(3, "", 60), opens=False, as_json=True) == 0
        assert await print_links(ViewRequest(4, "", 60), opens=False, as_json=False) != 0
        assert await print_links(ViewRequest(None, "ann", 60), opens=False, as_json=False) != 0
    text, _, record = capsys.readouterr().out.partition("{")
    assert text.splitlines()[0] == "http://127.0.0.1:1/view#None-600"
    assert "10 minutes" in text
    (link,) = json.loads(f"{{{record}")["links"]
    assert (link["url"], link["valid_s"]) == ("http://127.0.0.1:1/view#3-60", 60)


async def test_ended_intervention_is_listed_without_a_hint(
    tabwright, new_intervention, serve_client, capsys
) -> None:
    tabwright.parts.queue = (new_intervention("7f3a", InterventionState.SKIPPED),)
    async with serve_client(tabwright):
        assert await interventions("list", None, as_json=False) == 0
    assert capsys.readouterr().out == "7f3a  skipped  mojeek needs a person (3 min ago)\n"


async def test_interventions_of_several_servers_are_listed_by_process(
    tabwright, new_client, serve_client, capsys
) -> None:
    async with serve_client(tabwright, 4711), serve_client(new_client(queue=()), 815):
        assert await interventions("list", None, as_json=False) == 0
        text = capsys.readouterr().out
        assert await interventions("list", None, as_json=True) == 0
        record = json.loads(capsys.readouterr().out)
    nothing = "Server 815\n\nNo intervention is open.\n"
    assert text == f"{nothing}\nServer 4711\n\n{WAITS}\n{HINT}"
    (one,) = record["interventions"]
    assert (one["server"], one["id"], one["state"]) == (4711, "7f3a", "pending")


@pytest.mark.parametrize("action", ["open", "solved", "skip"])
async def test_intervention_id_is_looked_up_in_every_server(
    action, new_client, new_intervention, serve_client, capsys
) -> None:
    one, other = new_client(), new_client(queue=(new_intervention("01bc"),))
    async with serve_client(one, 4711), serve_client(other, 4712):
        assert await interventions(action, "01bc", as_json=False) == 0
    assert (one.answered, other.answered) == ([], [("01bc", action)])
    reported = capsys.readouterr().out
    assert reported.startswith("01bc  in progress  mojeek needs a person")
    assert "Act on one" not in reported


@pytest.mark.parametrize("pids", [(4711, 4712), (4712, 4711)])
async def test_duplicate_intervention_id_selects_the_open_one(
    pids, tabwright, new_client, new_intervention, serve_client
) -> None:
    ended = new_client(queue=(new_intervention("7f3a", InterventionState.EXPIRED),))
    async with serve_client(tabwright, pids[0]), serve_client(ended, pids[1]):
        assert await interventions("skip", "7f3a", as_json=False) == 0
    assert (tabwright.answered, ended.answered) == ([("7f3a", "skip")], [])


async def test_unknown_intervention_id_exits_with_status_2(tabwright, serve_client, capsys) -> None:
    async with serve_client(tabwright):
        assert await interventions("open", "0000", as_json=False) == 2
        assert capsys.readouterr().err == ("There is no intervention '0000'. There are: 7f3a.\n")
        tabwright.parts.queue = ()
        assert await interventions("open", "0000", as_json=False) == 2
        assert "No intervention is open." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("list", "7f3a"), "list does not accept an id."),
        (("open", None), "open needs an id. List them with `tabwright view captchas`."),
    ],
)
async def test_intervention_id_is_required_by_open_and_rejected_by_list(
    arguments, says, tabwright, serve_client, capsys
) -> None:
    async with serve_client(tabwright):
        assert await interventions(*arguments, as_json=False) == 2
    assert capsys.readouterr().err == f"{says}\n"


async def test_server_error_is_reported_with_its_kind_and_advice(
    tabwright, serve_client, capsys
) -> None:
    gates = iter((None, BrowserUnavailable("There is no screen.", advice="Set DISPLAY.")))

    def gate() -> None:
        if error := next(gates):
            raise error

    tabwright.gate = gate
    async with serve_client(tabwright):
        assert await interventions("open", "7f3a", as_json=True) == 3
    reported = capsys.readouterr()
    assert json.loads(reported.out)["kind"] == "browser_unavailable"
    assert reported.err == "There is no screen. Set DISPLAY.\n"


async def test_hanging_server_is_reported_while_others_are_listed(
    tabwright, new_client, serve_client, capsys, autojump_clock
) -> None:
    hanging = new_client(gate=trio.sleep_forever)
    async with serve_client(hanging, 4711), serve_client(tabwright, 4712):
        began_s = trio.current_time()
        assert await interventions("list", None, as_json=False) == 0
        assert trio.current_time() - began_s == pytest.approx(ANSWER_S)
        reported = capsys.readouterr()
        assert reported.out.startswith("7f3a  pending")
        assert reported.err.startswith("Server 4711 did not answer within 5 s.")


async def test_pool_command_fails_when_no_server_responds(
    tabwright, serve_client, capsys, autojump_clock
) -> None:
    tabwright.gate = trio.sleep_forever
    async with serve_client(tabwright, 4711):
        assert await pool(reset=False, as_json=False) == 1
    reported = capsys.readouterr()
    assert reported.out == ""
    assert reported.err.startswith("Server 4711 did not answer within 5 s.")


async def test_opening_an_intervention_may_exceed_the_response_timeout(
    tabwright, serve_client, autojump_clock
) -> None:
    delays_s = iter((0, 60))

    async def gate() -> None:
        await trio.sleep(next(delays_s))

    tabwright.gate = gate
    async with serve_client(tabwright):
        assert await interventions("open", "7f3a", as_json=False) == 0


async def test_pool_is_printed_as_tables_within_80_columns(tabwright, serve_client, capsys) -> None:
    async with serve_client(tabwright):
        assert await pool(reset=False, as_json=False) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Tabs that can search, per browser: 2"
    assert any("mojeek" in line and line.endswith(" 1") for line in lines)
    assert lines[-1].split() == ["mojeek", "1", "2", "12/50", "in", "3.2", "s", "no"]
    assert max(map(len, lines)) <= 80


async def test_pool_reset_lifts_the_back_off_of_every_server(
    tabwright, new_client, serve_client, capsys
) -> None:
    other = new_client()
    async with serve_client(tabwright, 4711), serve_client(other, 4712):
        assert await pool(reset=True, as_json=True) == 0
    listed = json.loads(capsys.readouterr().out)["servers"]
    assert [one["server"] for one in listed] == [4711, 4712]
    assert [one["pool"]["lowered_max_tabs"] for one in listed] == [{}, {}]
    assert listed[0]["pool"]["tabs"][0]["use"] == "searching"
    assert [rate["site"] for rate in listed[0]["rates"]] == ["bing", "mojeek"]
