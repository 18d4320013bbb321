"""The loss of a tab as an error of a search."""

from collections.abc import Generator
from contextlib import contextmanager

from tabwright.page.errors import translate_tab_loss
from tabwright.protocol.errors import PageFailed, Unanswered, Undelivered


@contextmanager
def translate_answer_loss() -> Generator[None]:
    """Translate the loss of a tab into its meaning for the search.

    Raises:
        BrowserDied: the browser ended.
        PageFailed: the page ended, or the tab was stopped.
    """
    try:
        with translate_tab_loss():
            yield
    except (Undelivered, Unanswered) as loss:
        raise PageFailed(
            ("The page was lost before the answer was complete: ", *loss.chunks),
            advice="Try again.",
        ) from loss
