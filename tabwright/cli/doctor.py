"""``tabwright doctor``: checks the machine, the choice of a browser, and a page load in it."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import attrs
import psutil
import trio
from platformdirs import user_data_path

from tabwright._version import __version__
from tabwright.actors.browser_actor import RESTART_POLICY, browser_actor
from tabwright.actors.kit.supervision import supervise
from tabwright.actors.kit.tracing import ActorSystem
from tabwright.browser.launch import (
    chosen_browser,
    eligible_browsers,
    kept_profile,
    launcher_of_settings,
)
from tabwright.browser.machine import display_problem
from tabwright.browser.running import BrowserRole, LaunchOptions
from tabwright.browser.sources import Sources, only_source
from tabwright.browser.worker import LastStart
from tabwright.cdp.domains import runtime
from tabwright.cli.exit_codes import ExitCode
from tabwright.cli.output import print_json
from tabwright.config.engines import configured_engines
from tabwright.config.secrets import any_site_warning, load_secrets
from tabwright.config.settings import NetworkSettings, Settings
from tabwright.config.user_layers import is_there, user_file
from tabwright.config.variables import VARIABLE_PREFIX
from tabwright.environment import Environment, changed_by_plugins
from tabwright.http.net import web_network
from tabwright.http.proxy_discovery import ProxyFinder
from tabwright.llm.providers import PROVIDERS
from tabwright.page.open_page import PageOptions, open_page
from tabwright.plugin import plugins
from tabwright.protocol.browser_pool import CDP, SourceState
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.proxy import ProxyAnswer
from tabwright.reader.video import installed_ffmpeg
from tabwright.sessions.store import SessionFiles, sessions_folder
from tabwright.text.file_errors import file_problem
from tabwright.text.languages import checked_language
from tabwright.text.lines import NAMED_MAX

NEEDED_BY_PAGES = {"system", "browser", "profile", "proxy"}
"""The checks without which no page can be opened."""


@attrs.frozen
class Finding:
    """The result of one check.

    Attributes:
        ok: whether nothing is wrong.
        text: what was found, and the next step if something is wrong or off.
        off: whether it is only right because it is switched off or not there: something that
            tabwright can do is not available.
    """

    subject: str
    ok: bool
    text: str
    off: bool = False

    @property
    def mark(self) -> str:
        """The first column of the report."""
        return "FAIL" if not self.ok else "off " if self.off else "ok  "


@attrs.frozen
class PluginCheck:
    """A check of a plugin.

    Attributes:
        run: returns what it found; None if there is nothing to check. It never raises.
    """

    run: Callable[[Settings], Awaitable[Finding | None]]


async def report(
    settings: Settings, environment: Mapping[str, str], *, file: Path | None, as_json: bool
) -> int:
    """Print the findings of `examine`; return 0 if nothing is wrong, 3 without a usable browser."""
    findings = await examine(settings, environment, file)
    if as_json:
        print_json([attrs.asdict(finding) for finding in findings])
    else:
        for finding in findings:
            sys.stdout.write(f"{finding.mark} {finding.subject:10} {finding.text}\n")
    faults = {finding.subject for finding in findings if not finding.ok}
    if faults & {"browser", "page"}:
        return ExitCode.NO_BROWSER
    return ExitCode.FAILED if faults else ExitCode.OK


async def examine(
    settings: Settings, environment: Mapping[str, str], file: Path | None = None
) -> tuple[Finding, ...]:
    """Check everything as far as possible; never raises for a failed check.

    Args:
        settings: the settings in use.
        environment: environment variables.
        file: the settings file that was read instead of the user's.
    """
    sources = _sources(settings, environment)
    findings = [
        Finding("tabwright", ok=True, text=f"{__version__}, Python {platform.python_version()}"),
        _system(),
        _files(settings, environment, file or user_file()),
        *_secrets(settings),
        *(_browser(settings, state) for state in sources.states(())),
        *await _own_machine(settings, environment, sources),
        await trio.to_thread.run_sync(_sessions, settings),
        *await trio.to_thread.run_sync(lambda: [*machine_checks(settings, environment)]),
        *[finding for check in _checks(settings) if (finding := await check.run(settings))],
        *(await trio.to_thread.run_sync(lambda: [*_signing(settings.network)])),
    ]
    if all(finding.ok for finding in findings if finding.subject in NEEDED_BY_PAGES):
        findings += [await _page(settings, sources, state) for state in sources.states(())]
    return tuple(findings)


def _sources(settings: Settings, environment: Mapping[str, str]) -> Sources:
    launcher = launcher_of_settings(settings, web_network(settings), environment)
    many = changed_by_plugins(Environment(), settings).sources
    return many.opened(launcher) if many else only_source(launcher, settings)


def _checks(settings: Settings) -> Iterator[PluginCheck]:
    for plugin in plugins(settings.plugins.enabled):
        yield from plugin.parts("checks", PluginCheck)


def _system() -> Finding:
    posix = sys.platform != "win32"
    text = f"{platform.system()} {platform.release()}"
    return Finding("system", ok=posix, text=text if posix else f"{text}: not supported yet")


def _files(settings: Settings, environment: Mapping[str, str], file: Path) -> Finding:
    """List the sources of the settings, and check the files that settings name.

    The settings file itself was valid, or no command would have started.
    """
    named = (settings.acting.secrets, settings.engines.policy, settings.engines.parsers)
    try:
        load_secrets(settings.acting.secrets)
        configured_engines(settings.engines)
        checked_language(settings.language)
    except TabwrightError as error:
        return Finding("settings", ok=False, text=str(error))
    files = [*([str(file)] if is_there(file) else []), *filter(None, named)]
    variables = sorted(name for name in environment if name.startswith(VARIABLE_PREFIX))
    sources = ", ".join([*files, *variables]) or f"the defaults ({file} does not exist)"
    return Finding("settings", ok=True, text=f"valid; read from {sources}")


def _secrets(settings: Settings) -> Iterator[Finding]:
    """Report the secrets that can be typed into any site."""
    with suppress(TabwrightError):  # reported with the settings
        if text := any_site_warning(load_secrets(settings.acting.secrets)):
            yield Finding("secrets", ok=True, text=text)


def _browser(settings: Settings, source: SourceState) -> Finding:
    if source.kind == CDP:
        return Finding("browser", ok=True, text=f"running browser at {source.host}")
    if source.host:
        text = f"up to {source.capacity} of {source.kind} {source.host}"
        return Finding("browser", ok=True, text=text)
    try:
        found = chosen_browser(settings.browser)
    except TabwrightError as error:
        return Finding("browser", ok=False, text=str(error))
    order = ", ".join(eligible_browsers(settings.browser))
    why = f"first found of {order}" if found.name else "set by browser.path"
    return Finding("browser", ok=True, text=f"{found.path} ({why})")


async def _own_machine(
    settings: Settings, environment: Mapping[str, str], sources: Sources
) -> tuple[Finding, ...]:
    """Check what the browsers of this machine need, if there are any."""
    if not any(source.is_local for source in sources.each):
        subjects = ("sandbox", "profile", "proxy", "display")
        return tuple(Finding(one, ok=True, text="set by the running browser") for one in subjects)
    return (
        _sandbox(root=os.geteuid() == 0),
        _profile(settings),
        await _proxy(ProxyFinder(settings.network.proxy, environment)),
        await trio.to_thread.run_sync(_display, environment),
    )


def _sandbox(*, root: bool) -> Finding:
    if root:
        text = "Chromium has no sandbox for root. Run as another user, or in a container"
        return Finding("sandbox", ok=True, text=text, off=True)
    return Finding("sandbox", ok=True, text="on")


def _profile(settings: Settings) -> Finding:
    profile = kept_profile(settings.browser, 0)
    if profile:
        existing = next(one for one in (profile, *profile.parents) if one.exists())
        if not os.access(existing, os.W_OK):
            text = f"{existing} cannot be written to: set browser.profile to another folder"
            return Finding("profile", ok=False, text=text)
        return Finding("profile", ok=True, text=f"{profile} (kept)")
    text = "temporary, removed at the end (browser.profile)"
    return Finding("profile", ok=True, text=text, off=True)


def _sessions(settings: Settings) -> Finding:
    """Name the saved sessions, which may have log-ins."""
    files = SessionFiles(sessions_folder(settings.session.dir))
    try:
        names = files.names()
    except OSError as error:
        return Finding("sessions", ok=False, text=file_problem(error, files.folder))
    if not names:
        return Finding("sessions", ok=True, text="none saved")
    more = f" and {len(names) - NAMED_MAX} more" if len(names) > NAMED_MAX else ""
    text = f"saved in {files.folder}: {', '.join(names[:NAMED_MAX])}{more}"
    return Finding("sessions", ok=True, text=text)


def _display(environment: Mapping[str, str]) -> Finding:
    """Check whether a person can solve a CAPTCHA."""
    problem = display_problem(environment)
    if problem is None:
        name = environment.get("WAYLAND_DISPLAY") or environment.get("DISPLAY", "")
        return Finding("display", ok=True, text=name or "of the system")
    text = f"{problem}: no window can open for a CAPTCHA"
    return Finding("display", ok=True, text=text, off=True)


async def _proxy(proxies: ProxyFinder) -> Finding:
    try:
        report = await proxies.check(await proxies.choose())
    except TabwrightError as error:
        return Finding("proxy", ok=False, text=str(error))
    ok = report.answer in {ProxyAnswer.SERVES, ProxyAnswer.UNASKED}
    return Finding(
        "proxy", ok=ok, text=str(report.used) if ok else f"{report.used}: {report.advice}"
    )


def _signing(network: NetworkSettings) -> Iterator[Finding]:
    """Name the key of signed requests, if there is one."""
    if (signing := network.signing) is None:
        return
    from tabwright.http.signing_keys import key_id, read_key  # noqa: PLC0415  (rarely set)

    try:
        named = key_id(read_key(Path(signing.key).expanduser()))
    except TabwrightError as error:
        yield Finding("signing", ok=False, text=str(error))
        return
    agent = signing.agent
    found = f"found at {agent}" if agent else "not named to sites (network.signing has no agent)"
    yield Finding("signing", ok=True, text=f"key {named}, {found}", off=agent is None)


async def _page(settings: Settings, sources: Sources, state: SourceState) -> Finding:
    source = sources.each[state.number - 1]
    place = f"{state.kind} {state.host}".rstrip() + ": " if len(sources.each) > 1 else ""
    try:
        worker = sources.by_worker.index(source)
        opening = partial(source.open, LaunchOptions(visible=False, worker=worker))
        life = partial(browser_actor, opening, LastStart().see, settings.browser, None, None)
        async with supervise(ActorSystem(), "browser", life, RESTART_POLICY) as address:
            running = await address.ask(BrowserRole.running)
            began_s = trio.current_time()
            async with open_page(running, PageOptions(context="doctor")) as page:
                evaluated = await page.session.execute(runtime.evaluate("6 * 7"))
            took_ms = (trio.current_time() - began_s) * 1000
            text = f"{running.product} opened a page and ran a script in it, {took_ms:.0f} ms"
            return Finding("page", ok=evaluated.result.value == 42, text=f"{place}{text}")  # noqa: PLR2004
    except TabwrightError as error:
        return Finding("page", ok=False, text=f"{place}{error}")


# The machine: disk, memory, fonts, programs, extras, keys.

FREE_BYTES_MIN = 500_000_000
"""Below this, profiles, caches and downloads soon fail."""

SCRIPTS = {"Chinese": "zh", "Japanese": "ja", "Korean": "ko", "Arabic": "ar", "Hindi": "hi"}
"""Writing systems that need their own font, each with a language as fontconfig names it."""

EXTRAS = {
    "meaning": "onnxruntime",
    "office": "mammoth",
    "tui": "textual",
    "parquet": "pyarrow",
    "fleet": "coredis",
    "audit": "axe_playwright_python",
    "otel": "opentelemetry.sdk",
}
"""The extras of tabwright, with a module that comes with each."""

FONTS_S = 5.0


def machine_checks(settings: Settings, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Yield the results of the checks. It blocks, for a few seconds at most."""
    yield _disk(user_data_path("tabwright", appauthor=False))
    yield Finding("memory", ok=True, text=f"{_size(psutil.virtual_memory().available)} available")
    yield _fonts(_languages_of_fonts())
    yield _ffmpeg()
    yield _extras()
    yield _keys(settings, environment)


def _disk(folder: Path) -> Finding:
    existing = next(one for one in (folder, *folder.parents) if one.exists())
    free = shutil.disk_usage(existing).free
    text = f"{_size(free)} free for {folder}"
    if free < FREE_BYTES_MIN:
        return Finding("disk", ok=False, text=f"{text}. Free some space.")
    return Finding("disk", ok=True, text=text)


def _fonts(covered: frozenset[str] | None) -> Finding:
    if covered is None:
        return Finding("fonts", ok=True, text="unknown: fc-list is not installed")
    missing = [name for name, language in SCRIPTS.items() if language not in covered]
    if not missing:
        return Finding("fonts", ok=True, text=f"Latin, {', '.join(SCRIPTS)}")
    text = f"none for {', '.join(missing)}: screenshots show boxes. Install Noto fonts"
    return Finding("fonts", ok=True, text=text, off=True)


def _languages_of_fonts() -> frozenset[str] | None:
    """Return the languages that installed fonts cover, as fontconfig names them."""
    program = shutil.which("fc-list")
    if program is None:
        return None
    try:
        listed = subprocess.run(  # noqa: S603  (a fixed command)
            [program, ":", "lang"], capture_output=True, text=True, timeout=FONTS_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    lists = (line.partition("=")[2].split("|") for line in listed.stdout.splitlines())
    return frozenset(language.partition("-")[0] for languages in lists for language in languages)


def _ffmpeg() -> Finding:
    if program := installed_ffmpeg():
        return Finding("ffmpeg", ok=True, text=program.path)
    return Finding("ffmpeg", ok=True, text="not installed: no frames of videos", off=True)


def _extras() -> Finding:
    missing = [name for name, module in EXTRAS.items() if not _is_installed(module)]
    if not missing:
        return Finding("extras", ok=True, text=", ".join(EXTRAS))
    text = f"missing {', '.join(missing)}: pip install 'tabwright[{','.join(missing)}]'"
    return Finding("extras", ok=True, text=text, off=True)


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # not even its package is there
        return False


def _keys(settings: Settings, environment: Mapping[str, str]) -> Finding:
    """Return which models tasks can use; keys themselves are never shown."""
    names = [
        name
        for provider in PROVIDERS.values()
        for name in provider.variables
        if environment.get(name)
    ]
    if settings.models.key:
        names.insert(0, f"models.key ({settings.models.key})")
    if names:
        return Finding("models", ok=True, text=", ".join(dict.fromkeys(names)))
    text = "no key: tasks need the client's model, a local one (models.provider) or a key"
    return Finding("models", ok=True, text=text, off=True)


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB"
