"""What the page loads besides itself, and does without if need be.

Google's own pictures, font and sound, and the resources of advertising and tracking, whose hosts
stand in the lists of those who block them.
"""

from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final

from tabwright.testing.replica.server import Response
from tabwright.testing.replica.templates import bytes_of

RESOURCE_HOSTS: Final = frozenset(
    {
        "www.gstatic.com",
        "fonts.gstatic.com",
        "encrypted-tbn0.gstatic.com",
        "www.googletagmanager.com",
        "www.google-analytics.com",
        "www.googleadservices.com",
        "pagead2.googlesyndication.com",
        "googleads.g.doubleclick.net",
        "connect.facebook.net",
    }
)

_FILES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        ".js": ("tag.js", "text/javascript"),
        ".woff2": ("font.woff2", "font/woff2"),
        ".wav": ("sound.wav", "audio/wav"),
    }
)
_PICTURE: Final = ("photo.png", "image/png")


def resource_at(path: str) -> Response:
    """Gives what the ending of a path promises; a picture where it promises nothing."""
    name, kind = _FILES.get(PurePosixPath(path).suffix, _PICTURE)
    everyone = (("Access-Control-Allow-Origin", "*"),)
    return Response(bytes_of(name), content_type=kind, headers=everyone)
