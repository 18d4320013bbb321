"""The command: arguments to settings, a run, an exit code.

The only place with signals and logging set-up.
"""

import sys


def main() -> int:
    from tabwright.actors.gateway_stdio import serve_stdio
    from tabwright.config.file import load_settings, read_layer
    import trio
    from pathlib import Path

    layers = [read_layer(Path(sys.argv[2]))] if len(sys.argv) > 2 else []
    trio.run(serve_stdio, load_settings(*layers))
    return 0


if __name__ == "__main__":
    sys.exit(main())
