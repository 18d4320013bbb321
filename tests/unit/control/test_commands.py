"""`tabwright interventions` and `tabwright pool`, asking servers that run."""

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
HINT = "Act on one: tabwright interventions open ID (or solved ID, or skip ID)\n"


@pytest.fixture(autouse=True)
def terminal_of_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


async def test_without_a_server_it_is_said_so(runtime_folder, capsys) -> None:
    assert await interventions("list", None, as_json=False) == 1
    assert await pool(reset=True, as_json=False) == 1
    reported = capsys.readouterr()
    assert (reported.out, reported.err) == ("", 2 * NOBODY)


async def test_without_a_server_a_program_reads_it_too(runtime_folder, capsys) -> None:
    assert await interventions("skip", "7f3a", as_json=True) == 1
    record = json.loads(capsys.readouterr().out)
    assert (record["kind"], record["retryable"]) == ("no_server", True)


async def test_one_server_is_listed_without_its_name(tabwright, serve_client, capsys) -> None:
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


async def test_what_has_ended_asks_for_nothing(
    tabwright, new_intervention, serve_client, capsys
) -> None:
    tabwright.queue = (new_intervention("7f3a", InterventionState.SKIPPED),)
    async with serve_client(tabwright):
        assert await interventions("list", None, as_json=False) == 0
    assert capsys.readouterr().out == "7f3a  skipped  mojeek needs a person (3 min ago)\n"


async def test_several_servers_are_listed_by_process(
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
async def test_an_id_is_looked_for_in_every_server(
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
async def test_of_two_with_one_id_the_open_one_is_meant(
    pids, tabwright, new_client, new_intervention, serve_client
) -> None:
    ended = new_client(queue=(new_intervention("7f3a", InterventionState.EXPIRED),))
    async with serve_client(tabwright, pids[0]), serve_client(ended, pids[1]):
        assert await interventions("skip", "7f3a", as_json=False) == 0
    assert (tabwright.answered, ended.answered) == ([("7f3a", "skip")], [])


async def test_an_id_that_nobody_knows_ends_with_2(tabwright, serve_client, capsys) -> None:
    async with serve_client(tabwright):
        assert await interventions("open", "0000", as_json=False) == 2
        assert capsys.readouterr().err == ("There is no intervention '0000'. There are: 7f3a.\n")
        tabwright.queue = ()
        assert await interventions("open", "0000", as_json=False) == 2
        assert "No intervention is open." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("list", "7f3a"), "list does not accept an id."),
        (("open", None), "open needs an id. List them with `tabwright interventions`."),
    ],
)
async def test_an_id_stands_where_it_is_needed(
    arguments, says, tabwright, serve_client, capsys
) -> None:
    async with serve_client(tabwright):
        assert await interventions(*arguments, as_json=False) == 2
    assert capsys.readouterr().err == f"{says}\n"


async def test_a_refusal_of_the_server_is_reported_as_it_is(
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


async def test_a_server_that_hangs_is_reported_beside_the_others(
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


async def test_where_all_hang_the_command_fails(
    tabwright, serve_client, capsys, autojump_clock
) -> None:
    tabwright.gate = trio.sleep_forever
    async with serve_client(tabwright, 4711):
        assert await pool(reset=False, as_json=False) == 1
    reported = capsys.readouterr()
    assert reported.out == ""
    assert reported.err.startswith("Server 4711 did not answer within 5 s.")


async def test_a_window_may_take_longer(tabwright, serve_client, autojump_clock) -> None:
    delays_s = iter((0, 60))

    async def gate() -> None:
        await trio.sleep(next(delays_s))

    tabwright.gate = gate
    async with serve_client(tabwright):
        assert await interventions("open", "7f3a", as_json=False) == 0


async def test_the_pool_as_tables(tabwright, serve_client, capsys) -> None:
    async with serve_client(tabwright):
        assert await pool(reset=False, as_json=False) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Tabs that can search, per browser: 1 of 2"
    assert lines[-1].split() == ["mojeek", "1", "2", "12/50", "in", "3.2", "s", "no"]
    assert max(map(len, lines)) <= 80


async def test_the_back_off_is_lifted_everywhere(
    tabwright, new_client, serve_client, capsys
) -> None:
    other = new_client()
    async with serve_client(tabwright, 4711), serve_client(other, 4712):
        assert await pool(reset=True, as_json=True) == 0
    listed = json.loads(capsys.readouterr().out)["servers"]
    assert [one["server"] for one in listed] == [4711, 4712]
    assert [one["pool"]["effective_max_tabs"] for one in listed] == [2, 2]
    assert listed[0]["pool"]["tabs"][0]["use"] == "searching"
    assert [rate["site"] for rate in listed[0]["rates"]] == ["bing", "mojeek"]
