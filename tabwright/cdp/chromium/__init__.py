"""Chromium's processes: find a browser, start it, and clean up everything after it.

Only `process.launch` starts a browser. Everything that must not outlive us, a process group and a
private directory, is guarded before it exists; see `guardian`.
"""
