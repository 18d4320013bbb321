"""Actors on trio that drive real Chromium and serve what they find to AI agents.

`__all__` is the API of tabwright for programs that embed it; everything else can change without
notice. A name is imported when it is first used, so that a server can answer its client before
the heavy modules are loaded.
"""

from importlib import import_module

from tabwright._version import __version__ as __version__

TYPE_CHECKING = False
"""True for type checkers; `typing` has it too, and would delay each command at a shell by 4 ms."""

if TYPE_CHECKING:
    from tabwright.actors.kit.tracing import ActorSystem as ActorSystem
    from tabwright.actors.kit.tracing import TraceRecord as TraceRecord
    from tabwright.agent.events import event_line as event_line
    from tabwright.app import open_tabwright as open_tabwright
    from tabwright.app import serve as serve
    from tabwright.bridge import AsyncioTabwright as AsyncioTabwright
    from tabwright.bridge import SyncTabwright as SyncTabwright
    from tabwright.bridge import open_tabwright_asyncio as open_tabwright_asyncio
    from tabwright.bridge import open_tabwright_sync as open_tabwright_sync
    from tabwright.client import Tabwright as Tabwright
    from tabwright.config.engines import EngineConfig as EngineConfig
    from tabwright.config.engines import load_engines as load_engines
    from tabwright.config.loader import Layer as Layer
    from tabwright.config.loader import load_settings as load_settings
    from tabwright.config.loader import override as override
    from tabwright.config.loader import read_layer as read_layer
    from tabwright.config.settings import Settings as Settings
    from tabwright.config.user_layers import user_layers as user_layers
    from tabwright.content.render.json_record import SNAPSHOT_SCHEMA as SNAPSHOT_SCHEMA
    from tabwright.control.server import serve_control as serve_control
    from tabwright.environment import Environment as Environment
    from tabwright.protocol.actions import Action as Action
    from tabwright.protocol.actions import AnswerDialog as AnswerDialog
    from tabwright.protocol.actions import BackgroundEvents as BackgroundEvents
    from tabwright.protocol.actions import Click as Click
    from tabwright.protocol.actions import ConsoleCounts as ConsoleCounts
    from tabwright.protocol.actions import ConsoleEntry as ConsoleEntry
    from tabwright.protocol.actions import Dialog as Dialog
    from tabwright.protocol.actions import Download as Download
    from tabwright.protocol.actions import Drag as Drag
    from tabwright.protocol.actions import Emulate as Emulate
    from tabwright.protocol.actions import FieldValue as FieldValue
    from tabwright.protocol.actions import Fill as Fill
    from tabwright.protocol.actions import Hover as Hover
    from tabwright.protocol.actions import IfStep as IfStep
    from tabwright.protocol.actions import Outcome as Outcome
    from tabwright.protocol.actions import Press as Press
    from tabwright.protocol.actions import ReadElements as ReadElements
    from tabwright.protocol.actions import RepeatSteps as RepeatSteps
    from tabwright.protocol.actions import RunSteps as RunSteps
    from tabwright.protocol.actions import ScriptEnd as ScriptEnd
    from tabwright.protocol.actions import Scroll as Scroll
    from tabwright.protocol.actions import SelectOption as SelectOption
    from tabwright.protocol.actions import SelectText as SelectText
    from tabwright.protocol.actions import StepCondition as StepCondition
    from tabwright.protocol.actions import StepFailure as StepFailure
    from tabwright.protocol.actions import StepsReport as StepsReport
    from tabwright.protocol.actions import TabInfo as TabInfo
    from tabwright.protocol.actions import Touch as Touch
    from tabwright.protocol.actions import Type as Type
    from tabwright.protocol.actions import Upload as Upload
    from tabwright.protocol.actions import WaitFor as WaitFor
    from tabwright.protocol.ai_search import SearchResult as SearchResult
    from tabwright.protocol.ai_search import SearchSource as SearchSource
    from tabwright.protocol.ai_search import ThreadState as ThreadState
    from tabwright.protocol.blocks import Block as Block
    from tabwright.protocol.blocks import Citation as Citation
    from tabwright.protocol.blocks import Code as Code
    from tabwright.protocol.blocks import Formula as Formula
    from tabwright.protocol.blocks import Heading as Heading
    from tabwright.protocol.blocks import Image as Image
    from tabwright.protocol.blocks import Inline as Inline
    from tabwright.protocol.blocks import Item as Item
    from tabwright.protocol.blocks import ItemList as ItemList
    from tabwright.protocol.blocks import Paragraph as Paragraph
    from tabwright.protocol.blocks import Quote as Quote
    from tabwright.protocol.blocks import TableBlock as TableBlock
    from tabwright.protocol.blocks import TextSpan as TextSpan
    from tabwright.protocol.blocks import ThematicBreak as ThematicBreak
    from tabwright.protocol.browser_pool import PoolState as PoolState
    from tabwright.protocol.browser_pool import TabState as TabState
    from tabwright.protocol.browser_pool import TabUse as TabUse
    from tabwright.protocol.browser_pool import WorkerState as WorkerState
    from tabwright.protocol.errors import BadInput as BadInput
    from tabwright.protocol.errors import Barrier as Barrier
    from tabwright.protocol.errors import BrowserDied as BrowserDied
    from tabwright.protocol.errors import BrowserMissing as BrowserMissing
    from tabwright.protocol.errors import BrowserUnavailable as BrowserUnavailable
    from tabwright.protocol.errors import Effect as Effect
    from tabwright.protocol.errors import EmptyQuery as EmptyQuery
    from tabwright.protocol.errors import EndlessRedirects as EndlessRedirects
    from tabwright.protocol.errors import EnginesFailed as EnginesFailed
    from tabwright.protocol.errors import ErrorCode as ErrorCode
    from tabwright.protocol.errors import ErrorPage as ErrorPage
    from tabwright.protocol.errors import Escalated as Escalated
    from tabwright.protocol.errors import FleetUnavailable as FleetUnavailable
    from tabwright.protocol.errors import Hint as Hint
    from tabwright.protocol.errors import HintKind as HintKind
    from tabwright.protocol.errors import InternalError as InternalError
    from tabwright.protocol.errors import InvalidResponse as InvalidResponse
    from tabwright.protocol.errors import JobGivenUp as JobGivenUp
    from tabwright.protocol.errors import MarkupChanged as MarkupChanged
    from tabwright.protocol.errors import ModelFailed as ModelFailed
    from tabwright.protocol.errors import ModelFault as ModelFault
    from tabwright.protocol.errors import NavigationFailed as NavigationFailed
    from tabwright.protocol.errors import NoServer as NoServer
    from tabwright.protocol.errors import PageFailed as PageFailed
    from tabwright.protocol.errors import PageStays as PageStays
    from tabwright.protocol.errors import PersonActing as PersonActing
    from tabwright.protocol.errors import RateLimited as RateLimited
    from tabwright.protocol.errors import Refusal as Refusal
    from tabwright.protocol.errors import RobotsRefused as RobotsRefused
    from tabwright.protocol.errors import SearchBlocked as SearchBlocked
    from tabwright.protocol.errors import SessionBusy as SessionBusy
    from tabwright.protocol.errors import SessionMissing as SessionMissing
    from tabwright.protocol.errors import SessionMoved as SessionMoved
    from tabwright.protocol.errors import SettingsError as SettingsError
    from tabwright.protocol.errors import TabClosed as TabClosed
    from tabwright.protocol.errors import TabLost as TabLost
    from tabwright.protocol.errors import TabsBusy as TabsBusy
    from tabwright.protocol.errors import TabwrightError as TabwrightError
    from tabwright.protocol.errors import TimeOut as TimeOut
    from tabwright.protocol.errors import Unanswered as Unanswered
    from tabwright.protocol.errors import Undelivered as Undelivered
    from tabwright.protocol.extraction import ReadOptions as ReadOptions
    from tabwright.protocol.inspection import CallPageTool as CallPageTool
    from tabwright.protocol.inspection import Capture as Capture
    from tabwright.protocol.inspection import Choice as Choice
    from tabwright.protocol.inspection import Evaluate as Evaluate
    from tabwright.protocol.inspection import Evaluation as Evaluation
    from tabwright.protocol.inspection import FindElements as FindElements
    from tabwright.protocol.inspection import FoundElement as FoundElement
    from tabwright.protocol.inspection import FoundElements as FoundElements
    from tabwright.protocol.inspection import Inspection as Inspection
    from tabwright.protocol.inspection import ListDownloads as ListDownloads
    from tabwright.protocol.inspection import ListedControl as ListedControl
    from tabwright.protocol.inspection import ListOptions as ListOptions
    from tabwright.protocol.inspection import ListRequests as ListRequests
    from tabwright.protocol.inspection import Locate as Locate
    from tabwright.protocol.inspection import LocateOnPage as LocateOnPage
    from tabwright.protocol.inspection import NetworkEntry as NetworkEntry
    from tabwright.protocol.inspection import OutlineText as OutlineText
    from tabwright.protocol.inspection import OutlineView as OutlineView
    from tabwright.protocol.inspection import PageLocation as PageLocation
    from tabwright.protocol.inspection import PageTool as PageTool
    from tabwright.protocol.inspection import Print as Print
    from tabwright.protocol.inspection import ReadBody as ReadBody
    from tabwright.protocol.inspection import ReadConsole as ReadConsole
    from tabwright.protocol.inspection import ReadRequest as ReadRequest
    from tabwright.protocol.inspection import RequestDetails as RequestDetails
    from tabwright.protocol.inspection import Screenshot as Screenshot
    from tabwright.protocol.inspection import TakeOutline as TakeOutline
    from tabwright.protocol.interventions import Intervention as Intervention
    from tabwright.protocol.interventions import InterventionState as InterventionState
    from tabwright.protocol.jobs import QueueState as QueueState
    from tabwright.protocol.jobs import WorkerReport as WorkerReport
    from tabwright.protocol.llm import AnswerForm as AnswerForm
    from tabwright.protocol.llm import ChatMessage as ChatMessage
    from tabwright.protocol.llm import Model as Model
    from tabwright.protocol.llm import ModelRequest as ModelRequest
    from tabwright.protocol.llm import ModelResponse as ModelResponse
    from tabwright.protocol.page_text import PageText as PageText
    from tabwright.protocol.page_text import RenderOptions as RenderOptions
    from tabwright.protocol.page_text import Timing as Timing
    from tabwright.protocol.page_text import Truncation as Truncation
    from tabwright.protocol.progress import AnswerProgress as AnswerProgress
    from tabwright.protocol.progress import EngineDoneProgress as EngineDoneProgress
    from tabwright.protocol.progress import HumanNeededProgress as HumanNeededProgress
    from tabwright.protocol.progress import OnProgress as OnProgress
    from tabwright.protocol.progress import ProgressEvent as ProgressEvent
    from tabwright.protocol.progress import WaitProgress as WaitProgress
    from tabwright.protocol.progress import ignore_progress as ignore_progress
    from tabwright.protocol.rate_limit import RateShare as RateShare
    from tabwright.protocol.rate_limit import SiteRate as SiteRate
    from tabwright.protocol.sessions import FilledForm as FilledForm
    from tabwright.protocol.sessions import FormChoice as FormChoice
    from tabwright.protocol.sessions import LinkChoice as LinkChoice
    from tabwright.protocol.sessions import SessionState as SessionState
    from tabwright.protocol.snapshot import AccessibleNode as AccessibleNode
    from tabwright.protocol.snapshot import Field as Field
    from tabwright.protocol.snapshot import MediaItem as MediaItem
    from tabwright.protocol.snapshot import Metadata as Metadata
    from tabwright.protocol.snapshot import Option as Option
    from tabwright.protocol.snapshot import PageForm as PageForm
    from tabwright.protocol.snapshot import PageLink as PageLink
    from tabwright.protocol.snapshot import PageSnapshot as PageSnapshot
    from tabwright.protocol.snapshot import Selection as Selection
    from tabwright.protocol.snapshot import Thumbnail as Thumbnail
    from tabwright.protocol.structured_data import DataField as DataField
    from tabwright.protocol.structured_data import DataRecord as DataRecord
    from tabwright.protocol.structured_data import DataRequest as DataRequest
    from tabwright.protocol.structured_data import DataSchema as DataSchema
    from tabwright.protocol.structured_data import ExtractedPage as ExtractedPage
    from tabwright.protocol.structured_data import FilledSchema as FilledSchema
    from tabwright.protocol.structured_data import PageData as PageData
    from tabwright.protocol.structured_data import RecordGroup as RecordGroup
    from tabwright.protocol.tasks import EventState as EventState
    from tabwright.protocol.tasks import Limits as Limits
    from tabwright.protocol.tasks import RunTask as RunTask
    from tabwright.protocol.tasks import TaskEnd as TaskEnd
    from tabwright.protocol.tasks import TaskEvent as TaskEvent
    from tabwright.protocol.tasks import TaskResult as TaskResult
    from tabwright.protocol.tasks import Tasks as Tasks
    from tabwright.protocol.tasks import TaskState as TaskState
    from tabwright.protocol.traces import TraceStatus as TraceStatus
    from tabwright.protocol.web_search import EngineFailure as EngineFailure
    from tabwright.protocol.web_search import Ranking as Ranking
    from tabwright.protocol.web_search import ReadResult as ReadResult
    from tabwright.protocol.web_search import SearchNotice as SearchNotice
    from tabwright.protocol.web_search import SearchNoticeKind as SearchNoticeKind
    from tabwright.protocol.web_search import WebResult as WebResult
    from tabwright.protocol.web_search import WebResults as WebResults
    from tabwright.protocol.web_search import WebSearch as WebSearch
    from tabwright.ratelimit.store import LimiterStore as LimiterStore
    from tabwright.ratelimit.store import MemoryLimiterStore as MemoryLimiterStore
    from tabwright.ratelimit.store import SqliteLimiterStore as SqliteLimiterStore
    from tabwright.reader.video import VideoFrames as VideoFrames

_MODULES = {
    "AccessibleNode": "tabwright.protocol.snapshot",
    "Action": "tabwright.protocol.actions",
    "ActorSystem": "tabwright.actors.kit.tracing",
    "AnswerDialog": "tabwright.protocol.actions",
    "AnswerForm": "tabwright.protocol.llm",
    "AnswerProgress": "tabwright.protocol.progress",
    "AsyncioTabwright": "tabwright.bridge",
    "BackgroundEvents": "tabwright.protocol.actions",
    "BadInput": "tabwright.protocol.errors",
    "Barrier": "tabwright.protocol.errors",
    "Block": "tabwright.protocol.blocks",
    "BrowserDied": "tabwright.protocol.errors",
    "BrowserMissing": "tabwright.protocol.errors",
    "BrowserUnavailable": "tabwright.protocol.errors",
    "CallPageTool": "tabwright.protocol.inspection",
    "Capture": "tabwright.protocol.inspection",
    "ChatMessage": "tabwright.protocol.llm",
    "Choice": "tabwright.protocol.inspection",
    "Citation": "tabwright.protocol.blocks",
    "Click": "tabwright.protocol.actions",
    "Code": "tabwright.protocol.blocks",
    "ConsoleCounts": "tabwright.protocol.actions",
    "ConsoleEntry": "tabwright.protocol.actions",
    "DataField": "tabwright.protocol.structured_data",
    "DataRecord": "tabwright.protocol.structured_data",
    "DataRequest": "tabwright.protocol.structured_data",
    "DataSchema": "tabwright.protocol.structured_data",
    "Dialog": "tabwright.protocol.actions",
    "Download": "tabwright.protocol.actions",
    "Drag": "tabwright.protocol.actions",
    "Effect": "tabwright.protocol.errors",
    "EmptyQuery": "tabwright.protocol.errors",
    "Emulate": "tabwright.protocol.actions",
    "EngineConfig": "tabwright.config.engines",
    "EngineDoneProgress": "tabwright.protocol.progress",
    "EngineFailure": "tabwright.protocol.web_search",
    "EndlessRedirects": "tabwright.protocol.errors",
    "EnginesFailed": "tabwright.protocol.errors",
    "Environment": "tabwright.environment",
    "ErrorCode": "tabwright.protocol.errors",
    "ErrorPage": "tabwright.protocol.errors",
    "Escalated": "tabwright.protocol.errors",
    "Evaluate": "tabwright.protocol.inspection",
    "Evaluation": "tabwright.protocol.inspection",
    "EventState": "tabwright.protocol.tasks",
    "ExtractedPage": "tabwright.protocol.structured_data",
    "Field": "tabwright.protocol.snapshot",
    "FieldValue": "tabwright.protocol.actions",
    "Fill": "tabwright.protocol.actions",
    "FilledForm": "tabwright.protocol.sessions",
    "FilledSchema": "tabwright.protocol.structured_data",
    "FindElements": "tabwright.protocol.inspection",
    "FleetUnavailable": "tabwright.protocol.errors",
    "FormChoice": "tabwright.protocol.sessions",
    "Formula": "tabwright.protocol.blocks",
    "FoundElement": "tabwright.protocol.inspection",
    "FoundElements": "tabwright.protocol.inspection",
    "Heading": "tabwright.protocol.blocks",
    "Hint": "tabwright.protocol.errors",
    "HintKind": "tabwright.protocol.errors",
    "Hover": "tabwright.protocol.actions",
    "HumanNeededProgress": "tabwright.protocol.progress",
    "IfStep": "tabwright.protocol.actions",
    "Image": "tabwright.protocol.blocks",
    "Inline": "tabwright.protocol.blocks",
    "Inspection": "tabwright.protocol.inspection",
    "InternalError": "tabwright.protocol.errors",
    "InvalidResponse": "tabwright.protocol.errors",
    "Intervention": "tabwright.protocol.interventions",
    "InterventionState": "tabwright.protocol.interventions",
    "Item": "tabwright.protocol.blocks",
    "ItemList": "tabwright.protocol.blocks",
    "JobGivenUp": "tabwright.protocol.errors",
    "Layer": "tabwright.config.loader",
    "LimiterStore": "tabwright.ratelimit.store",
    "Limits": "tabwright.protocol.tasks",
    "LinkChoice": "tabwright.protocol.sessions",
    "ListDownloads": "tabwright.protocol.inspection",
    "ListOptions": "tabwright.protocol.inspection",
    "ListRequests": "tabwright.protocol.inspection",
    "ListedControl": "tabwright.protocol.inspection",
    "Locate": "tabwright.protocol.inspection",
    "LocateOnPage": "tabwright.protocol.inspection",
    "MarkupChanged": "tabwright.protocol.errors",
    "MediaItem": "tabwright.protocol.snapshot",
    "MemoryLimiterStore": "tabwright.ratelimit.store",
    "Metadata": "tabwright.protocol.snapshot",
    "Model": "tabwright.protocol.llm",
    "ModelFailed": "tabwright.protocol.errors",
    "ModelFault": "tabwright.protocol.errors",
    "ModelRequest": "tabwright.protocol.llm",
    "ModelResponse": "tabwright.protocol.llm",
    "NavigationFailed": "tabwright.protocol.errors",
    "NetworkEntry": "tabwright.protocol.inspection",
    "NoServer": "tabwright.protocol.errors",
    "OnProgress": "tabwright.protocol.progress",
    "Option": "tabwright.protocol.snapshot",
    "Outcome": "tabwright.protocol.actions",
    "OutlineText": "tabwright.protocol.inspection",
    "OutlineView": "tabwright.protocol.inspection",
    "PageData": "tabwright.protocol.structured_data",
    "PageFailed": "tabwright.protocol.errors",
    "PageForm": "tabwright.protocol.snapshot",
    "PageLink": "tabwright.protocol.snapshot",
    "PageLocation": "tabwright.protocol.inspection",
    "PageSnapshot": "tabwright.protocol.snapshot",
    "PageStays": "tabwright.protocol.errors",
    "PageText": "tabwright.protocol.page_text",
    "PageTool": "tabwright.protocol.inspection",
    "Paragraph": "tabwright.protocol.blocks",
    "PersonActing": "tabwright.protocol.errors",
    "PoolState": "tabwright.protocol.browser_pool",
    "Press": "tabwright.protocol.actions",
    "Print": "tabwright.protocol.inspection",
    "ProgressEvent": "tabwright.protocol.progress",
    "QueueState": "tabwright.protocol.jobs",
    "Quote": "tabwright.protocol.blocks",
    "Ranking": "tabwright.protocol.web_search",
    "RateLimited": "tabwright.protocol.errors",
    "RateShare": "tabwright.protocol.rate_limit",
    "ReadBody": "tabwright.protocol.inspection",
    "ReadConsole": "tabwright.protocol.inspection",
    "ReadElements": "tabwright.protocol.actions",
    "ReadOptions": "tabwright.protocol.extraction",
    "ReadRequest": "tabwright.protocol.inspection",
    "ReadResult": "tabwright.protocol.web_search",
    "RecordGroup": "tabwright.protocol.structured_data",
    "Refusal": "tabwright.protocol.errors",
    "RenderOptions": "tabwright.protocol.page_text",
    "RepeatSteps": "tabwright.protocol.actions",
    "RequestDetails": "tabwright.protocol.inspection",
    "RobotsRefused": "tabwright.protocol.errors",
    "RunSteps": "tabwright.protocol.actions",
    "RunTask": "tabwright.protocol.tasks",
    "SNAPSHOT_SCHEMA": "tabwright.content.render.json_record",
    "Screenshot": "tabwright.protocol.inspection",
    "ScriptEnd": "tabwright.protocol.actions",
    "Scroll": "tabwright.protocol.actions",
    "SearchBlocked": "tabwright.protocol.errors",
    "SearchNotice": "tabwright.protocol.web_search",
    "SearchNoticeKind": "tabwright.protocol.web_search",
    "SearchResult": "tabwright.protocol.ai_search",
    "SearchSource": "tabwright.protocol.ai_search",
    "SelectOption": "tabwright.protocol.actions",
    "SelectText": "tabwright.protocol.actions",
    "Selection": "tabwright.protocol.snapshot",
    "SessionBusy": "tabwright.protocol.errors",
    "SessionMissing": "tabwright.protocol.errors",
    "SessionMoved": "tabwright.protocol.errors",
    "SessionState": "tabwright.protocol.sessions",
    "Settings": "tabwright.config.settings",
    "SettingsError": "tabwright.protocol.errors",
    "SiteRate": "tabwright.protocol.rate_limit",
    "SqliteLimiterStore": "tabwright.ratelimit.store",
    "StepCondition": "tabwright.protocol.actions",
    "StepFailure": "tabwright.protocol.actions",
    "StepsReport": "tabwright.protocol.actions",
    "SyncTabwright": "tabwright.bridge",
    "TabClosed": "tabwright.protocol.errors",
    "TabInfo": "tabwright.protocol.actions",
    "TabLost": "tabwright.protocol.errors",
    "TabState": "tabwright.protocol.browser_pool",
    "TabUse": "tabwright.protocol.browser_pool",
    "TableBlock": "tabwright.protocol.blocks",
    "TabsBusy": "tabwright.protocol.errors",
    "Tabwright": "tabwright.client",
    "TabwrightError": "tabwright.protocol.errors",
    "TakeOutline": "tabwright.protocol.inspection",
    "TaskEnd": "tabwright.protocol.tasks",
    "TaskEvent": "tabwright.protocol.tasks",
    "TaskResult": "tabwright.protocol.tasks",
    "TaskState": "tabwright.protocol.tasks",
    "Tasks": "tabwright.protocol.tasks",
    "TextSpan": "tabwright.protocol.blocks",
    "ThematicBreak": "tabwright.protocol.blocks",
    "ThreadState": "tabwright.protocol.ai_search",
    "Thumbnail": "tabwright.protocol.snapshot",
    "TimeOut": "tabwright.protocol.errors",
    "Timing": "tabwright.protocol.page_text",
    "Touch": "tabwright.protocol.actions",
    "TraceRecord": "tabwright.actors.kit.tracing",
    "TraceStatus": "tabwright.protocol.traces",
    "Truncation": "tabwright.protocol.page_text",
    "Type": "tabwright.protocol.actions",
    "Unanswered": "tabwright.protocol.errors",
    "Undelivered": "tabwright.protocol.errors",
    "Upload": "tabwright.protocol.actions",
    "VideoFrames": "tabwright.reader.video",
    "WaitFor": "tabwright.protocol.actions",
    "WaitProgress": "tabwright.protocol.progress",
    "WebResult": "tabwright.protocol.web_search",
    "WebResults": "tabwright.protocol.web_search",
    "WebSearch": "tabwright.protocol.web_search",
    "WorkerReport": "tabwright.protocol.jobs",
    "WorkerState": "tabwright.protocol.browser_pool",
    "__version__": "tabwright._version",
    "event_line": "tabwright.agent.events",
    "ignore_progress": "tabwright.protocol.progress",
    "load_engines": "tabwright.config.engines",
    "load_settings": "tabwright.config.loader",
    "open_tabwright": "tabwright.app",
    "open_tabwright_asyncio": "tabwright.bridge",
    "open_tabwright_sync": "tabwright.bridge",
    "override": "tabwright.config.loader",
    "read_layer": "tabwright.config.loader",
    "serve": "tabwright.app",
    "serve_control": "tabwright.control.server",
    "user_layers": "tabwright.config.user_layers",
}
"""The module of each public name: a name is exported here and under `TYPE_CHECKING`."""

if not TYPE_CHECKING:  # type checkers see the imports above
    __all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
