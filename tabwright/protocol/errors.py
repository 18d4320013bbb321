"""The tree of errors that a user of tabwright can meet.

::

    TabwrightError                kind, retryable, effect, advice
    ├── Refusal                   understood, and the answer is no; nothing is broken
    │   ├── BadInput              the request itself cannot be served
    │   │   ├── EmptyQuery        nothing was asked
    │   │   └── SessionMissing    there is no session of that name, or no longer
    │   ├── BrowserUnavailable    the browser does not start, or cannot be connected to
    │   │   └── BrowserMissing    there is none
    │   ├── BrowserDied           the browser ended in the middle of the work
    │   ├── NavigationFailed      the page could not be reached
    │   │   └── RobotsRefused     its site wants it left alone by programs
    │   ├── PageFailed            the page was reached and then crashed, hung or grew too large
    │   │   ├── TabClosed             it has closed its tab
    │   │   └── TabLost               its tab is gone, by a crash
    │   ├── SearchBlocked         the engine shows something else than an answer
    │   ├── MarkupChanged         the engine's page is not the one that we can read
    │   ├── RateLimited           the site is left alone for a while
    │   ├── TabsBusy              no tab came free in the caller's time
    │   ├── EnginesFailed         not one of several engines gave anything
    │   ├── ModelFailed           a language model gave no answer that can be used
    │   ├── NoServer              no server of the user's runs that could be asked
    │   └── TimeOut               the caller's time is up
    ├── Undelivered               never started: safe to ask again
    ├── Unanswered                started and lost: may have happened
    ├── Escalated                 an actor crashed more often than it may
    └── SettingsError             the configuration cannot be used

An asker sees an answer, a `Refusal`, `Undelivered`, `Unanswered`, or its own cancellation.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from enum import Enum, IntEnum, StrEnum, auto
from typing import ClassVar, TypeAlias

import attrs

SENTENCE_ENDS = (".", "!", "?", ":", "\u3002")


class Effect(StrEnum):
    """What the failed request may have done to the world outside."""

    NONE = "none"
    UNKNOWN = "unknown"
    DONE = "done"


class ErrorCode(IntEnum):
    """Why a page could not be read."""

    NONE = 0
    NETWORK = 100
    DNS = 101
    TIME_OUT = 102
    TLS = 103
    HTTP_CLIENT = 200
    HTTP_SERVER = 201
    SCRIPT = 300
    BLOCKED = 301
    PARSE = 400
    ENCODING = 401
    EXTRACTION = 402
    SESSION_MISSING = 500
    SESSION_EXPIRED = 501


class HintKind(Enum):
    """What can be done next, or looked at, with a tool that each audience calls otherwise."""

    ANSWER_DIALOG = auto()
    BRING_UP = auto()
    WAIT_UNTIL_ENABLED = auto()
    TAKE_SNAPSHOT = auto()
    ACT_ON_WHAT_SHOWS_IT = auto()
    SELECT_OPTION = auto()
    UPLOAD_FILES = auto()
    CLICK_OPTION = auto()
    SEE_ALL_CHANGES = auto()
    TAKE_REF = auto()
    FIND_ELEMENT = auto()
    FIND_TEXT = auto()
    WAIT_LONGER = auto()
    LOAD_AGAIN = auto()
    LEAVE_PAGE = auto()
    OPEN_PAGE = auto()
    LIST_REQUESTS = auto()
    GIVE_FILES = auto()
    MORE_CHANGES = auto()
    MORE_LINES = auto()
    HIDDEN_CONTROLS = auto()
    SHORTENED_ADDRESSES = auto()
    MORE_TABS = auto()
    MORE_DOWNLOADS = auto()
    CONSOLE_COUNTS = auto()
    MORE_CONSOLE_ENTRIES = auto()
    MORE_REQUESTS = auto()


@attrs.frozen
class Hint:
    """What can be done next, as data: who tells it knows the names of the tools.

    Attributes:
        values: what its sentence names, such as how many there are more; no page has a word in it.
    """

    kind: HintKind
    values: Mapping[str, str | int] = attrs.field(factory=dict[str, str | int])


Note: TypeAlias = str | Hint
"""Something of ours to be told: a sentence that is the same for all, or a hint."""


class TabwrightError(Exception):
    """What happened, and what to do next.

    Attributes:
        kind: a stable word for programs, such as ``navigation_failed``.
        code: what kept a page from being read; `ErrorCode.NONE` for anything else.
        retryable: whether asking again unchanged can succeed.
        effect: whether the request may have had an effect.
        advice: the next step for the user, one sentence; may be empty.
        hints: the same as data, where the sentence names a tool.
        language: of the message and the advice, a BCP 47 tag.
    """

    kind: ClassVar[str] = "error"
    code: ErrorCode = ErrorCode.NONE
    retryable: bool = False
    effect: Effect = Effect.NONE
    language: str = "en-US"

    def __init__(
        self,
        message: str,
        *,
        advice: str = "",
        retryable: bool | None = None,
        code: ErrorCode | None = None,
        hints: tuple[Hint, ...] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
        self.hints = hints
        if retryable is not None:
            self.retryable = retryable
        if code is not None:
            self.code = code

    def advise(self, *, advice: str, hints: tuple[Hint, ...] = ()) -> None:
        """Gives another next step."""
        self.advice, self.hints = advice, hints

    def sent(self) -> None:
        """Notes that something was sent before this happened, so that it may have had an effect."""
        if self.effect is Effect.NONE:
            self.effect = Effect.UNKNOWN

    def __str__(self) -> str:
        return self.text_with(self.advice)

    def text_with(self, advice: str) -> str:
        """The message with another advice after it."""
        if not advice or self.message.endswith(SENTENCE_ENDS):
            return f"{self.message} {advice}".rstrip()
        stop = "\u3002" if self.language.startswith(("zh", "ja")) else ". "
        return f"{self.message}{stop}{advice}"

    def details(self) -> dict[str, object]:
        """What a program may want to know of it, as plain values."""
        numbered = {"code": int(self.code)} if self.code else {}
        return {
            "kind": self.kind,
            **numbered,
            "retryable": self.retryable,
            "effect": self.effect.value,
            "advice": self.advice,
        }


@contextmanager
def having_sent() -> Generator[None]:
    """Has the errors of the block say that something was sent before them."""
    try:
        yield
    except TabwrightError as error:
        error.sent()
        raise


class Refusal(TabwrightError):
    """The actor understood the request and said no; it lives on."""

    kind: ClassVar[str] = "refused"


class BadInput(Refusal):
    """The request cannot be served as it stands: a wrong URL, an empty query, a wrong type."""

    kind: ClassVar[str] = "bad_input"


class EmptyQuery(BadInput):
    """A search without a question."""

    kind: ClassVar[str] = "empty_query"

    def __init__(self) -> None:
        super().__init__("The query is empty.", advice="Enter search terms or a question.")


class SessionMissing(BadInput):
    """There is no session of that name, or none any more."""

    kind: ClassVar[str] = "session_missing"
    code = ErrorCode.SESSION_MISSING


class BrowserUnavailable(Refusal):
    """The browser does not start, or cannot be connected to."""

    kind: ClassVar[str] = "browser_unavailable"


class BrowserMissing(BrowserUnavailable):
    """No browser was found where browsers are."""

    kind: ClassVar[str] = "browser_missing"


class BrowserDied(Refusal):
    """The browser ended in the middle of the work; a new one is started for the next request."""

    kind: ClassVar[str] = "browser_died"
    retryable = True
    effect = Effect.UNKNOWN


class NavigationFailed(Refusal):
    """The page could not be reached."""

    kind: ClassVar[str] = "navigation_failed"
    code = ErrorCode.NETWORK
    retryable = True


class ErrorPage(NavigationFailed):
    """The server answered with an error of HTTP.

    Attributes:
        text: what its page says, as it was to be written; empty for nothing.
    """

    code = ErrorCode.HTTP_CLIENT

    def __init__(
        self, message: str, *, advice: str, retryable: bool, code: ErrorCode, text: str
    ) -> None:
        super().__init__(message, advice=advice, retryable=retryable, code=code)
        self.text = text


class RobotsRefused(NavigationFailed):
    """The site's robots.txt asks programs to leave the page alone (RFC 9309)."""

    kind: ClassVar[str] = "robots_refused"
    code = ErrorCode.BLOCKED
    retryable = False


class PageFailed(Refusal):
    """The page was reached, and then crashed, hung, was closed or grew past its limit."""

    kind: ClassVar[str] = "page_failed"
    code = ErrorCode.SCRIPT
    retryable = True
    effect = Effect.UNKNOWN


class TabLost(PageFailed):
    """The tab is gone, with all that was in it: its page or its browser crashed, or was stopped.

    Attributes:
        reason: why, in sentences; empty where nobody knows.
    """

    def __init__(
        self,
        reason: str,
        *,
        advice: str = "Try again.",
        begun: bool = True,
        hints: tuple[Hint, ...] = (),
    ) -> None:
        super().__init__(f"The tab was lost. {reason}".rstrip(), advice=advice, hints=hints)
        self.reason = reason
        if not begun:
            self.effect = Effect.NONE


class TabClosed(PageFailed):
    """The page has closed its tab, as a pop-up does that has done its work."""

    kind: ClassVar[str] = "tab_closed"

    def __init__(self) -> None:
        super().__init__("The page closed the tab.", advice="Continue in another tab.")


class Barrier(StrEnum):
    """What an engine shows in place of an answer.

    ``CAPTCHA`` is lifted by a person, ``CONSENT`` by a choice; ``REFUSED`` by nobody.
    """

    CAPTCHA = "captcha"
    CONSENT = "consent"
    REFUSED = "refused"
    SCRIPT_CHECK = "script_check"
    UNAVAILABLE = "unavailable"


class SearchBlocked(Refusal):
    """The engine shows a CAPTCHA, a consent page or a notice in place of an answer.

    Attributes:
        barrier: which of them.
        url: the page that shows it.
        intervention: what waits for a person now, by its id; empty for nothing.
        asker: stands for the search that was blocked, towards what waits for a person.
        retry_after_s: how long the engine wants to be left alone, where it says so.
    """

    kind: ClassVar[str] = "search_blocked"
    code = ErrorCode.BLOCKED

    def __init__(self, message: str, *, barrier: Barrier, url: str = "", advice: str = "") -> None:
        super().__init__(message, advice=advice)
        self.barrier = barrier
        self.url = url
        self.intervention = ""
        self.asker: object = None
        self.retry_after_s: float | None = None

    def details(self) -> dict[str, object]:
        """See `TabwrightError.details`; with the barrier, and what waits for a person."""
        waiting = {"intervention": self.intervention} if self.intervention else {}
        return {**super().details(), "barrier": self.barrier.value, **waiting}


class MarkupChanged(Refusal):
    """The engine's page is not the one that we can read; the message says what is missing."""

    kind: ClassVar[str] = "markup_changed"


class RateLimited(Refusal):
    """The site has had as many requests as it may have, or has refused us, and is left alone.

    Attributes:
        retry_after_s: for how long.
    """

    kind: ClassVar[str] = "rate_limited"
    code = ErrorCode.HTTP_CLIENT
    retryable = True

    def __init__(self, message: str, *, retry_after_s: float, advice: str = "") -> None:
        super().__init__(message, advice=advice)
        self.retry_after_s = retry_after_s

    def details(self) -> dict[str, object]:
        """See `TabwrightError.details`; with the time."""
        return {**super().details(), "retry_after_s": round(self.retry_after_s, 1)}


class TabsBusy(Refusal):
    """No tab came free in the caller's time; the message says who has them, and for how long."""

    kind: ClassVar[str] = "tabs_busy"
    retryable = True


class EnginesFailed(Refusal):
    """Not one of several engines gave anything; the message says of each why."""

    kind: ClassVar[str] = "engines_failed"
    retryable = True


class ModelFault(StrEnum):
    """Why a language model gave no answer."""

    AUTHENTICATION = "authentication"
    FORBIDDEN = "forbidden"
    RATE_LIMITED = "rate_limited"
    OVERFLOW = "context_overflow"
    TRANSIENT = "transient"
    REFUSED = "refused"
    UNREADABLE = "unreadable"
    MISSING = "missing"


class ModelFailed(Refusal):
    """A language model gave no answer that can be used.

    Attributes:
        fault: why.
        retry_after_s: how long it wants to be left alone, where it says so.
    """

    kind: ClassVar[str] = "model_failed"

    def __init__(
        self,
        message: str,
        *,
        fault: ModelFault,
        advice: str = "",
        retry_after_s: float | None = None,
    ) -> None:
        passing = fault in {ModelFault.RATE_LIMITED, ModelFault.TRANSIENT}
        super().__init__(message, advice=advice, retryable=passing)
        self.fault = fault
        self.retry_after_s = retry_after_s

    def details(self) -> dict[str, object]:
        """See `TabwrightError.details`; with the fault."""
        return {**super().details(), "fault": self.fault.value}


class NoServer(Refusal):
    """No server of the user's runs that could be asked."""

    kind: ClassVar[str] = "no_server"
    retryable = True

    def __init__(self) -> None:
        super().__init__(
            "No tabwright server is running.",
            advice="MCP clients start one with `tabwright serve`.",
        )


class TimeOut(Refusal):
    """The time that the caller gave is up."""

    kind: ClassVar[str] = "timeout"
    code = ErrorCode.TIME_OUT
    retryable = True
    effect = Effect.UNKNOWN


class Undelivered(TabwrightError):
    """The request was never started; asking again is safe."""

    kind: ClassVar[str] = "undelivered"
    retryable = True


class Unanswered(TabwrightError):
    """The request was started and its actor was lost; the crash is the `__cause__`."""

    kind: ClassVar[str] = "unanswered"
    retryable = True
    effect = Effect.UNKNOWN


class Escalated(TabwrightError):
    """An actor crashed more often than its care allows.

    Attributes:
        crash: the last one.
    """

    kind: ClassVar[str] = "escalated"

    def __init__(self, actor: str, crash: BaseException, restarts: int) -> None:
        super().__init__(f"{actor} failed permanently after {restarts} restarts: {crash}")
        self.crash = crash


class SettingsError(TabwrightError):
    """The configuration cannot be used; the message lists every mistake with its place."""

    kind: ClassVar[str] = "settings"
