"""A fake browser: a CDP peer behind the transport, deterministic and without a process.

It is not a mock of our client. It has targets, sessions and documents, implements the used methods
one by one, refuses every other with an error, emits events in Chromium's order, and delays replies
by random latencies in trio's time. The contract tests compare its behavior with Chromium's.
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
