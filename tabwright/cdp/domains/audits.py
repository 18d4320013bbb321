"""The Audits domain: problems that the browser has found with a page, as DevTools lists them."""

from tabwright.cdp.wire import CDPCommand, Event, Nothing, Raw, Shape


class InspectorIssue(Shape, frozen=True):
    """A problem; `details` has one member, whose name depends on the code."""

    code: str
    details: Raw = Raw(b"{}")


class IssueAdded(Event, frozen=True):
    """The browser has found a problem; after `enable`, all that it has found already."""

    method = "Audits.issueAdded"
    issue: InspectorIssue


def enable() -> CDPCommand[Nothing]:
    """Audits.enable."""
    return CDPCommand("Audits.enable", {}, Nothing)


def check_forms() -> CDPCommand[Nothing]:
    """Audits.checkFormsIssues: look for problems of forms now, and send them as `IssueAdded`."""
    return CDPCommand("Audits.checkFormsIssues", {}, Nothing)


def disable() -> CDPCommand[Nothing]:
    """Audits.disable."""
    return CDPCommand("Audits.disable", {}, Nothing)
