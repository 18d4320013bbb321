"""Documents of a page: a ref identifies one element, even if the page forges ids."""

import json
from itertools import count

import attrs
import pytest
import trio

from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.session import CDPSession
from tabwright.cdp.wire import Raw
from tabwright.config.secrets import Secrets
from tabwright.page.frames import FrameManager, ResolvedElement, StaleElement
from tabwright.page.isolated_worlds import GLOBAL
from tabwright.page.scripts import INSTALL
from tabwright.protocol.errors import BadInput
from tabwright.protocol.urls import Bounds


@attrs.define(eq=False)
class Renderer:
    """A fake renderer process that only knows execution contexts ("worlds") and handles on them.

    Attributes:
        process: its id, which is in each handle.
        world: the id of our isolated world.
        numbers: the document number that each world returns, by the id of the world.
        changes_to: the process that it becomes when a world is entered; None for none.
        waiting: a scope to cancel after the library was installed, before the answer.
        refused: the number of commands to a document that is gone.
    """

    process: int = 1
    world: int = 2
    numbers: dict[int, object] = attrs.field(factory=dict)
    changes_to: int | None = None
    waiting: trio.CancelScope | None = None
    refused: int = 0

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
        function = params["functionDeclaration"]
        if function == GLOBAL:
            process, world = self.process, params["executionContextId"]
            if self.changes_to:  # before the world is looked up by its name once more
                self.change(process=self.changes_to, world=self.world + 1)
            return {"result": {"type": "object", "objectId": f"{process}.{world}"}}
        if params["objectId"] != f"{self.process}.{self.world}":
            self.refused += 1
            raise CommandFailed(method, -32000, "Cannot find context with specified id")
        if function == INSTALL:
            number = self.numbers.setdefault(self.world, params["arguments"][0]["value"])
            return {"result": {"type": "number", "value": number}}
        is_place = "place" in [one.get("value") for one in params["arguments"]]
        value = '{"url": "https://b/", "title": "B"}' if is_place else "{}"
        return {"result": {"type": "string", "value": value}}

    def change(self, process=2, **to):
        """Become another process, whose world ids start over."""
        self.__init__(process, **to)


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


async def test_same_world_id_in_another_process_is_a_new_document(documents, renderer):
    await documents.main()
    renderer.change()
    with pytest.raises(StaleElement, match="now at https://b/"):
        await documents.find("1.5")
    assert (await documents.main()).number == 2
    assert renderer.numbers == {2: 2}


async def test_world_with_our_id_in_another_process_is_not_used(documents, renderer):
    renderer.changes_to = 2
    document = await documents.main()
    assert renderer.numbers == {3: 1}
    assert document.world.handle == "2.3"


async def test_document_that_comes_back_keeps_its_number(documents, renderer):
    document = await documents.main()
    was = renderer.numbers
    renderer.change(world=7)
    assert (await documents.main()).number == 2
    renderer.change(process=1, numbers=was)
    with pytest.raises(StaleElement):
        await documents.find("2.5")
    assert (await documents.find("1.5")).document is document
    assert await documents.main() is document


@pytest.mark.parametrize("is_left", [True, False])
async def test_document_that_was_left_is_asked_nothing(is_left, documents, renderer):
    await documents.main()
    renderer.change()
    if is_left:
        documents.leave_main()
    shown = await documents.ask_main("place", answer=ResolvedElement)
    assert (shown.title, renderer.refused) == ("B", 0 if is_left else 2)


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
