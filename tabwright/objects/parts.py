"""What a running tabwright is made of: the actors that it asks, and what reads and searches."""

import attrs

from tabwright.config.secrets import Secrets
from tabwright.llm.router import ModelRouter
from tabwright.protocol.actor import Address
from tabwright.protocol.ai_search import AISearch
from tabwright.protocol.browser_pool import BrowserPool
from tabwright.protocol.interventions import Interventions
from tabwright.protocol.jobs import JobQueue
from tabwright.protocol.rate_limit import Governor
from tabwright.protocol.sessions import Sessions
from tabwright.protocol.tasks import Tasks
from tabwright.reader.media import PictureReader
from tabwright.reader.page_reader import PageReader
from tabwright.reader.video import VideoReader
from tabwright.search.serp.web_searcher import WebSearcher
from tabwright.view.service import PrincipalView


@attrs.frozen(eq=False)
class TabwrightParts:
    """The parts of a running tabwright.

    Attributes:
        secrets: the secrets that calls can name.
        supervisor: the actor that manages browsers and tabs.
        governor: the actor that limits the rate of requests.
        queue: the actor that manages interventions.
        view: the live view of the tabs.
        ai_search: the actor that asks Google AI Mode.
        searcher: searches the result pages of engines.
        sessions: the actor that manages sessions.
        tasks: the actor that runs tasks in them.
        models: the language models for tasks.
        reader: reads pages.
        picture_reader: fetches the pictures of pages.
        video_reader: takes frames out of the videos of pages.
        jobs: the queue of the fleet; None without a fleet.
    """

    secrets: Secrets
    supervisor: Address[BrowserPool]
    governor: Address[Governor]
    queue: Address[Interventions]
    view: PrincipalView
    ai_search: Address[AISearch]
    searcher: WebSearcher
    sessions: Address[Sessions]
    tasks: Address[Tasks]
    models: ModelRouter
    reader: PageReader
    picture_reader: PictureReader
    video_reader: VideoReader
    jobs: JobQueue | None
