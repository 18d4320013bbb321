"""The limits of calls of a server's users."""

import attrs
import pytest

from tabwright.config.loader import settings_from
from tabwright.config.settings import Settings
from tabwright.plugins.server.users import ServerFull, User, Users


@attrs.frozen
class ShortOfMemory:
    """The shared actors on a machine without memory for more than one call."""

    settings: Settings = attrs.field(factory=settings_from)

    def shortage(self):
        return "the machine is short of memory"


async def test_machine_short_of_memory_serves_one_call_at_a_time():
    users, user = Users(None, ShortOfMemory(), None, None), User(None, None)
    async with users.call(user):
        with pytest.raises(ServerFull, match="memory"):
            async with users.call(user):
                pass
    async with users.call(user):
        assert users.calls == 1
