"""Extract records and values for a schema, over MCP and from the command line."""

import csv
import json
import os
from functools import partial

import mcp_types as mcp
import pytest
import trio

from tabwright.testing.demo import record_of
from tabwright.testing.replica.server import Exchange, ServerResponse, open_server

CARD = "<div class=card><h3><a href=/p/{0}>Lamp {0}</a></h3><p class=price>${0},299.00</p></div>"
SHOP = (
    "<!doctype html><html lang=en><title>Shop</title><body><h1>Lamps</h1><div id=lamps>"
    + "".join(map(CARD.format, range(1, 5)))
    + "</div><p>"
    + "Every lamp is made by hand, and no lamp is lost. " * 20
    + "</p>"
)
SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "price": {"type": "number", "selector": ".price"},
            "color": {"type": "string"},
        },
    },
}


async def answer(exchange: Exchange) -> None:
    """Serve a shop at ``/shop``, and 404 for every other path."""
    found = exchange.path == "/shop"
    response = ServerResponse(SHOP.encode()) if found else ServerResponse(status=404)
    await exchange.answer(response)


@pytest.fixture
def config(write_config, tmp_path):
    """Write settings with a session folder of the test and no log folder."""
    return partial(write_config, session={"dir": str(tmp_path / "sessions")}, log={"dir": None})


async def test_extract_over_mcp_returns_values_with_sources_in_fences(config, open_client) -> None:
    async with open_server(answer, []) as port:
        url = f"http://127.0.0.1:{port}/shop"
        settings = config(mcp={"tools": ["data"], "structured_content": True})
        async with open_client(settings) as client:
            listed = [tool.name for tool in (await client.list_tools()).tools]
            all_records = await client.call_tool("extract", {"url": url})
            filled = await client.call_tool("extract", {"url": url, "schema": SCHEMA})
            missing = await client.call_tool("extract", {"url": f"{url}/none"})
            invalid = await client.call_tool("extract", {"url": url, "schema": {"type": "string"}})
    assert listed == ["extract"]
    [text] = all_records.content
    assert isinstance(text, mcp.TextContent)
    assert text.text.startswith("<untrusted ")
    [group] = record_of(all_records)["groups"]
    assert group["source"] == "#lamps"
    assert len(group["records"]) == 4
    record = record_of(filled)
    assert record["value"][0] == {"name": "Lamp 1", "price": 1299.0}
    assert record["sources"]["/0/price"] == "#lamps > div:nth-of-type(1) > p:nth-of-type(1)"
    assert record["missing"] == [f"/{number}/color" for number in range(4)]
    assert "<untrusted " in json.dumps(filled.structured_content)
    assert missing.is_error
    assert invalid.is_error


async def test_extract_at_a_shell_prints_json(config, tmp_path, quick_tabwright) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps(SCHEMA))
    async with open_server(answer, []) as port:
        command = [
            *(*quick_tabwright, "extract", "--config", str(config())),
            *("--schema", str(schema), f"http://127.0.0.1:{port}/shop"),
        ]
        ended = await trio.run_process(
            command, capture_stdout=True, capture_stderr=True, check=False, env={**os.environ}
        )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["value"][3] == {"name": "Lamp 4", "price": 4299.0}


async def test_extract_with_an_output_writes_records_and_says_if_nothing_matches(
    config, tmp_path, quick_tabwright
) -> None:
    schema, other = tmp_path / "schema.json", tmp_path / "other.json"
    schema.write_text(json.dumps(SCHEMA))
    nothing = {"type": "object", "properties": {"voltage": {"type": "number"}}}
    other.write_text(json.dumps({"type": "array", "items": nothing}))
    output = tmp_path / "lamps.csv"
    async with open_server(answer, []) as port:
        program = [*quick_tabwright, "extract", "--config", str(config())]
        url = f"http://127.0.0.1:{port}/shop"
        run = partial(trio.run_process, capture_stdout=True, capture_stderr=True, check=False)
        written = await run([*program, "--schema", str(schema), url, "-o", str(output)])
        wrong = await run([*program, url, "-o", str(tmp_path / "lamps.doc")])
        none = await run([*program, "--schema", str(other), url])
    with output.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert (written.returncode, written.stdout) == (0, b"")
    assert rows[3] == {"name": "Lamp 4", "price": "4299.0"}
    assert wrong.returncode == 2
    assert none.returncode == 0
    assert json.loads(none.stdout)["value"] == []
    assert json.loads(none.stdout)["notice"] in none.stderr.decode()
