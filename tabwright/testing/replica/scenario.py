"""The behavior of the replica: one value, replaced between requests."""

from typing import Literal, TypeAlias, get_args

import attrs
from attrs.validators import and_, deep_iterable, ge, in_, le, optional

from tabwright.testing.replica.answers import LANGUAGES, Language

LinkForm: TypeAlias = Literal["direct", "url", "goto"]
Signal: TypeAlias = Literal["complete", "action_bar", "live_region", "stop_button", "stream_end"]
Clock: TypeAlias = Literal["wall", "stepped"]
Shadow: TypeAlias = Literal["none", "open", "closed"]
Attributes: TypeAlias = Literal["full", "bare"]
Composer: TypeAlias = Literal["shown", "missing", "closed_root"]
LiveRegion: TypeAlias = Literal["refilled", "unchanged"]
Repeat: TypeAlias = Literal["cycle", "same", "quote"]
Newest: TypeAlias = Literal["last", "first"]
Ending: TypeAlias = Literal["cut", "hang", "crash", "reload"]

_UP_TO_40 = and_(ge(0), le(40))
_FROM_0 = ge(0.0)
_FROM_0_OR_NONE = optional(ge(0))
_FROM_1_OR_NONE = optional(ge(1))


@attrs.frozen
class Scenario:
    """The behavior of the replica of AI Mode; an invalid value raises ValueError.

    Attributes:
        language: of pages and answers, unless the URL's ``hl`` names another of the six.
        clock: whether frames of the answer stream come in their time, or one by one as
            `Replica.step` releases them, with no pauses of their own.
        step_s: pause before every frame of the answer stream.
        stall_at: index of the block before which the stream stalls; the number of blocks stalls it
            between the answer and its action bar. None never stalls.
        stall_s: how long it stalls.
        late_s: how much later than the text the sources arrive.
        cut_at: the server closes the connection in place of this frame, counted from 0.
        hang_at: the stream falls silent for ever in place of this frame, its connection open.
        crash_at: the page kills its own renderer in place of this frame.
        reload_at: the page loads itself again in place of this frame; it then shows all its turns,
            the interrupted one whole. At most one of these four can be.
        rebuild: how often the page replaces all nodes of the thread while an answer streams.
        classes: None gives the class names of the real page, a number a random set of its own.
        attributes: ``bare`` leaves out the ``data-`` attributes that tell what an element is.
        shadow: whether the answer is in a shadow root.
        links: how links to sources are wrapped: not at all, in ``/url?q=``, or in opaque ``/goto``.
        source_count: sources of an answer, 0 to 40.
        noise: comments, end markers, hidden copies and boxes of no size between the blocks.
        drop_signals: signs of a finished answer that the page does without.
        live_region: whether it is emptied when an answer begins, or keeps the sentence of the last.
        composer: whether the page has a field for the next question, and in a closed shadow root.
        thread: turns that a page shows once it is loaded, 0 to 40; its question is then the last of
            them, and a follow-up the next.
        newest: where the page shows the newest turn of its thread.
        repeat: ``cycle`` takes two answers in turns, ``same`` gives one with its sources always,
            ``quote`` begins each answer with all that the one before it said.
        consent: ask for consent until the cookie SOCS is set.
        consent_ids: whether the buttons of the consent page have their ids.
        captcha: ask for a CAPTCHA until one was solved.
        captcha_after: likewise, but only a browser that was served so many answer streams.
        rate_limited: answer searches with a bare page of status 429.
        script_check: send the browser through the script check first.
        stream_status: answer the request for the answer stream with a bare page of this status.
        ignored: a page that ignores the question in its URL; its field for questions works.
        unavailable: a page without conversation and field, which says that AI Mode is not offered.
        log_in: send the browser to the page for logging in.
        blank: a page without anything on it.
        error: a turn that ends with an error sentence in place of an answer.
        apology: this sentence, if any, in place of an answer, in a turn that is marked as complete.
        empty: a turn that ends with nothing at all.
    """

    language: Language = attrs.field(default="en-US", validator=in_(LANGUAGES))
    clock: Clock = attrs.field(default="wall", validator=in_(get_args(Clock)))
    step_s: float = attrs.field(default=0.02, validator=_FROM_0)
    stall_at: int | None = attrs.field(default=None, validator=_FROM_0_OR_NONE)
    stall_s: float = attrs.field(default=0.0, validator=_FROM_0)
    late_s: float = attrs.field(default=0.0, validator=_FROM_0)
    cut_at: int | None = attrs.field(default=None, validator=_FROM_0_OR_NONE)
    hang_at: int | None = attrs.field(default=None, validator=_FROM_0_OR_NONE)
    crash_at: int | None = attrs.field(default=None, validator=_FROM_0_OR_NONE)
    reload_at: int | None = attrs.field(default=None, validator=_FROM_0_OR_NONE)
    rebuild: int | None = attrs.field(default=None, validator=_FROM_1_OR_NONE)
    classes: int | None = None
    attributes: Attributes = attrs.field(default="full", validator=in_(get_args(Attributes)))
    shadow: Shadow = attrs.field(default="none", validator=in_(get_args(Shadow)))
    links: LinkForm = attrs.field(default="direct", validator=in_(get_args(LinkForm)))
    source_count: int = attrs.field(default=10, validator=_UP_TO_40)
    noise: bool = True
    drop_signals: frozenset[Signal] = attrs.field(
        default=frozenset[Signal](), validator=deep_iterable(in_(get_args(Signal)))
    )
    live_region: LiveRegion = attrs.field(default="refilled", validator=in_(get_args(LiveRegion)))
    composer: Composer = attrs.field(default="shown", validator=in_(get_args(Composer)))
    thread: int = attrs.field(default=0, validator=_UP_TO_40)
    newest: Newest = attrs.field(default="last", validator=in_(get_args(Newest)))
    repeat: Repeat = attrs.field(default="cycle", validator=in_(get_args(Repeat)))
    consent: bool = False
    consent_ids: bool = True
    captcha: bool = False
    captcha_after: int | None = attrs.field(default=None, validator=_FROM_1_OR_NONE)
    rate_limited: bool = False
    script_check: bool = False
    stream_status: int | None = attrs.field(default=None, validator=optional(ge(400)))
    ignored: bool = False
    unavailable: bool = False
    log_in: bool = False
    blank: bool = False
    error: bool = False
    apology: str = ""
    empty: bool = False

    def __attrs_post_init__(self) -> None:
        if len(self._endings()) > 1:
            raise ValueError("Of cut_at, hang_at, crash_at and reload_at only one can be.")
        if self.thread and (self.unavailable or self.ignored):
            raise ValueError("A page without a conversation shows no thread.")

    def ending_at(self, frame: int) -> Ending | None:
        """Return the early ending of a stream in place of this frame, if any."""
        return dict(self._endings()).get(frame)

    def _endings(self) -> list[tuple[int, Ending]]:
        places: tuple[tuple[int | None, Ending], ...] = (
            (self.cut_at, "cut"),
            (self.hang_at, "hang"),
            (self.crash_at, "crash"),
            (self.reload_at, "reload"),
        )
        return [(place, ending) for place, ending in places if place is not None]
