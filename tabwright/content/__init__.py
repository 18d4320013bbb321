"""Turns bytes or a DOM into a page snapshot, and a snapshot into text."""
