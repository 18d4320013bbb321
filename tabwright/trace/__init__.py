"""Traces of sessions: recording, showing, replaying and exporting them."""
