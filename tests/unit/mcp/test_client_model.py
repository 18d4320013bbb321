"""The client's own model: the requests to it and the parsing of its answers."""

import mcp_types as mcp
import pytest
import trio

from tabwright.mcp.client_questions import QUESTIONS_MAX, SamplingModel, SamplingQuestion
from tabwright.mcp.sdk_client import sampling_request, take_model_answer
from tabwright.protocol.errors import ModelFailed, ModelFault
from tabwright.protocol.llm import AnswerForm, ChatMessage, ModelRequest, ModelResponse
from tabwright.protocol.snapshot import Thumbnail

PICTURE = Thumbnail(0, "", "", "image/jpeg", b"jpeg", 1, 1)
QUESTION = ModelRequest(
    "planner",
    (ChatMessage("system", "You plan."), ChatMessage("user", "Now?", (PICTURE,))),
    AnswerForm("plan", "A plan.", {"type": "object"}),
)


def text(output: str) -> mcp.TextContent:
    return mcp.TextContent(type="text", text=output)


def test_sampling_request_describes_the_form_and_separates_the_picture():
    params = sampling_request(SamplingQuestion(QUESTION, 99)).params
    assert params.max_tokens == 99
    assert params.system_prompt.startswith("You plan.")
    assert '{"type":"object"}' in params.system_prompt
    picture, output = params.messages
    assert (picture.content.data, output.content.text) == ("anBlZw==", "Now?")


@pytest.mark.parametrize(
    "result",
    [
        mcp.CreateMessageResult(role="assistant", content=text("a\nb"), model="m"),
        mcp.CreateMessageResultWithTools(
            role="assistant", content=[text("a"), text("b")], model="m"
        ),
    ],
)
async def test_sampling_response_joins_its_texts(result):
    wanted = SamplingQuestion(QUESTION, 99)
    take_model_answer(wanted, result)
    assert (await wanted.answered()).text == "a\nb"


@pytest.mark.parametrize("result", [None, mcp.ElicitResult(action="accept")])
async def test_result_without_text_is_a_model_failure(result):
    wanted = SamplingQuestion(QUESTION, 99)
    take_model_answer(wanted, result)
    with pytest.raises(ModelFailed, match="returned no text"):
        await wanted.answered()


@pytest.mark.parametrize(
    ("by_result", "fault"), [(True, ModelFault.MISSING), (False, ModelFault.TRANSIENT)]
)
async def test_unanswered_sampling_question_fails_after_the_timeout(
    by_result, fault, autojump_clock
):
    model = SamplingModel(lambda _: None, output_tokens_max=9, timeout_s=60, by_result=by_result)
    with pytest.raises(ModelFailed) as failed:
        await model.answer(QUESTION)
    assert failed.value.fault is fault
    assert trio.current_time() == 60


async def test_sampling_questions_of_one_call_are_limited():
    def ask(wanted):
        wanted.take(ModelResponse("a", "m"))

    model = SamplingModel(ask, output_tokens_max=9, timeout_s=60, by_result=True)
    for _ in range(QUESTIONS_MAX):
        await model.answer(QUESTION)
    with pytest.raises(ModelFailed, match="follow_up: true") as failed:
        await model.answer(QUESTION)
    assert failed.value.fault is ModelFault.MISSING
