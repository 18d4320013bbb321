"""Trace records of actors: the source of logs and metrics, and of the determinism checks."""

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
        at_s: the time on trio's clock, in seconds.
        actor: the name of the actor.
    """

    at_s: float
    actor: str


@attrs.frozen(kw_only=True)
class RequestRecord(TraceRecord):
    """Something that happened to one request.

    Attributes:
        number: counts the requests of one system, from 1.
        request: the name of the method; its arguments may be private and stay out.
        trail: the callers, outermost first.
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
    """The actor refused it."""


class RequestFailed(RequestRecord):
    """An unexpected exception ended it; the actor continues to run."""


class RequestCancelled(RequestRecord):
    """No caller waits for the answer any more: it was stopped, or never started."""


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
    """The actor has ended for good; the queued requests were sent back."""


Tracer: TypeAlias = Callable[[TraceRecord], None]


def ignore_trace(_record: TraceRecord) -> None:
    """Ignore a record; the default tracer."""


@attrs.frozen(eq=False)
class ActorSystem:
    """The dependencies that all actors of a tabwright share.

    Attributes:
        tracer: called with every record, in the task where it happens; must not block.
        random: the source of jitter; a seeded one reproduces a run.
    """

    tracer: Tracer = ignore_trace
    random: Random = attrs.field(factory=Random)
    starts: Iterator[int] = attrs.field(factory=lambda: itertools.count(1), init=False)
    requests: Iterator[int] = attrs.field(factory=lambda: itertools.count(1), init=False)


# Trace records as log lines.

_log = logging.getLogger("tabwright.actors")


def log_record(record: TraceRecord) -> None:
    """Log a record: crashes and restarts at INFO, everything else at DEBUG. A `Tracer`."""
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
