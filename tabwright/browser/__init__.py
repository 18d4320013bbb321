"""Browsers and their tabs: launch, tab pool and watchdogs."""
