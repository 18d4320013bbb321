"""`tabwright task list`, against running servers."""

import json

import pytest

from tabwright.cli.servers import tasks
from tabwright.protocol.tasks import TaskState

SHOP = TaskState("task-1", "Buy a lamp.\nThen stop.", "shop", 3, 100, paused=False)


async def test_tasks_of_a_server_are_listed_with_their_step(
    new_client, serve_client, capsys
) -> None:
    async with serve_client(new_client(running=(SHOP,))):
        assert await tasks("list", None, as_json=False) == 0
        text = capsys.readouterr().out
        assert await tasks("list", None, as_json=True) == 0
        record = json.loads(capsys.readouterr().out)
    assert text == "task-1  running  step 3 of 100, session shop: Buy a lamp.\n"
    (one,) = record["tasks"]
    assert (one["id"], one["session"], one["paused"]) == ("task-1", "shop", False)


async def test_task_list_of_an_idle_server_reports_no_running_task(
    tabwright, serve_client, capsys
) -> None:
    async with serve_client(tabwright):
        assert await tasks("list", None, as_json=False) == 0
    assert capsys.readouterr().out == "No task is running.\n"


@pytest.mark.parametrize("action", ["pause", "resume", "cancel"])
async def test_task_is_changed_in_the_server_that_runs_it(
    action, new_client, serve_client, capsys
) -> None:
    one, other = new_client(), new_client(running=(SHOP,))
    async with serve_client(one, 4711), serve_client(other, 4712):
        assert await tasks(action, "task-1", as_json=False) == 0
    assert (one.changes, other.changes) == ([], [("task-1", action)])
    assert ("paused" in capsys.readouterr().out) is (action == "pause")


async def test_task_id_shared_by_two_servers_requires_the_process(
    new_client, serve_client, capsys
) -> None:
    one, other = new_client(running=(SHOP,)), new_client(running=(SHOP,))
    async with serve_client(one, 4711), serve_client(other, 4712):
        assert await tasks("pause", "task-1", as_json=False) == 2
        assert "4711:task-1, 4712:task-1" in capsys.readouterr().err
        assert await tasks("pause", "4712:task-1", as_json=False) == 0
    assert (one.changes, other.changes) == ([], [("task-1", "pause")])


@pytest.mark.parametrize("arguments", [("list", "task-1"), ("pause", None), ("pause", "task-2")])
async def test_unknown_missing_or_superfluous_task_id_is_refused(
    arguments, new_client, serve_client, capsys
) -> None:
    client = new_client(running=(SHOP,))
    async with serve_client(client):
        assert await tasks(*arguments, as_json=False) == 2
    assert client.changes == []
    assert capsys.readouterr().err


async def test_task_command_without_a_server_fails(runtime_folder, capsys) -> None:
    assert await tasks("list", None, as_json=True) == 1
    assert json.loads(capsys.readouterr().out)["kind"] == "no_server"
