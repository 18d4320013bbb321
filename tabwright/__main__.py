"""The entry of the command line.

A command that acts in the user process, such as ``click``, is sent to it by a few modules of the
standard library. All other commands import what they need.
"""

import sys

from tabwright.cli.user_client import SHELL_COMMANDS, asks_for_help, run_in_user_process


def main() -> int:
    """Run the command line and return the exit code."""
    arguments = sys.argv[1:]
    if arguments and arguments[0] in SHELL_COMMANDS and not asks_for_help(arguments):
        return run_in_user_process(arguments)
    from tabwright.cli.main import main as run_command

    return run_command()


if __name__ == "__main__":
    sys.exit(main())
