"""The Inspector domain: whether the process of a page is alive."""

from tabwright.cdp.wire import CDPCommand, Nothing


def enable() -> CDPCommand[Nothing]:
    """Inspector.enable, after which a page whose process died before we attached says so.

    Without it such a page is merely silent: the process that Chromium keeps ready for the next
    page may be dead without its knowing.
    """
    return CDPCommand("Inspector.enable", {}, Nothing)
