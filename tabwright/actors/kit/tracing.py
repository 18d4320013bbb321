"""What happens between actors, as frozen records: log, metrics and determinism oracle at once."""

import itertools
import logging
from collections.abc import Callable, Iterator
from random import Random
from typing import TypeAlias

import attrs


@attrs.frozen(kw_only=True)
class TraceRecord:
    """Something that happened to an actor.

    Attributes:
        at_s: trio's clock at that moment, seconds.
        actor: the name of the actor.
    """

    at_s: float
    actor: str


@attrs.frozen(kw_only=True)
class RequestRecord(TraceRecord):
    """Something that happened to one request.

    Attributes:
        number: counts the requests of one system, from 1.
        request: see `request_name`; its content may be private and stays out.
        trail: who asked on whose behalf, outermost first.
    """

    number: int
    request: str
    trail: tuple[str, ...]


class RequestSent(RequestRecord):
    """The request was made."""


class RequestStarted(RequestRecord):
    """The actor began to work on it."""


class RequestAnswered(RequestRecord):
    """The actor answered."""


class RequestRefused(RequestRecord):
    """The actor said no."""


class RequestCancelled(RequestRecord):
    """Nobody waits for the answer any more: it was stopped, or never started."""


class RequestLost(RequestRecord):
    """The actor crashed, stopped or had no room before it could answer."""


@attrs.frozen(kw_only=True)
class ActorCrashed(TraceRecord):
    """An incarnation of the actor ended with an error."""

    incarnation: int
    error: str


@attrs.frozen(kw_only=True)
class ActorRestarting(TraceRecord):
    """The actor's next incarnation starts after `delay_s` seconds."""

    delay_s: float


class ActorStopped(TraceRecord):
    """The actor has ended for good; what still waited for it was sent back."""


Tracer: TypeAlias = Callable[[TraceRecord], None]


def ignore_trace(_record: TraceRecord) -> None:
    """The tracer of those who do not look."""


@attrs.frozen(eq=False)
class ActorSystem:
    """What all actors of one tabwright share, injected from outside.

    Attributes:
        tracer: is called with every record, in the task where it happens; must not block.
        random: the source of jitter; a seeded one replays a run.
    """

    tracer: Tracer = ignore_trace
    random: Random = attrs.field(factory=Random)
    starts: Iterator[int] = attrs.field(factory=lambda: itertools.count(1), init=False)
    requests: Iterator[int] = attrs.field(factory=lambda: itertools.count(1), init=False)


# Trace records as log lines.

_log = logging.getLogger("tabwright.actors")


def log_record(record: TraceRecord) -> None:
    """A `Tracer`: crashes and restarts for information, everything else for debugging."""
    happened = type(record).__name__.lower()
    match record:
        case ActorCrashed():
            _log.info("%s crashed: %s", record.actor, record.error.partition(":")[0])
        case ActorRestarting():
            _log.info("%s restarts in %.2f s", record.actor, record.delay_s)
        case RequestRecord():
            trail = " > ".join(record.trail)
            _log.debug("#%d %s %s (%s)", record.number, record.request, happened, trail)
        case _:
            _log.debug("%s %s", record.actor, happened)
