"""Actors on trio that drive real Chromium and serve what they find to AI agents.

The public names. They are imported when they are first used, so that a server can answer its
client before the heavy ones are there.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from tabwright._version import __version__ as __version__

if TYPE_CHECKING:
    from tabwright.actors.kit.tracing import ActorSystem
    from tabwright.app import open_tabwright, serve
    from tabwright.client import Tabwright
    from tabwright.config.loader import load_settings, override, read_layer
    from tabwright.config.settings import Settings
    from tabwright.control.server import serve_control
    from tabwright.environment import Environment
    from tabwright.protocol.ai_search import SearchResult, SearchSource
    from tabwright.protocol.errors import Refusal, TabwrightError, Unanswered, Undelivered
    from tabwright.protocol.extraction import ReadOptions
    from tabwright.protocol.interventions import Intervention
    from tabwright.protocol.page_text import PageText, RenderOptions
    from tabwright.protocol.snapshot import Selection
    from tabwright.protocol.web_search import WebResult, WebResults, WebSearch


__all__ = [
    "ActorSystem",
    "Environment",
    "Intervention",
    "PageText",
    "ReadOptions",
    "Refusal",
    "RenderOptions",
    "SearchResult",
    "SearchSource",
    "Selection",
    "Settings",
    "Tabwright",
    "TabwrightError",
    "Unanswered",
    "Undelivered",
    "WebResult",
    "WebResults",
    "WebSearch",
    "load_settings",
    "open_tabwright",
    "override",
    "read_layer",
    "serve",
    "serve_control",
]

_HOMES = {
    "tabwright.control.server": ("serve_control",),
    "tabwright.client": ("Tabwright",),
    "tabwright.actors.kit.tracing": ("ActorSystem",),
    "tabwright.app": ("open_tabwright", "serve"),
    "tabwright.environment": ("Environment",),
    "tabwright.config.loader": ("load_settings", "override", "read_layer"),
    "tabwright.config.settings": ("Settings",),
    "tabwright.protocol.ai_search": ("SearchResult", "SearchSource"),
    "tabwright.protocol.errors": ("Refusal", "TabwrightError", "Unanswered", "Undelivered"),
    "tabwright.protocol.interventions": ("Intervention",),
    "tabwright.protocol.extraction": ("ReadOptions",),
    "tabwright.protocol.snapshot": ("Selection",),
    "tabwright.protocol.page_text": ("PageText", "RenderOptions"),
    "tabwright.protocol.web_search": ("WebResult", "WebResults", "WebSearch"),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
