#!/usr/bin/env python3
"""Check that a version is that of the package and of server.json: ``check_release.py VERSION``.

Without a version, the package's own is checked against server.json.
"""

import json
import sys
from pathlib import Path

from tabwright import __version__

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Print each version that differs; return 1 if one does."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else __version__
    server = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    found = {
        "tabwright/_version.py": __version__,
        "server.json": server["version"],
        "server.json, packages": server["packages"][0]["version"],
    }
    wrong = {place: version for place, version in found.items() if version != wanted}
    sys.stdout.writelines(f"{place} has {one}, not {wanted}.\n" for place, one in wrong.items())
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
