"""The history of the sessions of a fleet, read from the append-only file of its Redis.

Every change of the directory is in that file, in the order in which Redis made it. So it shows
which server owned which session at what time, by the clock of Redis.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import attrs

from tabwright.plugins.fleet.redis_directory import LEASE_S, REQUESTED_S


@attrs.define
class Grant:
    """An ownership of a session.

    Attributes:
        owner: the name of the server.
        process: the process of the server.
        from_s: when it began.
        until_s: when its lease ended or would have ended.
        renewed_s: when its lease was last renewed.
        is_released: whether its owner released it.
        requests_s: when other processes asked for the session meanwhile.
    """

    session: str
    process: str
    epoch: int
    from_s: float
    until_s: float
    renewed_s: float
    is_released: bool = False
    requests_s: list[float] = attrs.field(factory=list[float])

    @property
    def owner(self) -> str:
        """Return the name of the server."""
        return self.process.rpartition("/")[0]


@attrs.frozen
class History:
    """The history of the sessions.

    Attributes:
        grants: the ownerships of each session, in the order of the file.
        mistakes: descriptions of entries that must not occur.
    """

    grants: dict[str, list[Grant]]
    mistakes: list[str]

    def owner_at(self, session: str, time_s: float) -> Grant | None:
        """Return the latest ownership at a time."""
        before = [one for one in self.grants.get(session, ()) if one.from_s <= time_s]
        return before[-1] if before else None


def read_history(folder: Path) -> History:
    """Return the history in the append-only file of a Redis whose data are in the folder."""
    grants, mistakes = defaultdict[str, list[Grant]](list), list[str]()
    for path in sorted(folder.glob("appendonlydir/*.incr.aof")):
        for words in commands(path.read_bytes()):
            if words[0] == "HSET" and ":session:" in words[1]:
                fields = dict(zip(words[2::2], words[3::2], strict=True))
                note(grants[words[1].rpartition(":")[2]], words[1], fields, mistakes)
    return History(dict(grants), mistakes)


def note(grants: list[Grant], key: str, fields: dict[str, str], mistakes: list[str]) -> None:
    """Note a change of the entry of a session."""
    until_s = float(fields.get("until", 0))
    session = key.rpartition(":")[2]
    if "epoch" in fields:
        from_s = until_s - LEASE_S
        grant = Grant(session, fields["owner"], int(fields["epoch"]), from_s, until_s, from_s)
        before = grants[-1] if grants else None
        if before is not None and grant.epoch != before.epoch + 1:
            mistakes.append(f"{session}: epoch {grant.epoch} after {before.epoch}")
        is_free = before is None or before.is_released or before.process == grant.process
        if before is not None and not is_free and before.until_s > grant.from_s:
            mistakes.append(f"{session}: {grant.process} has it during a lease of {before.process}")
        grants.append(grant)
    elif not grants:
        mistakes.append(f"{session}: {fields} without an owner")
    elif fields.get("owner") == "":
        grants[-1].is_released = True
    elif "until" in fields:
        grants[-1].until_s = until_s
        if "live_until" in fields:  # otherwise it was shortened
            grants[-1].renewed_s = until_s - LEASE_S
    elif "requested_until" in fields:
        grants[-1].requests_s.append(float(fields["requested_until"]) - REQUESTED_S)


def commands(data: bytes) -> Iterator[list[str]]:
    """Return the commands of an append-only file (redis.io, "RESP"); the last one can be torn."""
    at = 0
    while at < len(data):
        words, at = command(data, at)
        if not words:
            return
        yield words


def command(data: bytes, at: int) -> tuple[list[str], int]:
    """Return a command and the offset of the next one; without words if the command is torn."""
    end = data.find(b"\r\n", at)
    if end < 0:
        return [], at
    if data[at : at + 1] != b"*":
        raise ValueError(data[at:end])
    count, at, words = int(data[at + 1 : end]), end + 2, list[str]()
    for _ in range(count):
        end = data.find(b"\r\n", at)
        if end < 0:
            return [], at
        begin, length = end + 2, int(data[at + 1 : end])
        if len(data) < begin + length + 2:
            return [], at
        words.append(data[begin : begin + length].decode(errors="replace"))
        at = begin + length + 2
    return words, at
