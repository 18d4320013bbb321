"""The Network domain: requests, responses, WebSockets and cookies."""

from collections.abc import Iterable, Mapping

from tabwright.cdp.wire import JSON, CDPCommand, Event, Nothing, Shape, present


class ResponseInfo(Shape, frozen=True):
    """The head of an HTTP response."""

    url: str
    status: int
    mime_type: str = ""
    headers: Mapping[str, str] = {}
    protocol: str = ""


class PostDataEntry(Shape, frozen=True):
    """A part of the body of a request, in base64; empty for a file."""

    bytes: str = ""


class RequestData(Shape, frozen=True):
    """The head of a request, and its body, which is omitted if it is large."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = {}
    has_post_data: bool = False
    post_data_entries: tuple[PostDataEntry, ...] = ()


class RequestWillBeSent(Event, frozen=True):
    """A request is sent, also after each redirect; a document's `request_id` is its loader id."""

    method = "Network.requestWillBeSent"
    request_id: str
    request: RequestData
    type: str = ""
    frame_id: str = ""
    timestamp: float = 0.0
    wall_time: float = 0.0
    redirect_response: ResponseInfo | None = None
    redirect_has_extra_info: bool = True


class RequestWillBeSentExtraInfo(Event, frozen=True):
    """The head of a request as sent, also for each redirect."""

    method = "Network.requestWillBeSentExtraInfo"
    request_id: str
    headers: Mapping[str, str]


class ResponseReceived(Event, frozen=True):
    """The head of a response was received."""

    method = "Network.responseReceived"
    request_id: str
    type: str
    response: ResponseInfo
    frame_id: str = ""


class ResponseReceivedExtraInfo(Event, frozen=True):
    """The head of a response as received, also of a redirect that is not followed."""

    method = "Network.responseReceivedExtraInfo"
    request_id: str
    status_code: int
    headers: Mapping[str, str]


class LoadingFinished(Event, frozen=True):
    """A response was received completely."""

    method = "Network.loadingFinished"
    request_id: str
    timestamp: float = 0.0
    encoded_data_length: float = 0.0


class LoadingFailed(Event, frozen=True):
    """A request failed: no response, or one that is not a document, such as a download."""

    method = "Network.loadingFailed"
    request_id: str
    error_text: str = ""
    timestamp: float = 0.0
    blocked_reason: str = ""


class DataReceived(Event, frozen=True):
    """A part of a body was received.

    Attributes:
        data_length: bytes, decompressed.
        encoded_data_length: bytes as received.
    """

    method = "Network.dataReceived"
    request_id: str
    data_length: int
    encoded_data_length: int = 0


class WebSocketEvent(Event, frozen=True):
    """An event of a WebSocket, which is a request, too."""

    request_id: str


class WebSocketCreated(WebSocketEvent, frozen=True):
    """A script created a WebSocket."""

    method = "Network.webSocketCreated"
    url: str


class WebSocketHandshakeSent(WebSocketEvent, frozen=True):
    """The opening request is sent (RFC 6455, section 4.1)."""

    method = "Network.webSocketWillSendHandshakeRequest"
    timestamp: float


class HandshakeAnswer(Shape, frozen=True):
    """The head of the response to the opening request; 101 accepts it."""

    status: int


class WebSocketHandshakeAnswered(WebSocketEvent, frozen=True):
    """The opening request was answered; a rejection is reported only as an error."""

    method = "Network.webSocketHandshakeResponseReceived"
    response: HandshakeAnswer


class WebSocketMessage(Shape, frozen=True):
    """The content of a frame; `payload_data` of a frame that is not text (`opcode` 1) is base64."""

    opcode: float
    payload_data: str


class WebSocketFrame(WebSocketEvent, frozen=True):
    """A frame was sent or received."""

    timestamp: float
    response: WebSocketMessage


class WebSocketFrameSent(WebSocketFrame, frozen=True):
    """The page sent a frame."""

    method = "Network.webSocketFrameSent"


class WebSocketFrameReceived(WebSocketFrame, frozen=True):
    """The server sent a frame."""

    method = "Network.webSocketFrameReceived"


class WebSocketFrameError(WebSocketEvent, frozen=True):
    """The WebSocket failed, possibly before it was open."""

    method = "Network.webSocketFrameError"
    error_message: str = ""


class WebSocketClosed(WebSocketEvent, frozen=True):
    """The WebSocket was closed."""

    method = "Network.webSocketClosed"
    timestamp: float


def enable() -> CDPCommand[Nothing]:
    """Network.enable, without keeping bodies."""
    return CDPCommand("Network.enable", {"maxTotalBufferSize": 0}, Nothing)


class Body(Shape, frozen=True):
    """The body of a response."""

    body: str
    base64_encoded: bool = False


def enable_with_bodies(total_bytes_max: int) -> CDPCommand[Nothing]:
    """Network.enable, keeping the latest bodies for `get_response_body`."""
    params: dict[str, JSON] = {
        "maxTotalBufferSize": total_bytes_max,
        "maxResourceBufferSize": total_bytes_max // 2,
    }
    return CDPCommand("Network.enable", params, Nothing)


def get_response_body(request_id: str) -> CDPCommand[Body]:
    """Network.getResponseBody; fails if the body is not kept."""
    return CDPCommand("Network.getResponseBody", {"requestId": request_id}, Body)


class PostData(Shape, frozen=True):
    """The body of a request."""

    post_data: str
    base64_encoded: bool = False


def get_request_post_data(request_id: str) -> CDPCommand[PostData]:
    """Network.getRequestPostData; fails if the body is not kept."""
    return CDPCommand("Network.getRequestPostData", {"requestId": request_id}, PostData)


def emulate_conditions(
    *, offline: bool, latency_ms: float = 0, download: float = -1, upload: float = -1
) -> CDPCommand[Nothing]:
    """Network.emulateNetworkConditions, in bytes per second; -1 for no limit."""
    params: dict[str, JSON] = {
        "offline": offline,
        "latency": latency_ms,
        "downloadThroughput": download,
        "uploadThroughput": upload,
    }
    return CDPCommand("Network.emulateNetworkConditions", params, Nothing)


def set_extra_headers(headers: Mapping[str, str]) -> CDPCommand[Nothing]:
    """Network.setExtraHTTPHeaders; empty to send no more of them."""
    return CDPCommand("Network.setExtraHTTPHeaders", {"headers": headers}, Nothing)


# Cookies of the browser context of the page.
#
# The Storage domain, asked on a page, would act on the browser's own context.


class StoredCookie(Shape, frozen=True):
    """A cookie; `expires` is in seconds since 1970, -1 for the end of the session.

    A `domain` with a leading dot includes its subdomains.
    """

    name: str
    value: str
    domain: str
    path: str
    expires: float = -1
    http_only: bool = False
    secure: bool = False
    same_site: str = ""


class StoredCookies(Shape, frozen=True):
    """The result of ``Network.getAllCookies``."""

    cookies: tuple[StoredCookie, ...]


def get_cookies() -> CDPCommand[StoredCookies]:
    """Network.getAllCookies: all cookies of the page's context."""
    return CDPCommand("Network.getAllCookies", {}, StoredCookies)


def set_cookies(cookies: Iterable[StoredCookie]) -> CDPCommand[Nothing]:
    """Network.setCookies, into the page's context."""
    params: list[JSON] = [
        present(
            name=one.name,
            value=one.value,
            domain=one.domain,
            path=one.path,
            expires=one.expires if one.expires >= 0 else None,
            httpOnly=one.http_only,
            secure=one.secure,
            sameSite=one.same_site or None,
        )
        for one in cookies
    ]
    return CDPCommand("Network.setCookies", {"cookies": params}, Nothing)


def delete_cookie(cookie: StoredCookie) -> CDPCommand[Nothing]:
    """Network.deleteCookies: the cookie with this name, domain and path."""
    params = {"name": cookie.name, "domain": cookie.domain, "path": cookie.path}
    return CDPCommand("Network.deleteCookies", params, Nothing)
