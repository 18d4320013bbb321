"""Recording: listen at the transport of a real browser, and at the client that fetches pages."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

import attrs
import msgspec
import trio

from tabwright._version import __version__
from tabwright.browser.running import BrowserLink, Launcher, LaunchOptions
from tabwright.cdp.connection import Transport
from tabwright.protocol.errors import NavigationFailed
from tabwright.protocol.fetch import Cookie, Fetch, Fetched, Fetcher
from tabwright.protocol.proxy import ProxyChoice, ProxyReport
from tabwright.testing.cassette.tape import (
    ReceivedEvent,
    ReceivedReply,
    RecordedBrowser,
    RecordedFetch,
    SentCommand,
    Tape,
    TapeFrame,
)


@attrs.frozen
class _Message:
    """A frame of CDP, in either direction."""

    id: int | None = None
    method: str | None = None
    params: dict[str, object] = attrs.field(factory=dict[str, object])
    result: dict[str, object] | None = None
    error: dict[str, object] | None = None
    session_id: str = ""


_decoder = msgspec.json.Decoder(dict[str, object])


def decode_message(frame: bytes) -> TapeFrame | None:
    """Decode a frame of CDP, with the time 0; None if it is not valid."""
    try:
        decoded = _decoder.decode(frame)
        session_id = str(decoded.pop("sessionId", ""))
        message = msgspec.convert({**decoded, "session_id": session_id}, _Message)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError):
        return None
    match message:
        case _Message(id=int(number), method=str(method)):
            return SentCommand(number, 0.0, method, message.params, session_id)
        case _Message(id=int(number)):
            return ReceivedReply(number, 0.0, message.result, message.error, session_id)
        case _Message(method=str(method)):
            return ReceivedEvent(0.0, method, message.params, session_id)
        case _:
            return None


@attrs.define(eq=False)
class RecordingTransport:
    """A `Transport` that passes everything on and keeps a copy of each frame."""

    _link: Transport
    _frames: list[TapeFrame]
    _start_s: float = attrs.field(factory=trio.current_time, init=False)

    def send_nowait(self, frame: bytes) -> bool:
        sent = self._link.send_nowait(frame)
        if sent:
            self._keep(frame)
        return sent

    async def send(self, frame: bytes) -> None:
        self._keep(frame)  # before its reply can arrive
        await self._link.send(frame)

    async def receive(self) -> Sequence[bytes]:
        frames = await self._link.receive()
        for frame in frames:
            self._keep(frame)
        return frames

    async def aclose(self) -> None:
        await self._link.aclose()

    def _keep(self, frame: bytes) -> None:
        if message := decode_message(frame):
            at_s = trio.current_time() - self._start_s
            self._frames.append(attrs.evolve(message, at_s=at_s))


@attrs.define(eq=False)
class Recorder:
    """Collects what real browsers and a real HTTP client say, for a tape."""

    _browsers: list[RecordedBrowser] = attrs.field(factory=list[RecordedBrowser], init=False)
    _fetches: list[RecordedFetch] = attrs.field(factory=list[RecordedFetch], init=False)

    def tape(self) -> Tape:
        """Return all that has been recorded, with its secrets."""
        return Tape(tuple(self._browsers), tuple(self._fetches), __version__)

    def launcher(self, launcher: Launcher) -> Launcher:
        """Return a launcher whose browsers are recorded."""
        return _RecordingLauncher(launcher, self._browsers)

    def fetching(
        self, opening: Callable[[], AbstractAsyncContextManager[Fetcher]]
    ) -> Callable[[], AbstractAsyncContextManager[Fetcher]]:
        """Return a factory of HTTP clients whose fetches are recorded."""

        @asynccontextmanager
        async def life() -> AsyncGenerator[Fetcher]:
            async with opening() as fetcher:
                yield _RecordingFetcher(fetcher, self._fetches)

        return life


@attrs.frozen(eq=False)
class _RecordingLauncher:
    _launcher: Launcher
    _browsers: list[RecordedBrowser]

    @asynccontextmanager
    async def open(self, options: LaunchOptions, /) -> AsyncGenerator[BrowserLink]:
        async with self._launcher.open(options) as opened:
            frames: list[TapeFrame] = []
            self._browsers.append(RecordedBrowser(opened.visible, frames))
            yield attrs.evolve(opened, link=RecordingTransport(opened.link, frames))

    async def check_proxy(self, used: ProxyChoice) -> ProxyReport:
        return await self._launcher.check_proxy(used)

    def require_screen(self) -> None:
        self._launcher.require_screen()


@attrs.frozen(eq=False)
class _RecordingFetcher:
    _fetcher: Fetcher
    _fetches: list[RecordedFetch]

    async def fetch(self, request: Fetch, /) -> Fetched:
        start_s = trio.current_time()
        sent = request.payload.body.decode(errors="replace") if request.payload else ""
        try:
            fetched = await self._fetcher.fetch(request)
        except NavigationFailed as error:
            took_s = trio.current_time() - start_s
            problem = RecordedFetch(
                request.url, sent, took_s, problem=str(error), code=error.code.value
            )
            self._fetches.append(problem)
            raise
        text, data = "", fetched.body
        with suppress(UnicodeDecodeError):
            text, data = fetched.body.decode(), b""
        self._fetches.append(
            RecordedFetch(
                request.url,
                sent,
                took_s=trio.current_time() - start_s,
                final_url=fetched.page.url,
                status=fetched.page.status,
                mime_type=fetched.page.mime_type,
                charset=fetched.charset,
                chain=fetched.chain,
                text=text,
                data=data,
            )
        )
        return fetched

    async def cookies(self, session: str) -> tuple[Cookie, ...]:
        return await self._fetcher.cookies(session)

    async def set_cookies(self, session: str, cookies: tuple[Cookie, ...] = ()) -> None:
        await self._fetcher.set_cookies(session, cookies)
