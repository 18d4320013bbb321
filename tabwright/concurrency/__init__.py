"""Helpers for trio: nurseries, offloading, grants and timers."""
