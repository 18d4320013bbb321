"""The replica: all hosts of the internet on one loopback port, including the search engines."""

import ssl
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from html import escape
from pathlib import Path

import msgspec
import trustme

from tabwright.testing.replica.answers import Truth
from tabwright.testing.replica.engines.apis import api_answer
from tabwright.testing.replica.engines.engines import ReplicaEngines
from tabwright.testing.replica.engines.results import Engine, EngineScenario
from tabwright.testing.replica.google import HOSTS, Consent, Google, Play, consent_in
from tabwright.testing.replica.scenario import Scenario
from tabwright.testing.replica.server import Exchange, Seen, ServerResponse, html, open_server
from tabwright.testing.replica.site import RESOURCE_HOSTS, answer_page, article_at, resource_at


class Replica:
    """A running replica, opened by `open_replica`.

    Attributes:
        port: its TLS port on 127.0.0.1.
        log: every request since the start, oldest first.
        engines: the search engines, their scenarios, and their requests.
    """

    def __init__(
        self,
        port: int,
        authority: trustme.CA,
        google: Google,
        engines: ReplicaEngines,
        log: Sequence[Seen],
    ) -> None:
        self.port = port
        self._authority = authority
        self.log = log
        self.engines = engines
        self._google = google

    @property
    def chromium_args(self) -> tuple[str, ...]:
        """The arguments that send all requests here, with host names and TLS."""
        return (
            f"--host-resolver-rules=MAP * 127.0.0.1:{self.port}",
            "--ignore-certificate-errors",
        )

    def network(self, folder: Path) -> dict[str, object]:
        """Return the settings with which its certificate is trusted without Chromium.

        The certificate is written to `folder`.
        """
        certificate = folder / "replica.pem"
        self._authority.cert_pem.write_to_path(certificate)
        return {"ca_file": str(certificate)}

    @property
    def scenario(self) -> Scenario:
        """The current scenario; a new one applies from the next request on and restarts turns."""
        return self._google.play.scenario

    @scenario.setter
    def scenario(self, scenario: Scenario) -> None:
        """Set the scenario from the next request on."""
        self._google.play = Play(scenario)

    def step(self, frames: int = 1) -> None:
        """Release the next frames of answer streams, under a scenario with a stepped clock."""
        self._google.play.pace.step(frames)

    @property
    def consent(self) -> Consent | None:
        """The choice on the consent page, as last sent by the browser; None before that."""
        for seen in reversed(self.log):
            if consent := consent_in(seen.cookie):
                return consent
        return None

    def truth(self, turn: int = 0) -> Truth:
        """Return the expected content of a turn.

        Args:
            turn: counted from 0 since the scenario was set, over all pages; -1 is the latest.

        Raises:
            LookupError: no page has requested that turn yet.
        """
        return self._google.play.truths[turn]


@asynccontextmanager
async def open_replica(scenario: Scenario | None = None) -> AsyncGenerator[Replica]:
    """Run the replica for the length of the block.

    Leaving the block, or cancelling it, closes every connection, regardless of pending requests.
    """
    google, engines = Google(scenario or Scenario()), ReplicaEngines()
    log: list[Seen] = []

    async def answer(exchange: Exchange) -> None:
        """Answer a request by its host; an unknown host gets a 404."""
        if exchange.path.startswith("/__"):
            await exchange.answer(_controlled(exchange, google, engines, log))
        elif (engine := engines.asked_by(exchange)) is not None:
            await engines.answer(engine, exchange)
        elif (api := api_answer(exchange)) is not None:
            await exchange.answer(api)
        elif exchange.seen.host in HOSTS:
            await google.answer(exchange)
        elif exchange.seen.host in RESOURCE_HOSTS:
            await exchange.answer(resource_at(exchange.path))
        elif exchange.seen.host.endswith(".example"):
            await answer_page(exchange, otherwise=lambda: html(article_at(exchange.path)))
        else:
            await exchange.answer(html("<h1>404</h1>", status=404))

    authority = trustme.CA()
    contexts: dict[str, ssl.SSLContext] = {}

    def become(connection: ssl.SSLObject, host: str | None, _context: ssl.SSLContext) -> None:
        """Answer as the host that the client names (SNI, RFC 6066, section 3)."""
        name = host or "www.google.com"
        if name not in contexts:
            contexts[name] = _certified(authority, name)
        connection.context = contexts[name]

    context = _certified(authority, "www.google.com")
    context.sni_callback = become
    async with open_server(answer, log, tls=context) as port:
        yield Replica(port, authority, google, engines, log)


def _controlled(
    exchange: Exchange, google: Google, engines: ReplicaEngines, log: Sequence[Seen]
) -> ServerResponse:
    """Serve clients in other processes.

    ``POST /__scenario`` sets the scenario, ``POST /__step?frames=n`` releases frames, and
    ``GET /__log`` returns the log. ``POST /__engines`` sets the scenarios of the engines that it
    names, and ``GET /__engines`` returns the requests to them.
    """
    try:
        match exchange.seen.method, exchange.path:
            case _, "/__scenario":
                google.play = Play(msgspec.json.decode(exchange.body, type=Scenario))
            case _, "/__step":
                google.play.pace.step(int(exchange.query.get("frames", "1")))
            case "POST", "/__engines":
                scenarios = msgspec.json.decode(exchange.body, type=dict[Engine, EngineScenario])
                for engine, scenario in scenarios.items():
                    engines.play(engine, scenario)
            case _, "/__engines":
                return _json(engines.asked)
            case _:
                return _json(log)
    except (ValueError, msgspec.DecodeError) as error:
        return html(escape(str(error)), status=400)
    return ServerResponse(status=204)


def _json(value: object) -> ServerResponse:
    return ServerResponse(msgspec.json.encode(value), content_type="application/json")


def _certified(authority: trustme.CA, host: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with authority.issue_cert(host).private_key_and_cert_chain_pem.tempfile() as path:
        context.load_cert_chain(path)
    return context
