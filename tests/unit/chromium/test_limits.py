import resource

import pytest

from tabwright.cdp.chromium.errors import LimitTooTight
from tabwright.cdp.chromium.limits import DESCRIPTORS_MIN, advice_on_space, require_descriptors

FREE = resource.RLIM_INFINITY


def limit(monkeypatch: pytest.MonkeyPatch, kind: int, soft: int, hard: int) -> None:
    others = resource.getrlimit
    limits = {kind: (soft, hard)}
    monkeypatch.setattr(resource, "getrlimit", lambda one: limits.get(one) or others(one))


@pytest.mark.parametrize("hard", [FREE, 4096, DESCRIPTORS_MIN])
def test_the_hard_limit_of_descriptors_is_the_one_that_counts(
    monkeypatch: pytest.MonkeyPatch, hard: int
) -> None:
    limit(monkeypatch, resource.RLIMIT_NOFILE, 64, hard)
    require_descriptors()


def test_a_hard_limit_that_is_too_low_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, resource.RLIMIT_NOFILE, 64, DESCRIPTORS_MIN - 1)
    with pytest.raises(LimitTooTight, match=r"no more than 255 files here, and needs 256"):
        require_descriptors()


def test_a_limited_address_space_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, resource.RLIMIT_AS, 2 << 30, FREE)
    assert "2147483648 bytes" in advice_on_space()


def test_of_an_unlimited_address_space_there_is_nothing_to_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limit(monkeypatch, resource.RLIMIT_AS, FREE, FREE)
    assert advice_on_space() == ""
