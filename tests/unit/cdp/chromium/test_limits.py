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
def test_low_soft_descriptor_limit_is_accepted_if_hard_limit_suffices(
    monkeypatch: pytest.MonkeyPatch, hard: int
) -> None:
    limit(monkeypatch, resource.RLIMIT_NOFILE, 64, hard)
    require_descriptors()


def test_low_hard_descriptor_limit_is_refused_with_its_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limit(monkeypatch, resource.RLIMIT_NOFILE, 64, DESCRIPTORS_MIN - 1)
    with pytest.raises(LimitTooTight, match=r"at most 255 files, but needs 256"):
        require_descriptors()


def test_address_space_limit_is_named_in_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, resource.RLIMIT_AS, 2 << 30, FREE)
    assert "2048 MiB" in advice_on_space()


def test_unlimited_address_space_yields_no_advice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limit(monkeypatch, resource.RLIMIT_AS, FREE, FREE)
    assert advice_on_space() == ""


def disk(monkeypatch: pytest.MonkeyPatch, *, size_bytes: int = 1 << 40, free_bytes: int) -> None:
    found = SimpleNamespace(f_frsize=1, f_blocks=size_bytes, f_bavail=free_bytes)
    monkeypatch.setattr(os, "statvfs", lambda _: found)


@pytest.mark.parametrize("size_bytes", [64 << 20, MEMORY_DISK_BYTES_MIN - 1, MEMORY_DISK_BYTES_MIN])
def test_memory_disk_below_minimum_size_counts_as_small(
    monkeypatch: pytest.MonkeyPatch, size_bytes: int
) -> None:
    disk(monkeypatch, size_bytes=size_bytes, free_bytes=size_bytes)
    assert memory_disk_is_small() is (size_bytes < MEMORY_DISK_BYTES_MIN)


@pytest.mark.parametrize("free_bytes", [0, FULL_BYTES - 1, FULL_BYTES])
def test_disk_below_free_space_threshold_counts_as_full(
    monkeypatch: pytest.MonkeyPatch, free_bytes: int
) -> None:
    disk(monkeypatch, free_bytes=free_bytes)
    place = Path("/some")
    assert full_disk([place]) == (place if free_bytes < FULL_BYTES else None)


def test_disk_of_missing_path_is_not_reported_as_full() -> None:
    assert full_disk([Path("/no/such/place")]) is None
