"""``tabwright install``: writes this server into the settings of an MCP client.

The entry names this installation by its absolute path and has what a client does not pass on by
itself, such as DISPLAY. Everything else in the file stays; a copy of the old file is kept beside
it.
"""

import shutil
import sys
import sysconfig
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from itertools import chain, count
from pathlib import Path
from typing import TypeAlias, cast

import attrs
import msgspec

from tabwright.browser.machine import SCREENS, is_local_x11
from tabwright.cli.json_with_comments import read_json, with_member, without_member
from tabwright.config.loader import open_private
from tabwright.config.user_layers import locale_layer
from tabwright.protocol.errors import BadInput
from tabwright.text.file_errors import file_problem
from tabwright.text.similarity import did_you_mean

SERVER = "tabwright"
"""The name of the server in the settings of a client."""

PASSED_ON = (*SCREENS, "XAUTHORITY", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME")
"""Variables that many clients do not pass on: for browser windows, and for the settings file."""

Table: TypeAlias = MutableMapping[str, object]


# The clients.


@attrs.frozen
class Folders:
    """The settings folders of programs.

    Attributes:
        home: the user's home folder.
        programs: the folder for settings of desktop programs.
        claude: the folder of Claude Code's settings.
        codex: the folder of Codex's settings.
    """

    home: Path
    programs: Path
    claude: Path
    codex: Path


def folders_of(platform: str, environment: Mapping[str, str], home: Path) -> Folders:
    """Return the folders on a platform, as `sys.platform` names it."""
    match platform:
        case "darwin":
            programs = home / "Library" / "Application Support"
        case "win32":
            programs = Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
        case _:
            programs = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    claude = Path(environment.get("CLAUDE_CONFIG_DIR") or home)
    return Folders(home, programs, claude, Path(environment.get("CODEX_HOME") or home / ".codex"))


@attrs.frozen
class MCPClient:
    """An MCP client whose settings are in a file.

    Attributes:
        name: its name on the command line.
        title: its name for people.
        file: returns its settings file.
        key: the key of the table of servers in that file.
        says_type: whether an entry has the type of its transport.
    """

    name: str
    title: str
    file: Callable[[Folders], Path]
    key: str = "mcpServers"
    says_type: bool = False


CLIENTS = (
    MCPClient(
        "claude-desktop",
        "Claude Desktop",
        lambda at: at.programs / "Claude" / "claude_desktop_config.json",
    ),
    MCPClient("claude-code", "Claude Code", lambda at: at.claude / ".claude.json", says_type=True),
    MCPClient("cursor", "Cursor", lambda at: at.home / ".cursor" / "mcp.json"),
    MCPClient(
        "vscode",
        "VS Code",
        lambda at: at.programs / "Code" / "User" / "mcp.json",
        key="servers",
        says_type=True,
    ),
    MCPClient("codex", "Codex", lambda at: at.codex / "config.toml", key="mcp_servers"),
    MCPClient(
        "windsurf", "Windsurf", lambda at: at.home / ".codeium" / "windsurf" / "mcp_config.json"
    ),
    MCPClient("gemini", "Gemini CLI", lambda at: at.home / ".gemini" / "settings.json"),
)
"""The clients that are known, in the order in which they are listed."""


# The entry.


@attrs.frozen
class ServerEntry:
    """How a client starts this server."""

    command: str
    args: tuple[str, ...]
    env: Mapping[str, str]

    def table(self, client: MCPClient) -> dict[str, object]:
        """Return the entry in the form of a client."""
        kind = {"type": "stdio"} if client.says_type else {}
        env = {"env": dict(self.env)} if self.env else {}
        return {**kind, "command": self.command, "args": list(self.args), **env}


def server_entry(arguments: Sequence[str], environment: Mapping[str, str]) -> ServerEntry:
    """Return the entry that starts this installation.

    Args:
        arguments: of `tabwright serve`.
        environment: the variables of this process.
    """
    language = [entry.place for entry in locale_layer(environment).entries.values()]
    env = {name: environment[name] for name in (*PASSED_ON, *language) if environment.get(name)}
    if not is_local_x11(env.get("DISPLAY", ":0")):  # an SSH session ends before the client does
        del env["DISPLAY"]
    command, first = _program(Path(sys.prefix))
    return ServerEntry(command, (*first, "serve", *arguments), env)


def _program(prefix: Path) -> tuple[str, tuple[str, ...]]:
    """Return the program that starts tabwright, and its first arguments.

    An environment that uvx or pipx made for one run is removed some day, so they are named instead.
    """
    if {"archive-v0", "environments-v2"} & set(prefix.parts):
        return shutil.which("uvx") or "uvx", (SERVER,)
    if "pipx" in prefix.parts and not {"venvs"} & set(prefix.parts):
        return shutil.which("pipx") or "pipx", ("run", SERVER)
    installed = Path(sysconfig.get_path("scripts")) / SERVER
    if installed.exists():
        return str(installed), ()
    return sys.executable, ("-P", "-m", SERVER)


# The settings file of a client.


@attrs.frozen
class ClientFile:
    """The settings file of a client, which has comments and order of its own."""

    client: MCPClient
    path: Path

    def snippet(self, entry: ServerEntry) -> str:
        """Return the text that a user could add to the file."""
        return self._written({self.client.key: {SERVER: entry.table(self.client)}})

    def entry(self) -> object:
        """Return the entry of this server in the file; None if there is none to be read."""
        with suppress(BadInput):
            return self._servers(self._read()).get(SERVER)
        return None

    def has(self, entry: ServerEntry) -> bool:
        """Return whether adding the entry would change nothing."""
        return (old := self.entry()) is not None and old == self._merged(old, entry)

    def add(self, entry: ServerEntry) -> Path | None:
        """Add this server, or replace its entry; return the copy of the old file, if there was one.

        Raises:
            BadInput: the file cannot be read or written. It is as it was.
        """
        settings = self._read()
        servers = self._servers(settings)
        merged = servers[SERVER] = self._merged(servers.get(SERVER), entry)
        if self._is_toml:
            return self._write(self._written(settings))
        return self._write(with_member(self._text(), (self.client.key, SERVER), merged))

    def remove(self) -> Path | None:
        """Remove this server; return the copy of the old file.

        Raises:
            BadInput: it is not in the file, or the file cannot be read or written.
        """
        settings = self._read()
        servers = self._servers(settings)
        if SERVER not in servers:
            raise BadInput(f"{self.path} has no server named {SERVER}.")
        del servers[SERVER]
        if self._is_toml:
            return self._write(self._written(settings))
        return self._write(without_member(self._text(), (self.client.key, SERVER)))

    def _merged(self, old: object, entry: ServerEntry) -> dict[str, object]:
        """Return the new entry with the variables that the user added to the old one."""
        merged = entry.table(self.client)
        if isinstance(old, Mapping):
            env = cast("Mapping[str, object]", old).get("env")
            if isinstance(env, Mapping):
                merged["env"] = {**cast("Mapping[str, object]", env), **entry.env}
        return merged

    @property
    def _is_toml(self) -> bool:
        return self.path.suffix == ".toml"

    def _text(self) -> str:
        return self.path.read_text(encoding="utf-8") if self.path.exists() else ""

    def _read(self) -> Table:
        try:
            text = self._text()
            if self._is_toml:
                import tomlkit  # noqa: PLC0415  (for one client)

                return tomlkit.parse(text)
            return read_json(text)
        except (OSError, ValueError) as error:
            is_system = isinstance(error, OSError)
            raise BadInput(
                file_problem(error, self.path)
                if is_system
                else f"{self.path} cannot be read (not JSON: {error}).",
                advice=f"Add the entry by hand: tabwright install {self.client.name} --print",
            ) from error

    def _servers(self, settings: Table) -> Table:
        """Return the table of servers in the settings; it is added if there is none."""
        servers = settings.setdefault(self.client.key, {})
        if not isinstance(servers, MutableMapping):
            raise BadInput(
                f"{self.path}: {self.client.key} is not a table of servers.",
                advice="Fix the file first.",
            )
        return cast("Table", servers)

    def _written(self, settings: Mapping[str, object]) -> str:
        if self._is_toml:
            import tomlkit  # noqa: PLC0415  (for one client)

            return tomlkit.dumps(settings)
        text = msgspec.json.format(msgspec.json.encode(settings), indent=2).decode()
        return f"{text}\n"

    def _write(self, text: str) -> Path | None:
        """Replace the file in one step, through links, with its mode."""
        path = self.path.resolve()
        backup = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists():
                numbers = chain(("",), count(2))
                copies = (path.with_name(f"{path.name}.bak{number}") for number in numbers)
                backup = next(one for one in copies if not one.exists())
                shutil.copy2(path, backup)
            new = path.with_name(f".{path.name}.new")
            try:
                with open(new, "w", encoding="utf-8", opener=open_private) as file:
                    file.write(text)
                if backup:
                    shutil.copymode(backup, new)
                new.replace(path)
            finally:
                new.unlink(missing_ok=True)
        except OSError as error:
            raise BadInput(
                file_problem(error, path, writing=True),
                advice=f"Add the entry by hand: tabwright install {self.client.name} --print",
            ) from error
        return backup


# The command.


def client_file(name: str, folders: Folders) -> ClientFile:
    """Return the settings file of the client of that name.

    Raises:
        BadInput: no client has it.
    """
    for client in CLIENTS:
        if client.name == name:
            return ClientFile(client, client.file(folders))
    known = [client.name for client in CLIENTS]
    raise BadInput(
        f"Unknown client {name!r}.{did_you_mean(name, known)}",
        advice=f"Known clients are {', '.join(known)}.",
    )


def listing(folders: Folders) -> str:
    """Return the known clients with their files, and which of them have this server."""
    lines = list[str]()
    for client in CLIENTS:
        file = ClientFile(client, client.file(folders))
        if file.entry() is not None:
            state = "added"
        else:
            state = "not added" if file.path.parent.exists() else "not found"
        lines.append(f"{client.name:15} {state:14} {file.path}\n")
    return "".join(lines)


def install(name: str, entry: ServerEntry, folders: Folders) -> str:
    """Add this server to a client, and return what to tell the user.

    Raises:
        BadInput: there is no such client, or its file cannot be changed.
    """
    file = client_file(name, folders)
    if file.has(entry):
        return f"{SERVER} is already in {file.path}.\n"
    is_found = file.path.parent.exists()
    backup = file.add(entry)
    kept = f" The old file is {backup}." if backup else ""
    title = file.client.title
    then = f"Restart {title} to use it." if is_found else f"{title} was not found on this machine."
    return f"Added {SERVER} to {file.path}.{kept}\n{then}\n"


def uninstall(name: str, folders: Folders) -> str:
    """Remove this server from a client, and return what to tell the user.

    Raises:
        BadInput: there is no such client or entry, or its file cannot be changed.
    """
    file = client_file(name, folders)
    backup = file.remove()
    return f"Removed {SERVER} from {file.path}. The old file is {backup}.\n"
