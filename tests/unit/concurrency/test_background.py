import pytest
import trio
import trio.testing

from tabwright.concurrency.nursery import background_nursery, shielded


async def fail_when_cancelled() -> None:
    try:
        await trio.sleep_forever()
    finally:
        raise OSError("the task failed too")


async def test_background_tasks_are_cancelled_when_body_ends() -> None:
    with trio.fail_after(5):
        async with background_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)


async def test_body_error_propagates_ungrouped_with_its_context() -> None:
    error = KeyError("mine")
    with pytest.raises(KeyError) as caught:
        async with background_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
            try:
                int("no number")
            except ValueError:
                raise error  # noqa: B904 - the implicit context is the point

    assert caught.value is error
    assert isinstance(error.__context__, ValueError)
    assert error.__cause__ is None


async def test_error_alongside_cancellation_group_propagates_ungrouped() -> None:
    error = KeyError("mine")

    async def end_in_a_group() -> None:
        try:
            await trio.sleep_forever()
        except trio.Cancelled as cancelled:
            raise BaseExceptionGroup("one", [cancelled]) from None

    with trio.CancelScope() as scope, pytest.raises(KeyError) as caught:
        async with background_nursery() as nursery:
            nursery.start_soon(end_in_a_group)
            scope.cancel()
            with trio.CancelScope(shield=True):
                await trio.testing.wait_all_tasks_blocked()
            raise error
    assert caught.value is error


async def test_group_of_the_body_is_not_taken_apart() -> None:
    group = ExceptionGroup("two", [ValueError(), KeyError()])
    with pytest.raises(ExceptionGroup) as caught:
        async with background_nursery():
            raise group

    assert caught.value.message == "two"
    assert caught.value.exceptions == group.exceptions


async def test_error_raised_by_cancelled_body_propagates_ungrouped() -> None:
    with pytest.raises(KeyError), trio.CancelScope() as scope:
        async with background_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
            await trio.testing.wait_all_tasks_blocked()
            scope.cancel()
            try:
                await trio.sleep_forever()
            finally:
                raise KeyError


async def test_cancellation_from_outside_passes_through() -> None:
    with trio.CancelScope() as scope:
        async with background_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
            scope.cancel()
            await trio.sleep_forever()

    assert scope.cancelled_caught


async def test_errors_of_body_and_task_leave_together() -> None:
    with pytest.RaisesGroup(KeyError, OSError):
        async with background_nursery() as nursery:
            nursery.start_soon(fail_when_cancelled)
            await trio.testing.wait_all_tasks_blocked()
            raise KeyError


async def test_shielded_block_finishes_after_being_notified_of_cancellation() -> None:
    ending, done = trio.Event(), []
    with trio.CancelScope() as outer:
        async with shielded(lambda _scope: ending.set()):
            outer.cancel()
            await ending.wait()
            await trio.lowlevel.checkpoint()
            done.append("the block")
        done.append("what is behind it")
    assert outer.cancelled_caught
    assert done == ["the block"]


async def test_shielded_block_with_deadline_is_cancelled_at_deadline(autojump_clock) -> None:
    def limit(scope: trio.CancelScope) -> None:
        scope.deadline = trio.current_time() + 2

    with trio.CancelScope() as outer:
        async with shielded(limit):
            outer.cancel()
            await trio.sleep_forever()
    assert outer.cancelled_caught
    assert trio.current_time() == pytest.approx(2)


async def test_error_in_shielded_block_propagates_ungrouped() -> None:
    with pytest.raises(KeyError, match="mine"):
        async with shielded(lambda _scope: None):
            raise KeyError("mine")
