#!/usr/bin/env python3
"""Write an MCP bundle, which desktop clients install with a click: ``make_mcpb.py [FILE]``.

The bundle is a zip file with a manifest (MCPB, manifest version 0.4) and the source of the package,
which the client runs with uv.
"""

import json
import sys
import tomllib
import zipfile
from pathlib import Path

from tabwright import __version__, load_settings
from tabwright.config.engines import load_engines
from tabwright.mcp.registry import toolbox

ROOT = Path(__file__).resolve().parents[1]
FILES = ("pyproject.toml", "README.md", "LICENSE")


def manifest() -> dict[str, object]:
    """Return the manifest of the bundle."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tools = toolbox(load_settings(), load_engines()).listing
    return {
        "manifest_version": "0.4",
        "name": "tabwright",
        "display_name": "tabwright",
        "version": __version__,
        "description": "Search the web, read any URL as text and act on pages in a real Chromium.",
        "author": {"name": "The tabwright developers"},
        "license": project["license"],
        "keywords": project["keywords"],
        "server": {
            "type": "uv",
            "entry_point": "tabwright/__main__.py",
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--directory", "${__dirname}", "tabwright", "serve"],
            },
        },
        "tools": [{"name": one["name"], "description": one["description"]} for one in tools],
        "compatibility": {
            "platforms": ["darwin", "linux"],
            "runtimes": {"python": project["requires-python"]},
        },
    }


def main() -> int:
    """Write the bundle."""
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "dist/tabwright.mcpb")
    target.parent.mkdir(parents=True, exist_ok=True)
    sources = sorted(
        path
        for path in (ROOT / "tabwright").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("manifest.json", json.dumps(manifest(), indent=2))
        for path in (*(ROOT / name for name in FILES), *sources):
            bundle.write(path, path.relative_to(ROOT))
    sys.stdout.write(f"{target}: {target.stat().st_size / 1000:.0f} kB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
