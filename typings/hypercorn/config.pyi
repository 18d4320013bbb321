import logging
from typing import Self

class Config:
    @classmethod
    def from_mapping(
        cls,
        *,
        bind: list[str],
        errorlog: logging.Logger,
        graceful_timeout: float,
        include_server_header: bool,
    ) -> Self: ...
