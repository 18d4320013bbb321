"""What few programs need: actions as values, parts of results, rare errors, the machinery.

These names can change without notice; `tabwright.__all__` is the API.
"""

from tabwright.actors.kit.tracing import (
    ActorSystem,
    TraceRecord,
)
from tabwright.config.engines import (
    EngineConfig,
    load_engines,
)
from tabwright.content.render.json_record import (
    SNAPSHOT_SCHEMA,
)
from tabwright.control.server import (
    serve_control,
)
from tabwright.objects.page import JSONValue
from tabwright.protocol.actions import (
    Action,
    AnswerDialog,
    BackgroundEvents,
    Click,
    ConsoleCounts,
    Drag,
    Emulate,
    FieldValue,
    Fill,
    Hover,
    IfStep,
    Press,
    ReadElements,
    RepeatSteps,
    RunSteps,
    ScriptEnd,
    Scroll,
    SelectOption,
    SelectText,
    SimpleAction,
    Step,
    StepCondition,
    StepFailure,
    StepsReport,
    Touch,
    Type,
    Upload,
    UseMouse,
    WaitFor,
)
from tabwright.protocol.browser_pool import (
    TabState,
    TabUse,
    WorkerState,
)
from tabwright.protocol.context_options import (
    ContextOptions,
)
from tabwright.protocol.errors import (
    Barrier,
    BrowserMissing,
    EmptyQuery,
    EndlessRedirects,
    ErrorCode,
    Escalated,
    Hint,
    HintKind,
    InvalidResponse,
    JobGivenUp,
    ModelFault,
    PageStays,
    PersonActing,
    Refusal,
    SessionMoved,
    TabClosed,
    TabLost,
    Unanswered,
    Undelivered,
)
from tabwright.protocol.inspection import (
    CallPageTool,
    Capture,
    Choice,
    Evaluate,
    Evaluation,
    FindElements,
    FoundElement,
    FoundElements,
    Inspection,
    ListDownloads,
    ListedControl,
    ListOptions,
    ListPageTools,
    ListRequests,
    Locate,
    LocateOnPage,
    OutlineView,
    PageLocation,
    Print,
    ReadBody,
    ReadConsole,
    ReadRequest,
    RequestDetails,
    TakeOutline,
)
from tabwright.protocol.interventions import (
    InterventionState,
    PersonsAnswer,
)
from tabwright.protocol.jobs import (
    QueueState,
    WorkerReport,
)
from tabwright.protocol.llm import (
    AnswerForm,
)
from tabwright.protocol.page_text import (
    Timing,
)
from tabwright.protocol.progress import (
    EngineDoneProgress,
)
from tabwright.protocol.rate_limit import (
    RateShare,
)
from tabwright.protocol.session_data import (
    StorageState,
)
from tabwright.protocol.sessions import (
    FieldValues,
    FormChoice,
    LinkChoice,
    TabsAction,
)
from tabwright.protocol.snapshot import (
    AccessibleNode,
    LoadedPage,
    Metadata,
    Option,
)
from tabwright.protocol.structured_data import (
    DataField,
    DataRequest,
    DataSchema,
    FilledSchema,
    PageData,
)
from tabwright.protocol.tasks import (
    EventState,
    Report,
    TaskEnd,
    TaskState,
)
from tabwright.protocol.traces import (
    TraceAction,
    TraceStatus,
)
from tabwright.protocol.web_search import (
    Ranking,
    ReadResult,
    SearchNoticeKind,
)
from tabwright.ratelimit.store import (
    LimiterStore,
    MemoryLimiterStore,
    SqliteLimiterStore,
)
from tabwright.reader.video import (
    VideoFrames,
)

__all__ = [
    # Actions as values, for `Page.run` and `Page.act`.
    "Action",
    "Click",
    "Type",
    "Press",
    "Fill",
    "FieldValue",
    "SelectOption",
    "Hover",
    "Drag",
    "SelectText",
    "Touch",
    "UseMouse",
    "Scroll",
    "WaitFor",
    "AnswerDialog",
    "Upload",
    "Emulate",
    "RunSteps",
    "ReadElements",
    "IfStep",
    "RepeatSteps",
    "StepCondition",
    # Inspections as values, for `Page.inspect`.
    "Inspection",
    "TakeOutline",
    "OutlineView",
    "Capture",
    "Print",
    "Evaluate",
    "Evaluation",
    "ReadConsole",
    "ListRequests",
    "ReadRequest",
    "ReadBody",
    "ListDownloads",
    "Locate",
    "ListPageTools",
    "LocateOnPage",
    "PageLocation",
    "FindElements",
    "ListOptions",
    "CallPageTool",
    # Parts of results, and values that few calls need.
    "AccessibleNode",
    "BackgroundEvents",
    "Choice",
    "ConsoleCounts",
    "FoundElement",
    "FoundElements",
    "ListedControl",
    "Option",
    "Metadata",
    "Timing",
    "ScriptEnd",
    "StepFailure",
    "StepsReport",
    "RequestDetails",
    "VideoFrames",
    "PageData",
    "DataField",
    "FilledSchema",
    "DataSchema",
    "DataRequest",
    "Ranking",
    "ReadResult",
    "SearchNoticeKind",
    "TaskEnd",
    "TaskState",
    "EventState",
    "AnswerForm",
    "InterventionState",
    "TabState",
    "TabUse",
    "WorkerState",
    "WorkerReport",
    "TraceStatus",
    "QueueState",
    "RateShare",
    "EngineDoneProgress",
    "StorageState",
    "ContextOptions",
    "LinkChoice",
    "FormChoice",
    "JSONValue",
    "SimpleAction",
    "Step",
    "PersonsAnswer",
    "FieldValues",
    "TabsAction",
    "LoadedPage",
    "Report",
    "TraceAction",
    # Errors that are a kind of another.
    "Barrier",
    "BrowserMissing",
    "EmptyQuery",
    "EndlessRedirects",
    "ErrorCode",
    "Escalated",
    "Hint",
    "HintKind",
    "InvalidResponse",
    "JobGivenUp",
    "ModelFault",
    "PageStays",
    "PersonActing",
    "Refusal",
    "SessionMoved",
    "TabClosed",
    "TabLost",
    "Unanswered",
    "Undelivered",
    # The machinery: engines, stores, the log of actors, and the control socket.
    "ActorSystem",
    "TraceRecord",
    "EngineConfig",
    "load_engines",
    "LimiterStore",
    "MemoryLimiterStore",
    "SqliteLimiterStore",
    "SNAPSHOT_SCHEMA",
    "serve_control",
]
