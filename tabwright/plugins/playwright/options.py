"""The options of playwright-mcp for its capabilities."""

import argparse

from tabwright.cli.commands.command import AddedOptions, GivenSettings, names


def add_capabilities(serve: argparse.ArgumentParser) -> None:
    """Add the options that choose capabilities."""
    serve.add_argument(
        "--caps",
        type=names,
        metavar="A,B",
        help="with --compat playwright: vision, pdf, storage, network, testing",
    )
    serve.add_argument("--vision", action="store_true", help="the same as --caps vision")


def _settings(options: argparse.Namespace) -> GivenSettings:
    caps = [*(options.caps or ()), *(["vision"] if options.vision else [])]
    return {"playwright.caps": (caps or None, "--caps")}


CAPABILITIES = AddedOptions(("serve", "install"), add_capabilities, _settings)
