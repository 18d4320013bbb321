"""The errors of CDP commands and connections.

::

    CDPError
    ├── CommandFailed     the browser said no: method, code, text
    ├── MalformedReply    the browser answered something that we cannot read
    ├── UnsendableText    the command holds text that UTF-8 cannot carry
    ├── FrameTooLarge     the command is larger than the browser takes
    └── Gone              nothing will answer any more
        ├── TargetCrashed     the page's renderer is dead
        ├── SessionEnded      the target was closed or detached
        └── ConnectionLost    the link to the browser is cut

Chromium does not answer the pending commands of a target that goes away, so the client fails
them itself: each `Gone` is made here, never received.
"""


class CDPError(Exception):
    """A command without a result; `method` names it, for example ``Page.navigate``."""

    def __init__(self, method: str, text: str) -> None:
        super().__init__(f"{method}: {text}")
        self.method = method
        self.text = text


class CommandFailed(CDPError):
    """The browser refused the command (JSON-RPC error object, section 5.1 of JSON-RPC 2.0).

    Attributes:
        code: -32601 unknown method, -32602 wrong parameters, -32001 unknown session, -32000 errors
            of the domain.
    """

    def __init__(self, method: str, code: int, text: str, data: str = "") -> None:
        super().__init__(method, f"{text} [{code}] {data}".rstrip())
        self.code = code


class MalformedReply(CDPError):
    """The reply does not have the shape that the protocol defines."""


class UnsendableText(CDPError):
    """The command contains a lone surrogate, which UTF-8 cannot encode."""


class FrameTooLarge(CDPError):
    """The command is larger than `tabwright.cdp.connection.COMMAND_BYTES_MAX`."""


class Gone(CDPError):
    """The target or connection is lost; the command may or may not have run."""


class TargetCrashed(Gone):
    """The renderer of the page crashed (`Inspector.targetCrashed`)."""

    def __init__(self, method: str) -> None:
        super().__init__(method, "the page crashed")


class SessionEnded(Gone):
    """The target was closed, or we were detached from it (`Target.detachedFromTarget`)."""

    def __init__(self, method: str) -> None:
        super().__init__(method, "the page was closed")


class ConnectionLost(Gone):
    """The link to the browser is cut.

    Attributes:
        reason: why, as part of a sentence.
    """

    def __init__(self, method: str, reason: str) -> None:
        super().__init__(method, f"the connection to the browser was lost: {reason}")
        self.reason = reason


class LinkLost(Exception):
    """The link is lost; the text says why."""


class HandshakeRejected(LinkLost):
    """The server answered the opening of the WebSocket with an HTTP status instead of 101.

    Attributes:
        status: the status, for example 401 for a wrong token.
    """

    def __init__(self, status: int) -> None:
        super().__init__(f"the server there does not speak WebSocket (HTTP status {status})")
        self.status = status
