"""The errors that a user of tabwright can meet.

::

    TabwrightError                kind, retryable, effect, advice
    ├── Refusal                   the request was understood and refused; nothing is broken
    │   ├── BadInput              the request itself cannot be served
    │   │   ├── EmptyQuery        the query is empty
    │   │   └── SessionMissing    the session is not open
    │   ├── PersonActing          a person has taken over the tab
    │   ├── SessionBusy           another process of the fleet uses the session
    │   ├── SessionMoved          another process of the fleet has the session now
    │   ├── BrowserUnavailable    the browser does not start or respond
    │   │   └── BrowserMissing    no browser was found
    │   ├── BrowserDied           the browser ended during the call
    │   ├── NavigationFailed      the page could not be reached
    │   │   ├── EndlessRedirects  it redirects in a loop, or too often
    │   │   ├── InvalidResponse   its server does not answer with valid HTTP
    │   │   └── RobotsRefused     its robots.txt disallows it
    │   ├── PageFailed            the page was reached and then crashed, hung or grew too large
    │   │   ├── TabClosed             the page closed its tab
    │   │   └── TabLost               the tab or its browser crashed
    │   ├── SearchBlocked         the engine shows a CAPTCHA or a notice instead
    │   ├── MarkupChanged         the engine's page could not be parsed
    │   ├── RateLimited           the site is paused, or its daily limit is used up
    │   ├── TabsBusy              no tab became free in time
    │   ├── EnginesFailed         no engine returned results
    │   ├── ModelFailed           a language model returned no usable answer
    │   ├── NoServer              no tabwright server is running
    │   ├── FleetUnavailable      the Redis of the fleet cannot be reached
    │   ├── JobGivenUp            no worker of the fleet could do the job
    │   └── TimeOut               the time limit was reached
    ├── Undelivered               never started: safe to repeat
    ├── Unanswered                started and lost: may have had an effect
    │   └── InternalError         an unexpected exception ended it, but nothing else
    ├── Escalated                 an actor crashed too often
    └── SettingsError             the settings cannot be used

A caller gets an answer, a `Refusal`, `Undelivered`, `Unanswered`, or its own cancellation.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from enum import Enum, IntEnum, StrEnum, auto
from typing import ClassVar, TypeAlias

import attrs

from tabwright.protocol.untrusted_text import Message, Quoted, Sentence, text_of

SENTENCE_ENDS = (".", "!", "?", ":", "\u3002")


class Effect(StrEnum):
    """Whether a failed request had an effect on the outside world."""

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
    """A next step whose tool has another name for each audience."""

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
    ALLOW_PRIVATE = auto()


@attrs.frozen
class Hint:
    """A next step as data; the renderer of each audience knows the names of the tools.

    Attributes:
        kind: which step.
        values: the values in its sentence, such as a count. They never contain page text.
    """

    kind: HintKind
    values: Mapping[str, str | int] = attrs.field(factory=dict[str, str | int])


Note: TypeAlias = str | Hint
"""Text by tabwright, not by a page: a sentence for every audience, or a hint."""


class TabwrightError(Exception):
    """What happened, and what to do next.

    Attributes:
        kind: a stable word for programs, such as ``navigation_failed``.
        chunks: what happened, in one sentence; text that a page may have written is `Quoted`.
        code: why a page could not be read; `ErrorCode.NONE` for other errors.
        retryable: whether the same request can succeed later.
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
        message: Message,
        *,
        advice: str = "",
        retryable: bool | None = None,
        code: ErrorCode | None = None,
        hints: tuple[Hint, ...] = (),
    ) -> None:
        self.chunks = (message,) if isinstance(message, str) else message
        super().__init__(self.message)
        self.advice = advice
        self.hints = hints
        if retryable is not None:
            self.retryable = retryable
        if code is not None:
            self.code = code

    @property
    def message(self) -> str:
        """The event as one plain text."""
        return text_of(Sentence(self.chunks))

    def add(self, *chunks: str | Quoted) -> None:
        """Continue the message."""
        self.chunks += chunks

    def advise(self, *, advice: str, hints: tuple[Hint, ...] = ()) -> None:
        """Replace the advice and its hints."""
        self.advice, self.hints = advice, hints

    def sent(self) -> None:
        """Note that something was sent before the error, so that it may have had an effect."""
        if self.effect is Effect.NONE:
            self.effect = Effect.UNKNOWN

    def __str__(self) -> str:
        return self.text_with(self.advice)

    def text_with(self, advice: str) -> str:
        """Return the message followed by this advice."""
        return text_of(Sentence(self.chunks_with(advice)))

    def chunks_with(self, advice: str) -> tuple[str | Quoted, ...]:
        """Return the message followed by this advice, as `chunks`."""
        if not advice:
            return self.chunks
        if self.message.endswith(SENTENCE_ENDS):
            return (*self.chunks, " ", advice)
        stop = "\u3002" if self.language.startswith(("zh", "ja")) else ". "
        return (*self.chunks, stop, advice)

    def details(self) -> dict[str, object]:
        """Return the error's attributes for programs, as JSON-able values."""
        coded: dict[str, object] = {}
        if self.code:
            coded = {"code": int(self.code), "reason": self.code.name.lower()}
        return {
            "kind": self.kind,
            **coded,
            "retryable": self.retryable,
            "effect": self.effect.value,
            "advice": self.advice,
        }


@contextmanager
def having_sent() -> Generator[None]:
    """Call `TabwrightError.sent` on the errors of the block."""
    try:
        yield
    except TabwrightError as error:
        error.sent()
        raise


class Refusal(TabwrightError):
    """The actor understood the request and refused it; it continues to run."""

    kind: ClassVar[str] = "refused"


class BadInput(Refusal):
    """The request is not valid: for example a wrong URL, an unknown name or a wrong type."""

    kind: ClassVar[str] = "bad_input"


class EmptyQuery(BadInput):
    """The query of a search is empty."""

    kind: ClassVar[str] = "empty_query"

    def __init__(self) -> None:
        super().__init__("The query is empty.", advice="Enter search terms or a question.")


class PersonActing(Refusal):
    """A person has taken over the tab in the live view, so nothing was done."""

    kind: ClassVar[str] = "person_acting"
    retryable = True

    def __init__(self) -> None:
        super().__init__(
            "A person has taken over this tab, so nothing was done.",
            advice="Wait until the person hands it back, then look at the page again.",
        )


class SessionMissing(BadInput):
    """No session of this name is open, or it has no page."""

    kind: ClassVar[str] = "session_missing"
    code = ErrorCode.SESSION_MISSING


class SessionBusy(Refusal):
    """Another process of the fleet uses the session and did not hand it over in time.

    Attributes:
        owner: the name of that process.
    """

    kind: ClassVar[str] = "session_busy"
    retryable = True

    def __init__(self, session: str, owner: str) -> None:
        super().__init__(
            f"Session {session!r} is in use at {owner!r}, another process of the fleet.",
            advice="Try again when its call has ended, or use another session.",
        )
        self.owner = owner

    def details(self) -> dict[str, object]:
        """Return the details, with the owner."""
        return {**super().details(), "owner": self.owner}


class SessionMoved(Refusal):
    """This process does not have the session any more; a call that had begun was ended."""

    kind: ClassVar[str] = "session_moved"
    retryable = True

    def __init__(self, session: str, *, begun: bool) -> None:
        super().__init__(
            f"This process no longer has session {session!r}.",
            advice="Try again: the session is opened again with its saved state.",
        )
        self.effect = Effect.UNKNOWN if begun else Effect.NONE


class BrowserUnavailable(Refusal):
    """The browser does not start, or does not respond."""

    kind: ClassVar[str] = "browser_unavailable"


class BrowserMissing(BrowserUnavailable):
    """No browser was found in the usual places."""

    kind: ClassVar[str] = "browser_missing"


class BrowserDied(Refusal):
    """The browser ended during the call; the next request starts a new one."""

    kind: ClassVar[str] = "browser_died"
    retryable = True
    effect = Effect.UNKNOWN


class NavigationFailed(Refusal):
    """The page could not be reached."""

    kind: ClassVar[str] = "navigation_failed"
    code = ErrorCode.NETWORK
    retryable = True


class ErrorPage(NavigationFailed):
    """The server answered with an HTTP error status.

    Attributes:
        status: the HTTP status.
        text: the error page as text, in the requested format; may be empty.
    """

    code = ErrorCode.HTTP_CLIENT

    def __init__(  # noqa: PLR0913
        self,
        message: Message,
        *,
        advice: str,
        retryable: bool,
        code: ErrorCode,
        status: int,
        text: str,
    ) -> None:
        super().__init__(message, advice=advice, retryable=retryable, code=code)
        self.status = status
        self.text = text

    def details(self) -> dict[str, object]:
        """Return the attributes with the HTTP status."""
        return {**super().details(), "status": self.status}


class PageStays(NavigationFailed):
    """The page asked whether to leave it (``beforeunload``), and the caller wanted to stay then."""

    code = ErrorCode.NONE
    retryable = False


class EndlessRedirects(NavigationFailed):
    """The page redirects in a loop, or too often."""

    retryable = False


class InvalidResponse(NavigationFailed):
    """The server of the page does not answer with valid HTTP."""

    retryable = False


class RobotsRefused(NavigationFailed):
    """The site's robots.txt disallows the page for programs (RFC 9309)."""

    kind: ClassVar[str] = "robots_refused"
    code = ErrorCode.BLOCKED
    retryable = False


class PageFailed(Refusal):
    """The page was reached and then crashed, hung, was closed or grew too large."""

    kind: ClassVar[str] = "page_failed"
    code = ErrorCode.SCRIPT
    retryable = True
    effect = Effect.UNKNOWN


class TabLost(PageFailed):
    """The tab is gone with its page: the page or the browser crashed, or was stopped.

    Attributes:
        reason: why, in sentences as `chunks` are; empty if unknown.
    """

    def __init__(
        self,
        reason: Message,
        *,
        advice: str = "Try again.",
        begun: bool = True,
        hints: tuple[Hint, ...] = (),
    ) -> None:
        reason = (reason,) if isinstance(reason, str) else reason
        reason = reason if any(map(text_of, reason)) else ()
        lost = ("The tab was lost.", *((" ", *reason) if reason else ()))
        super().__init__(lost, advice=advice, hints=hints)
        self.reason = reason
        if not begun:
            self.effect = Effect.NONE


class TabClosed(PageFailed):
    """The page closed its tab, as pop-ups do when they are finished."""

    kind: ClassVar[str] = "tab_closed"

    def __init__(self) -> None:
        super().__init__("The page closed the tab.", advice="Continue in another tab.")


class Barrier(StrEnum):
    """The kind of page that an engine shows instead of an answer.

    A person can solve ``CAPTCHA``, choose for ``CONSENT`` and log in for ``LOG_IN``. Nobody can
    lift ``REFUSED``. ``NO_ANSWER`` is a sentence of the engine that it has no answer.
    """

    CAPTCHA = "captcha"
    CONSENT = "consent"
    LOG_IN = "log_in"
    NO_ANSWER = "no_answer"
    REFUSED = "refused"
    SCRIPT_CHECK = "script_check"
    UNAVAILABLE = "unavailable"


class SearchBlocked(Refusal):
    """The engine shows a CAPTCHA, a consent page or a notice instead of an answer.

    Attributes:
        barrier: which of them.
        url: of the page that shows it.
        intervention: the id of the intervention that is open for it; empty for none.
        asker: identifies the blocked search to the intervention.
        retry_after_s: the pause in seconds that the engine requested; None if it did not.
        paused_for_s: seconds in which the engine is not asked again; 0 if it is not paused.
    """

    kind: ClassVar[str] = "search_blocked"
    code = ErrorCode.BLOCKED

    def __init__(
        self, message: Message, *, barrier: Barrier, url: str = "", advice: str = ""
    ) -> None:
        super().__init__(message, advice=advice)
        self.barrier = barrier
        self.url = url
        self.intervention = ""
        self.asker: object = None
        self.retry_after_s: float | None = None
        self.paused_for_s = 0.0

    def details(self) -> dict[str, object]:
        """Return the details, with the barrier, the intervention and the pause."""
        waiting = {"intervention": self.intervention} if self.intervention else {}
        paused = {"paused_for_s": round(self.paused_for_s, 1)} if self.paused_for_s else {}
        return {**super().details(), "barrier": self.barrier.value, **waiting, **paused}


class MarkupChanged(Refusal):
    """The engine's page could not be parsed; the message names the missing part."""

    kind: ClassVar[str] = "markup_changed"


class RateLimited(Refusal):
    """The daily limit of the site is used up, or it is paused because it refused requests.

    Attributes:
        retry_after_s: seconds until the next request is possible.
    """

    kind: ClassVar[str] = "rate_limited"
    code = ErrorCode.HTTP_CLIENT
    retryable = True

    def __init__(self, message: Message, *, retry_after_s: float, advice: str = "") -> None:
        super().__init__(message, advice=advice)
        self.retry_after_s = retry_after_s

    def details(self) -> dict[str, object]:
        """Return the details, with `retry_after_s`."""
        return {**super().details(), "retry_after_s": round(self.retry_after_s, 1)}


class TabsBusy(Refusal):
    """No tab became free in time; the message lists what uses them, and for how long."""

    kind: ClassVar[str] = "tabs_busy"
    retryable = True


class EnginesFailed(Refusal):
    """No engine returned results; the message says why for each of them."""

    kind: ClassVar[str] = "engines_failed"
    retryable = True


class ModelFault(StrEnum):
    """Why a language model returned no usable answer."""

    AUTHENTICATION = "authentication"
    FORBIDDEN = "forbidden"
    RATE_LIMITED = "rate_limited"
    OVERFLOW = "context_overflow"
    TRANSIENT = "transient"
    REFUSED = "refused"
    UNREADABLE = "unreadable"
    MISSING = "missing"


class ModelFailed(Refusal):
    """A language model returned no usable answer.

    Attributes:
        fault: why.
        retry_after_s: the pause in seconds that the provider requested; None if it did not.
    """

    kind: ClassVar[str] = "model_failed"

    def __init__(
        self,
        message: Message,
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
        """Return the details, with the fault."""
        return {**super().details(), "fault": self.fault.value}


class NoServer(Refusal):
    """No tabwright server of the user is running."""

    kind: ClassVar[str] = "no_server"
    retryable = True

    def __init__(self) -> None:
        super().__init__(
            "No tabwright server is running.",
            advice="MCP clients start one with `tabwright serve`.",
        )


class FleetUnavailable(Refusal):
    """The Redis of the fleet cannot be reached, does not answer, or refuses a command."""

    kind: ClassVar[str] = "fleet_unavailable"
    retryable = True
    effect = Effect.UNKNOWN

    def __init__(self, message: Message) -> None:
        super().__init__(
            message, advice="Check that Redis is running, and that its URL is correct."
        )


class JobGivenUp(Refusal):
    """No worker of the fleet could do the job: each failed or died, or its result is unusable."""

    kind: ClassVar[str] = "job_given_up"
    code = ErrorCode.SCRIPT
    effect = Effect.UNKNOWN

    def __init__(
        self,
        message: Message,
        advice: str = "`tabwright fleet queue` lists such jobs and can retry them.",
    ) -> None:
        super().__init__(message, advice=advice)


class TimeOut(Refusal):
    """The time limit of the request was reached."""

    kind: ClassVar[str] = "timeout"
    code = ErrorCode.TIME_OUT
    retryable = True
    effect = Effect.UNKNOWN


class Undelivered(TabwrightError):
    """The request was never started; it is safe to repeat it."""

    kind: ClassVar[str] = "undelivered"
    retryable = True


class Unanswered(TabwrightError):
    """The request was started, and its actor crashed; the crash is the `__cause__`."""

    kind: ClassVar[str] = "unanswered"
    retryable = True
    effect = Effect.UNKNOWN


class InternalError(Unanswered):
    """An unexpected exception ended the request; it is the `__cause__`.

    Only this request is lost: its actor continues to run, with the requests of all others.
    """

    kind: ClassVar[str] = "internal"
    retryable = False

    def __init__(self, actor: str, cause: BaseException) -> None:
        super().__init__(
            (f"{actor} failed: ", Quoted(f"{type(cause).__name__}: {cause}"), "."),
            advice="This is a bug in tabwright. Its log has the traceback.",
        )
        self.__cause__ = cause


class Escalated(TabwrightError):
    """An actor crashed more often than its restart policy allows.

    Attributes:
        crash: the exception of the last crash.
    """

    kind: ClassVar[str] = "escalated"

    def __init__(self, actor: str, crash: BaseException, restarts: int) -> None:
        super().__init__(
            (f"{actor} failed permanently after {restarts} restarts: ", Quoted(str(crash)))
        )
        self.crash = crash


class SettingsError(TabwrightError):
    """The settings cannot be used; the message lists every mistake with its place."""

    kind: ClassVar[str] = "settings"


def error_record(error: TabwrightError) -> dict[str, object]:
    """Return an error as data for programs."""
    text = {"text": error.text} if isinstance(error, ErrorPage) else {}
    return {"success": False, "error": error.message, **error.details(), **text}
