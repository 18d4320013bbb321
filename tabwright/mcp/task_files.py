"""The files of tasks: after the end of a server, the next one still knows its tasks.

A task whose call was running then has failed. What it did until then is not known.
"""

import logging
import re
from datetime import datetime
from pathlib import Path
from typing import Final

import attrs
import mcp_types as mcp
import msgspec

from tabwright.config.loader import write_private
from tabwright.text.file_errors import file_problem

ENDED: Final = "The server ended before the call. What the call did until then is not known."

_TASK_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")

_log = logging.getLogger("tabwright.tasks")


@attrs.frozen
class TaskFiles:
    """A folder with a file for each task, readable only by its owner.

    Without the folder, or on a full disk, tasks work as before, and the log has the reason.
    """

    folder: Path

    def write(self, task_id: str, state: dict[str, object]) -> None:
        """Write the state of a task atomically (see `CallTask.state`)."""
        path = self.folder / f"{task_id}.json"
        try:
            write_private(path, msgspec.json.encode(state))
        except OSError as error:
            _log.warning("A task was not saved. %s", file_problem(error, path, writing=True))

    def read(self, task_id: str) -> dict[str, object] | None:
        """Return the state of a task of an earlier server; None if there is none."""
        if not _TASK_ID.fullmatch(task_id):
            return None
        try:
            text = (self.folder / f"{task_id}.json").read_bytes()
            state = msgspec.json.decode(text, type=dict[str, object])
        except (OSError, msgspec.DecodeError):
            return None
        if state.get("status") not in {"working", "input_required"}:
            return state
        error = {"code": mcp.INTERNAL_ERROR, "message": ENDED}
        kept = {name: value for name, value in state.items() if name != "inputRequests"}
        return {**kept, "status": "failed", "statusMessage": ENDED, "error": error}

    def drop_before(self, moment: datetime) -> None:
        """Delete the files that were written before a moment."""
        for path in self.folder.glob("*.*"):
            try:
                if path.stat().st_mtime < moment.timestamp():
                    path.unlink()
            except OSError:
                continue  # another server has deleted it
