from tests.e2e.reading.conftest import open_reading_client, site

__all__ = ["open_reading_client", "site"]
