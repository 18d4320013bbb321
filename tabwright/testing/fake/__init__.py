"""A fake browser: a CDP peer behind the transport, deterministic and without a process.

Not a mock of our client. It holds targets, sessions and documents, answers the methods in use one
by one, refuses every other loudly, emits events in Chromium's order, and draws its latency from
one seed in trio's time. What it does is what the contract tests saw Chromium do.
"""

from tabwright.testing.fake.browser import FakeBrowser, fake_launcher
from tabwright.testing.fake.link import Fault, FaultKind
from tabwright.testing.fake.site import (
    FakeAnswer,
    FakeBarrier,
    FakeControl,
    FakeDialog,
    FakePage,
    FakeSite,
)

__all__ = [
    "FakeAnswer",
    "FakeBarrier",
    "FakeBrowser",
    "FakeControl",
    "FakeDialog",
    "FakePage",
    "FakeSite",
    "Fault",
    "FaultKind",
    "fake_launcher",
]
