"""Actors on trio that drive real Chromium and serve what they find to AI agents.

`__all__` is the API of tabwright for programs that embed it, with `tabwright.blocks` and
`tabwright.testing`; `tabwright.advanced` has what can change without notice. A name is imported
when it is first used, so that a server can answer its client before the heavy modules are loaded.
"""

from importlib import import_module

from tabwright._version import __version__ as __version__

TYPE_CHECKING = False
"""True for type checkers; `typing` has it too, and would delay each command at a shell by 4 ms."""

if TYPE_CHECKING:
    from tabwright.agent.events import event_line as event_line
    from tabwright.app import open_tabwright
    from tabwright.app import serve as serve
    from tabwright.bridge import SyncLocator as SyncLocator
    from tabwright.bridge import SyncPage as SyncPage
    from tabwright.bridge import SyncSession as SyncSession
    from tabwright.bridge import SyncTabwright as SyncTabwright
    from tabwright.bridge import open_tabwright_asyncio, open_tabwright_sync
    from tabwright.client import Tabwright as Tabwright
    from tabwright.config.settings import Settings as Settings
    from tabwright.config.user_layers import load_settings as load_settings
    from tabwright.environment import Environment as Environment
    from tabwright.objects.locator import Locator as Locator
    from tabwright.objects.page import Page as Page
    from tabwright.objects.session import Session as Session
    from tabwright.protocol.actions import ConsoleEntry as ConsoleEntry
    from tabwright.protocol.actions import Dialog as Dialog
    from tabwright.protocol.actions import Download as Download
    from tabwright.protocol.actions import NetworkEntry as NetworkEntry
    from tabwright.protocol.actions import Outcome as Outcome
    from tabwright.protocol.actions import TabInfo as TabInfo
    from tabwright.protocol.ai_search import SearchResult as SearchResult
    from tabwright.protocol.ai_search import SearchSource as SearchSource
    from tabwright.protocol.ai_search import ThreadState as ThreadState
    from tabwright.protocol.blocks import Block as Block
    from tabwright.protocol.browser_pool import PoolState as PoolState
    from tabwright.protocol.errors import BadInput as BadInput
    from tabwright.protocol.errors import BrowserDied as BrowserDied
    from tabwright.protocol.errors import BrowserUnavailable as BrowserUnavailable
    from tabwright.protocol.errors import Effect as Effect
    from tabwright.protocol.errors import EnginesFailed as EnginesFailed
    from tabwright.protocol.errors import ErrorPage as ErrorPage
    from tabwright.protocol.errors import FleetUnavailable as FleetUnavailable
    from tabwright.protocol.errors import InternalError as InternalError
    from tabwright.protocol.errors import MarkupChanged as MarkupChanged
    from tabwright.protocol.errors import ModelFailed as ModelFailed
    from tabwright.protocol.errors import NavigationFailed as NavigationFailed
    from tabwright.protocol.errors import NoServer as NoServer
    from tabwright.protocol.errors import PageFailed as PageFailed
    from tabwright.protocol.errors import RateLimited as RateLimited
    from tabwright.protocol.errors import RobotsRefused as RobotsRefused
    from tabwright.protocol.errors import SearchBlocked as SearchBlocked
    from tabwright.protocol.errors import SessionBusy as SessionBusy
    from tabwright.protocol.errors import SessionMissing as SessionMissing
    from tabwright.protocol.errors import SettingsError as SettingsError
    from tabwright.protocol.errors import TabsBusy as TabsBusy
    from tabwright.protocol.errors import TabwrightError as TabwrightError
    from tabwright.protocol.errors import TimeOut as TimeOut
    from tabwright.protocol.extraction import ReadOptions as ReadOptions
    from tabwright.protocol.fetch import Cookie as Cookie
    from tabwright.protocol.inspection import OutlineText as OutlineText
    from tabwright.protocol.inspection import PageTool as PageTool
    from tabwright.protocol.inspection import Screenshot as Screenshot
    from tabwright.protocol.interventions import Intervention as Intervention
    from tabwright.protocol.llm import ChatMessage as ChatMessage
    from tabwright.protocol.llm import Model as Model
    from tabwright.protocol.llm import ModelRequest as ModelRequest
    from tabwright.protocol.llm import ModelResponse as ModelResponse
    from tabwright.protocol.page_text import PageText as PageText
    from tabwright.protocol.page_text import RenderOptions as RenderOptions
    from tabwright.protocol.page_text import Truncation as Truncation
    from tabwright.protocol.progress import AnswerProgress as AnswerProgress
    from tabwright.protocol.progress import HumanNeededProgress as HumanNeededProgress
    from tabwright.protocol.progress import OnProgress as OnProgress
    from tabwright.protocol.progress import ProgressEvent as ProgressEvent
    from tabwright.protocol.progress import WaitProgress as WaitProgress
    from tabwright.protocol.rate_limit import SiteRate as SiteRate
    from tabwright.protocol.sessions import FilledForm as FilledForm
    from tabwright.protocol.sessions import SessionState as SessionState
    from tabwright.protocol.snapshot import Field as Field
    from tabwright.protocol.snapshot import MediaItem as MediaItem
    from tabwright.protocol.snapshot import PageForm as PageForm
    from tabwright.protocol.snapshot import PageLink as PageLink
    from tabwright.protocol.snapshot import PageSnapshot as PageSnapshot
    from tabwright.protocol.snapshot import Selection as Selection
    from tabwright.protocol.snapshot import Thumbnail as Thumbnail
    from tabwright.protocol.structured_data import DataRecord as DataRecord
    from tabwright.protocol.structured_data import ExtractedPage as ExtractedPage
    from tabwright.protocol.structured_data import RecordGroup as RecordGroup
    from tabwright.protocol.tasks import Limits as Limits
    from tabwright.protocol.tasks import TaskEvent as TaskEvent
    from tabwright.protocol.tasks import TaskResult as TaskResult
    from tabwright.protocol.web_search import EngineFailure as EngineFailure
    from tabwright.protocol.web_search import SearchNotice as SearchNotice
    from tabwright.protocol.web_search import WebResult as WebResult
    from tabwright.protocol.web_search import WebResults as WebResults
    from tabwright.protocol.web_search import WebSearch as WebSearch

    open = open_tabwright
    open_asyncio = open_tabwright_asyncio
    open_sync = open_tabwright_sync

_MODULES = {
    "AnswerProgress": "tabwright.protocol.progress",
    "BadInput": "tabwright.protocol.errors",
    "Block": "tabwright.protocol.blocks",
    "BrowserDied": "tabwright.protocol.errors",
    "BrowserUnavailable": "tabwright.protocol.errors",
    "ChatMessage": "tabwright.protocol.llm",
    "ConsoleEntry": "tabwright.protocol.actions",
    "Cookie": "tabwright.protocol.fetch",
    "DataRecord": "tabwright.protocol.structured_data",
    "Dialog": "tabwright.protocol.actions",
    "Download": "tabwright.protocol.actions",
    "Effect": "tabwright.protocol.errors",
    "EngineFailure": "tabwright.protocol.web_search",
    "EnginesFailed": "tabwright.protocol.errors",
    "Environment": "tabwright.environment",
    "ErrorPage": "tabwright.protocol.errors",
    "ExtractedPage": "tabwright.protocol.structured_data",
    "Field": "tabwright.protocol.snapshot",
    "FilledForm": "tabwright.protocol.sessions",
    "FleetUnavailable": "tabwright.protocol.errors",
    "HumanNeededProgress": "tabwright.protocol.progress",
    "InternalError": "tabwright.protocol.errors",
    "Intervention": "tabwright.protocol.interventions",
    "Limits": "tabwright.protocol.tasks",
    "Locator": "tabwright.objects.locator",
    "MarkupChanged": "tabwright.protocol.errors",
    "MediaItem": "tabwright.protocol.snapshot",
    "Model": "tabwright.protocol.llm",
    "ModelFailed": "tabwright.protocol.errors",
    "ModelRequest": "tabwright.protocol.llm",
    "ModelResponse": "tabwright.protocol.llm",
    "NavigationFailed": "tabwright.protocol.errors",
    "NetworkEntry": "tabwright.protocol.actions",
    "NoServer": "tabwright.protocol.errors",
    "OnProgress": "tabwright.protocol.progress",
    "Outcome": "tabwright.protocol.actions",
    "OutlineText": "tabwright.protocol.inspection",
    "Page": "tabwright.objects.page",
    "PageFailed": "tabwright.protocol.errors",
    "PageForm": "tabwright.protocol.snapshot",
    "PageLink": "tabwright.protocol.snapshot",
    "PageSnapshot": "tabwright.protocol.snapshot",
    "PageText": "tabwright.protocol.page_text",
    "PageTool": "tabwright.protocol.inspection",
    "PoolState": "tabwright.protocol.browser_pool",
    "ProgressEvent": "tabwright.protocol.progress",
    "RateLimited": "tabwright.protocol.errors",
    "ReadOptions": "tabwright.protocol.extraction",
    "RecordGroup": "tabwright.protocol.structured_data",
    "RenderOptions": "tabwright.protocol.page_text",
    "RobotsRefused": "tabwright.protocol.errors",
    "Screenshot": "tabwright.protocol.inspection",
    "SearchBlocked": "tabwright.protocol.errors",
    "SearchNotice": "tabwright.protocol.web_search",
    "SearchResult": "tabwright.protocol.ai_search",
    "SearchSource": "tabwright.protocol.ai_search",
    "Selection": "tabwright.protocol.snapshot",
    "Session": "tabwright.objects.session",
    "SessionBusy": "tabwright.protocol.errors",
    "SessionMissing": "tabwright.protocol.errors",
    "SessionState": "tabwright.protocol.sessions",
    "Settings": "tabwright.config.settings",
    "SettingsError": "tabwright.protocol.errors",
    "SiteRate": "tabwright.protocol.rate_limit",
    "SyncLocator": "tabwright.bridge",
    "SyncPage": "tabwright.bridge",
    "SyncSession": "tabwright.bridge",
    "SyncTabwright": "tabwright.bridge",
    "TabInfo": "tabwright.protocol.actions",
    "TabsBusy": "tabwright.protocol.errors",
    "Tabwright": "tabwright.client",
    "TabwrightError": "tabwright.protocol.errors",
    "TaskEvent": "tabwright.protocol.tasks",
    "TaskResult": "tabwright.protocol.tasks",
    "ThreadState": "tabwright.protocol.ai_search",
    "Thumbnail": "tabwright.protocol.snapshot",
    "TimeOut": "tabwright.protocol.errors",
    "Truncation": "tabwright.protocol.page_text",
    "WaitProgress": "tabwright.protocol.progress",
    "WebResult": "tabwright.protocol.web_search",
    "WebResults": "tabwright.protocol.web_search",
    "WebSearch": "tabwright.protocol.web_search",
    "__version__": "tabwright._version",
    "event_line": "tabwright.agent.events",
    "load_settings": "tabwright.config.user_layers",
    "open": "tabwright.app",
    "open_asyncio": "tabwright.bridge",
    "open_sync": "tabwright.bridge",
    "serve": "tabwright.app",
}
"""The module of each public name: a name is exported here and under `TYPE_CHECKING`."""

_NAMES_THERE = {
    "open": "open_tabwright",
    "open_asyncio": "open_tabwright_asyncio",
    "open_sync": "open_tabwright_sync",
}
"""The name in its module, if that is another one."""

if not TYPE_CHECKING:  # type checkers see the imports above
    __all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), _NAMES_THERE.get(name, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_MODULES]
