from tests.e2e.devtools.conftest import call, open_caller, site

__all__ = ["call", "open_caller", "site"]
