"""`run_task` with the MCP client's own model, in both protocol eras."""

from functools import partial

import mcp_types as mcp
import pytest
import trio

from tabwright.testing.demo import record_of, text_of
from tabwright.testing.scripted_model import open_scripted_model

pytestmark = pytest.mark.chromium


@pytest.fixture
def write_config(write_config):
    """Write settings of a server that returns structured content."""
    return partial(write_config, mcp={"structured_content": True})


def done(text):
    return lambda _: [{"done": {"text": text, "success": True}}]


def sampling(mind, *, as_list=False):
    """Return a sampling handler that answers with a scripted model."""

    async def handle(_context, params):
        output = [params.system_prompt or ""]
        output += [
            m.content.text for m in params.messages if isinstance(m.content, mcp.TextContent)
        ]
        form = next(name for name, mark in FORMS.items() if mark in (params.system_prompt or ""))
        text = mind.think(form, "\n".join(output))
        content = mcp.TextContent(type="text", text=f"<think>Hm.</think>\n```json\n{text}\n```")
        given = [content] if as_list else content
        return answer(role="assistant", content=given, model="scripted")

    answer = mcp.CreateMessageResultWithTools if as_list else mcp.CreateMessageResult
    return handle


FORMS = {
    "plan": '"web_task"',
    "validate": '"is_valid"',
    "extract": '"found"',
    "navigate": '"current_state"',
}
"""What only the schema of each form has."""


@pytest.mark.parametrize(
    "way", [("auto", False), ("auto", True), ("legacy", False), ("legacy", True)]
)
async def test_client_model_performs_a_task_and_each_step_is_reported(
    way, mind, web, write_config, open_client
):
    steps = (
        lambda _: [{"go_to_url": {"url": web.url("/lamp/Ada")}}],
        lambda s: done("40.90" if "costs 40.90" in s.text else "?")(s),
    )
    mode, as_list = way
    reported: list[str] = []

    async def on_progress(progress, total, message):
        reported.append(message)

    handler = sampling(mind(steps), as_list=as_list)
    async with open_client(write_config(), mode, sampling_callback=handler) as client:
        arguments = {"session": "s", "task": "What does lamp Ada cost?"}
        result = await client.call_tool("run_task", arguments, progress_callback=on_progress)
        tabs = await client.call_tool("tabs", {"session": "s"})
    assert not result.is_error
    assert text_of(result) == "40.90"
    assert record_of(result)["end"] == "done"
    assert record_of(result)["trail"][-1]["state"] == "task.ok"
    assert any("act.ok" in line for line in reported)
    assert "/lamp/Ada" in text_of(tabs)


async def test_long_task_is_continued_by_follow_up_call(mind, web, write_config, open_client):
    steps = (
        lambda _: [{"go_to_url": {"url": web.url("/lamp/Ada")}}],
        *(lambda _: [{"scroll_to_bottom": {}}] for _ in range(8)),
        done("40.90"),
    )
    handler = sampling(mind(steps))
    async with open_client(write_config(), "auto", sampling_callback=handler) as client:
        arguments = {"session": "s", "task": "What does lamp Ada cost?"}
        first = await client.call_tool("run_task", arguments)
        again = {"session": "s", "task": "Go on.", "follow_up": True}
        second = await client.call_tool("run_task", again)
    assert first.is_error
    assert "follow_up" in text_of(first)
    assert (second.is_error, text_of(second)) == (False, "40.90")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_refused_sampling_request_ends_the_task(mode, web, write_config, open_client):
    asked = []

    async def refuse(_context, params):
        asked.append(params)
        return mcp.ErrorData(code=-1, message="The user does not want that.")

    async with open_client(write_config(), mode, sampling_callback=refuse) as client:
        with trio.fail_after(60):
            try:
                result = await client.call_tool("run_task", {"session": "s", "task": "Do it."})
            except Exception as error:  # noqa: BLE001  (a client of the newer era raises it itself)
                assert mode == "auto", error
                return
    assert len(asked) == 1
    assert result.is_error
    assert "does not want that" in text_of(result)


async def test_task_without_any_model_names_the_setting_to_set(
    web, write_config, open_client, monkeypatch
):
    async with open_client(write_config()) as client:
        result = await client.call_tool("run_task", {"session": "s", "task": "Do it."})
    assert result.is_error
    assert result.meta["tabwright/error"]["kind"] == "model_failed"
    assert "OPENAI_API_KEY" in text_of(result)


async def test_configured_model_takes_precedence_over_the_client_model(
    mind, web, write_config, open_client
):
    steps = (lambda _: [{"go_to_url": {"url": web.url("/lamp/Bob")}}], done("38.50"))
    async with open_scripted_model(mind(steps)) as model:
        config = write_config(
            models={"provider": "custom", "name": "m", "base_url": model.base_url}
        )
        async with open_client(config, sampling_callback=sampling(mind(()))) as client:
            result = await client.call_tool("run_task", {"session": "s", "task": "Bob's price?"})
    assert text_of(result) == "38.50"
