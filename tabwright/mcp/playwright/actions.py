"""The acting tools of playwright-mcp: ``browser_click``, ``browser_type`` and so on."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from mimetypes import guess_type
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from tabwright.mcp.playwright.targets import Act, Target
from tabwright.protocol.actions import (
    AnswerDialog,
    Click,
    Drag,
    Emulate,
    FieldValue,
    Fill,
    Hover,
    MouseButton,
    Press,
    SelectOption,
    Type,
    WaitFor,
)
from tabwright.protocol.errors import BadInput

WAIT_MAX_S = 30.0
"""How long browser_wait_for waits at most."""


class Aimed(Act, frozen=True, kw_only=True):
    """Something that is done to one element."""

    target: Target
    element: str = ""

    @property
    def targets(self) -> tuple[str, ...]:
        """See `Act.targets`."""
        return (self.target,)


class BrowserClick(Aimed, frozen=True, kw_only=True):
    """What `browser_click` takes."""

    double_click: bool = False
    button: MouseButton = "left"
    modifiers: tuple[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"], ...] = ()

    def request(self, refs: Sequence[str]) -> Click:
        """See `Act.request`."""
        return Click(refs[0], self.button, 2 if self.double_click else 1, self.modifiers)


class BrowserHover(Aimed, frozen=True, kw_only=True):
    """What `browser_hover` takes."""

    def request(self, refs: Sequence[str]) -> Hover:
        """See `Act.request`."""
        return Hover(refs[0])


class BrowserType(Aimed, frozen=True, kw_only=True):
    """What `browser_type` takes."""

    text: str
    submit: bool = False
    slowly: bool = False

    def request(self, refs: Sequence[str]) -> Type:
        """See `Act.request`."""
        return Type(refs[0], self.text, submit=self.submit, slowly=self.slowly, literal=True)


class BrowserSelectOption(Aimed, frozen=True, kw_only=True):
    """What `browser_select_option` takes."""

    values: tuple[str, ...]

    def request(self, refs: Sequence[str]) -> SelectOption:
        """See `Act.request`."""
        return SelectOption(refs[0], self.values)


class BrowserDrag(Act, frozen=True, kw_only=True):
    """What `browser_drag` takes."""

    start_target: Target
    end_target: Target
    start_element: str = ""
    end_element: str = ""

    @property
    def targets(self) -> tuple[str, ...]:
        """See `Act.targets`."""
        return self.start_target, self.end_target

    def request(self, refs: Sequence[str]) -> Drag:
        """See `Act.request`."""
        return Drag(refs[0], refs[1])


class FormField(msgspec.Struct, frozen=True, kw_only=True):
    """A field of `browser_fill_form`."""

    target: Target
    value: str
    name: str = ""
    type: Literal["textbox", "checkbox", "radio", "combobox", "slider"] = "textbox"
    element: str = ""


class BrowserFillForm(Act, frozen=True, kw_only=True):
    """What `browser_fill_form` takes."""

    fields: tuple[FormField, ...]

    @property
    def targets(self) -> tuple[str, ...]:
        """See `Act.targets`."""
        return tuple(field.target for field in self.fields)

    def request(self, refs: Sequence[str]) -> Fill:
        """See `Act.request`."""
        pairs = zip(refs, self.fields, strict=True)
        return Fill(tuple(FieldValue(ref, field.value) for ref, field in pairs))


class BrowserPressKey(Act, frozen=True, kw_only=True):
    """What `browser_press_key` takes."""

    key: str

    def request(self, refs: Sequence[str]) -> Press:
        """See `Act.request`."""
        del refs
        return Press("Space" if self.key == " " else self.key)


class BrowserWaitFor(Act, frozen=True, kw_only=True):
    """What `browser_wait_for` takes."""

    time: Annotated[float, Meta(gt=0, description="seconds, 30 at most")] | None = None
    text: Annotated[str | tuple[str, ...], Meta(description="any of a list")] = ""
    text_gone: str = ""

    def request(self, refs: Sequence[str]) -> WaitFor:
        """See `Act.request`."""
        del refs
        if self.time is None and not any(self.text) and not self.text_gone:
            raise BadInput("Nothing is waited for.", advice="Give time, text or textGone.")
        return WaitFor(self.text, self.text_gone, seconds=min(self.time or WAIT_MAX_S, WAIT_MAX_S))


class BrowserHandleDialog(Act, frozen=True, kw_only=True):
    """What `browser_handle_dialog` takes."""

    accept: bool
    prompt_text: str | None = None

    def request(self, refs: Sequence[str]) -> AnswerDialog:
        """See `Act.request`."""
        del refs
        return AnswerDialog(self.accept, self.prompt_text)


class BrowserResize(Act, frozen=True, kw_only=True):
    """What `browser_resize` takes."""

    width: Annotated[int, Meta(ge=1)]
    height: Annotated[int, Meta(ge=1)]

    def request(self, refs: Sequence[str]) -> Emulate:
        """See `Act.request`."""
        del refs
        return Emulate((self.width, self.height))


class BrowserEmulateMedia(Act, frozen=True, kw_only=True):
    """What `browser_emulate_media` takes; of that only the colours are emulated here."""

    color_scheme: Literal["light", "dark"] | None = None
    reduced_motion: Literal["reduce", "no-preference"] | None = None
    forced_colors: Literal["active", "none"] | None = None
    contrast: Literal["more", "no-preference"] | None = None
    media: Literal["screen", "print"] | None = None

    def request(self, refs: Sequence[str]) -> Emulate:
        """See `Act.request`."""
        del refs
        if any((self.reduced_motion, self.forced_colors, self.contrast, self.media)):
            raise BadInput("Only colorScheme is emulated here.", advice="Leave the others out.")
        return Emulate(dark=self.color_scheme == "dark")


# The script that drops files or data on an element.

BYTES_MAX = 8_388_608
"""Of all files together; they travel within the script."""

_SCRIPT = """element => {
  const carried = new DataTransfer();
  for (const [type, text] of Object.entries(%s)) carried.setData(type, text);
  for (const [name, type, text] of %s) {
    const bytes = Uint8Array.from(atob(text), one => one.charCodeAt(0));
    carried.items.add(new File([bytes], name, {type}));
  }
  const box = element.getBoundingClientRect();
  const init = {
    bubbles: true, cancelable: true, composed: true, dataTransfer: carried,
    clientX: box.x + box.width / 2, clientY: box.y + box.height / 2,
  };
  for (const what of ["dragenter", "dragover", "drop"])
    element.dispatchEvent(new DragEvent(what, init));
}"""


def drop_script(data: Mapping[str, str], files: Iterable[tuple[str, bytes]]) -> str:
    """A function of the element.

    Args:
        data: texts by their media types.
        files: names and what is in them.
    """
    listed = [
        (name, guess_type(name)[0] or "application/octet-stream", b64encode(held).decode())
        for name, held in files
    ]
    return _SCRIPT % (msgspec.json.encode(data).decode(), msgspec.json.encode(listed).decode())


def read_files(paths: Iterable[str]) -> list[tuple[str, bytes]]:
    """Names and contents of files.

    Raises:
        BadInput: they are too large, or cannot be read.
    """
    files = [Path(path) for path in paths]
    try:
        if sum(file.stat().st_size for file in files) > BYTES_MAX:
            raise BadInput(f"They have more than {BYTES_MAX} bytes.", advice="Give fewer.")
        return [(file.name, file.read_bytes()) for file in files]
    except OSError as error:
        raise BadInput(f"They cannot be read: {error}.") from error
