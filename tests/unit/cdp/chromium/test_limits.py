import os
import resource
from pathlib import Path
from types import SimpleNamespace

import pytest

from tabwright.cdp.chromium.errors import (
    DESCRIPTORS_MIN,
    FULL_BYTES,
    MEMORY_DISK_BYTES_MIN,
    LimitTooTight,
    advice_on_space,
    full_disk,
    memory_disk_is_small,
    require_descriptors,
)

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
    with pytest.raises(LimitTooTight, match=r"at most 255 files, but needs 256"):
        require_descriptors()


def test_a_limited_address_space_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, resource.RLIMIT_AS, 2 << 30, FREE)
    assert "2048 MiB" in advice_on_space()


def test_of_an_unlimited_address_space_there_is_nothing_to_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limit(monkeypatch, resource.RLIMIT_AS, FREE, FREE)
    assert advice_on_space() == ""


def disk(monkeypatch: pytest.MonkeyPatch, *, size_bytes: int = 1 << 40, free_bytes: int) -> None:
    found = SimpleNamespace(f_frsize=1, f_blocks=size_bytes, f_bavail=free_bytes)
    monkeypatch.setattr(os, "statvfs", lambda _: found)


@pytest.mark.parametrize("size_bytes", [64 << 20, MEMORY_DISK_BYTES_MIN - 1, MEMORY_DISK_BYTES_MIN])
def test_memory_disk_of_a_container_is_small(
    monkeypatch: pytest.MonkeyPatch, size_bytes: int
) -> None:
    disk(monkeypatch, size_bytes=size_bytes, free_bytes=size_bytes)
    assert memory_disk_is_small() is (size_bytes < MEMORY_DISK_BYTES_MIN)


@pytest.mark.parametrize("free_bytes", [0, FULL_BYTES - 1, FULL_BYTES])
def test_disk_without_room_is_full(monkeypatch: pytest.MonkeyPatch, free_bytes: int) -> None:
    disk(monkeypatch, free_bytes=free_bytes)
    place = Path("/some")
    assert full_disk([place]) == (place if free_bytes < FULL_BYTES else None)


def test_disk_of_a_place_that_is_not_there_is_not_said_to_be_full() -> None:
    assert full_disk([Path("/no/such/place")]) is None
