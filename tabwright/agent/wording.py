"""Our sentences with the actions in them that a navigator has."""

from tabwright.acting.wording import Wording

NAVIGATORS = Wording(
    {
        "Answer it with dialog.": "Answer it with answer_dialog.",
        "tabs: tabs lists them": "tabs",
        "files: download lists them": "files",
        "more changes: snapshot shows them)": "more changes)",
        ", or narrow it by query or ref)": "; scroll down to see what is there)",
        "(An address with … is whole where a query finds it.)": "(An address with … is longer.)",
        "controls are hidden: hidden=true lists them)": "controls are hidden)",
        "Take a new snapshot.": "Use the refs of the outline as it is now.",
        "Bring it up first, or take a new snapshot.": "Bring it up first.",
        "Act on what shows it: take a new snapshot.": "Act on what shows it.",
        "Take a new snapshot for more.": "The outline has more.",
        "Take one of an outline, as 1.5.": "Take one of the outline, as 1.5.",
        "Take a snapshot with format outline, or switch to its tab.": "Take one of the outline, or"
        " switch to its tab.",
        "and then the option in the snapshot.": "and then the option in the outline.",
        "where pages load more, or take a snapshot by query.": "where pages load more.",
        "Take a snapshot, or wait longer.": "See the outline, or wait longer.",
        "Take a snapshot: its page is loaded again": "Go on: its page is loaded again",
        "Use select.": "Use select_dropdown_option.",
        "Use upload.": "Go on without: you have no files.",
        "give them with upload.": "you have none, so go on without.",
        "or wait_for it.": "or wait for it.",
        "or navigate elsewhere where it hangs again.": "or go elsewhere where it hangs again.",
        "Begin one with navigate.": "Go to a URL first.",
    }
)
"""How a model of the agent is told."""
