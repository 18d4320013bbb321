"""The Inspector domain: whether the process of a page is alive."""

from tabwright.cdp.wire import CDPCommand, Nothing


def enable() -> CDPCommand[Nothing]:
    """Inspector.enable: report a page whose process died before we attached.

    Without it such a page is merely silent: Chromium can use a spare process for the next page
    without noticing that it is dead.
    """
    return CDPCommand("Inspector.enable", {}, Nothing)
