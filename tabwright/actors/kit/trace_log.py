"""Trace records as log lines."""

import logging

from tabwright.actors.kit.tracing import Crashed, Record, RequestRecord, Restarting

_log = logging.getLogger("tabwright.actors")


def log_record(record: Record) -> None:
    """A `Tracer`: crashes and restarts for information, everything else for debugging."""
    happened = type(record).__name__.lower()
    match record:
        case Crashed():
            _log.info("%s crashed: %s", record.actor, record.error.partition(":")[0])
        case Restarting():
            _log.info("%s restarts in %.2f s", record.actor, record.delay_s)
        case RequestRecord():
            trail = " > ".join(record.trail)
            _log.debug("#%d %s %s (%s)", record.number, record.request, happened, trail)
        case _:
            _log.debug("%s %s", record.actor, happened)
