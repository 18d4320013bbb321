"""Playing: a fake browser that answers as the recorded one did, in virtual time.

* A command is matched with the first recorded command of the same session, method and parameters
  that has not been played yet. Its reply comes after the time that it took in the recording.
* What only reads or can be repeated without an effect is answered once more as it was last.
* An event follows the command with an effect that it came after in the recording, by the same time.
  A reply never overtakes an event that came before it in the recording.
* After a fault, a program may try again: a command with an effect that is sent once more takes the
  conversation back to where it was recorded. The numbers of documents, which tabwright counts up,
  may then differ from the recorded ones.
* Any other command fails, and the test ends with a `CassetteMismatch`.
"""

import heapq
import json
import re
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from difflib import SequenceMatcher

import attrs
import trio

from tabwright.browser.running import BrowserLink, LaunchOptions
from tabwright.protocol.errors import BrowserUnavailable, ErrorCode, NavigationFailed
from tabwright.protocol.fetch import Fetch, Fetched, Fetcher
from tabwright.protocol.proxy import ProxyAnswer, ProxyChoice, ProxyReport
from tabwright.protocol.snapshot import LoadedPage
from tabwright.testing.cassette.masking import Mask
from tabwright.testing.cassette.recording import decode_message
from tabwright.testing.cassette.tape import (
    JSONObject,
    ReceivedEvent,
    ReceivedReply,
    RecordedFetch,
    SentCommand,
    Tape,
    TapeFrame,
)
from tabwright.testing.fake.browser import FakeCookies
from tabwright.testing.fake.link import SERVER_ERROR, FakeLink, FaultKind, Faults

REPEATABLE = re.compile(
    r"\.(get|query|describe|resolve|search|capture|release|bringToFront|enable|disable|evaluate"
    r"|callFunctionOn|stopLoading|setDownloadBehavior|performSearch|discardSearch|pushNodes)"
)
"""Commands that change nothing in a page by themselves, or nothing more when sent again."""

_NUMBER = re.compile(r"(?<=: )\d+(?=[,\]}])")
"""A number among the parameters of a command."""

SHOWN_MAX = 200
"""The maximum number of characters of a command's parameters in an error."""

VALUE_MAX = 40
"""The maximum number of characters of one parameter there."""


class CassetteMismatch(AssertionError):
    """The program did something that the cassette does not contain."""


@attrs.define
class Playback:
    """The events of playing a cassette.

    Attributes:
        mismatches: a sentence for each command that the cassette does not contain.
        harmed: whether a fault has been injected.
    """

    mismatches: list[str] = attrs.field(factory=list[str])
    harmed: bool = False


class PlayedBrowser:
    """One recorded browser, which answers on its `link`.

    Args:
        frames: the recorded conversation.
        faults: the faults to inject.
        mask: masks the commands as the recorded ones are masked.
        playback: receives what happens.
    """

    def __init__(
        self, frames: Sequence[TapeFrame], faults: Faults, mask: Mask, playback: Playback
    ) -> None:
        self.link = FakeLink()
        self._faults = faults
        self._mask = mask
        self._playback = playback
        self._commands = [frame for frame in frames if isinstance(frame, SentCommand)]
        self._recorded: defaultdict[str, list[int]] = defaultdict(list)
        self._alike: defaultdict[str, list[int]] = defaultdict(list)
        for place, command in enumerate(self._commands):
            key = _key(command)
            self._recorded[key].append(place)
            self._alike[_NUMBER.sub("0", key)].append(place)
        self._replies: dict[int, tuple[int, ReceivedReply]] = {}
        self._events: defaultdict[int, list[tuple[int, ReceivedEvent, float]]] = defaultdict(list)
        self._index(frames)
        self._played: set[int] = set()
        self._due: list[tuple[float, int, int, bytes]] = []
        self._numbers: dict[int, int] = {}
        self._count = 0

    def _index(self, frames: Sequence[TapeFrame]) -> None:
        """Find the reply of each command, and the command that each event follows."""
        places = {command.number: place for place, command in enumerate(self._commands)}
        cause, cause_s = -1, 0.0
        for order, frame in enumerate(frames):
            match frame:
                case SentCommand() if not REPEATABLE.search(frame.method) or cause < 0:
                    cause, cause_s = places[frame.number], frame.at_s
                case ReceivedReply() if frame.number in places:
                    self._replies[places[frame.number]] = (order, frame)
                case ReceivedEvent():
                    self._events[cause].append((order, frame, frame.at_s - cause_s))
                case _:
                    pass

    async def run(self) -> None:
        """Serve the link until it is cut or cancelled."""
        self._release_events(-1, trio.current_time())
        try:
            while not self.link.is_cut:
                while self._due and self._due[0][0] <= trio.current_time():
                    self.link.emit(heapq.heappop(self._due)[3])
                next_s = self._due[0][0] if self._due else float("inf")
                with trio.move_on_at(next_s):
                    self._take(await self.link.commands.receive())
        except (trio.EndOfChannel, trio.ClosedResourceError):
            self.link.cut()

    def _take(self, frame: bytes) -> None:
        command = decode_message(frame)
        if not isinstance(command, SentCommand):
            return
        command = attrs.evolve(command, params=self._mask.clean_object(command.params))
        place = self._place_of(command)
        if place is None:
            text = _mismatch(command, self._commands)
            self._playback.mismatches.append(text)
            self._schedule(0, -1, _error(command, text))
            return
        delay_s = 0.0
        if fault := self._faults.fault_for(command.method):
            self._playback.harmed = True
            if fault.harm is not FaultKind.DELAY:
                self._harm(command, fault.harm)
                return
            delay_s = fault.delay_s
        self._play(command, place, delay_s)

    def _place_of(self, command: SentCommand) -> int | None:
        """Return the place of the recorded command that this command is; None if there is none."""
        key = _key(command)
        places = self._recorded.get(key, [])
        if self._playback.harmed:
            places = self._alike.get(_NUMBER.sub("0", key), [])
        for place in places:
            if place not in self._played:
                return place
        if not places:
            return None
        if REPEATABLE.search(command.method):
            return places[-1]
        if self._playback.harmed:
            self._played = {earlier for earlier in self._played if earlier < places[0]}
            return places[0]
        return None

    def _play(self, command: SentCommand, place: int, delay_s: float) -> None:
        now_s = trio.current_time() + delay_s
        again = place in self._played
        self._played.add(place)
        if place in self._replies:
            order, reply = self._replies[place]
            due_s = now_s + max(reply.at_s - self._commands[place].at_s, 0.0)
            if not again:  # all that came before the reply in the recording comes before it now
                self._due = [
                    (min(at_s, due_s) if before < order else at_s, before, number, frame)
                    for at_s, before, number, frame in self._due
                ]
                heapq.heapify(self._due)
            reply = self._renumbered(reply, command, place)
            is_result = reply.error is None
            answer = {"result": reply.result or {}} if is_result else {"error": reply.error}
            frame = _frame({"id": command.number, **answer}, command.session_id)
            self._schedule(due_s, order, frame)
        if not again:
            self._release_events(place, now_s)

    def _renumbered(self, reply: ReceivedReply, command: SentCommand, place: int) -> ReceivedReply:
        """Return the reply of a script with the present number of a document."""
        match reply.result:
            case {"result": {"type": "number", "value": int(value)}} if self._playback.harmed:
                keys = (_key(self._commands[place]), _key(command))
                recorded, present = (_NUMBER.findall(key) for key in keys)
                if str(value) in recorded:
                    self._numbers[value] = int(present[recorded.index(str(value))])
                number = self._numbers.get(value, value)
                return attrs.evolve(reply, result={"result": {"type": "number", "value": number}})
            case _:
                return reply

    def _release_events(self, place: int, now_s: float) -> None:
        for order, event, after_s in self._events.get(place, ()):
            self._schedule(now_s + after_s, order, _event(event))

    def _schedule(self, due_s: float, order: int, frame: bytes) -> None:
        self._count += 1
        heapq.heappush(self._due, (due_s, order, self._count, frame))

    def _harm(self, command: SentCommand, harm: FaultKind) -> None:
        session = command.session_id
        match harm:
            case FaultKind.ERROR:
                self._schedule(0, -1, _error(command, "a planned fault"))
            case FaultKind.CRASH if session:
                self._schedule(
                    0, -1, _event(ReceivedEvent(0, "Inspector.targetCrashed", {}, session))
                )
            case FaultKind.DETACH if session:
                gone = {"sessionId": session}
                self._schedule(0, -1, _event(ReceivedEvent(0, "Target.detachedFromTarget", gone)))
            case FaultKind.CUT:
                self.link.cut()
            case FaultKind.GARBLE:
                self._schedule(0, -1, b"{this is no JSON")
            case _:
                pass  # no reply


def _key(command: SentCommand) -> str:
    return f"{command.session_id} {command.method} {_canonical(command.params)}"


def _canonical(params: JSONObject) -> str:
    return json.dumps(params, sort_keys=True, ensure_ascii=False)


def _error(command: SentCommand, text: str) -> bytes:
    error = {"code": SERVER_ERROR, "message": text}
    return _frame({"id": command.number, "error": error}, command.session_id)


def _event(event: ReceivedEvent) -> bytes:
    return _frame({"method": event.method, "params": event.params}, event.session_id)


def _frame(message: JSONObject, session_id: str) -> bytes:
    return json.dumps({**message, **({"sessionId": session_id} if session_id else {})}).encode()


def _mismatch(command: SentCommand, recorded: Sequence[SentCommand]) -> str:
    """Describe a command that the cassette does not contain, and the nearest one that it does."""
    sentence = f"The cassette does not contain {_shown(command)}."
    if not recorded:
        return f"{sentence} It contains no command at all."
    wanted = _key(command)
    near = [one for one in recorded if one.method == command.method] or recorded
    nearest = max(near, key=lambda one: SequenceMatcher(None, wanted, _key(one)).ratio())
    if _key(nearest) == wanted:
        return f"{sentence} It contains it as command {nearest.number}, which was played already."
    differing = {
        name
        for name in nearest.params.keys() | command.params.keys()
        if nearest.params.get(name) != command.params.get(name)
    }
    where = f" ({', '.join(sorted(differing))} differs)" if nearest.method == command.method else ""
    return f"{sentence} The nearest recorded command is {nearest.number}: {_shown(nearest)}{where}."


def _shown(command: SentCommand) -> str:
    """Return a command for an error, with long values shortened."""
    params = {
        name: f"{value[:VALUE_MAX]}…"
        if isinstance(value, str) and len(value) > VALUE_MAX
        else value
        for name, value in command.params.items()
    }
    text = f"{command.method} {_canonical(params)}"
    return text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}…"


# Launching played browsers, and fetching from the tape.


@attrs.define(eq=False)
class Player:
    """A `Launcher` and a factory of HTTP clients that play a tape.

    A browser that starts after the last recorded one plays the last one from its start.
    """

    _tape: Tape
    _faults: Faults
    _mask: Mask
    playback: Playback = attrs.field(factory=Playback, init=False)
    _opened: int = attrs.field(default=0, init=False)

    @asynccontextmanager
    async def open(self, _: LaunchOptions, /) -> AsyncGenerator[BrowserLink]:
        if not self._tape.browsers:
            text = "The cassette contains no browser: nothing in its recording needed one."
            self.playback.mismatches.append(text)
            raise BrowserUnavailable(text)
        recorded = self._tape.browsers[min(self._opened, len(self._tape.browsers) - 1)]
        self._opened += 1
        browser = PlayedBrowser(recorded.frames, self._faults, self._mask, self.playback)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(browser.run)
            try:
                yield BrowserLink(
                    browser.link, ours=True, last_words=_last_words, visible=recorded.visible
                )
            finally:
                browser.link.cut()
                nursery.cancel_scope.cancel()

    async def check_proxy(self, used: ProxyChoice) -> ProxyReport:
        await trio.lowlevel.checkpoint()
        return ProxyReport(used, ProxyAnswer.SERVES, used)

    def require_screen(self) -> None: ...

    def fetching(self) -> Callable[[], AbstractAsyncContextManager[Fetcher]]:
        """Return a factory of HTTP clients that answer from the tape."""

        @asynccontextmanager
        async def life() -> AsyncGenerator[Fetcher]:
            yield _PlayedFetcher(list(self._tape.fetches), self._mask, self.playback)

        return life


@attrs.define(eq=False)
class _PlayedFetcher(FakeCookies):
    _fetches: list[RecordedFetch]
    _mask: Mask
    _playback: Playback
    _played: set[int] = attrs.field(factory=set[int], init=False)

    async def fetch(self, request: Fetch, /) -> Fetched:
        """Fetch; what was fetched once is fetched again with the same result."""
        sent = request.payload.body.decode(errors="replace") if request.payload else ""
        wanted = self._mask.clean_object({"url": request.url, "sent": sent})
        same = [
            place
            for place, one in enumerate(self._fetches)
            if {"url": one.url, "sent": one.sent} == wanted
        ]
        if not same:
            urls = [one.url for one in self._fetches]
            nearest = max(urls, key=lambda url: SequenceMatcher(None, request.url, url).ratio())
            text = f"The cassette does not contain a fetch of {wanted['url']}." + (
                f" The nearest is {nearest}." if urls else " It contains no fetch at all."
            )
            self._playback.mismatches.append(text)
            raise NavigationFailed(text, code=ErrorCode.NETWORK)
        place = next((one for one in same if one not in self._played), same[-1])
        self._played.add(place)
        recorded = self._fetches[place]
        await trio.sleep(recorded.took_s)
        if recorded.problem:
            raise NavigationFailed(recorded.problem, code=ErrorCode(recorded.code))
        page = LoadedPage(recorded.final_url, recorded.status, recorded.mime_type)
        body = recorded.data or recorded.text.encode()
        return Fetched(page, body, recorded.charset, recorded.chain)


async def _last_words() -> str:
    await trio.lowlevel.checkpoint()
    return "The browser of the cassette has ended."
