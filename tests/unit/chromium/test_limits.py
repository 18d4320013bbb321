import resource

import pytest

from tabwright.cdp.chromium.limits import too_tight

FREE = resource.RLIM_INFINITY


@pytest.mark.parametrize(
    ("descriptors", "space_bytes", "says"),
    [
        ((64, 64), (FREE, FREE), "no more than 64 files"),
        ((64, 4096), (FREE, FREE), ""),
        ((64, FREE), (FREE, FREE), ""),
        ((1024, 4096), (2 << 30, FREE), "2147483648 bytes"),
        ((FREE, FREE), (FREE, FREE), ""),
    ],
)
def test_the_limit_that_has_to_be_raised_is_named(
    monkeypatch: pytest.MonkeyPatch,
    descriptors: tuple[int, int],
    space_bytes: tuple[int, int],
    says: str,
) -> None:
    limits = {resource.RLIMIT_NOFILE: descriptors, resource.RLIMIT_AS: space_bytes}
    monkeypatch.setattr(resource, "getrlimit", lambda limit: limits[limit])

    assert says in too_tight()
    assert bool(too_tight()) is bool(says)
