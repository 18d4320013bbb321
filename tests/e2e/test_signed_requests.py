"""Signed requests as sites receive them, from tier 1 and from tabs of a real Chromium."""

import re
from base64 import b64decode
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import pytest
import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tabwright import Tabwright
from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.http.signing_keys import create_key
from tabwright.protocol.context_options import RequestRoute
from tabwright.protocol.errors import SettingsError
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import Evaluate
from tabwright.testing.replica.server import (
    Exchange,
    Seen,
    ServerResponse,
    html,
    open_server,
    redirect,
)

pytestmark = pytest.mark.chromium

AGENT = "https://bot.example"
PATIENCE_S = 120

PAGE = """<!doctype html><link rel=icon href=data:,><title>Signed</title><h1>Signed</h1>
<img src="http://OTHER/image">
<script src="http://OTHER/script"></script><iframe src="http://OTHER/frame"></iframe>
<script>
  fetch("/same");
  fetch("http://OTHER/cors");
  fetch("/from", {method: "POST", body: "x"});
  fetch("/own", {headers: {Signature: "mine", "Signature-Input": "mine"}});
  fetch("/host", {headers: {Host: "bank.example"}}).catch(() => 0);
  navigator.sendBeacon("http://OTHER/beacon", "x");
  new Worker("/worker.js");
  new SharedWorker("/shared.js");
</script>"""

PATHS = (
    "/start",
    "/middle",
    "/",
    "/image",
    "/script",
    "/frame",
    "/same",
    "/cors",
    "/from",
    "/to",
    "/own",
    "/host",
    "/beacon",
    "/worker.js",
    "/worker",
    "/shared.js",
    "/shared",
)


@attrs.define
class World:
    """A client, and one site that is reachable by two names."""

    tabwright: Tabwright
    port: int
    key: Ed25519PublicKey
    log: list[Seen]

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def seen(self, path: str) -> Seen:
        """Return the latest request for a path."""
        return [one for one in self.log if one.path == path][-1]

    async def sees(self, *paths: str) -> None:
        """Wait until all of these paths have been requested."""
        with trio.fail_after(PATIENCE_S):
            while not {*paths} <= {one.path for one in self.log}:
                await trio.sleep(0.05)

    def verify(self, seen: Seen) -> str:
        """Verify a request against a signature base built here; return its signature.

        Raises:
            InvalidSignature, KeyError: it is not signed for the host that received it.
        """
        label, _, parameters = seen.headers["signature-input"].partition("=")
        assert seen.headers["signature-agent"] == f'{label}="{AGENT}"'
        assert re.fullmatch(r'\("@authority" "signature-agent";key="sig1"\);.*', parameters)
        lines = (
            f'"@authority": {seen.headers["host"]}',
            f'"signature-agent";key="{label}": "{AGENT}"',
            f'"@signature-params": {parameters}',
        )
        signature = re.fullmatch(f"{label}=:(.*):", seen.headers["signature"])
        assert signature
        self.key.verify(b64decode(signature[1]), "\n".join(lines).encode())
        return signature[1]


@asynccontextmanager
async def open_world(folder: Path, **settings: object) -> AsyncGenerator[World]:
    log: list[Seen] = []
    key = create_key(folder / "key.pem")

    async def serve(exchange: Exchange) -> None:
        other = f"localhost:{port}"
        away = ServerResponse(status=307, headers=(("Location", f"http://{other}/to"),))
        script = "text/javascript"
        await exchange.answer(
            {
                "/": html(PAGE.replace("OTHER", other)),
                "/start": redirect(f"http://{other}/middle"),
                "/middle": redirect(f"http://127.0.0.1:{port}/"),
                "/from": away,
                "/form": html("<title>Form</title><form method=post action=/from>"),
                "/worker.js": ServerResponse(b"fetch('/worker')", content_type=script),
                "/shared.js": ServerResponse(b"fetch('/shared')", content_type=script),
                "/robots.txt": ServerResponse(status=404),
            }.get(
                exchange.path,
                ServerResponse(b"<h1>Here</h1>", headers=(("Access-Control-Allow-Origin", "*"),)),
            )
        )

    async with open_server(serve, log) as port:
        chosen = settings_from(
            override(
                network__allow_private=True,
                network__proxy="none",
                browser__profile=None,
                **{
                    "network__signing": {"key": str(folder / "key.pem"), "agent": AGENT},
                    **settings,
                },
            )
        )
        async with open_tabwright(chosen) as tabwright:
            yield World(tabwright, port, key.public_key(), log)


async def test_each_request_of_a_tab_is_signed_for_the_host_that_receives_it(tmp_path):
    async with open_world(tmp_path) as world:
        await world.tabwright.session("a").enter(world.url("/start"))
        await world.sees(*PATHS)
        own = world.seen("/own").headers
        assert (own["signature"], own["signature-input"]) == ("mine", "mine")
        assert "signature-agent" not in own
        checked = [one for one in world.log if one.path != "/own"]
        assert len({world.verify(one) for one in checked}) == len(checked)
        hosts = {one.headers["host"] for one in checked}
        assert hosts == {f"127.0.0.1:{world.port}", f"localhost:{world.port}"}


@pytest.mark.parametrize("tier", [1, 2, 3])
async def test_page_is_read_with_signed_requests_after_a_redirect_to_another_host(tmp_path, tier):
    async with open_world(tmp_path) as world:
        await world.tabwright.read(world.url("/start"), ReadOptions(min_tier=tier, max_tier=tier))
        paths = ["/start", "/middle", "/"]
        assert [one.path for one in world.log if one.path in paths][:3] == paths
        for path in (*paths, *(["/robots.txt"] if tier == 1 else [])):
            world.verify(world.seen(path))


async def test_signed_requests_keep_session_user_agent_and_extra_headers(tmp_path):
    async with open_world(tmp_path) as world:
        await world.tabwright.session("a").enter(world.url("/first"))
        route = RequestRoute("**", headers=(("X-Route", "1"),))
        await world.tabwright.session("a").change_context(
            lambda before: attrs.evolve(
                before, user_agent="Mine/1", headers=(("X-Extra", "2"),), routes=(route,)
            ),
        )
        await world.tabwright.session("a").enter(world.url("/start"))
        for path in ("/start", "/middle", "/"):
            seen = world.seen(path)
            world.verify(seen)
            assert (seen.headers["x-route"], seen.headers["x-extra"]) == ("1", "2")
            assert seen.user_agent == "Mine/1"


async def test_redirect_of_signed_form_sends_only_origin_as_referer(tmp_path):
    async with open_world(tmp_path, acting__scripts=True) as world:
        await world.tabwright.session("a").enter(world.url("/form?private"))
        script = "document.forms[0].submit()"
        await world.tabwright.session("a").inspect(Evaluate(script))
        await world.sees("/to")
        assert world.seen("/from").headers["referer"] == world.url("/form?private")
        assert world.seen("/to").headers["referer"] == world.url("/")
        world.verify(world.seen("/to"))


async def test_without_a_key_nothing_is_signed(tmp_path):
    async with open_world(tmp_path, network__signing=None) as world:
        await world.tabwright.read(world.url("/start"), ReadOptions(max_tier=1))
        assert world.log
        assert not [one for one in world.log if any("signature" in name for name in one.headers)]


async def test_unreadable_signing_key_is_a_settings_error_at_startup(tmp_path):
    file = tmp_path / "other.pem"
    file.write_text("no key")
    with pytest.raises(SettingsError, match=r"network\.signing"):
        async with open_world(tmp_path, network__signing={"key": str(file)}):
            pytest.fail("started")
