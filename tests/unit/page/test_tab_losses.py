"""Errors that explain the loss of a tab."""

import pytest

from tabwright.page.errors import translate_tab_loss
from tabwright.protocol.errors import (
    BrowserDied,
    PageFailed,
    TabClosed,
    TabLost,
    TabwrightError,
    Unanswered,
    Undelivered,
)


@pytest.mark.parametrize("kind", [Undelivered, Unanswered])
@pytest.mark.parametrize(
    ("cause", "reported"),
    [
        (BrowserDied("It died.", advice="Wait."), BrowserDied("It died.", advice="Wait.")),
        (PageFailed("It failed.", advice="Wait."), PageFailed("It failed.", advice="Wait.")),
        (TabLost("It crashed."), TabLost("It crashed.")),
        (TabClosed(), TabLost("The page closed it.")),
    ],
)
def test_tab_loss_is_reported_by_its_cause(
    kind: type[TabwrightError], cause: TabwrightError, reported: TabwrightError
) -> None:
    with pytest.raises(type(reported)) as caught, translate_tab_loss():
        raise kind("tab-1 failed") from cause
    assert (str(caught.value), caught.value.kind) == (str(reported), reported.kind)


@pytest.mark.parametrize("cause", [None, ValueError("A fault of ours.")])
def test_tab_loss_without_a_known_cause_is_raised_unchanged(cause: Exception | None) -> None:
    with pytest.raises(Unanswered, match="extractor failed"), translate_tab_loss():
        raise Unanswered("extractor failed") from cause
