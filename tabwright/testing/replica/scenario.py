"""What the replica is told to do: one value, replaced between requests."""

from typing import Literal, TypeAlias

import attrs

from tabwright.testing.replica.languages import LANGUAGES, Language
from tabwright.testing.replica.links import LinkForm

Signal: TypeAlias = Literal["complete", "action_bar", "live_region", "stop_button", "stream_end"]

_SOURCE_COUNT_MAX = 40


@attrs.frozen
class Scenario:
    """How the replica of AI Mode behaves.

    Attributes:
        language: of pages and answers, unless the URL's ``hl`` names another of the six.
        step_s: pause before every frame of the answer stream.
        stall_at: index of the block before which the stream stalls; the number of blocks stalls it
            between the answer and its action bar. None never stalls.
        stall_s: how long it stalls.
        late_s: how much later than the text the sources arrive.
        cut_at: the server closes the connection in place of this frame, counted from 0.
        classes: None gives the class names of the real page, a number a random set of its own.
        shadow: whether the answer stands in a shadow root.
        links: how links to sources are wrapped: not at all, in ``/url?q=``, or in opaque ``/goto``.
        source_count: sources of an answer, 0 to 40.
        noise: comments, end markers, hidden copies and boxes of no size between the blocks.
        drop_signals: signs of a finished answer that the page does without.
        consent: ask for consent until the cookie SOCS is set.
        captcha: ask for a CAPTCHA until one was solved.
        rate_limited: answer searches with a bare page of status 429.
        script_check: send the browser through the script check first.
        unavailable: a page without a conversation.
        error: a turn that ends with an error sentence in place of an answer.
        empty: a turn that ends with nothing at all.
    """

    language: Language = attrs.field(default="en-US", validator=attrs.validators.in_(LANGUAGES))
    step_s: float = 0.02
    stall_at: int | None = None
    stall_s: float = 0.0
    late_s: float = 0.0
    cut_at: int | None = None
    classes: int | None = None
    shadow: Literal["none", "open", "closed"] = "none"
    links: LinkForm = "direct"
    source_count: int = attrs.field(
        default=10, validator=[attrs.validators.ge(0), attrs.validators.le(_SOURCE_COUNT_MAX)]
    )
    noise: bool = True
    drop_signals: frozenset[Signal] = frozenset()
    consent: bool = False
    captcha: bool = False
    rate_limited: bool = False
    script_check: bool = False
    unavailable: bool = False
    error: bool = False
    empty: bool = False
