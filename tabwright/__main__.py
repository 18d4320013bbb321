"""The entry of the command line.

A command that acts in the user process, such as ``click``, is sent to it by a few modules of the
standard library; so is one that asks a question, such as ``read``, while the process runs. All
other commands import what they need; `tabwright.cli.main` can start the process for a question.
"""

import gc
import sys


def main() -> int:
    """Run the command line and return the exit code."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["help"]:
        arguments = sys.argv[1:] = [*arguments[1:], "--help"]
    if arguments[:1] == ["serve"]:
        return _serve(arguments)
    from tabwright.cli.user_client import (
        QUERY_COMMANDS,
        asks_for_help,
        is_shell_command,
        query_in_user_process,
        run_in_user_process,
    )

    if arguments and not asks_for_help(arguments):
        if is_shell_command(arguments):
            return run_in_user_process(arguments)
        if arguments[0] in QUERY_COMMANDS:
            code = query_in_user_process(arguments)
            if code is not None:
                return code
    from tabwright.cli.main import main as run_command

    return run_command()


def _serve(arguments: list[str]) -> int:
    """Run `serve`, which answers its client before the rest is imported."""
    from tabwright.cli.first_answers import FirstAnswers

    first = FirstAnswers(arguments)
    first.begin()
    gc.disable()  # it would scan the imported modules repeatedly
    from tabwright.cli.main import main as run_command

    gc.enable()
    gc.freeze()
    return run_command(first)


if __name__ == "__main__":
    sys.exit(main())
