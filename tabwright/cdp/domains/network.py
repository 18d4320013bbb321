"""The Network domain: requests, responses, WebSockets and cookies."""

from collections.abc import Iterable, Mapping

from tabwright.cdp.wire import JSON, CDPCommand, Event, Nothing, Shape, present


class ResponseInfo(Shape, frozen=True):
    """The head of an HTTP answer."""

    url: str
    status: int
    mime_type: str = ""
    headers: Mapping[str, str] = {}


class PostDataEntry(Shape, frozen=True):
    """A part of the body of a request, in base64; empty for a file."""

    bytes: str = ""


class RequestData(Shape, frozen=True):
    """The head of a request, and its body, which is left out where it is large."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = {}
    has_post_data: bool = False
    post_data_entries: tuple[PostDataEntry, ...] = ()


class RequestWillBeSent(Event, frozen=True):
    """A request goes out, also after each redirect; a document's `request_id` is its loader id."""

    method = "Network.requestWillBeSent"
    request_id: str
    request: RequestData
    type: str = ""
    frame_id: str = ""
    timestamp: float = 0.0
    redirect_response: ResponseInfo | None = None
    redirect_has_extra_info: bool = True


class RequestWillBeSentExtraInfo(Event, frozen=True):
    """The head of a request as it goes over the wire, one for each redirect too."""

    method = "Network.requestWillBeSentExtraInfo"
    request_id: str
    headers: Mapping[str, str]


class ResponseReceived(Event, frozen=True):
    """The head of an answer came in."""

    method = "Network.responseReceived"
    request_id: str
    type: str
    response: ResponseInfo
    frame_id: str = ""


class ResponseReceivedExtraInfo(Event, frozen=True):
    """The head of an answer as it came, also of a redirect that nobody follows."""

    method = "Network.responseReceivedExtraInfo"
    request_id: str
    status_code: int
    headers: Mapping[str, str]


class LoadingFinished(Event, frozen=True):
    """The whole answer to a request came in."""

    method = "Network.loadingFinished"
    request_id: str
    timestamp: float = 0.0
    encoded_data_length: float = 0.0


class LoadingFailed(Event, frozen=True):
    """A request came to nothing: no answer, or one that is no document, as a download."""

    method = "Network.loadingFailed"
    request_id: str
    error_text: str = ""
    timestamp: float = 0.0
    blocked_reason: str = ""


class DataReceived(Event, frozen=True):
    """A part of a body came in.

    Attributes:
        data_length: bytes, decompressed.
        encoded_data_length: bytes, as they came.
    """

    method = "Network.dataReceived"
    request_id: str
    data_length: int
    encoded_data_length: int = 0


class WebSocketEvent(Event, frozen=True):
    """Something of a WebSocket, which is a request too."""

    request_id: str


class WebSocketCreated(WebSocketEvent, frozen=True):
    """A script opens one."""

    method = "Network.webSocketCreated"
    url: str


class WebSocketHandshakeSent(WebSocketEvent, frozen=True):
    """The request goes out by which it begins (RFC 6455, section 4.1)."""

    method = "Network.webSocketWillSendHandshakeRequest"
    timestamp: float


class HandshakeAnswer(Shape, frozen=True):
    """The head of the answer to it; 101 is a yes."""

    status: int


class WebSocketHandshakeAnswered(WebSocketEvent, frozen=True):
    """The answer to it came in; one that is no WebSocket's is told as an error only."""

    method = "Network.webSocketHandshakeResponseReceived"
    response: HandshakeAnswer


class WebSocketMessage(Shape, frozen=True):
    """What is said at a time; `payload_data` of what is no text (`opcode` 1) is base64."""

    opcode: float
    payload_data: str


class WebSocketFrame(WebSocketEvent, frozen=True):
    """One side said something."""

    timestamp: float
    response: WebSocketMessage


class WebSocketFrameSent(WebSocketFrame, frozen=True):
    """The page did."""

    method = "Network.webSocketFrameSent"


class WebSocketFrameReceived(WebSocketFrame, frozen=True):
    """The server did."""

    method = "Network.webSocketFrameReceived"


class WebSocketFrameError(WebSocketEvent, frozen=True):
    """It failed, also before it was open."""

    method = "Network.webSocketFrameError"
    error_message: str = ""


class WebSocketClosed(WebSocketEvent, frozen=True):
    """It is over."""

    method = "Network.webSocketClosed"
    timestamp: float


def enable() -> CDPCommand[Nothing]:
    """Network.enable, keeping no bodies for later."""
    return CDPCommand("Network.enable", {"maxTotalBufferSize": 0}, Nothing)


class Body(Shape, frozen=True):
    """The body of an answer."""

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
    """Network.getResponseBody; fails where it is not kept."""
    return CDPCommand("Network.getResponseBody", {"requestId": request_id}, Body)


class PostData(Shape, frozen=True):
    """The body of a request."""

    post_data: str
    base64_encoded: bool = False


def get_request_post_data(request_id: str) -> CDPCommand[PostData]:
    """Network.getRequestPostData; fails where it is not kept."""
    return CDPCommand("Network.getRequestPostData", {"requestId": request_id}, PostData)


def emulate_conditions(*, offline: bool) -> CDPCommand[Nothing]:
    """Network.emulateNetworkConditions: without a network, or as it is."""
    params: dict[str, JSON] = {
        "offline": offline,
        "latency": 0,
        "downloadThroughput": -1,
        "uploadThroughput": -1,
    }
    return CDPCommand("Network.emulateNetworkConditions", params, Nothing)


# Cookies of the browser context of the page.
#
# The Storage domain, asked on a page, would act on the browser's own context.


class StoredCookie(Shape, frozen=True):
    """A cookie; `expires` is in seconds since 1970, -1 for the end of the session.

    A `domain` with a dot before it means the hosts below it too.
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
    """What ``Network.getAllCookies`` answers."""

    cookies: tuple[StoredCookie, ...]


def get_cookies() -> CDPCommand[StoredCookies]:
    """Network.getAllCookies: all cookies of the context of the page that is asked."""
    return CDPCommand("Network.getAllCookies", {}, StoredCookies)


def set_cookies(cookies: Iterable[StoredCookie]) -> CDPCommand[Nothing]:
    """Network.setCookies, into the context of the page that is asked."""
    return CDPCommand("Network.setCookies", {"cookies": [_params(one) for one in cookies]}, Nothing)


def _params(cookie: StoredCookie) -> JSON:
    return present(
        name=cookie.name,
        value=cookie.value,
        domain=cookie.domain,
        path=cookie.path,
        expires=cookie.expires if cookie.expires >= 0 else None,
        httpOnly=cookie.http_only,
        secure=cookie.secure,
        sameSite=cookie.same_site or None,
    )
