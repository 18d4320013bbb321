"""Result pages that could not be read, kept for a look at them."""

import logging
from pathlib import Path

import attrs
from platformdirs import user_state_path

from tabwright.config.loader import chosen_place, private_folder

KEPT_MAX = 20
"""Pages that are kept; the oldest goes first."""

_log = logging.getLogger("tabwright.engines")


def failed_pages_folder(setting: str | None) -> Path | None:
    """The folder that ``engines.failed_pages`` means; None for none."""
    if setting is None:
        return None
    automatic = user_state_path("tabwright", appauthor=False) / "failed-pages"
    return chosen_place(setting, automatic)


@attrs.frozen
class FailedPages:
    """A folder of pages, each as ``unread-engine-number.html``; nowhere where there is none.

    What else is in it is not ours to remove.
    """

    folder: Path | None

    def keep(self, engine: str, html: str) -> Path | None:
        """Keeps a page, which only its user may read; gives its place, None where it has none."""
        if self.folder is None:
            return None
        try:
            private_folder(self.folder)
            pages = sorted(self.folder.glob("unread-*-[0-9]*.html"), key=_number)
            number = _number(pages[-1]) + 1 if pages else 1
            place = self.folder / f"unread-{engine}-{number}.html"
            place.touch(mode=0o600)
            place.write_text(html, encoding="utf-8", errors="replace")
            for old in pages[: max(0, len(pages) + 1 - KEPT_MAX)]:
                old.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("A page of %s could not be kept: %s", engine, error)
            return None
        return place


def _number(place: Path) -> int:
    number = place.stem.rpartition("-")[2]
    return int(number) if number.isdecimal() else 0
