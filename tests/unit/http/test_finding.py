from collections.abc import Awaitable, Callable

import pytest
import trio

from tabwright.http.proxy_discovery import PROXY_VARIABLES, ProxyFinder
from tabwright.protocol.errors import SettingsError
from tabwright.protocol.proxy import Proxy, ProxyAnswer, ProxyChoice

Serve = Callable[[str], Awaitable[int]]
SetPatience = Callable[[float], None]

pytestmark = pytest.mark.usefixtures("patience")

ADDRESS = "http://proxy.example:8080"
PROXY = Proxy("http", "proxy.example", 8080)


def here(kind: str, port: int) -> Proxy:
    return Proxy("http" if kind == "http" else "socks5", "127.0.0.1", port)


async def test_proxy_setting_none_skips_environment_and_discovery(serve: Serve) -> None:
    finder = ProxyFinder("none", {"HTTPS_PROXY": ADDRESS}, (await serve("http"),))
    assert await finder.choose() == ProxyChoice(source="network.proxy")


async def test_proxy_setting_overrides_the_environment(serve: Serve) -> None:
    environment = {"HTTPS_PROXY": "http://other.example:1", "NO_PROXY": "a.example"}
    finder = ProxyFinder(ADDRESS, environment, (await serve("http"),))
    bypass = ("a.example", ".a.example")
    assert await finder.choose() == ProxyChoice(PROXY, "network.proxy", bypass)


@pytest.mark.parametrize("first", range(len(PROXY_VARIABLES)))
async def test_first_proxy_variable_overrides_discovered_proxies(serve: Serve, first: int) -> None:
    later = dict.fromkeys(PROXY_VARIABLES[first + 1 :], "http://later.example:1")
    empty = dict.fromkeys(PROXY_VARIABLES[:first], " ")
    environment = {**empty, PROXY_VARIABLES[first]: ADDRESS, **later}
    finder = ProxyFinder("auto", environment, (await serve("http"),))
    assert await finder.choose() == ProxyChoice(PROXY, PROXY_VARIABLES[first])


@pytest.mark.parametrize("variable", ["NO_PROXY", "no_proxy"])
async def test_no_proxy_variable_becomes_the_bypass_list(serve: Serve, variable: str) -> None:
    port = await serve("http")
    finder = ProxyFinder("auto", {variable: ".a.example,10.0.0.0/8"}, (port,))
    bypass = (".a.example", "10.0.0.0/8")
    assert await finder.choose() == ProxyChoice(here("http", port), "", bypass)


async def test_invalid_proxy_variable_is_an_error_and_not_skipped(
    serve: Serve,
) -> None:
    environment = {"https_proxy": "http://me:hunter2@proxy.example:8080", "ALL_PROXY": ADDRESS}
    finder = ProxyFinder("auto", environment, (await serve("http"),))
    with pytest.raises(SettingsError, match="https_proxy has a user name or password") as caught:
        await finder.choose()
    assert "hunter2" not in f"{caught.value}{finder!r}"


@pytest.mark.parametrize(
    ("servers", "kind", "index"),
    [
        (["socks5", "http"], "http", 1),
        (["socks5", "mixed", "http"], "http", 1),
        (["http with password", "web server", "socks5", "echo"], "socks5", 2),
        (["closes", "eager", "http"], "http", 1),
        (["socks5", "socks5"], "socks5", 0),
    ],
)
async def test_discovery_prefers_http_over_socks5_and_then_port_order(
    serve: Serve, servers: list[str], kind: str, index: int
) -> None:
    ports = [await serve(server) for server in servers]
    found = await ProxyFinder("auto", {}, ports).choose()
    assert found == ProxyChoice(here(kind, ports[index]))


async def test_system_settings_decide_when_no_proxy_is_found(serve: Serve) -> None:
    ports = [await serve("web server"), await serve("echo")]
    assert await ProxyFinder("auto", {"NO_PROXY": "a.example"}, ports).choose() == ProxyChoice()
    assert await ProxyFinder("auto", {}, ()).choose() == ProxyChoice()


async def test_discovery_probes_all_ports_concurrently(serve: Serve, patience: SetPatience) -> None:
    silent = [await serve("silent") for _ in range(40)]
    port = await serve("http")
    patience(1)
    with trio.fail_after(20):  # one after the other: 80 s
        found = await ProxyFinder("auto", {}, [*silent, port]).choose()
    assert found == ProxyChoice(here("http", port))


async def test_discovered_proxy_is_kept_while_it_works(serve: Serve) -> None:
    better, port = await serve("http"), await serve("socks5")
    used = ProxyChoice(here("socks5", port))
    report = await ProxyFinder("auto", {}, (better, port)).check(used)
    assert (report.answer, report.now, report.changed) == (ProxyAnswer.SERVES, used, False)


@pytest.mark.parametrize(
    ("now", "answer"),
    [("closes", ProxyAnswer.ABSENT), ("http with password", ProxyAnswer.REFUSES)],
)
async def test_discovered_proxy_is_replaced_when_it_stops_working(
    serve: Serve, now: str, answer: ProxyAnswer
) -> None:
    port, other = await serve(now), await serve("socks5")
    report = await ProxyFinder("auto", {}, (port, other)).check(ProxyChoice(here("http", port)))
    assert (report.answer, report.changed) == (answer, True)
    assert report.now == ProxyChoice(here("socks5", other))


async def test_proxy_started_later_is_discovered(serve: Serve) -> None:
    port = await serve("http")
    report = await ProxyFinder("auto", {}, (port,)).check(ProxyChoice())
    assert (report.answer, report.changed) == (ProxyAnswer.UNASKED, True)
    assert report.now == ProxyChoice(here("http", port))


async def test_configured_proxy_is_never_replaced(serve: Serve) -> None:
    gone, other = await serve("closes"), await serve("http")
    finder = ProxyFinder("auto", {"HTTPS_PROXY": f"http://127.0.0.1:{gone}"}, (other,))
    used = await finder.choose()
    report = await finder.check(used)
    assert (report.answer, report.now, report.changed) == (ProxyAnswer.ABSENT, used, False)


@pytest.mark.parametrize("setting", ["none", ADDRESS])
async def test_direct_connection_and_remote_proxy_are_not_probed(
    serve: Serve, setting: str
) -> None:
    finder = ProxyFinder(setting, {}, (await serve("http"),))
    report = await finder.check(await finder.choose())
    assert (report.answer, report.changed) == (ProxyAnswer.UNASKED, False)
