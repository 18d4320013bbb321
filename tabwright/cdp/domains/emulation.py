"""The Emulation domain: the browser and device that pages see."""

from tabwright.cdp.wire import JSON, CDPCommand, Nothing, present


def set_identity(user_agent: str, hints: JSON, languages: str) -> CDPCommand[Nothing]:
    """Emulation.setUserAgentOverride.

    Args:
        user_agent: the header, and ``navigator.userAgent``.
        hints: ``Emulation.UserAgentMetadata``; without it, pages see no client hints at all.
        languages: sets the ``Accept-Language`` header and ``navigator.languages`` together;
            written as in the header, without weights: ``ja-JP,ja``. Empty changes neither.
    """
    params = present(
        userAgent=user_agent, userAgentMetadata=hints, acceptLanguage=languages or None
    )
    return CDPCommand("Emulation.setUserAgentOverride", params, Nothing)


def set_device(width: int, height: int, *, scale: float, mobile: bool) -> CDPCommand[Nothing]:
    """Emulation.setDeviceMetricsOverride: the size of the view in CSS pixels."""
    params: dict[str, JSON] = {
        "width": width,
        "height": height,
        "screenWidth": width,
        "screenHeight": height,
        "deviceScaleFactor": scale,
        "mobile": mobile,
    }
    return CDPCommand("Emulation.setDeviceMetricsOverride", params, Nothing)


def clear_device() -> CDPCommand[Nothing]:
    """Emulation.clearDeviceMetricsOverride."""
    return CDPCommand("Emulation.clearDeviceMetricsOverride", {}, Nothing)


def set_size(size: tuple[int, int] | None) -> CDPCommand[Nothing]:
    """The size of a page without a device, in CSS pixels; None for that of its window."""
    return set_device(*size, scale=0, mobile=False) if size else clear_device()


def set_touch(*, enabled: bool) -> CDPCommand[Nothing]:
    """Emulation.setTouchEmulationEnabled."""
    return CDPCommand("Emulation.setTouchEmulationEnabled", {"enabled": enabled}, Nothing)


def set_focused(*, enabled: bool) -> CDPCommand[Nothing]:
    """Emulation.setFocusEmulationEnabled: the page behaves as if it were in front.

    Otherwise a tab behind another gets no frames and has slow timers.
    """
    return CDPCommand("Emulation.setFocusEmulationEnabled", {"enabled": enabled}, Nothing)


def set_locale(locale: str) -> CDPCommand[Nothing]:
    """Emulation.setLocaleOverride, for example ``de_DE``; empty for the browser's default."""
    return CDPCommand("Emulation.setLocaleOverride", present(locale=locale or None), Nothing)


def set_timezone(timezone: str) -> CDPCommand[Nothing]:
    """Emulation.setTimezoneOverride, for example ``Europe/Berlin``; empty for the machine's."""
    return CDPCommand("Emulation.setTimezoneOverride", {"timezoneId": timezone}, Nothing)


def set_media(media: str, features: JSON) -> CDPCommand[Nothing]:
    """Emulation.setEmulatedMedia: ``print``, and features such as ``prefers-color-scheme``."""
    return CDPCommand("Emulation.setEmulatedMedia", {"media": media, "features": features}, Nothing)


def set_cpu_throttling(rate: float) -> CDPCommand[Nothing]:
    """Emulation.setCPUThrottlingRate: scripts run this many times slower; 1 for normal."""
    return CDPCommand("Emulation.setCPUThrottlingRate", {"rate": rate}, Nothing)


def set_geolocation(latitude: float, longitude: float, accuracy: float) -> CDPCommand[Nothing]:
    """Emulation.setGeolocationOverride, in degrees and meters."""
    params = {"latitude": latitude, "longitude": longitude, "accuracy": accuracy}
    return CDPCommand("Emulation.setGeolocationOverride", params, Nothing)


def clear_geolocation() -> CDPCommand[Nothing]:
    """Emulation.clearGeolocationOverride."""
    return CDPCommand("Emulation.clearGeolocationOverride", {}, Nothing)
