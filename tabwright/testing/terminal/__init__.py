"""A terminal of tests: starts a program, shows what it draws, and types what a person would.

It stands on pyte, which is not installed with the package: ``pip install pyte``.
"""

from tabwright.testing.terminal.screen import TerminalScreen
from tabwright.testing.terminal.terminal import Terminal, open_terminal

__all__ = ["Terminal", "TerminalScreen", "open_terminal"]
