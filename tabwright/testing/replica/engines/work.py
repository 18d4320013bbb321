"""Proof of work: a browser shows that it has spent some time, before it is let in."""

from hashlib import sha256

from tabwright.testing.replica.links import sealed


def task_for(address: str) -> str:
    """Sets the task that stands before a page."""
    return sealed(address)[-40:]


def is_done(task: str, nonce: str) -> bool:
    """Whether the hash of task and nonce begins with a byte of zeros."""
    return bool(task) and sha256(f"{task}{nonce}".encode()).digest()[0] == 0
