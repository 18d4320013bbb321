"""The documents of a page: a ref means one element of one of them, whatever a page feigns."""

import json
from collections import Counter
from itertools import count

import attrs
import pytest
import trio

from tabwright.cdp.session import CDPSession
from tabwright.cdp.wire import Raw
from tabwright.config.secrets import Secrets
from tabwright.page.frames import FrameManager, StaleElement
from tabwright.page.scripts import INSTALL
from tabwright.protocol.errors import BadInput
from tabwright.protocol.urls import Bounds


@attrs.define(eq=False)
class Renderer:
    """The process of a page, as far as worlds go.

    Attributes:
        world: the id of ours.
        numbers: what the worlds say of themselves where they are asked, by their ids.
        asked: how often each world was.
        waiting: who is cancelled when the library has been put in, before that is answered.
    """

    world: int = 2
    numbers: dict[int, object] = attrs.field(factory=dict)
    asked: Counter[int] = attrs.field(factory=Counter)
    waiting: trio.CancelScope | None = None

    async def call(self, session, commands):
        del session
        answers = [self.answer(one.method, one.params) for one in commands]
        if self.waiting and self.numbers:
            self.waiting.cancel()
        await trio.lowlevel.checkpoint()
        return [Raw(json.dumps(answer).encode()) for answer in answers]

    def answer(self, method, params):
        if method == "Page.createIsolatedWorld":
            return {"executionContextId": self.world}
        world, function = params["executionContextId"], params["functionDeclaration"]
        self.asked[world] += 1
        if function == INSTALL:
            self.numbers.setdefault(world, params["arguments"][0]["value"])
        if "call(" in function:
            return {"result": {"type": "string", "value": '{"url": "https://b/", "title": "B"}'}}
        return {"result": {"type": "number", "value": self.numbers.get(world)}}

    def change(self, **to):
        """Another process, which counts its worlds anew."""
        self.__init__(**to)


@pytest.fixture
def renderer():
    return Renderer()


@pytest.fixture
def documents(renderer):
    return FrameManager(CDPSession(renderer, "page"), "frame", count(1), Bounds(), Secrets())


async def test_a_ref_is_an_element_for_as_long_as_its_document_is_there(documents):
    document = await documents.main()
    element = await documents.find("[1.5]")
    assert (element.document, element.number, element.ref) == (document, 5, "1.5")
    assert await documents.main() is document


async def test_a_world_of_the_page_that_has_the_id_of_ours_and_feigns_it_is_not_believed(
    documents, renderer
):
    await documents.main()
    renderer.change(world=7, numbers={2: 1})
    with pytest.raises(StaleElement, match="is gone with its page"):
        await documents.find("1.5")
    assert (await documents.main()).number == 2
    assert renderer.asked[2] == 0


async def test_our_own_world_of_another_process_is_another_document_though_its_id_is_the_same(
    documents, renderer
):
    await documents.main()
    renderer.change(world=2)
    with pytest.raises(StaleElement, match="now at https://b/"):
        await documents.find("1.5")
    assert (await documents.main()).number == 2
    assert renderer.numbers == {2: 2}


async def test_who_is_cancelled_while_a_document_is_numbered_leaves_one_that_stays(
    documents, renderer
):
    with trio.CancelScope() as renderer.waiting:
        await documents.main()
    assert renderer.numbers == {2: 1}
    document = await documents.main()
    assert (await documents.find(f"{document.number}.5")).document is document
    assert await documents.main() is document


async def test_two_that_ask_at_once_get_the_same_document(documents):
    got = []

    async def ask():
        got.append(await documents.main())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        nursery.start_soon(ask)
    assert got[0] is got[1]


@pytest.mark.parametrize("ref", ["", "1", "1.", ".1", "1.5.1", "-1.5", "1.x", "\u0661.1", "9.1"])
async def test_what_was_never_called_so_is_refused(documents, ref):
    await documents.main()
    with pytest.raises(BadInput) as refused:
        await documents.find(ref)
    assert not isinstance(refused.value, StaleElement)
