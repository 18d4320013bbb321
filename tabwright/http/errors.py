"""Errors of requests that receive no response, with advice on the next step.

Callers see them all as `NavigationFailed`; the subclasses record whether the request may have
reached a server.
"""

import errno
import socket
import ssl

from tabwright.http.request import Target
from tabwright.protocol.errors import ErrorCode, InvalidResponse, NavigationFailed
from tabwright.protocol.proxy import Proxy
from tabwright.protocol.untrusted_text import Quoted

NO_WAY = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN)

NO_HOST = (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))

BY_THE_NETWORK = "Check the network and the proxy."


class NotConnected(NavigationFailed):
    """No connection was made, so nothing was sent."""


class BrokenOff(NavigationFailed):
    """The connection ended before a response; the request may have arrived."""


def unresolved(host: str, error: OSError | UnicodeError) -> NotConnected:
    """Return the error for a `host` that has no address or is not a valid name."""
    if isinstance(error, UnicodeError) or error.errno in NO_HOST:
        return NotConnected(
            ("There is no host named ", Quoted(host), "."),
            advice="Check the spelling of the host name, and the network.",
            code=ErrorCode.DNS,
            retryable=False,
        )
    return NotConnected(
        ("The name ", Quoted(host), " could not be looked up (", Quoted(_reason(error)), ")."),
        advice="Check the network and its name servers.",
        code=ErrorCode.DNS,
    )


def unconnected(host: str, error: OSError) -> NotConnected:
    """Return the error for a `host` none of whose addresses accepted a connection."""
    if isinstance(error, ConnectionRefusedError):
        return NotConnected(
            (Quoted(host), " refuses connections."), advice="No server listens on that port."
        )
    if error.errno in NO_WAY:
        return NotConnected(("There is no route to ", Quoted(host), "."), advice=BY_THE_NETWORK)
    return NotConnected(
        (Quoted(host), " cannot be reached (", Quoted(_reason(error)), ")."), advice=BY_THE_NETWORK
    )


def too_slow(host: str, time_s: float) -> NotConnected:
    """Return the error for a connection that was not made in time."""
    return NotConnected(
        (Quoted(host), f" could not be reached within {time_s:g} s."),
        advice=BY_THE_NETWORK,
        code=ErrorCode.TIME_OUT,
    )


def untrusted(host: str, error: BaseException) -> NotConnected:
    """Return the error for a failed TLS handshake with `host`."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return NotConnected(
            (Quoted(host), " has no valid certificate: ", Quoted(error.verify_message)),
            advice="Only the operator of the site can fix its certificate.",
            code=ErrorCode.TLS,
            retryable=False,
        )
    reason = f": {error.reason}" if isinstance(error, ssl.SSLError) and error.reason else ""
    return NotConnected(
        ("No secure connection to ", Quoted(host), " could be established", reason, "."),
        advice="Check whether it supports TLS, and whether a proxy intercepts the connection.",
        code=ErrorCode.TLS,
    )


def without_proxy(proxy: Proxy, reason: str) -> NotConnected:
    """Return the error for a proxy that itself failed."""
    return NotConnected(
        (f"The proxy at {proxy.address} ", Quoted(reason), "."), advice="Check the proxy settings."
    )


def refused_by_proxy(proxy: Proxy, target: Target, reason: str) -> NotConnected:
    """Return the error for a proxy that refused to connect to the target."""
    return NotConnected(
        (
            f"The proxy at {proxy.address} does not connect to ",
            Quoted(target.authority),
            " (",
            Quoted(reason),
            ").",
        ),
        advice="Check whether it can reach the site.",
    )


def broken_off(target: Target) -> BrokenOff:
    """Return the error for a connection that the server closed."""
    return BrokenOff((Quoted(target.authority), " closed the connection without an answer."))


def not_http(target: Target, detail: str) -> InvalidResponse:
    """Return the error for a response that is not valid HTTP."""
    return InvalidResponse(
        (Quoted(target.authority), " sent an invalid HTTP response (", Quoted(detail), ")."),
        advice="Check the port, and whether the URL begins with http or https.",
    )


def _reason(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__
