"""Hints with the tools in them that a client of playwright-mcp knows."""

from tabwright.protocol.errors import HintKind
from tabwright.text.hints import ToolNames

PLAYWRIGHT = ToolNames(
    {
        HintKind.ANSWER_DIALOG: "Answer it with browser_handle_dialog.",
        HintKind.BRING_UP: "Bring it up first, or take a new snapshot.",
        HintKind.WAIT_UNTIL_ENABLED: "Do first what the page asks for, or browser_wait_for it.",
        HintKind.TAKE_SNAPSHOT: "Take a new snapshot.",
        HintKind.ACT_ON_WHAT_SHOWS_IT: "Act on what shows it: take a new snapshot.",
        HintKind.SELECT_OPTION: "Use browser_select_option.",
        HintKind.UPLOAD_FILES: "Click it, then use browser_file_upload.",
        HintKind.CLICK_OPTION: "Click it, and then the option in the snapshot.",
        HintKind.SEE_ALL_CHANGES: "Take a new snapshot for more.",
        HintKind.TAKE_REF: "Take one of an outline, as 1.5.",
        HintKind.FIND_ELEMENT: "Take a snapshot with format outline, or switch to its tab.",
        HintKind.FIND_TEXT: "Scroll to the bottom, where pages load more,"
        " or take a snapshot by query.",
        HintKind.WAIT_LONGER: "Take a snapshot, or wait longer.",
        HintKind.LOAD_AGAIN: "Take a snapshot: its page is loaded again,"
        " with the cookies and the storage.",
        HintKind.LEAVE_PAGE: "Go on, or navigate elsewhere where it hangs again.",
        HintKind.OPEN_PAGE: "Begin with browser_navigate.",
        HintKind.LIST_REQUESTS: "List them with browser_network_requests.",
        HintKind.GIVE_FILES: "It asks for files: give them with browser_file_upload.",
        HintKind.MORE_CHANGES: "({count} more changes: browser_snapshot shows them)",
        HintKind.MORE_LINES: "({count} more lines: offset={offset}, or narrow it by target)",
        HintKind.HIDDEN_CONTROLS: "({count} controls are hidden)",
        HintKind.SHORTENED_ADDRESSES: "(An address with … is whole where browser_find finds it.)",
        HintKind.MORE_TABS: "({count} more tabs: browser_tabs lists them)",
        HintKind.MORE_DOWNLOADS: "({count} more files)",
        HintKind.CONSOLE_COUNTS: "Console: {counts} (browser_console_messages lists them).",
        HintKind.MORE_CONSOLE_ENTRIES: "({count} more entries: give a filename for all;"
        " told is up to {after})",
        HintKind.MORE_REQUESTS: "({count} more requests: offset={offset}, or give a filename)",
    }
)
