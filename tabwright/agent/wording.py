"""Our sentences with the actions in them that a navigator has."""

from tabwright.acting.wording import Wording

NAVIGATORS = Wording(
    {
        "Answer it with dialog.": "Answer it with answer_dialog.",
        "tabs: tabs lists them": "tabs",
        "files: download lists them": "files",
        "more changes: snapshot shows them)": "more changes)",
        "Take a new snapshot.": "Use the refs of the outline as it is now.",
        "Begin one with navigate.": "Go to a URL first.",
        "controls are hidden: hidden=true lists them)": "controls are hidden)",
    }
)
"""How a model of the agent is told."""
