"""Chromium's life: finding a browser, starting it, and leaving nothing behind.

Only `process.launch` starts a browser. Everything that must not outlive us, a process group and a
private directory, is in the hands of a guardian before it exists; see `guardian`.
"""
