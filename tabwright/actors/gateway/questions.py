"""What a call asks its client in between: to bring a page before its user, or to have it think.

Until the protocol of 2026-07-28 that is a request of the server's; since then the call ends with
the question, and the client calls again with the answer.
"""

from typing import TypeAlias

import mcp_types as mcp
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from tabwright.mcp.client_requests import ModelWanted
from tabwright.protocol.ai_search import PersonNeeded
from tabwright.protocol.errors import ModelFault

ClientQuestion: TypeAlias = PersonNeeded | ModelWanted

OPENED = "accept"
"""What a client answers whose user will see to it."""


def asks_by_result(session: ServerSession) -> bool:
    """Whether the client is asked by the result of its call, and answers by calling again."""
    return not session.can_send_request


def can_be_asked(session: ServerSession, question: ClientQuestion) -> bool:
    """Whether the client says that it answers such questions."""
    match question:
        case PersonNeeded():
            return _shows_urls(session)
        case ModelWanted():
            return thinks(session)


def thinks(session: ServerSession) -> bool:
    """Whether the client offers its model."""
    able = session.client_capabilities
    return able is not None and able.sampling is not None


def _shows_urls(session: ServerSession) -> bool:
    able = session.client_capabilities
    return able is not None and able.elicitation is not None and able.elicitation.url is not None


def name_of(question: ClientQuestion) -> str:
    """What the question is called between the client and us."""
    return "captcha" if isinstance(question, PersonNeeded) else "model"


def request_for(question: ClientQuestion) -> mcp.ElicitRequest | mcp.CreateMessageRequest:
    """What stands in the result of a call that asks."""
    match question:
        case PersonNeeded():
            shown = mcp.ElicitRequestURLParams(message=question.text, url=question.url)
            return mcp.ElicitRequest(params=shown)
        case ModelWanted():
            return question.request


def take_answer(question: ClientQuestion, answer: object) -> None:
    """Hands on what the client has said; whatever is no answer counts as none."""
    match question:
        case PersonNeeded():
            if not (isinstance(answer, mcp.ElicitResult) and answer.action == OPENED):
                question.decline()
        case ModelWanted():
            question.take(answer)


async def ask_client(session: ServerSession, question: ClientQuestion, name: str) -> None:
    """Asks a client that can be asked in the midst of a call, and hands on what it says."""
    match question:
        case PersonNeeded():
            await _ask_person(session, question, name)
        case ModelWanted():
            await _ask_model(session, question)


async def _ask_person(session: ServerSession, need: PersonNeeded, name: str) -> None:
    """Has the client bring the page before its user."""
    try:
        answer = await session.elicit_url(need.text, need.url, f"captcha-{name}")
    except (MCPError, ValidationError):  # it could not after all; the window is open
        return
    take_answer(need, answer)


async def _ask_model(session: ServerSession, wanted: ModelWanted) -> None:
    try:
        wanted.take(await session.send_request(wanted.request, mcp.CreateMessageResultWithTools))
    except MCPError as error:  # its user has said no, and is not asked again and again
        wanted.fail(f"The client does not let its model answer: {error}.", ModelFault.FORBIDDEN)
    except ValidationError:
        wanted.fail("The client's model gave no text.", ModelFault.UNREADABLE)
