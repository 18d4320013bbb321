"""Formats of files that plugins read."""

from collections.abc import Callable, Mapping
from functools import cache

import attrs

from tabwright.plugin import plugins
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import PageSnapshot, Selection


@attrs.frozen
class Format:
    """A format of files, or several with different media types.

    All functions run in a thread, and must not raise other errors than those that are named.

    Attributes:
        endings: media types by the endings of file names, for files without a type.
        detect: returns the media type of a file of this format by its content, given the declared
            one, which is often wrong or generic; empty for other files.
        reads: returns whether a file of a media type is of this format.
        read: reads a file of a media type as a page; raises `PageFailed` if it cannot be read, and
            `BadInput` for a selector that is not valid.
    """

    endings: Mapping[str, str]
    detect: Callable[[str, bytes], str]
    reads: Callable[[str, bytes], bool]
    read: Callable[[Fetched, str, Selection], PageSnapshot]


@cache
def formats(enabled: tuple[str, ...] = ()) -> tuple[Format, ...]:
    """Return the formats of our plugins, and of the `enabled` ones of others; it imports them.

    Raises:
        SettingsError: a plugin cannot be used.
    """
    return tuple(one for plugin in plugins(enabled) for one in plugin.parts("formats", Format))
