"""What a model is told of the browser before it thinks."""

import attrs

from tabwright.agent.prompts import AGENT
from tabwright.page.outline_text import harmless, shortened
from tabwright.page.render import news_text, outline_text, tabs_text
from tabwright.protocol.actions import Dialog, TabInfo
from tabwright.protocol.inspection import OutlineText
from tabwright.protocol.snapshot import SmallPicture


@attrs.frozen(kw_only=True)
class Scene:
    """The browser as it was seen at the beginning of a step.

    Attributes:
        tabs: of the session.
        page: the outline of the current one; empty where there is none to be had.
        dialog: the one that stops the page; None for none.
        picture: of what is seen; None where nobody wants it.
        trouble: why the page cannot be seen; empty where it can.
    """

    tabs: tuple[TabInfo, ...] = ()
    page: OutlineText = attrs.field(factory=lambda: OutlineText(""))
    dialog: Dialog | None = None
    picture: SmallPicture | None = None
    trouble: str = ""

    @property
    def tab(self) -> int | None:
        """The number of the current tab; None where nobody knows."""
        return next((tab.number for tab in self.tabs if tab.current), None)

    @property
    def refs(self) -> frozenset[str]:
        """What can be acted on."""
        return frozenset(control.ref for control in self.page.controls)

    @property
    def text(self) -> str:
        """All of it in words; made of what pages say: untrusted."""
        page = outline_text(self.page, AGENT)
        told = (
            f"Tabs:\n{tabs_text(self.tabs)}" if self.tabs else "",
            _dialog(self.dialog) if self.dialog else "",
            self.trouble,
            f"Page:\n{page}" if page else "",
            news_text(self.page.meanwhile, AGENT),
        )
        return "\n".join(filter(None, told))


def _dialog(dialog: Dialog) -> str:
    message = harmless(shortened(dialog.message))
    return f'A dialog stops the page until answer_dialog: {dialog.kind} "{message}"'
