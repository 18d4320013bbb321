#!/usr/bin/env python3
"""Print the Homebrew formula of a release: ``make_formula.py dist/tabwright-0.1.0.tar.gz``."""

import sys
from hashlib import sha256
from pathlib import Path

FORMULA = """\
class Tabwright < Formula
  include Language::Python::Virtualenv

  desc "Browser and web search for AI agents, over MCP and from a shell"
  homepage "https://github.com/tabwright/tabwright"
  url "https://files.pythonhosted.org/packages/source/t/tabwright/{name}"
  sha256 "{digest}"
  license "Apache-2.0"

  depends_on "python@3.13"

  def install
    venv = virtualenv_create(libexec, "python3.13", without_pip: false)
    system venv.root/"bin/python", "-m", "pip", "install", buildpath
    bin.install_symlink libexec/"bin/tabwright"
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/tabwright --version")
  end
end
"""


def main() -> int:
    """Print the formula for the source archive of the release."""
    archive = Path(sys.argv[1])
    digest = sha256(archive.read_bytes()).hexdigest()
    sys.stdout.write(FORMULA.format(name=archive.name, digest=digest))
    return 0


if __name__ == "__main__":
    sys.exit(main())
