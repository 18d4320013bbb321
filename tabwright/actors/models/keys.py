"""Keys to models: in the environment, or among the user's secrets."""

import re
from collections.abc import Iterable, Mapping

import attrs

from tabwright.config.secrets import Secrets
from tabwright.protocol.errors import BadInput, ModelFailed, ModelFault

KEY = re.compile(r"[!-~]+")
"""What a header can carry; what it cannot would be repeated by those who complain of it."""


@attrs.frozen
class Keys:
    """Where keys are looked for. Nothing that it says holds one."""

    _environment: Mapping[str, str] = attrs.field(repr=False)
    _secrets: Secrets

    def first(self, names: Iterable[str]) -> str:
        """The first key that there is under these names; empty for none.

        Raises:
            ModelFailed: it is none that there can be.
        """
        found = (self._found(name) for name in names)
        return next((key for key in found if key), "")

    def _found(self, name: str) -> str:
        key = (self._environment.get(name) or self._secret(name)).strip()
        if key and not KEY.fullmatch(key):
            raise ModelFailed(
                f"{name} holds no key: there are characters in it that no key has.",
                fault=ModelFault.AUTHENTICATION,
                advice="Put the key there alone, without quotation marks or spaces.",
            )
        return key

    def _secret(self, name: str) -> str:
        try:
            return self._secrets.value(name) if self._secrets else ""
        except BadInput:
            return ""
