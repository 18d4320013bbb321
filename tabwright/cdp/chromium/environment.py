"""The environment variables that a browser of ours is given: those that it needs, and no others.

Ours may hold API keys and passwords. Every process of a browser, and whoever may look at them,
could read those.
"""

import re
from collections.abc import Mapping
from typing import Final

_PASSED: Final = re.compile(
    r"""
    PATH | HOME | USER | LOGNAME | SHELL | TZ | TMPDIR | TERM
    | LANG | LANGUAGE | LC_\w+                                # the interface's language, file names
    | DISPLAY | WAYLAND_DISPLAY | XAUTHORITY | XDG_\w+        # the screen, and folders of the user
    | DESKTOP_SESSION | DESKTOP_STARTUP_ID | GNOME_\w+ | KDE_\w+ | GDK_\w+ | GTK_\w+ | QT_\w+
    | XMODIFIERS | XCURSOR_\w+ | DBUS_\w+_BUS_ADDRESS | NO_AT_BRIDGE | AT_SPI_BUS_ADDRESS
    | PULSE_\w+ | PIPEWIRE_\w+ | ALSA_\w+                     # sound
    | LD_LIBRARY_PATH | LIBGL_\w+ | LIBVA_\w+ | MESA_\w+ | GALLIUM_\w+ | VK_\w+ | EGL_\w+
    | __EGL_\w+ | __GL\w* | __NV_\w+ | DRI_PRIME              # the graphics driver
    | FONTCONFIG_\w+ | SSL_CERT_FILE | SSL_CERT_DIR | NSS_\w+ | CHROME_DEVEL_SANDBOX
    | __CF_USER_TEXT_ENCODING                                 # macOS
    """,
    re.VERBOSE,
)


def browser_environment(ours: Mapping[str, str], **more: str) -> dict[str, str]:
    """Return the variables of `ours` that a browser needs, and `more`, which win over them.

    Variables of proxies are not among them, since they may hold a password: the proxy that a
    browser uses is an argument of its own.
    """
    return {name: value for name, value in ours.items() if _PASSED.fullmatch(name)} | more
