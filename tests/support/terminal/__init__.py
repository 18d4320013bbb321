"""A terminal for tests: starts a program, shows its screen, and sends keys.

It requires pyte, which is not installed with the package: ``pip install pyte``.
"""

from tests.support.terminal.screen import TerminalScreen
from tests.support.terminal.terminal import Terminal, open_terminal

__all__ = ["Terminal", "TerminalScreen", "open_terminal"]
