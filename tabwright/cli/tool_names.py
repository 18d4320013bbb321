"""Hints with the commands of the shell."""

from tabwright.protocol.errors import HintKind
from tabwright.text.hints import ToolNames

SHELL = ToolNames(
    {
        HintKind.ANSWER_DIALOG: "Answer it with `act dialog accept` or `act dialog dismiss`.",
        HintKind.BRING_UP: "Scroll to it or open what contains it, or take a new `snapshot`.",
        HintKind.WAIT_UNTIL_ENABLED: "First do what the page requires, or use `wait`.",
        HintKind.TAKE_SNAPSHOT: "Take a new `snapshot`.",
        HintKind.ACT_ON_WHAT_SHOWS_IT: "Act on the element that displays it: see `snapshot`.",
        HintKind.SELECT_OPTION: "Use `act select`.",
        HintKind.UPLOAD_FILES: "Use `files upload`.",
        HintKind.CLICK_OPTION: "Click it, then click the option in the next `snapshot`.",
        HintKind.SEE_ALL_CHANGES: "Use `snapshot` to see all.",
        HintKind.TAKE_REF: "Use a ref from an outline, for example 1.5.",
        HintKind.FIND_ELEMENT: "Use `snapshot`, or switch to its tab.",
        HintKind.FIND_TEXT: "Scroll to the bottom to load more, or use `snapshot --query`.",
        HintKind.WAIT_LONGER: "Use `snapshot`, or wait longer.",
        HintKind.LOAD_AGAIN: (
            "Use `snapshot`: the page is loaded again, with its cookies and storage."
        ),
        HintKind.LEAVE_PAGE: "Continue, or open another page if it hangs again.",
        HintKind.OPEN_PAGE: "Open a page with `open` first.",
        HintKind.LIST_REQUESTS: "List them with `debug network`.",
        HintKind.GIVE_FILES: "It opened a file chooser: choose files with `files upload`.",
        HintKind.MORE_CHANGES: "({count} more changes: `snapshot` shows them)",
        HintKind.MORE_LINES: (
            "({count} more lines: `snapshot --offset {offset}`, or narrow it by --query or a ref)"
        ),
        HintKind.HIDDEN_CONTROLS: "(Hidden controls: {count}; `snapshot --hidden` lists them.)",
        HintKind.SHORTENED_ADDRESSES: "(URLs with … are shortened; --query shows them in full.)",
        HintKind.MORE_TABS: "({count} more tabs: `tabs` lists them)",
        HintKind.MORE_DOWNLOADS: "({count} more files: `files download` lists them)",
        HintKind.CONSOLE_COUNTS: "Console: {counts} (`debug console` lists them).",
        HintKind.MORE_CONSOLE_ENTRIES: "({count} more entries: --after {after})",
        HintKind.MORE_REQUESTS: "({count} more requests: --offset {offset}, or filter them)",
        HintKind.ALLOW_PRIVATE: (
            "The user can allow that: `tabwright daemon stop`, then "
            "`tabwright daemon start --set network.allow_private=true`."
        ),
    }
)
