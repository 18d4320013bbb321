"""What must hold of every world, whatever went wrong in it."""

from collections import Counter
from collections.abc import Iterator

from tabwright.actors.kit.tracing import (
    Abandoned,
    Answered,
    Crashed,
    Lost,
    Refused,
    RequestRecord,
    Sent,
    Stopped,
)
from tabwright.testing.world import History

ENDINGS = (Answered, Refused, Abandoned, Lost)

ORDER = (
    "tasks",
    "sessions",
    "desk",
    "interventions",
    "supervisor",
    "fetcher",
    "extractor",
    "governor",
)
"""In which the actors of a house stop: the reverse of their start."""

NEVER_CRASH = set(ORDER)


def breaches(history: History) -> tuple[str, ...]:
    """What does not hold of a world, in sentences; nothing of a good one."""
    return (*_lost_calls(history), *_unsettled(history), *_left(history), *_actors(history))


def _lost_calls(history: History) -> Iterator[str]:
    for outcome in (*history.outcomes, *history.afterwards):
        if outcome.ending == "lost":
            yield f"{outcome.call} never ended."
    for outcome in history.afterwards:
        if outcome.ending != "ok":
            yield f"{outcome.call} failed when nothing went wrong any more: {outcome.ending}."


def _unsettled(history: History) -> Iterator[str]:
    requests = [record for record in history.trace if isinstance(record, RequestRecord)]
    sent = Counter(record.number for record in requests if isinstance(record, Sent))
    ended = Counter(record.number for record in requests if isinstance(record, ENDINGS))
    if set(sent.values()) != {1}:
        yield "A request was sent twice."
    if not set(ended) <= set(sent):
        yield "A request ended that was never sent."
    if not set(ended.values()) <= {1}:
        yield "A request ended twice."


def _left(history: History) -> Iterator[str]:
    if history.pool.tabs:
        yield f"Tabs are left: {history.pool.tabs}."
    if history.pool.waiting:
        yield f"Leases still wait: {history.pool.waiting}."
    if history.pages:
        yield f"Pages are left in browsers: {history.pages}."
    if any(one.state.is_open for one in history.interventions):
        yield "Something waits for a person for ever."
    for rate in history.rates:
        if rate.in_work or rate.waiting:
            yield f"A permit of {rate.site} was not given back."


def _actors(history: History) -> Iterator[str]:
    crashed = {record.actor for record in history.trace if isinstance(record, Crashed)}
    if wrong := crashed & NEVER_CRASH:
        yield f"Crashed: {', '.join(sorted(wrong))}."
    stopped = [record.actor for record in history.trace if isinstance(record, Stopped)]
    if tuple(actor for actor in stopped if actor in ORDER) != ORDER:
        yield f"The house stopped in another order: {', '.join(stopped)}."
