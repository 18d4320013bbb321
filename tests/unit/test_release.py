"""Release files: the entry in the MCP registry and the MCP bundle."""

import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path

from tabwright import __version__

ROOT = Path(__file__).resolve().parents[2]
SERVER = json.loads((ROOT / "server.json").read_text())


def script(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "scripts" / name), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_release_check_passes_only_for_the_package_version() -> None:
    assert script("check_release.py", __version__).returncode == 0
    other = script("check_release.py", "99.0")
    assert other.returncode == 1
    assert other.stdout.count("not 99.0") == 3


def test_registry_can_verify_the_package_by_its_readme() -> None:
    assert f"<!-- mcp-name: {SERVER['name']} -->" in (ROOT / "README.md").read_text()


def test_bundle_holds_the_package_and_a_manifest_with_the_listed_tools(tmp_path: Path) -> None:
    bundle = tmp_path / "tabwright.mcpb"
    made = script("make_mcpb.py", str(bundle))
    assert made.returncode == 0, made.stderr
    with zipfile.ZipFile(bundle) as files:
        manifest = json.loads(files.read("manifest.json"))
        names = set(files.namelist())
    assert manifest["version"] == __version__
    assert "browse" in {tool["name"] for tool in manifest["tools"]}
    assert {"pyproject.toml", "tabwright/__main__.py", "tabwright/config/default.yaml"} <= names
    assert manifest["server"]["entry_point"] in names
    assert not any("__pycache__" in name for name in names)


def test_formula_has_the_name_and_the_digest_of_the_archive(tmp_path: Path) -> None:
    archive = tmp_path / "tabwright-9.0.tar.gz"
    archive.write_bytes(b"source")
    formula = script("make_formula.py", str(archive)).stdout
    assert f'/tabwright/{archive.name}"' in formula
    assert f'sha256 "{hashlib.sha256(b"source").hexdigest()}"' in formula
    assert "#{bin}/tabwright" in formula
