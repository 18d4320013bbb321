"""A cassette: runs a test on a real browser once, and on the recording from then on."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import TypeVar

import attrs
import trio

from tabwright._version import __version__
from tabwright.actors.fetcher_actor import open_fetcher
from tabwright.actors.kit.tracing import ActorSystem, TraceRecord
from tabwright.app import open_tabwright
from tabwright.browser.launch import launcher_of_settings
from tabwright.client import Tabwright
from tabwright.config.loader import override, settings_from
from tabwright.config.secrets import Secrets, load_secrets
from tabwright.config.settings import Settings
from tabwright.environment import Environment
from tabwright.http.net import web_network
from tabwright.ratelimit.store import MemoryLimiterStore
from tabwright.testing.cassette.masking import Mask, masked_tape
from tabwright.testing.cassette.playing import CassetteMismatch, Player
from tabwright.testing.cassette.recording import Recorder
from tabwright.testing.cassette.tape import read_tape, write_tape
from tabwright.testing.determinism import UnusedMachine, inline, no_frames, run_seeded, wall_clock
from tabwright.testing.fake.link import Fault, Faults

SEED = 7
"""The seed of every run, so that a recording and its playback draw the same random values."""

ResultT = TypeVar("ResultT")
Work = Callable[[Tabwright], Awaitable[ResultT]]


@attrs.define(eq=False, kw_only=True)
class Cassette:
    """A recorded conversation with a real browser, in one file.

    Attributes:
        path: the file. If it is missing, the first run records it.
        record: whether to record it again although it exists.
        settings: the settings of tabwright; None for the defaults without a profile and a proxy.
        secrets: texts that must not be in the file, by a name that stands for each; beside those of
            the settings' secrets file and the values of cookies, which are always kept out.
        trace: what the actors did in the last playback, in order.
    """

    path: Path
    record: bool = False
    settings: Settings | None = None
    secrets: Mapping[str, str] = attrs.field(factory=dict[str, str])
    trace: list[TraceRecord] = attrs.field(factory=list[TraceRecord], init=False)

    def run(self, work: Work[ResultT], *faults: Fault) -> ResultT:
        """Run `work` with a tabwright that records this cassette or plays it; return its result.

        A playback needs no browser and no network, takes no real time for waiting, and is the same
        each time. Faults are injected into playbacks: a recording is played once more with them.

        Raises:
            CassetteMismatch: without a fault, a command was sent that is not on the cassette.
            BadInput: the file is not a cassette.
        """
        if self.record or not self.path.exists():
            result = trio.run(partial(self._record, work))
            self.record = False
            if not faults:
                return result
        return self._play(work, faults)

    async def _record(self, work: Work[ResultT]) -> ResultT:
        settings = self._settings()
        recorder = Recorder()
        system = ActorSystem(random=Random(SEED))  # noqa: S311
        real = Environment(system=system)
        environment = attrs.evolve(
            real,
            launcher=recorder.launcher(launcher_of_settings(settings, web_network(settings))),
            fetching=recorder.fetching(open_fetcher(settings, real.offload, system, real.now)),
            limiter_store=MemoryLimiterStore(),
        )
        async with open_tabwright(settings, environment) as tabwright:
            result = await work(tabwright)
        write_tape(self.path, masked_tape(recorder.tape(), self._all_secrets(settings)))
        return result

    def _play(self, work: Work[ResultT], faults: tuple[Fault, ...]) -> ResultT:
        settings = self._settings()
        mask = Mask(self._all_secrets(settings))
        tape = read_tape(self.path)
        player = Player(tape, Faults(faults), mask)
        self.trace.clear()

        async def live(random: Random) -> ResultT:
            environment = Environment(
                launcher=player,
                fetching=player.fetching(),
                system=ActorSystem(tracer=self.trace.append, random=random),
                limiter_store=MemoryLimiterStore(),
                now=wall_clock,
                offload=inline,
                take_frames=no_frames,
                machine=UnusedMachine(),
            )
            async with open_tabwright(settings, environment) as tabwright:
                return await work(tabwright)

        try:
            return run_seeded(live, SEED)
        finally:
            # The program did something else than in the recording, unless a fault made it.
            if player.playback.mismatches and not player.playback.harmed:
                other = tape.version != __version__
                age = f", recorded with tabwright {tape.version}" if other else ""
                raise CassetteMismatch(
                    f"{player.playback.mismatches[0]} ({self.path.name}{age}; run pytest with"
                    " --cassette-record to record it again)"
                ) from None

    def _settings(self) -> Settings:
        settings = self.settings or settings_from(
            override(browser__profile=None, network__proxy="none", network__allow_private=True)
        )
        # The folder of downloads is made in a thread, and virtual time does not wait for threads.
        return attrs.evolve(settings, acting=attrs.evolve(settings.acting, downloads=None))

    def _all_secrets(self, settings: Settings) -> Secrets:
        return Secrets({**dict(load_secrets(settings.acting.secrets).items()), **self.secrets})
