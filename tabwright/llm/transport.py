"""HTTP transport for models, with the user's proxy and certificates, and its retry policy.

It is separate from the client that fetches pages: no robots.txt, no cookies, no cache. A model can
be at a private address, and redirects are not followed.
"""

import random
import ssl

import attrs
import trio

from tabwright.concurrency.timers import Backoff
from tabwright.http.config import USER_AGENT, Retries
from tabwright.http.connect import TO_PROXIES, Connector
from tabwright.http.connection_pool import ConnectionPool
from tabwright.http.content_coding import ContentDecodingError
from tabwright.http.errors import NotConnected
from tabwright.http.exchange import RetryingExchange
from tabwright.http.net import NetworkBackend
from tabwright.http.proxy_discovery import ProxyFinder
from tabwright.http.request import ACCEPT_ENCODING, RequestMessage, target_of
from tabwright.llm.vendor import HTTPCall, ModelTraits, VendorAPI, VendorEndpoint, VendorReply
from tabwright.protocol.errors import ModelFailed, ModelFault, NavigationFailed, SettingsError
from tabwright.protocol.fetch import Payload
from tabwright.protocol.llm import ModelRequest, ModelResponse
from tabwright.protocol.untrusted_text import Message, Quoted

ANSWER_BYTES_MAX = 4 * 1024 * 1024
"""Maximum size of a response; a long one has about 50 kB."""

HEADERS = (
    ("User-Agent", USER_AGENT),
    ("Accept", "application/json"),
    ("Accept-Encoding", ACCEPT_ENCODING),
)

ONCE = Retries(0, random.Random(0))  # noqa: S311  (never draws: the caller repeats)


class ModelTransport:
    """Sends calls; it finds its proxy and connects on first use.

    Args:
        net: the network.
        proxies: finds the proxy, so that models use the same one as pages.
    """

    def __init__(self, net: NetworkBackend, proxies: ProxyFinder) -> None:
        self._dialer = Connector(_without_http2(net), allow_private=True)
        self._proxies = proxies
        self._opening = trio.Lock()
        self._connections: ConnectionPool | None = None

    async def send(self, call: HTTPCall, timeout_s: float) -> VendorReply:
        """Send a call and return the reply, whatever its status; cancellation drops the call.

        Raises:
            ModelFailed: no complete reply within `timeout_s`.
        """
        payload = Payload(call.body, "application/json")
        message = RequestMessage("POST", target_of(call.url), (*HEADERS, *call.headers), payload)
        where = message.target.authority
        try:
            return await self._sent(message, trio.current_time() + timeout_s)
        except (NavigationFailed, SettingsError) as error:
            fault = ModelFault.TRANSIENT if error.retryable else ModelFault.MISSING
            raise ModelFailed(
                ("The model cannot be reached: ", *error.chunks),
                fault=fault,
                advice=error.advice,
            ) from error
        except trio.TooSlowError as error:
            raise ModelFailed(
                (Quoted(where), f" did not answer within {timeout_s:g} s."),
                fault=ModelFault.TRANSIENT,
                advice="Try again, or raise models.timeout_s.",
            ) from error
        except ContentDecodingError as error:
            raise _unreadable(
                (Quoted(where), " used a content coding that cannot be decoded.")
            ) from error

    async def aclose(self) -> None:
        """Close every connection, even if cancelled."""
        if self._connections is not None:
            await self._connections.aclose()

    async def _sent(self, message: RequestMessage, until_s: float) -> VendorReply:
        async with self._opening:
            if self._connections is None:
                self._connections = ConnectionPool(self._dialer, await self._proxies.choose())
            connections = self._connections
        used = connections.proxy_choice
        try:
            async with RetryingExchange(connections, ONCE).answered(message, until_s) as answer:
                received = await answer.take(ANSWER_BYTES_MAX, until_s)
        except NotConnected as failure:
            if failure.retryable:  # for the next call
                connections.proxy_choice = (await self._proxies.check(used)).now
            raise
        match received.cut:
            case None:
                body = received.body
            case "size_limit":
                raise _unreadable(
                    (
                        Quoted(message.target.authority),
                        f" sent more than {ANSWER_BYTES_MAX >> 20} MiB.",
                    )
                )
            case "time_out":
                raise trio.TooSlowError
            case _:
                raise NavigationFailed(
                    (
                        Quoted(message.target.authority),
                        " closed the connection in the middle of its answer.",
                    )
                )
        return VendorReply(answer.head.status, body, dict(answer.head.headers))


def _without_http2(net: NetworkBackend) -> NetworkBackend:
    """Return the network without HTTP/2, whose library logs headers and so API keys."""

    def trust(context: ssl.SSLContext) -> None:
        """Offer only the protocols that are offered to proxies, without HTTP/2 (ALPN, RFC 7301)."""
        net.trust(context)
        context.set_alpn_protocols(list(TO_PROXIES))

    return attrs.evolve(net, trust=trust)


def _unreadable(message: Message) -> ModelFailed:
    return ModelFailed(
        message, fault=ModelFault.UNREADABLE, advice="Try again, or use another model."
    )


# When failed calls are retried.

BACKOFF = Backoff(first_s=1.0, max_s=30.0)

RETRIES_MAX = 3

WAIT_MAX_S = 60.0
"""Longest requested pause that is waited for; beyond it the call fails."""


@attrs.frozen(eq=False)
class RetryPolicy:
    """Limits for retries; only temporary failures are retried.

    Attributes:
        chance: random source for the jitter of the pauses.
    """

    chance: random.Random

    def pause_s(self, failure: ModelFailed, times: int) -> float | None:
        """Return the pause after `times` failures in seconds, or None to give up."""
        if not failure.retryable or times > RETRIES_MAX:
            return None
        wanted_s = failure.retry_after_s or 0.0
        if wanted_s > WAIT_MAX_S:
            return None
        return max(wanted_s, BACKOFF.pause_s(times, self.chance))


# A model over HTTP.


@attrs.frozen(eq=False, kw_only=True)
class HttpModel:
    """A `tabwright.protocol.llm.Model` behind an HTTP API.

    Attributes:
        line: the transport.
        dialect: the vendor's API.
        place: the endpoint.
        traits: sampling and structured output.
        retry: when a call is retried.
        timeout_s: timeout of one answer.
    """

    line: ModelTransport
    dialect: VendorAPI
    place: VendorEndpoint
    traits: ModelTraits
    retry: RetryPolicy
    timeout_s: float

    async def answer(self, question: ModelRequest, /) -> ModelResponse:
        call = self.dialect.call(question, self.place, self.traits)
        times = 0
        while True:
            try:
                reply = await self.line.send(call, self.timeout_s)
                return self.dialect.completion(reply, self.place)
            except ModelFailed as failure:
                times += 1
                pause_s = self.retry.pause_s(failure, times)
                if pause_s is None:
                    raise
            await trio.sleep(pause_s)
