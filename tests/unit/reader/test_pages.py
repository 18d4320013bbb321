"""Pages read by workers: the jobs, their results, and failures."""

from functools import partial
from random import Random

import msgspec
import pytest
import trio

from tabwright.plugins.fleet.batch import JobBatch, open_batch
from tabwright.plugins.fleet.page_jobs import PageEnd, PageJob, QueuedPages
from tabwright.protocol.errors import JobGivenUp, error_record
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.jobs import JobLimits
from tabwright.protocol.snapshot import PageLink
from tabwright.reader.pages import PageContent, PageFailure, read_with_retries
from tests.support.fleet.jobs import MemoryJobQueue

URL = "https://a.example/"
CONTENT = PageContent(
    record={"url": URL, "title": "A", "status": 200, "text": "ä\u2028"},
    url=URL,
    text="ä\u2028",
    links=(PageLink(1, "B", "https://a.example/b", "content", followed=False),),
    canonical="",
    robots=("noindex",),
    size=12,
)
FAILURE = PageFailure(
    record={"success": False, "error": "Slow down."},
    kind="rate_limited",
    retryable=True,
    retry_after_s=1.5,
)
LASTING = PageFailure(record={"success": False, "error": "Gone."}, kind="gone", retryable=False)


def batch_of(queue: MemoryJobQueue, name: str = "b") -> JobBatch:
    return JobBatch(
        queue=queue, name=name, outage_max_s=1.0, on_outage=pytest.fail, chance=Random(1)
    )


async def work(queue: MemoryJobQueue, *ends: PageEnd) -> list[PageJob]:
    """Finish jobs one after another with these results; return the jobs."""
    done: list[PageJob] = []
    for end in ends:
        while not (leases := await queue.lease(1, retry=True)):
            await trio.sleep(0.01)
        done.append(msgspec.json.decode(leases[0].payload, type=PageJob))
        await queue.finish(leases[0], msgspec.json.encode(end).decode())
    return done


@pytest.mark.parametrize(
    ("end", "read"),
    [(PageEnd(content=CONTENT), CONTENT), (PageEnd(failure=FAILURE), FAILURE)],
    ids=["content", "failure"],
)
async def test_queued_read_returns_content_or_failure_from_the_worker(
    end, read, autojump_clock
) -> None:
    queue, reading = MemoryJobQueue(), ReadOptions(max_tier=1, headers=(("A", "b"),))
    async with open_batch(batch_of(queue)) as batch, trio.open_nursery() as nursery:
        nursery.start_soon(work, queue, end)
        assert await QueuedPages(batch, reading).read(URL) == read


async def test_job_has_the_url_and_the_options(autojump_clock) -> None:
    queue, reading = MemoryJobQueue(), ReadOptions(max_tier=1, headers=(("A", "b"),))
    async with open_batch(batch_of(queue)) as batch, trio.open_nursery() as nursery:
        nursery.start_soon(QueuedPages(batch, reading).read, URL)
        assert await work(queue, PageEnd(content=CONTENT)) == [PageJob(URL, reading)]


async def test_page_result_is_reused_and_another_attempt_is_a_new_job(
    autojump_clock,
) -> None:
    queue = MemoryJobQueue()
    async with open_batch(batch_of(queue)) as batch, trio.open_nursery() as nursery:
        nursery.start_soon(work, queue, PageEnd(failure=FAILURE), PageEnd(content=CONTENT))
        pages = QueuedPages(batch, ReadOptions())
        assert await pages.read(URL) == FAILURE
        assert await pages.read(URL, 1) == CONTENT
    async with open_batch(batch_of(queue)) as batch:  # after it was killed
        pages = QueuedPages(batch, ReadOptions())
        assert await pages.read(URL) == FAILURE
        assert await pages.read(URL, 1) == CONTENT
        await pages.saved(URL)
    assert queue._jobs == {}


@pytest.mark.parametrize(
    ("failures", "attempts"),
    [([], 1), ([FAILURE], 2), ([FAILURE, FAILURE], 3), ([FAILURE] * 3, 3), ([LASTING], 1)],
)
async def test_page_read_is_retried_only_while_its_failure_is_retryable(
    failures: list[PageFailure], attempts: int, autojump_clock
) -> None:
    ends = [*(PageEnd(failure=one) for one in failures), PageEnd(content=CONTENT)]
    queue = MemoryJobQueue()
    async with open_batch(batch_of(queue)) as batch, trio.open_nursery() as nursery:
        nursery.start_soon(work, queue, *ends[:attempts])
        pages = QueuedPages(batch, ReadOptions())
        page = await read_with_retries(partial(pages.read, URL))
        assert page == (ends[attempts - 1].content or ends[attempts - 1].failure)
    assert len(queue._jobs) == attempts


async def test_page_jobs_differ_by_batch_and_read_options(autojump_clock) -> None:
    queue = MemoryJobQueue()
    for name, reading in (
        ("a", ReadOptions()),
        ("b", ReadOptions()),
        ("b", ReadOptions(scroll=True)),
    ):
        async with open_batch(batch_of(queue, name)) as batch, trio.open_nursery() as nursery:
            nursery.start_soon(work, queue, PageEnd(content=CONTENT))
            await QueuedPages(batch, reading).read(URL)
    assert len(queue._jobs) == 3


async def test_dead_letter_becomes_a_page_failure_that_is_not_retried(autojump_clock) -> None:
    queue = MemoryJobQueue(JobLimits(attempts=1))

    async def fail() -> None:
        while not (leases := await queue.lease(1, retry=True)):
            await trio.sleep(0.01)
        await queue.fail(leases[0], "It crashed.")

    async with open_batch(batch_of(queue)) as batch, trio.open_nursery() as nursery:
        nursery.start_soon(fail)
        read = await QueuedPages(batch, ReadOptions()).read(URL)
    assert isinstance(read, PageFailure)
    assert (read.kind, read.retryable) == (JobGivenUp.kind, False)
    assert read.record["reason"] == "script"
    assert "It crashed." in str(read.record["error"])


@pytest.mark.parametrize("result", ['{"content": {"page": 1}}', '{"page": {}}', "<page>"])
async def test_job_result_of_another_version_becomes_a_page_failure(result, autojump_clock) -> None:
    queue = MemoryJobQueue()

    async def finish() -> None:
        while not (leases := await queue.lease(1, retry=True)):
            await trio.sleep(0.01)
        await queue.finish(leases[0], result)

    async with open_batch(batch_of(queue)) as batch, trio.open_nursery() as nursery:
        nursery.start_soon(finish)
        read = await QueuedPages(batch, ReadOptions()).read(URL)
    assert isinstance(read, PageFailure)
    assert (read.kind, read.retryable) == (JobGivenUp.kind, False)


async def test_cancelled_command_leaves_no_waiting_job(autojump_clock) -> None:
    queue = MemoryJobQueue()
    with trio.move_on_after(1):
        async with open_batch(batch_of(queue)) as batch:
            await QueuedPages(batch, ReadOptions()).read(URL)
    assert (await queue.state()).waiting == 0


def test_error_record_without_a_page_has_no_text() -> None:
    assert "text" not in error_record(JobGivenUp("No."))
