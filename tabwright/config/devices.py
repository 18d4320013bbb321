"""Devices that pages can be shown on, by name."""

from functools import cache
from importlib import resources

import msgspec

from tabwright.protocol.context_options import DeviceProfile
from tabwright.protocol.errors import BadInput
from tabwright.text.similarity import did_you_mean

MOBILE = "Pixel 10"
"""The device of a call that asks for any mobile device."""


@cache
def devices() -> dict[str, DeviceProfile]:
    """Return the devices in ``devices.yaml``."""
    text = resources.files(__package__ or "").joinpath("devices.yaml").read_bytes()
    return msgspec.yaml.decode(text, type=dict[str, DeviceProfile])


def device(name: str) -> DeviceProfile:
    """Return a device by its name; case does not matter.

    Raises:
        BadInput: there is no such device.
    """
    known = {one.casefold(): found for one, found in devices().items()}
    found = known.get(name.casefold())
    if found is None:
        raise BadInput(
            f"There is no device {name!r}.{did_you_mean(name, devices())}",
            advice=f"There are: {', '.join(devices())}.",
        )
    return found
