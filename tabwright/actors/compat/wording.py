"""Our sentences with the tools in them that a client of playwright-mcp knows."""

from collections.abc import Mapping

from tabwright.acting.wording import Wording

THEIRS: Mapping[str, str] = {
    "Answer it with dialog.": "Answer it with browser_handle_dialog.",
    "give them with upload.": "give them with browser_file_upload.",
    "Use select.": "Use browser_select_option.",
    "Use upload.": "Click it, then use browser_file_upload.",
    "or wait_for it.": "or browser_wait_for it.",
    "List them with network.": "List them with browser_network_requests.",
    "(console lists them)": "(browser_console_messages lists them)",
    "Begin one with navigate.": "Begin with browser_navigate.",
    "more changes: snapshot shows them)": "more changes: browser_snapshot shows them)",
    "tabs: tabs lists them": "tabs: browser_tabs lists them",
    "files: download lists them": "files",
    ", or narrow it by query or ref)": ", or narrow it by target)",
    "controls are hidden: hidden=true lists them)": "controls are hidden)",
    "is whole where a query finds it.)": "is whole where browser_find finds it.)",
    ", or filter them)": ", or give a filename)",
    " more entries: after=": " more entries: give a filename for all; told is up to ",
}
"""By how we say it."""

PLAYWRIGHTS = Wording(THEIRS)
"""How we say it there."""
