"""The Network domain: what is loaded."""

from collections.abc import Mapping

from tabwright.cdp.command import Command
from tabwright.cdp.wire import Event, Nothing, Shape


class Response(Shape, frozen=True):
    """The head of an HTTP answer."""

    url: str
    status: int
    mime_type: str = ""
    headers: Mapping[str, str] = {}


class RequestData(Shape, frozen=True):
    """The head of a request."""

    url: str


class RequestWillBeSent(Event, frozen=True):
    """A request goes out, also after each redirect; a document's `request_id` is its loader id."""

    method = "Network.requestWillBeSent"
    request_id: str
    request: RequestData
    type: str = ""
    frame_id: str = ""


class ResponseReceived(Event, frozen=True):
    """The head of an answer came in."""

    method = "Network.responseReceived"
    request_id: str
    type: str
    response: Response
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


class LoadingFailed(Event, frozen=True):
    """A request came to nothing: no answer, or one that is no document, as a download."""

    method = "Network.loadingFailed"
    request_id: str
    error_text: str = ""


class DataReceived(Event, frozen=True):
    """A part of a body came in; `data_length` is in bytes, decompressed."""

    method = "Network.dataReceived"
    request_id: str
    data_length: int


def enable() -> Command[Nothing]:
    """Network.enable, keeping no bodies for later."""
    return Command("Network.enable", {"maxTotalBufferSize": 0}, Nothing)
