"""The options that name the Redis server of a fleet."""

import argparse

from tabwright.cli.commands.command import AddedOptions, GivenSettings


def add_workers(command: argparse.ArgumentParser) -> None:
    """Add the option for reading pages by workers."""
    command.add_argument(
        "--queue",
        metavar="URL",
        help="let the workers of this Redis server read the pages, 64 at once unless told"
        " otherwise (see tabwright fleet worker)",
    )


def _workers(options: argparse.Namespace) -> GivenSettings:
    reads = True if options.queue else None
    return {"fleet.redis": (options.queue, "--queue"), "fleet.reads_pages": (reads, "--queue")}


def add_server(command: argparse.ArgumentParser) -> None:
    """Add the option that names the Redis server."""
    command.add_argument("--queue", metavar="URL", help="Redis server (default: fleet.redis)")


def _server(options: argparse.Namespace) -> GivenSettings:
    return {"fleet.redis": (options.queue, "--queue")}


def add_name(worker: argparse.ArgumentParser) -> None:
    """Add the option that names a worker."""
    worker.add_argument("--name", metavar="NAME", help="name in the fleet (default: a random one)")


def _name(options: argparse.Namespace) -> GivenSettings:
    return {"fleet.worker": (options.name, "--name")}


OPTIONS = (
    AddedOptions(("read", "crawl"), add_workers, _workers),
    AddedOptions(("fleet queue", "fleet worker"), add_server, _server),
    AddedOptions(("fleet worker",), add_name, _name),
)
