"""What a download wants to be called (RFC 6266), made harmless."""

import re
from urllib.parse import unquote_to_bytes

CHARACTERS_MAX = 128
"""Of a name: whatever the alphabet, a file system takes as many."""

HEADER_CHARACTERS_MAX = 4096

CHARSETS = ("utf-8", "iso-8859-1")

_PARAMETER = re.compile(
    r""";\s*([\w!#$&+.^`|~-]+\*?)\s*=\s*("(?:[^"\\]|\\.)*"|[^;"\s][^;"]*)""", re.ASCII
)
_EXTENDED = re.compile(r"([\w-]+)'[\w-]*'([!-~]*)", re.ASCII)
_FORBIDDEN = re.compile(
    r'[\x00-\x1f\x7f-\x9f<>:"|?*\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]'
)
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""Names that Windows keeps for itself."""


def file_name(disposition: str) -> str:
    """The name in a header ``Content-Disposition``; empty where there is none that will do.

    It is a name and no path: what comes before the last slash, of either kind, is left out, and
    so is what would hide a file, name a device, or turn the direction of writing.
    """
    parameters = _parameters(disposition[:HEADER_CHARACTERS_MAX])
    return harmless_name(
        _decoded(parameters.get("filename*", "")) or parameters.get("filename", "")
    )


def _parameters(disposition: str) -> dict[str, str]:
    """By their names; of two with the same name the first counts."""
    found: dict[str, str] = {}
    for name, value in _PARAMETER.findall(disposition):
        text = re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value.strip()
        found.setdefault(name.lower(), text)
    return found


def _decoded(text: str) -> str:
    """What ``UTF-8''na%C3%AFve.txt`` stands for (RFC 8187); empty where it stands for nothing."""
    parts = _EXTENDED.fullmatch(text)
    if parts is None or parts[1].lower() not in CHARSETS:
        return ""
    return unquote_to_bytes(parts[2]).decode(parts[1], "replace")


def harmless_name(text: str) -> str:
    """What somebody wants a file to be called, as a name that can do no harm; empty for none."""
    name = re.split(r"[/\\]", text)[-1]
    name = _FORBIDDEN.sub("", name).strip(" .")[:CHARACTERS_MAX].rstrip(" .")
    return "" if _DEVICE.fullmatch(name) else name
