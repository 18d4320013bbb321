"""The state of a crawl: one SQLite file, from which an interrupted crawl goes on.

A page and the URLs that it leads to are written in one transaction. So after a crash at any moment,
each URL is either still pending or done, and no page is there twice.
"""

import fcntl
import sqlite3
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import BinaryIO

import attrs
import msgspec

from tabwright.config.loader import private_folder
from tabwright.plugins.crawl.frontier import (
    CrawlCounts,
    FoundUrl,
    KnownUrl,
    PageResult,
    QueuedUrl,
    StoredPage,
    UrlState,
)
from tabwright.protocol.errors import BadInput
from tabwright.reader.pages import Record
from tabwright.text.file_errors import file_problem

VERSION = 1

_SCHEMA = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE urls (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    url TEXT NOT NULL,
    depth INTEGER NOT NULL,
    parent INTEGER,
    state INTEGER NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT ''
);
CREATE INDEX pending ON urls (depth, id) WHERE state = 0;
CREATE TABLE pages (
    position INTEGER PRIMARY KEY,
    id INTEGER NOT NULL UNIQUE REFERENCES urls,
    shape TEXT NOT NULL,
    hash TEXT NOT NULL,
    leads_on INTEGER NOT NULL,
    record BLOB NOT NULL
);
CREATE INDEX hashes ON pages (hash);
"""


class _TextOnly(msgspec.Struct):
    text: str = ""


@attrs.define(eq=False)
class CrawlStore:
    """An open state file. Its methods block; call them in a thread."""

    path: Path
    _db: sqlite3.Connection
    _held: BinaryIO | None = None
    _lock: Lock = attrs.field(factory=Lock, init=False)

    @classmethod
    def open(cls, path: Path, options_digest: str) -> "CrawlStore":
        """Open a state file, or create it.

        Args:
            path: the file.
            options_digest: a crawl with other options is not resumed.

        Raises:
            BadInput: the file cannot be used, is in use, or belongs to a crawl with other options.
        """
        with _explained(path, writing=True):
            held = _lock_file(path)
            try:
                db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
                # The log survives the death of the process, and what a power failure loses is
                # fetched again.
                for setting in ("journal_mode = WAL", "synchronous = NORMAL"):
                    db.execute(f"PRAGMA {setting}")
                store = cls(path, db, held)
            except BaseException:
                held.close()
                raise
            try:
                store._create(options_digest)
            except BaseException:
                store.close()
                raise
        if store.fact("options") != options_digest:
            store.close()
            raise BadInput(
                f"{path} belongs to a crawl with other options.",
                advice="Use the same options to resume it, name another file with --state, or"
                " remove the file to start over.",
            )
        return store

    @classmethod
    def read(cls, path: Path) -> "CrawlStore":
        """Open the state file of an earlier crawl, only for reading.

        Raises:
            BadInput: there is none.
        """
        if not path.is_file():
            raise BadInput(
                f"There is no state file {path}.",
                advice="Name the file that the earlier crawl wrote beside its output.",
            )
        with _explained(path, writing=False):
            db = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode=ro",
                uri=True,
                check_same_thread=False,
            )
            store = cls(path, db)
            store.fact("options")
        return store

    def _create(self, options_digest: str) -> None:
        if self._db.execute("PRAGMA user_version").fetchone() == (VERSION,):
            return
        with self._change() as db:
            if db.execute("PRAGMA user_version").fetchone() == (0,):
                for statement in filter(str.strip, _SCHEMA.split(";")):
                    db.execute(statement)
                db.execute("INSERT INTO facts VALUES ('options', ?)", (options_digest,))
                db.execute(f"PRAGMA user_version = {VERSION}")

    def close(self) -> None:
        """Close the file."""
        self._db.close()
        if self._held is not None:
            _lock_path(self.path).unlink(missing_ok=True)
            self._held.close()

    def fact(self, name: str) -> str:
        """Return a fact of the crawl as a whole; empty if it is not known."""
        with self._lock:
            row = self._db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def set_fact(self, name: str, value: str) -> None:
        """Keep a fact of the crawl as a whole."""
        with self._change() as db:
            db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def add(self, found: Iterable[FoundUrl], parent: int | None = None) -> int:
        """Queue the URLs that are not known yet, and return their number."""
        with self._change() as db:
            return _insert(db, found, parent)

    def take(self, count: int, excluding: Iterable[int]) -> list[QueuedUrl]:
        """Return the next pending URLs, those with the fewest links from a start first."""
        left_out = set(excluding)
        with self._lock:
            rows = self._db.execute(
                "SELECT u.id, u.key, u.url, u.depth, coalesce(p.url, '') FROM urls u"
                " LEFT JOIN urls p ON p.id = u.parent"
                " WHERE u.state = 0 ORDER BY u.depth, u.id LIMIT ?",
                (count + len(left_out),),
            ).fetchall()
        return [QueuedUrl(*row) for row in rows if row[0] not in left_out][:count]

    def finish(self, one: QueuedUrl, result: PageResult) -> int:
        """Write the result for a URL, and return the number of URLs that are new.

        A page whose text is already there becomes a duplicate of that page.
        """
        with self._change() as db:
            db.execute(
                "UPDATE urls SET state = ?, reason = ? WHERE id = ?",
                (result.state, result.reason, one.id),
            )
            for key, url in result.aliases:
                db.execute(
                    "INSERT INTO urls (key, url, depth, parent, state, reason)"
                    " VALUES (?, ?, ?, ?, ?, 'duplicate')"
                    " ON CONFLICT (key) DO UPDATE SET state = excluded.state,"
                    " reason = excluded.reason WHERE state = 0",
                    (key, url, one.depth, one.id, UrlState.SKIPPED),
                )
            if result.record is not None:
                db.execute(
                    "INSERT INTO pages (id, shape, hash, leads_on, record) VALUES (?, ?, ?, ?, ?)",
                    (
                        one.id,
                        result.shape,
                        result.hash,
                        result.leads_on,
                        msgspec.json.encode(result.record),
                    ),
                )
            for fact, number in (("bytes", result.size), ("trap", result.left_out)):
                db.execute(
                    "INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE"
                    " SET value = CAST(value AS INTEGER) + excluded.value",
                    (fact, number),
                )
            return _insert(db, result.found, one.id)

    def is_known(self, keys: Sequence[str]) -> set[str]:
        """Return those of the normal forms that are queued or done."""
        marks = ",".join("?" * len(keys))
        with self._lock:
            rows = self._db.execute(f"SELECT key FROM urls WHERE key IN ({marks})", keys)  # noqa: S608
            return {str(row[0]) for row in rows}

    def url_of_hash(self, digest: str) -> str:
        """Return the URL of a page with this text; empty if there is none."""
        with self._lock:
            row = self._db.execute(
                "SELECT u.url FROM pages p JOIN urls u USING (id) WHERE p.hash = ? LIMIT 1",
                (digest,),
            ).fetchone()
        return str(row[0]) if row else ""

    def retry_failed(self) -> None:
        """Queue the URLs again that failed for a reason that can pass."""
        with self._change() as db:
            db.execute(
                "DELETE FROM pages WHERE id IN (SELECT id FROM urls WHERE state = ? AND"
                " reason = 'retryable')",
                (UrlState.FAILED,),
            )
            db.execute(
                "UPDATE urls SET state = 0, reason = '' WHERE state = ? AND reason = 'retryable'",
                (UrlState.FAILED,),
            )

    def requeue(self, reason: str) -> None:
        """Queue the URLs again that were skipped for this reason."""
        with self._change() as db:
            db.execute(
                "UPDATE urls SET state = 0, reason = '' WHERE state = ? AND reason = ?",
                (UrlState.SKIPPED, reason),
            )

    def counts(self) -> CrawlCounts:
        """Count the URLs by state."""
        with self._lock:
            rows = self._db.execute(
                "SELECT state, reason, count(*) FROM urls GROUP BY state, reason"
            ).fetchall()
        by_state = dict.fromkeys(UrlState, 0)
        skipped: dict[str, int] = {}
        for state, reason, count in rows:
            by_state[UrlState(state)] += count
            if state == UrlState.SKIPPED:
                skipped[str(reason)] = count
        if trapped := int(self.fact("trap") or 0):
            skipped["trap"] = skipped.get("trap", 0) + trapped
        return CrawlCounts(
            by_state[UrlState.PENDING],
            by_state[UrlState.DONE],
            by_state[UrlState.FAILED],
            skipped,
            int(self.fact("bytes") or 0),
        )

    def stored(self) -> Iterator[StoredPage]:
        """Yield the pages that are done, in the order in which they were written."""
        texts = msgspec.json.Decoder(_TextOnly)
        query = (
            "SELECT u.url, p.shape, p.hash, p.leads_on, p.record"
            " FROM pages p JOIN urls u USING (id) ORDER BY p.position"
        )
        for row in self._rows(query):
            match row:
                case (str(url), str(shape), str(digest), int(leads_on), bytes(record)):
                    text = texts.decode(record).text
                    yield StoredPage(url, shape, digest, text, bool(leads_on))
                case _:
                    raise sqlite3.DatabaseError("a page has another form")

    def records(self) -> Iterator[Record]:
        """Yield the records of the output, in the order in which their URLs were found."""
        return (record for _key, record in self.keyed_records())

    def keyed_records(self) -> Iterator[tuple[str, Record]]:
        """Yield the records as `records` does, each with the normal form of its URL."""
        decoder = msgspec.json.Decoder(dict[str, object])
        query = "SELECT u.key, p.record FROM pages p JOIN urls u USING (id) ORDER BY u.depth, u.id"
        for row in self._rows(query):
            match row:
                case (str(key), bytes(record)):
                    yield key, decoder.decode(record)
                case _:
                    raise sqlite3.DatabaseError("a page has another form")

    def states(self) -> dict[str, tuple[UrlState, str]]:
        """Return state and reason of each URL, by its normal form."""
        return {
            str(key): (UrlState(int(str(state))), str(reason))
            for key, state, reason in self._rows("SELECT key, state, reason FROM urls")
        }

    def queued(self) -> Iterator[QueuedUrl]:
        """Yield all URLs of the crawl, in the order in which they were found."""
        for row in self._rows("SELECT id, key, url, depth FROM urls ORDER BY depth, id"):
            match row:
                case (int(number), str(key), str(url), int(depth)):
                    yield QueuedUrl(number, key, url, depth)
                case _:
                    raise sqlite3.DatabaseError("a URL has another form")

    def hashes(self) -> dict[str, tuple[str, str]]:
        """Return URL and hash of each page that was read, by its normal form."""
        rows = self._rows(
            "SELECT u.key, u.url, p.hash FROM pages p JOIN urls u USING (id) WHERE u.state = 1"
        )
        return {str(key): (str(url), str(digest)) for key, url, digest in rows}

    def _rows(self, query: str) -> Iterator[tuple[object, ...]]:
        """Yield the rows of a query in portions, so that a large crawl need not fit in memory."""
        with self._lock:
            cursor = self._db.execute(query)
        while True:
            with self._lock:
                rows = cursor.fetchmany(200)
            if not rows:
                return
            yield from rows

    @contextmanager
    def _change(self) -> Generator[sqlite3.Connection]:
        """Run the block as one transaction."""
        with self._lock, _explained(self.path, writing=True):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")


def known_urls(store: CrawlStore) -> Iterator[KnownUrl]:
    """Yield the URLs of a site: those that were read, and those that wait."""
    read = {key: record for key, record in store.keyed_records() if record.get("success")}
    states = store.states()
    for one in store.queued():
        if one.key in read:
            record = read[one.key]
            yield KnownUrl(str(record["url"]), str(record.get("title", "")), record)
        elif states[one.key][0] is UrlState.PENDING:
            yield KnownUrl(one.url)


def open_recent(folder: Path, options_digest: str, age_max_s: float) -> CrawlStore:
    """Open the state of a crawl in a folder, and remove the states there that are too old.

    Raises:
        BadInput: the folder cannot be written.
    """
    path = folder / f"{options_digest[:32]}.crawl"
    with _explained(folder, writing=True):
        private_folder(folder)
        for file in folder.glob("*.crawl*"):
            if time.time() - file.stat().st_mtime > age_max_s:
                file.unlink(missing_ok=True)
    return CrawlStore.open(path, options_digest)


def _lock_path(path: Path) -> Path:
    return path.with_name(f"{path.name}-lock")


def _lock_file(path: Path) -> BinaryIO:
    """Lock a state file against other crawls, until the returned file is closed.

    The lock ends with the process, however that ends. It is not on the state file itself, because
    SQLite loses its own locks when another handle of that file is closed.

    Raises:
        BadInput: another crawl uses it.
    """
    file = _lock_path(path).open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.close()
        raise BadInput(
            f"Another crawl uses {path}.", advice="Wait for its end, or name another file."
        ) from error
    return file


def _insert(db: sqlite3.Connection, found: Iterable[FoundUrl], parent: int | None) -> int:
    before = db.total_changes
    db.executemany(
        "INSERT INTO urls (key, url, depth, parent) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        ((one.key, one.url, one.depth, parent) for one in found),
    )
    return db.total_changes - before


@contextmanager
def _explained(path: Path, *, writing: bool) -> Generator[None]:
    """Report that a file cannot be used as a state file.

    Raises:
        BadInput: it cannot.
    """
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise BadInput(
            f"{path} cannot be used as the state of a crawl ({error}).",
            advice="Check the disk, or name another file.",
        ) from error
    except OSError as error:
        raise BadInput(file_problem(error, path, writing=writing)) from error
