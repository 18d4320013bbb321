"""The engines that are asked by their API, from ``search_apis.yaml``."""

from collections.abc import Mapping
from functools import cache

from tabwright.config.search_parsers import checked_part
from tabwright.config.yaml_tables import record_of, shipped_table
from tabwright.protocol.search_apis import SearchApi


@cache
def load_apis() -> Mapping[str, SearchApi]:
    """Return the shipped engines with an API, by name."""
    return record_of(dict[str, SearchApi], shipped_table("search_apis.yaml"), checked_part)
