from tests.e2e.acting.conftest import stand
from tests.e2e.devtools.conftest import open_caller, site

__all__ = ["open_caller", "site", "stand"]
