"""Named sessions: their tabs, cookies, storage and history."""
