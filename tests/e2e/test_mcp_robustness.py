"""Failures and wrong calls end with a clear error, and the server goes on."""

import json
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import mcp_types as mcp
import pytest
import trio
from mcp.shared.exceptions import MCPError

from tabwright.testing.demo import record_of, text_of
from tabwright.testing.replica import Scenario, open_replica, open_site

pytestmark = pytest.mark.chromium

SEARCH = {"query": "Q?", "language": "en-US"}


@pytest.fixture
def write_config(write_config):
    """Write settings of a server that returns structured content."""
    return partial(write_config, mcp={"structured_content": True})


def in_tab(url: str) -> dict[str, object]:
    """Return arguments for reading a page in a browser, even if it needs none."""
    return {"url": url, "min_tier": 2}


def kind_of(result: mcp.CallToolResult) -> str:
    assert result.is_error
    return result.meta["tabwright/error"]["kind"]


@pytest.mark.nightly
async def test_browser_killed_while_idle_is_replaced(write_config, open_client, processes):
    async with open_site() as site:
        config = write_config()
        async with open_client(config) as client:
            article = in_tab(site.url("/article"))
            await client.call_tool("browse", article)
            first = processes.browsers(config)
            processes.kill(first)
            again = await client.call_tool("browse", article)
            second = processes.browsers(config)
        assert len(first) == len(second) == 1
        assert first != second
        assert not again.is_error, text_of(again)
        assert await processes.gone(processes.family(first | second))


@pytest.mark.nightly
async def test_browser_killed_again_and_again_is_replaced_each_time(
    write_config, open_client, processes
):
    async with open_site() as site:
        config = write_config()
        async with open_client(config) as client:
            article = in_tab(site.url("/article"))
            for _ in range(6):
                result = await client.call_tool("browse", article)
                assert not result.is_error, text_of(result)
                processes.kill(processes.browsers(config))


async def test_browser_killed_in_the_middle_of_a_call(write_config, open_client, processes):
    async with open_site() as site:
        config = write_config()
        async with open_client(config) as client, trio.open_nursery() as nursery:
            await client.call_tool("browse", in_tab(site.url("/article")))
            results: list[mcp.CallToolResult] = []

            async def browse() -> None:
                results.append(await client.call_tool("browse", in_tab(site.url("/never"))))

            nursery.start_soon(browse)
            while not any(seen.path == "/never" for seen in site.log):
                await trio.sleep(0.01)
            processes.kill(processes.browsers(config))
            with trio.fail_after(60):
                while not results:
                    await trio.sleep(0.01)
            again = await client.call_tool("browse", in_tab(site.url("/article")))
    assert kind_of(results[0]) == "browser_died"
    assert "browser ended" in text_of(results[0])
    assert not again.is_error, text_of(again)


@pytest.mark.nightly
async def test_browser_killed_in_the_middle_of_a_search(write_config, open_client, processes):
    async with open_replica(Scenario(stall_at=3, stall_s=600)) as replica:
        config = write_config(replica)
        async with open_client(config) as client, trio.open_nursery() as nursery:
            begun = trio.Event()
            results: list[mcp.CallToolResult] = []

            async def progress(progress, total, message):
                begun.set()

            async def search() -> None:
                results.append(
                    await client.call_tool("google_ai_search", SEARCH, progress_callback=progress)
                )

            nursery.start_soon(search)
            await begun.wait()
            processes.kill(processes.browsers(config))
            with trio.fail_after(60):
                while not results:
                    await trio.sleep(0.01)
            replica.scenario = Scenario()
            again = await client.call_tool("google_ai_search", SEARCH)
    assert kind_of(results[0]) in {"browser_died", "page_failed"}
    assert "browser ended" in text_of(results[0])
    assert not again.is_error, text_of(again)


@pytest.mark.parametrize("stopped", [False, True], ids=["running", "stopped"])
async def test_server_killed_leaves_no_browser(stopped, write_config, open_client, processes):
    async with open_site() as site:
        config = write_config()
        with pytest.raises((MCPError, BaseExceptionGroup)):
            async with open_client(config) as client:
                await client.call_tool("browse", in_tab(site.url("/article")))
                family = processes.family(processes.browsers(config))
                assert family
                if stopped:
                    processes.kill(processes.browsers(config), signal.SIGSTOP)
                processes.kill(processes.servers(config))
                assert await processes.gone(family)
                await client.call_tool("browse", in_tab(site.url("/article")))


NOT_OPENED = {
    "javascript:alert(1)": ("bad_input", "javascript:"),
    "file:///etc/passwd": ("bad_input", "file:"),
    "ftp://example.com/": ("bad_input", "ftp:"),
    "http://": ("bad_input", "not a URL"),
    "http://127.0.0.1:9/": ("navigation_failed", "did not load"),
}


async def test_urls_that_cannot_be_opened_are_errors_with_the_reason(write_config, open_client):
    async with open_client(write_config()) as client:
        for url, (kind, says) in NOT_OPENED.items():
            result = await client.call_tool("browse", in_tab(url))
            assert kind_of(result) == kind, url
            assert says in text_of(result)


async def test_private_addresses_are_refused_without_allow_private(write_config, open_client):
    async with open_client(write_config(network={"allow_private": False})) as client:
        for host in ("127.0.0.1", "localhost", "2130706433"):
            result = await client.call_tool("browse", in_tab(f"http://{host}/"))
            assert kind_of(result) == "bad_input", host
            assert "network.allow_private" in text_of(result)


UNREADABLE = {
    "/never": ("timeout", "10 s"),
    "/big?mb=50": ("page_failed", "larger"),
    "/big?mb=50&length=1": ("page_failed", "larger"),
    "/404": ("navigation_failed", "404"),
    "/500": ("navigation_failed", "500"),
    "/204": ("navigation_failed", "did not load"),
    "/redirect-loop": ("navigation_failed", "loop"),
    "/busy": ("timeout", "10 s"),
}


async def test_unreadable_page_is_an_error_and_the_next_page_is_read(write_config, open_client):
    limits = {"page_timeout_s": 10, "page_bytes_max": 1_000_000}
    config = write_config(network={"allow_private": True, **limits})
    async with open_site() as site, open_client(config) as client:
        for path, (kind, says) in UNREADABLE.items():
            result = await client.call_tool("browse", in_tab(site.url(path)))
            assert kind_of(result) == kind, path
            assert says in text_of(result)
            after = await client.call_tool("browse", in_tab(site.url("/article")))
            assert not after.is_error, (path, text_of(after))


@pytest.mark.nightly
async def test_suspended_browser_is_replaced(write_config, open_client, processes):
    async with open_site() as site:
        config = write_config()
        article = in_tab(site.url("/article"))
        async with open_client(config) as client:
            await client.call_tool("browse", article)
            stopped = processes.browsers(config)
            processes.kill(stopped, signal.SIGSTOP)
            again = await client.call_tool("browse", article)
            assert not again.is_error, text_of(again)
            assert await processes.gone(stopped)


@pytest.mark.parametrize("endpoint", ["ws://127.0.0.1:9/x", "http://127.0.0.1:9"])
async def test_cdp_endpoint_without_listener_is_browser_unavailable(
    endpoint, write_config, open_client
):
    config = write_config(browser={"cdp_endpoint": endpoint})
    async with open_client(config) as client:
        for _ in range(5):
            result = await client.call_tool("browse", in_tab("http://127.0.0.1:9/"))
            assert kind_of(result) == "browser_unavailable"


async def test_unresponsive_cdp_endpoint_is_browser_unavailable(write_config, open_client):
    browser = {"cdp_endpoint": "", "start_timeout_s": 1}
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listeners[0].socket.getsockname()[1]
    for scheme in ("ws", "http"):
        browser["cdp_endpoint"] = f"{scheme}://127.0.0.1:{port}"
        async with open_client(write_config(browser=browser)) as client:
            result = await client.call_tool("browse", in_tab("http://127.0.0.1:9/"))
        assert kind_of(result) == "browser_unavailable"
    for listener in listeners:
        await listener.aclose()


@pytest.mark.parametrize("when", ["now", "later"])
async def test_page_that_redirects_to_204_or_mailto_is_read(when, write_config, open_client):
    limits = {"allow_private": True, "page_timeout_s": 15}
    async with open_site() as site, open_client(write_config(network=limits)) as client:
        for target in ("/204", "mailto:somebody@example.com"):
            url = site.url(f"/leads?{when}&to={target}")
            result = await client.call_tool("browse", in_tab(url))
            assert not result.is_error, (target, text_of(result))
            assert record_of(result)["title"] == "Leads on"


def test_server_exits_at_end_of_input_even_if_the_client_reads_nothing(write_config):
    command = [sys.executable, "-m", "tabwright", "serve", "--config", str(write_config())]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        lists = b"".join(request(number, "tools/list") for number in range(2, 40))
        server.stdin.write(INITIALIZE + lists)
        server.stdin.close()
        assert server.wait(timeout=60) == 0
        server.stdout.close()


async def test_script_redirect_is_followed(write_config, open_client):
    async with open_site() as site, open_client(write_config()) as client:
        for when in ("now", "later"):
            url = site.url(f"/leads?{when}&to=/article")
            result = await client.call_tool("browse", in_tab(url))
            assert record_of(result)["url"] == site.url("/article"), when


async def test_public_page_redirecting_to_private_address_is_refused(write_config, open_client):
    async with open_site() as site:
        rules = f"--host-resolver-rules=MAP public.example:80 127.0.0.1:{site.port}"
        config = write_config(network={"allow_private": False}, browser={"extra_args": [rules]})
        async with open_client(config) as client:
            direct = await client.call_tool("browse", in_tab("http://public.example/article"))
            assert not direct.is_error, text_of(direct)
            for when in ("now", "later"):
                url = f"http://public.example/leads?{when}&to={site.url('/article')}"
                led = await client.call_tool("browse", in_tab(url))
                assert kind_of(led) == "bad_input", when
                assert "private" in text_of(led)


async def test_a_dialog_does_not_hold_up_the_page(write_config, open_client):
    async with open_site() as site, open_client(write_config()) as client:
        result = await client.call_tool("browse", in_tab(site.url("/alert")))
    assert not result.is_error, text_of(result)


async def test_invalid_calls_get_clear_errors_and_server_keeps_running(write_config, open_client):
    async with open_client(write_config()) as client:
        with pytest.raises(MCPError, match="Unknown tool: nope"):
            await client.call_tool("nope", {})
        empty = await client.call_tool("google_ai_search", {"query": "  "})
        missing = await client.call_tool("google_ai_search", {})
        wrong = await client.call_tool("google_ai_search", {"query": {"text": 7}})
        unknown = await client.call_tool("browse", {"url": "https://a.example", "tier": 3})
        shape = await client.call_tool("browse", {"url": "https://a.example", "format": "yaml"})
        listed = await client.list_tools()
    assert text_of(empty) == "错误: 请提供搜索关键词"
    assert "query" in text_of(missing)
    assert "'query'" in text_of(wrong)
    assert "Expected `str`" in text_of(wrong)
    assert "'tier'" in text_of(unknown)
    assert "Expected: a11y | html | json" in text_of(shape)
    assert [tool.name for tool in listed.tools] == [
        "google_ai_search",
        "web_search",
        "browse",
        "navigate",
        "snapshot",
        "fill_form",
        "click",
        "type",
        "press",
        "select",
        "scroll",
        "wait_for",
        "dialog",
        "run",
        "tabs",
        "screenshot",
    ]


def lines_of(
    tabwright: list[str], config: Path, *messages: bytes
) -> tuple[int, list[dict[str, object]], bytes]:
    """Run a server on raw input lines; return its exit code, answers and errors."""
    command = [*tabwright, "serve", "--config", str(config)]
    done = subprocess.run(
        command, input=b"".join(messages), capture_output=True, timeout=120, check=False
    )
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def request(number: int, method: str, **params: object) -> bytes:
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


INITIALIZE = request(
    1,
    "initialize",
    protocolVersion="2025-11-25",
    capabilities={},
    clientInfo={"name": "test", "version": "1"},
)


def test_malformed_input_is_answered_and_the_server_survives(write_config, quick_tabwright):
    code, answers, _ = lines_of(
        quick_tabwright,
        write_config(),
        INITIALIZE,
        b"not json\n",
        b"[1, 2]\n",
        b"\xff\xfe\n",
        b"\n",
        b"[" * 5000 + b"\n",
        b"x" * (17 << 20) + b"\n",
        request(2, "tools/list"),
    )
    codes = [answer["error"]["code"] for answer in answers if "error" in answer]
    assert code == 0
    assert codes.count(-32700) >= 2
    assert -32600 in codes
    assert {answer["id"] for answer in answers} >= {1, 2}


def test_pending_calls_are_answered_after_end_of_input(write_config, quick_tabwright):
    code, answers, stderr = lines_of(
        quick_tabwright,
        write_config(),
        INITIALIZE,
        request(2, "tools/call", name="browse", arguments={"url": "file:///x"}),
    )
    assert (code, stderr) == (0, b"")
    assert [answer["id"] for answer in answers] == [1, 2]


def test_a_config_with_three_mistakes_names_all_three(tmp_path, quick_tabwright):
    config = tmp_path / "bad.yaml"
    config.write_text("browser:\n  headles: true\n  link: rope\nsearch:\n  timeout_s: soon\n")
    done = subprocess.run(
        [*quick_tabwright, "serve", "--config", str(config)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    for place in ("bad.yaml:2", "bad.yaml:3", "bad.yaml:5"):
        assert place in done.stderr
