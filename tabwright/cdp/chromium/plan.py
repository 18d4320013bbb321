"""What a browser is started with."""

from pathlib import Path
from typing import Literal

import attrs


@attrs.frozen(kw_only=True)
class LaunchPlan:
    """One browser to start.

    Attributes:
        path: the executable, as `tabwright.cdp.chromium.finding.find_browser` finds it.
        profile: a directory that keeps cookies and storage from run to run; None for a private
            one, which is gone when the browser is.
        headless: no window.
        link: how we talk to it: a private pipe that nobody else can reach, or a port of its own
            on loopback that every local user can.
        port: for ``link="websocket"``: where it listens; 0 for one that Chromium chooses.
        language: a BCP 47 tag such as ``de-DE`` for the interface and for what pages are told;
            None for the language of the system.
        user_agent: what it calls itself; None for its own name.
        proxy: the server that all traffic goes through, as ``http://127.0.0.1:8080``, without a
            password; ``direct://`` for none; None for what the system says.
        proxy_bypass: patterns of the hosts that are reached without it.
        proxy_only: whether nothing at all goes out in another way, to loopback neither.
        extra_args: more switches, behind ours.
        disk_cache_bytes: what its HTTP cache may take.
        heap_mib: what the objects of a page's scripts may take, in MiB; a page that wants more
            crashes, and would else take all that the machine has.
        stop_grace_s: how long it may take to end by itself before it is killed.
    """

    path: Path
    profile: Path | None = None
    headless: bool = True
    link: Literal["pipe", "websocket"] = "pipe"
    port: int = 0
    language: str | None = None
    user_agent: str | None = None
    proxy: str | None = None
    proxy_bypass: tuple[str, ...] = ()
    proxy_only: bool = False
    extra_args: tuple[str, ...] = ()
    disk_cache_bytes: int = 64 << 20
    heap_mib: int = 1024
    stop_grace_s: float = 2.0
