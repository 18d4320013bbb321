"""The only source of browsers, of settings that name no others."""

from random import Random

import pytest

from tabwright.browser.sources import only_source
from tabwright.config.loader import override, settings_from
from tabwright.protocol.browser_pool import SourceState
from tabwright.testing.fake import FakeSite, fake_launcher


@pytest.mark.parametrize(
    ("values", "running", "expected"),
    [
        ({}, (), SourceState(1, "local", "", 1, 0)),
        ({"pool__workers": 3}, (0, 2, 2), SourceState(1, "local", "", 3, 2)),
        (
            {"browser__cdp_endpoint": "ws://me:pw@a.example:9222/b?token=t"},
            (0,),
            SourceState(1, "cdp", "a.example:9222", 1, 1),
        ),
    ],
)
def test_single_source_is_derived_from_settings(values, running, expected):
    sources = only_source(fake_launcher(FakeSite(), Random(0)), settings_from(override(**values)))
    assert sources.states(running) == (expected,)
    assert len(sources.by_worker) == expected.capacity
    assert sources.is_local(0) == (expected.kind == "local")
    assert not sources.are_all_resting
