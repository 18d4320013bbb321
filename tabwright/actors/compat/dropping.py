"""The script that drops files or data onto an element, as from outside of the page."""

from base64 import b64encode
from collections.abc import Iterable, Mapping
from mimetypes import guess_type
from pathlib import Path

import msgspec

from tabwright.protocol.errors import BadInput

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
