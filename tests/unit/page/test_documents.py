"""Documents of a page: a ref identifies one element, even if the page forges ids."""

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
from tabwright.page.scripts import CHECK, INSTALL
from tabwright.protocol.errors import BadInput
from tabwright.protocol.urls import Bounds


@attrs.define(eq=False)
class Renderer:
    """A fake renderer process that only knows execution contexts ("worlds").

    Attributes:
        world: the id of our isolated world.
        numbers: the document number that each world returns, by the id of the world.
        asked: the number of calls to each world.
        waiting: a scope to cancel after the library was installed, before the answer.
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
        if function == CHECK:
            is_same = self.numbers.get(world) == params["arguments"][0]["value"]
            return {"result": {"type": "string", "value": "{}" if is_same else "null"}}
        return {"result": {"type": "number", "value": self.numbers.get(world)}}

    def change(self, **to):
        """Become another process, whose world ids start over."""
        self.__init__(**to)


@pytest.fixture
def renderer():
    return Renderer()


@pytest.fixture
def documents(renderer):
    return FrameManager(CDPSession(renderer, "page"), "frame", count(1), Bounds(), Secrets())


async def test_ref_resolves_to_its_element_in_the_current_document(documents):
    document = await documents.main()
    element = await documents.find("[1.5]")
    assert (element.document, element.number, element.ref) == (document, 5, "1.5")
    assert await documents.main() is document


async def test_forged_world_with_the_same_id_is_not_trusted(documents, renderer):
    await documents.main()
    renderer.change(world=7, numbers={2: 1})
    with pytest.raises(StaleElement, match="is gone with its page"):
        await documents.find("1.5")
    assert (await documents.main()).number == 2
    assert renderer.asked[2] == 0


async def test_same_world_id_in_another_process_is_a_new_document(documents, renderer):
    await documents.main()
    renderer.change(world=2)
    with pytest.raises(StaleElement, match="now at https://b/"):
        await documents.find("1.5")
    assert (await documents.main()).number == 2
    assert renderer.numbers == {2: 2}


async def test_cancelled_document_numbering_leaves_a_stable_document(documents, renderer):
    with trio.CancelScope() as renderer.waiting:
        await documents.main()
    assert renderer.numbers == {2: 1}
    document = await documents.main()
    assert (await documents.find(f"{document.number}.5")).document is document
    assert await documents.main() is document


async def test_concurrent_callers_get_the_same_document(documents):
    got = []

    async def ask():
        got.append(await documents.main())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        nursery.start_soon(ask)
    assert got[0] is got[1]


@pytest.mark.parametrize("ref", ["", "1", "1.", ".1", "1.5.1", "-1.5", "1.x", "\u0661.1", "9.1"])
async def test_malformed_or_unknown_ref_is_rejected(documents, ref):
    await documents.main()
    with pytest.raises(BadInput) as refused:
        await documents.find(ref)
    assert not isinstance(refused.value, StaleElement)
