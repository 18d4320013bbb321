from tests.plugins.server.conftest import open_http_server, run_tabwright, site, tokens
from tests.unit.ratelimit.conftest import governed, turn_to

__all__ = ["governed", "open_http_server", "run_tabwright", "site", "tokens", "turn_to"]
