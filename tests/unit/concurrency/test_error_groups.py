"""Splitting groups of errors, and finding the sole error in one."""

from tabwright.concurrency.nursery import one_of_a_kind, sole_error, split_crash

CRASH = ValueError("boom")
EXIT = SystemExit()


def test_single_error_is_either_crash_or_remainder() -> None:
    assert split_crash(CRASH) == (CRASH, None)
    assert split_crash(EXIT) == (None, EXIT)


def test_a_group_is_split_into_crash_and_the_rest() -> None:
    crash, rest = split_crash(BaseExceptionGroup("both", [BaseExceptionGroup("", [EXIT]), CRASH]))

    assert sole_error(crash) is CRASH
    assert isinstance(crash, ExceptionGroup)
    assert sole_error(rest) is EXIT


def test_a_group_of_crashes_alone_has_no_rest() -> None:
    group = ExceptionGroup("crashes", [CRASH, CRASH])

    assert split_crash(group) == (group, None)


def test_the_sole_error_is_found_at_any_depth() -> None:
    assert sole_error(CRASH) is CRASH
    assert sole_error(ExceptionGroup("", [ExceptionGroup("", [CRASH])])) is CRASH


def test_sole_error_of_several_is_innermost_common_group() -> None:
    group = ExceptionGroup("two", [CRASH, KeyError()])

    assert sole_error(ExceptionGroup("outer", [group])) is group


def test_errors_of_one_kind_are_reduced_to_first() -> None:
    nested = ExceptionGroup("", [ExceptionGroup("", [CRASH]), ValueError()])

    assert one_of_a_kind(nested, ValueError) is CRASH
    assert one_of_a_kind(CRASH, ValueError) is CRASH


def test_group_with_error_of_another_kind_is_kept() -> None:
    mixed = ExceptionGroup("", [CRASH, KeyError()])
    ending = BaseExceptionGroup("", [CRASH, EXIT])

    assert one_of_a_kind(mixed, ValueError) is mixed
    assert one_of_a_kind(ending, ValueError) is ending
