"""A model that is asked over HTTP."""

from typing import Protocol

import attrs
import trio

from tabwright.actors.models.patience import Patience
from tabwright.llm.vendor import Call, Dialect, Manner, Place, Reply
from tabwright.protocol.errors import ModelFailed
from tabwright.protocol.llm import Completion, Question


class Sender(Protocol):
    """Carries calls to where they go; a seam, so that tests can answer them."""

    async def send(self, call: Call, timeout_s: float) -> Reply:
        """What is answered, whatever its status; cancellation drops the call.

        Raises:
            ModelFailed: nothing whole within `timeout_s`.
        """
        ...


@attrs.frozen(eq=False, kw_only=True)
class HttpModel:
    """Answers what `tabwright.protocol.llm.Model` is asked.

    Attributes:
        line: what it is asked over.
        dialect: how it is spoken to.
        place: where it is.
        manner: how it is to answer.
        patience: how often it is asked again.
        timeout_s: for one answer.
    """

    line: Sender
    dialect: Dialect
    place: Place
    manner: Manner
    patience: Patience
    timeout_s: float

    async def answer(self, question: Question, /) -> Completion:
        """See `Model`."""
        call = self.dialect.call(question, self.place, self.manner)
        times = 0
        while True:
            try:
                reply = await self.line.send(call, self.timeout_s)
                return self.dialect.completion(reply, self.place)
            except ModelFailed as failure:
                times += 1
                pause_s = self.patience.pause_s(failure, times)
                if pause_s is None:
                    raise
            await trio.sleep(pause_s)
