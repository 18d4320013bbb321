"""A page after its engine has been rebuilt: it looks the same, and nothing is named as it was."""

import re
from hashlib import sha256
from typing import Final

_NAME: Final = re.compile(rb'(?<= )(class|id|data-[\w-]+|jsname|jscontroller)="([^"]*)"')
_KEY: Final = re.compile(rb"AppSerpWeb|display_type|clickUrl")


def drifted(page: bytes) -> bytes:
    """Renames classes, ids and the attributes of scripts, and what Startpage's data goes by."""
    return _KEY.sub(lambda key: _new(key[0]), _NAME.sub(_renamed, page))


def _renamed(found: re.Match[bytes]) -> bytes:
    attribute = found[1] if found[1] in {b"class", b"id"} else b"data-" + _new(found[1])
    return attribute + b'="' + b" ".join(map(_new, found[2].split())) + b'"'


def _new(name: bytes) -> bytes:
    return b"x" + sha256(name).hexdigest()[:6].encode()
