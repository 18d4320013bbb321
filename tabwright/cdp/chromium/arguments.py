"""The command line of an ordinary browser that does not hide that it is automated.

Switches: https://peter.sh/experiments/chromium-command-line-switches/ and Chromium's own
``switches.cc`` files.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Literal

import attrs

from tabwright.cdp.chromium.errors import ArgumentRefused

# The values that the command line is made of.


@attrs.frozen(kw_only=True)
class LaunchPlan:
    """The options for starting a browser.

    Attributes:
        path: the executable, as found by `tabwright.cdp.chromium.finding.find_browser`.
        profile: a directory that keeps cookies and storage between runs; None for a private one,
            which is deleted with the browser.
        headless: no window.
        link: the connection: a private pipe that no other process can reach, or a port on loopback
            that every local user can reach.
        port: for ``link="websocket"``: the port to listen on; 0 for one that Chromium chooses.
        language: a BCP 47 tag such as ``de-DE`` for the interface and for pages; None for the
            language of the system.
        user_agent: None for the browser's own.
        says_automated: whether pages see that it is automated (``navigator.webdriver``).
        proxy: the server for all traffic, for example ``http://127.0.0.1:8080``, without a
            password; ``direct://`` for none; None for the system's setting.
        proxy_bypass: patterns of the hosts that are reached without it.
        proxy_only: whether no traffic at all bypasses the proxy, not even to loopback.
        features: experimental features to enable.
        extra_args: additional switches, after ours.
        disk_cache_bytes: the maximum size of its HTTP cache.
        heap_mib: the maximum heap of a page's scripts, in MiB; a page that needs more crashes
            instead of using up the machine's memory.
        stop_grace_s: how long it may take to end by itself before it is killed, in seconds.
    """

    path: Path
    profile: Path | None = None
    headless: bool = True
    link: Literal["pipe", "websocket"] = "pipe"
    port: int = 0
    language: str | None = None
    user_agent: str | None = None
    says_automated: bool = True
    proxy: str | None = None
    proxy_bypass: tuple[str, ...] = ()
    proxy_only: bool = False
    features: tuple[str, ...] = ()
    extra_args: tuple[str, ...] = ()
    disk_cache_bytes: int = 64 << 20
    heap_mib: int = 1024
    stop_grace_s: float = 2.0


_QUIET: Final = (
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
)
"""No welcome page, and as few requests to the vendor's servers as switches allow."""

_NO_SHADERS_KEPT: Final = "--disable-gpu-shader-disk-cache"
"""Compiled shaders are not cached on disk.

If the disk is full, the process that caches them dies at each start (Chromium 150), and after a few
deaths the browser ends.
"""

_FEATURES: Final = "--disable-features="
_ENABLED: Final = "--enable-features="
"""The switches that Chromium accepts only once: the last one of a command line wins."""

_DISABLED: Final = (
    "AutofillServerCommunication",  # queries a Google server about the forms of every page
    # The drop-down of the address bar is a page in every window, with a process that takes longer
    # to start than the browser itself, even if the address bar is never used.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
)

_PROXY_ONLY: Final = (
    "--proxy-bypass-list=<-loopback>",
    "--dns-prefetch-disable",
    # One by its name in the headless shell, the other by its name in browsers with windows.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
)
"""Also proxy loopback, do not resolve names in advance, and do not use UDP."""

_MOUSE: Final = (
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,"
    "primaryPointerType=4,availablePointerTypes=4"
)
"""Media features ``hover: hover`` and ``pointer: fine``: without a mouse, as on servers, pages
would show their layout for touch, without hover styles and desktop date pickers.
"""

_REFUSED: Final[Mapping[str, str]] = {
    "remote-": "tabwright chooses how to connect to the browser",
    "user-data-dir": "use the setting for the profile",
    "headless": "use the setting for windows",
    "no-sandbox": "the sandbox is disabled only for root, where it cannot work",
    "disable-setuid-sandbox": "the sandbox is disabled only for root, where it cannot work",
    "proxy-": "use the setting for the proxy",
    "no-proxy-server": "use the setting for the proxy",
    "load-extension": "an extension could read every page",
    "single-process": "a page that crashes would end the browser",
    "renderer-cmd-prefix": "it would run another program",
    "utility-cmd-prefix": "it would run another program",
    "gpu-launcher": "it would run another program",
    "browser-subprocess-path": "it would run another program",
}


def arguments(plan: LaunchPlan, profile: Path, *, root: bool, small_memory_disk: bool) -> list[str]:
    """Return the arguments after the executable.

    Args:
        plan: the options.
        profile: the directory for ``--user-data-dir``.
        root: whether the browser will run as root, for which Chromium's sandbox does not work.
        small_memory_disk: whether ``/dev/shm`` is too small for the memory that its processes
            share, so that they share files of the temporary directory instead.

    Raises:
        ArgumentRefused: one of the plan's extra arguments conflicts with a required one. An extra
            argument that is passed anyway is left out.
    """
    ours = [*_ours(plan, profile, root=root)]
    if small_memory_disk:
        ours.append("--disable-dev-shm-usage")
    agreed = {*ours, *(["--headless"] if plan.headless else [])}
    extras = [extra for extra in plan.extra_args if extra not in agreed]
    for extra in extras:
        name = extra.partition("=")[0]  # the value may be secret
        dashes, switch = name[:2], name[2:].lower()
        if dashes != "--" or not switch:
            raise ArgumentRefused(name, "an argument is two dashes and a name")
        for prefix, reason in _REFUSED.items():
            if switch.startswith(prefix):
                raise ArgumentRefused(name, reason)
    others = [extra for extra in extras if not extra.startswith((_FEATURES, _ENABLED))]
    disabled = (extra.removeprefix(_FEATURES) for extra in extras if extra.startswith(_FEATURES))
    enabled = (extra.removeprefix(_ENABLED) for extra in extras if extra.startswith(_ENABLED))
    features = ",".join((*plan.features, *enabled))
    return [
        *ours,
        _FEATURES + ",".join((*_DISABLED, *disabled)),
        *([_ENABLED + features] if features else []),
        *others,
    ]


def _ours(plan: LaunchPlan, profile: Path, *, root: bool) -> Iterator[str]:
    yield from _QUIET
    yield _NO_SHADERS_KEPT
    if plan.link == "pipe":
        yield "--remote-debugging-pipe"
    else:
        yield f"--remote-debugging-port={plan.port}"
    yield f"--user-data-dir={profile}"
    yield f"--disk-cache-size={plan.disk_cache_bytes}"
    yield f"--js-flags=--max-old-space-size={plan.heap_mib}"
    yield "--no-startup-window"  # the first window belongs to the first page
    yield "--site-per-process"  # as everywhere on desktops but in the headless shell
    if plan.headless:
        yield from ("--headless=new", "--disable-gpu", _MOUSE)
    if root:
        yield "--no-sandbox"
    if plan.language is not None:
        yield f"--lang={plan.language}"
        # The list for ``navigator.languages``: ``de-DE`` is followed by ``de``.
        first = plan.language.partition("-")[0]
        yield "--accept-lang=" + ",".join(dict.fromkeys((plan.language, first)))
    if plan.user_agent is not None:
        yield f"--user-agent={plan.user_agent}"
    if not plan.says_automated:
        yield "--disable-blink-features=AutomationControlled"
    if plan.proxy is not None:
        yield f"--proxy-server={plan.proxy}"
    if plan.proxy_only:
        yield from _PROXY_ONLY
    if plan.proxy_bypass:
        yield f"--proxy-bypass-list={';'.join(plan.proxy_bypass)}"


# The environment variables that browsers get: those that they need, and no others.
#
# Ours may hold API keys and passwords. Every process of a browser, and others who may look at them,
# could read those.

_PASSED: Final = re.compile(
    r"""
    PATH | HOME | USER | LOGNAME | SHELL | TZ | TMPDIR | TERM
    | LANG | LANGUAGE | LC_\w+                                # the interface's language, file names
    | DISPLAY | WAYLAND_DISPLAY | XAUTHORITY | XDG_\w+        # the screen, and folders of the user
    | DESKTOP_SESSION | DESKTOP_STARTUP_ID | GNOME_\w+ | KDE_\w+ | GDK_\w+ | GTK_\w+ | QT_\w+
    | XMODIFIERS | XCURSOR_\w+ | DBUS_\w+_BUS_ADDRESS | NO_AT_BRIDGE | AT_SPI_BUS_ADDRESS
    | PULSE_\w+ | PIPEWIRE_\w+ | ALSA_\w+                     # sound
    | LD_LIBRARY_PATH | LIBGL_\w+ | LIBVA_\w+ | MESA_\w+ | GALLIUM_\w+ | VK_\w+ | EGL_\w+
    | __EGL_\w+ | __GL\w* | __NV_\w+ | DRI_PRIME              # the graphics driver
    | FONTCONFIG_\w+ | SSL_CERT_FILE | SSL_CERT_DIR | NSS_\w+ | CHROME_DEVEL_SANDBOX
    | __CF_USER_TEXT_ENCODING                                 # macOS
    """,
    re.VERBOSE,
)


def browser_environment(ours: Mapping[str, str], **more: str) -> dict[str, str]:
    """Return the variables of `ours` that a browser needs, and `more`, which override them.

    Proxy variables are left out because they may contain a password: the proxy is a separate
    argument.
    """
    return {name: value for name, value in ours.items() if _PASSED.fullmatch(name)} | more
