import json
import logging
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeAlias, get_args

import attrs
import pytest

from tabwright import __version__
from tabwright.cli.command_line import SECTIONS, all_commands, parse, parser
from tabwright.cli.commands.command import CLICommand, add_browser, server_arguments
from tabwright.cli.commands.operating import INTERVENTION_ACTIONS, TASKS
from tabwright.cli.commands.serving import SHELLS
from tabwright.cli.exit_codes import ExitCode, page_exit_code
from tabwright.cli.layers import layers
from tabwright.cli.main import CHATTY, _set_up_logging, main
from tabwright.cli.output import StepLines
from tabwright.config.loader import settings_from
from tabwright.config.settings import LogSettings
from tabwright.config.user_layers import user_file
from tabwright.mcp.tools.interventions import Action
from tabwright.mcp.tools.run_task import TaskAction
from tabwright.protocol.errors import ErrorCode, SettingsError
from tabwright.protocol.progress import AnswerProgress, HumanNeededProgress, WaitProgress

COMMANDS = tuple(command.name for command in all_commands())

COMMANDS_MAX = 30
"""Maximum number of commands and groups at the top level."""


def log_settings(**changes: object) -> LogSettings:
    return attrs.evolve(settings_from().log, **changes)


NO_BROWSER = ("--browser", "/nonexistent/browser")
MISTAKEN = "browser:\n  headles: false\npool:\n  max_tabs: many\nserch:\n  language: en-US\n"


@pytest.fixture(autouse=True)
def no_server_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)


@attrs.frozen
class Ended:
    """The exit code and the output of one run of the command."""

    code: int
    stdout: str
    stderr: str


Command: TypeAlias = Callable[..., Ended]

REAL = (sys.executable, "-m", "tabwright")


def run_process(*command: str) -> Ended:
    done = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, check=False
    )
    return Ended(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def run(quick_tabwright: list[str]) -> Command:
    """Run the command in a separate process with its modules already imported."""
    return partial(run_process, *quick_tabwright)


@contextmanager
def new_root_log() -> Generator[logging.Logger]:
    """Yield the root logger without handlers; restore handlers and levels at the end."""
    root = logging.getLogger()
    before, root.handlers = root.handlers, []
    levels = [(log, log.level) for log in (root, *map(logging.getLogger, CHATTY))]
    try:
        yield root
    finally:
        for handler in root.handlers:
            handler.close()
        root.handlers = before
        for log, level in levels:
            log.setLevel(level)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run the command in the test process, where its modules are already imported."""

    def run_here(*arguments: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["tabwright", *arguments])
        with new_root_log():
            code = main()
        return Ended(code, *capsys.readouterr())

    return run_here


def test_the_version_is_that_of_the_package() -> None:
    assert run_process(*REAL, "--version") == Ended(0, f"tabwright {__version__}\n", "")


def test_the_help_names_every_command_and_every_exit_code() -> None:
    ended = run_process(*REAL, "--help")
    assert (ended.code, ended.stderr) == (0, "")
    shown = re.findall(r"^  ([a-z]+)(?:  |$)", ended.stdout.partition("examples:")[0], re.MULTILINE)
    tops = {name.split()[0] for name in COMMANDS}
    assert ({*shown}, len(shown)) == (tops, len(tops))
    assert len(tops) <= COMMANDS_MAX
    assert [heading for heading in SECTIONS if f"\n{heading}:\n" not in ended.stdout] == []
    codes = re.findall(r"\b\d+\b", ended.stdout.partition("exit codes:")[2])
    page_codes = [page_exit_code(code) for code in ErrorCode if code]
    assert {str(code) for code in (*ExitCode, 128, *page_codes)} <= {*codes}


WITH_SETTINGS = tuple(command for command in all_commands() if command.has_settings)


@pytest.mark.parametrize("command", WITH_SETTINGS, ids=lambda command: command.name)
def test_commands_with_settings_share_the_same_options(
    command: CLICommand, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        parser().parse_args([*command.name.split(), "--help"])
    reported = capsys.readouterr().out
    assert caught.value.code == 0
    assert "--config FILE" in reported
    for flag in ("--headed", "--browser PATH", "--profile DIR", "--cdp-endpoint URL"):
        assert (flag in reported) == (add_browser in command.options)


@pytest.mark.parametrize(
    "arguments",
    [
        ["fly"],
        ["search"],
        ["read", "https://a.example", "--format", "pdf"],
        ["read", "https://a.example", "--tier", "4"],
        ["read", "https://a.example", "--header", "no colon"],
        ["serve", "--json"],
        ["search", "--web"],
        ["search", "--web", "x", "--time-range", "hour"],
        ["search", "--web", "x", "--page", "two"],
        ["view", "captchas", "solve", "7f3a"],
        ["view", "captchas", "open", "7f3a", "7f3b"],
        ["top", "--pool", "reset"],
        ["session"],
        ["session", "open"],
        ["config", "explain"],
        ["config", "path", "x"],
        ["top", "--pool", "--reset"],
        ["doctor", "--config"],
        ["doctor", "--unknown"],
        ["doctor", "--set", "pool.workers"],
        ["doctor", "--set", "=2"],
    ],
)
def test_usage_error_prints_mistake_and_help_hint_to_stderr(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(arguments)
    printed = capsys.readouterr()
    mistake, hint = printed.err.splitlines()
    assert (caught.value.code, printed.out) == (2, "")
    assert mistake.startswith("tabwright")
    assert "--help" in hint


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["craw"], "crawl"),
        (["read", "--tierr", "1", "https://a.example"], "--tier"),
        (["read", "--format", "markdwn", "https://a.example"], "markdown"),
        (["serve", "--tool", "read"], "--tools"),
        (["search", "--web", "x", "--time-range", "weak"], "week"),
    ],
)
def test_misspelled_name_gets_did_you_mean_suggestion(
    arguments: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parse(arguments)
    assert f"Did you mean {meant}?" in capsys.readouterr().err


@pytest.mark.parametrize("command", [[], ["read"]])
def test_help_prints_the_help_of_a_command(run: Command, command: list[str]) -> None:
    assert run("help", *command) == run(*command, "--help")


def test_program_without_a_command_prints_its_help(run: Command) -> None:
    assert run() == run("--help")


def test_intervention_command_accepts_same_actions_as_tool() -> None:
    assert get_args(Action) == INTERVENTION_ACTIONS
    assert tuple(one.name.removeprefix("task ") for one in TASKS) == get_args(TaskAction)


def test_every_command_has_examples_that_can_be_parsed() -> None:
    for command in all_commands():
        assert command.examples
        for example in command.examples:
            line = re.split(" [<>|] ", example)[0]
            program, *arguments = shlex.split(line)
            assert program == "tabwright"
            assert parse(arguments).command is command


def test_page_exit_codes_are_unique_and_below_128() -> None:
    codes = [page_exit_code(code) for code in ErrorCode if code]
    assert len({*codes, *ExitCode}) == len(codes) + len(ExitCode)
    assert max(codes) < 128


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_names_every_command(run: Command, shell: str) -> None:
    ended = run("install", "--completion", shell)
    assert (ended.code, ended.stderr) == (0, "")
    words = {word for name in COMMANDS for word in name.split()}
    assert [word for word in words if word not in ended.stdout] == []


def test_flags_override_settings_file(tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text("browser: {path: /from/file, profile: /from/file}\npool: {max_tabs: 3}\n")
    given = ["--config", str(path), "--headed", "--browser", "/b", "--cdp-endpoint", "ws://a"]
    settings = settings_from(*layers(parser().parse_args(["doctor", *given])))
    assert not settings.browser.headless
    assert settings.browser.path == "/b"
    assert settings.browser.cdp_endpoint == "ws://a"
    assert settings.browser.profile == "/from/file"
    assert settings.pool.max_tabs == 3


def test_set_changes_any_setting_above_file_and_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "my.yaml"
    path.write_text("pool: {workers: 2, max_tabs: 2, max_held_tabs: 2}\n")
    monkeypatch.setenv("TABWRIGHT_POOL__WORKERS", "3")
    monkeypatch.setenv("TABWRIGHT_POOL__MAX_TABS", "3")
    given = ["--set", "pool.workers=4", "--set", "mcp.tools=read, act", "--set", "search.language="]
    settings = settings_from(
        *layers(parser().parse_args(["doctor", "--config", str(path), *given]))
    )
    assert settings.pool.workers == 4
    assert settings.pool.max_tabs == 3
    assert settings.pool.max_held_tabs == 2
    assert settings.mcp.tools == ("read", "act")
    assert settings.search.language is None


def test_last_set_option_wins_but_named_option_overrides_it() -> None:
    given = ["--set", "pool.workers=4", "--set", "pool.workers=5", "--set", "browser.path=/a"]
    options = parser().parse_args(["doctor", *given, "--browser", "/b"])
    settings = settings_from(*layers(options))
    assert (settings.pool.workers, settings.browser.path) == (5, "/b")


def test_settings_options_are_passed_on_to_started_server() -> None:
    given = ["--set", "network.languages=de, en", "--headed", "--set", "pool.workers=2"]
    given += ["--cdp-header", "X: 1", "--cdp-header", "Y: 2"]
    passed_on = server_arguments(parser().parse_args(["tui", *given]))
    before = settings_from(*layers(parser().parse_args(["tui", *given])))
    assert settings_from(*layers(parser().parse_args(["serve", *passed_on]))) == before


@pytest.mark.parametrize(
    ("given", "reported"),
    [
        ("pool.worker=2", "--set pool.worker: unknown setting 'pool.worker'. Did you mean"),
        ("pool.workers=many", "--set pool.workers: pool.workers: Expected `int`, got `str`"),
        ("browser.cdp_endpoint=hunter2", "--set browser.cdp_endpoint: browser.cdp_endpoint is not"),
    ],
)
def test_invalid_set_option_is_reported_without_its_secret(
    command: Command, given: str, reported: str
) -> None:
    ended = command("doctor", "--set", given)
    assert (ended.code, ended.stdout) == (2, "")
    assert reported in ended.stderr
    assert "hunter2" not in ended.stderr


def test_settings_of_the_user_reach_a_command(
    run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file = user_file()
    file.parent.mkdir()
    file.write_text("search: {language: de-DE}\n")
    assert run("search", " ").stderr == "Fehler: Bitte Suchbegriffe angeben\n"
    monkeypatch.setenv("TABWRIGHT_SEARCH__LANGUAGE", "en-US")
    assert run("search", " ").stderr == "Error: enter search terms\n"
    assert run("search", " ", "--config", "/dev/null", "--set", "search.language=ja-JP").stderr
    monkeypatch.setenv("TABWRIGHT_SEARCH__LANGUAG", "en-US")
    assert run("search", " ") == Ended(
        2,
        "",
        "The settings cannot be used:\n  TABWRIGHT_SEARCH__LANGUAG: unknown environment variable."
        " Did you mean TABWRIGHT_SEARCH__LANGUAGE?\n",
    )


def test_config_ends_with_2_if_the_settings_are_wrong(command: Command) -> None:
    ended = command("config", "show", "--set", "pool.worker=1")
    assert (ended.code, ended.stdout) == (2, "")
    assert "--set pool.worker: unknown setting" in ended.stderr
    assert command("config", "path", "--set", "pool.worker=1").code == 0


def test_answers_follow_the_locale(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "fr_FR.UTF-8")
    french = run("search", " ")
    assert french.code == 2
    assert french == run("search", " ", "--language", "fr-FR")


def test_command_without_flags_uses_default_settings() -> None:
    assert settings_from(*layers(parser().parse_args(["doctor"]), {})) == settings_from()


def test_serve_options_select_tools_and_compatibility_mode() -> None:
    given = ["serve", "--tools", "read, debug", "--compat", "playwright"]
    settings = settings_from(*layers(parser().parse_args(given)))
    assert settings.mcp.tools == ("read", "debug")
    assert settings.mcp.compat == "playwright"


def test_unknown_tool_group_is_refused_with_list_of_groups(run: Command) -> None:
    ended = run("serve", "--tools", "read,acting")
    assert (ended.code, ended.stdout) == (2, "")
    assert "--tools: mcp.tools: there is no group 'acting'" in ended.stderr
    assert "There are: search, read, act, mouse, files, debug, sessions" in ended.stderr


def test_all_settings_mistakes_are_reported_before_command_runs(
    run: Command, tmp_path: Path
) -> None:
    path = tmp_path / "my.yaml"
    path.write_text(MISTAKEN)
    assert run("doctor", "--config", str(path), "--browser", "") == Ended(
        2,
        "",
        "The settings cannot be used:\n"
        "  --browser: browser.path: Expected `str` of length >= 1\n"
        f"  {path}:2: unknown setting 'browser.headles'. Did you mean 'browser.headless'?\n"
        f"  {path}:4: pool.max_tabs: Expected `int`, got `str`\n"
        f"  {path}:6: unknown setting 'serch.language'. Did you mean 'search.language'?\n",
    )


def test_missing_settings_file_exits_with_2(command: Command) -> None:
    ended = command("serve", "--config", "/nonexistent/my.yaml")
    assert (ended.code, ended.stdout) == (2, "")
    assert "/nonexistent/my.yaml does not exist" in ended.stderr


@pytest.mark.parametrize("arguments", [["serve"], ["read", "https://site.example/"]])
@pytest.mark.parametrize("setting", ["acting: {secrets: FILE}", "network: {ca_file: FILE}"])
def test_missing_file_named_in_settings_exits_with_2(
    command: Command, arguments: list[str], setting: str, tmp_path: Path
) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text(setting.replace("FILE", str(tmp_path / "missing")))
    ended = command(*arguments, "--config", str(config))
    assert (ended.code, ended.stdout) == (2, "")
    assert "missing" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_browse_with_file_url_exits_with_2(command: Command) -> None:
    assert command("read", "file:///etc/passwd") == Ended(
        2, "", "file: URLs are not opened. Use an absolute http or https URL.\n"
    )


def test_empty_query_exits_with_2_and_localized_message(
    command: Command,
) -> None:
    assert command("search", " ") == Ended(2, "", "错误: 请提供搜索关键词\n")
    assert command("search", " ", "--language", "en-US") == Ended(
        2, "", "Error: enter search terms\n"
    )


def test_follow_up_without_background_process_exits_with_2(
    command: Command,
) -> None:
    ended = command("search", "--follow-up", "And then?")
    assert (ended.code, ended.stdout) == (2, "")
    assert "tabwright daemon start" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["--engines", "mojek"],
            "Unknown engine 'mojek'. Did you mean 'mojeek'? The engines are arxiv, baidu",
        ),
        (["--engines", ""], "Unknown engine ''."),
        (["--page", "0"], "There is no page 0 of results."),
        (["--limit", "51"], "limit is 51; it must be from 1 to 50."),
        (["--region", "Austria"], "'Austria' is not a region."),
        (["--site", "a b"], "'a b' is not a host."),
        (["--filetype", "p df"], "'p df' is not a file type."),
        (["--read", "50"], "read is 50; it must be from 0 to 10."),
    ],
)
def test_invalid_web_search_options_exit_with_code_2(
    command: Command, arguments: list[str], says: str
) -> None:
    ended = command("search", "--web", "x", *arguments)
    assert (ended.code, ended.stdout) == (2, "")
    assert ended.stderr.startswith(says)


@pytest.mark.parametrize(
    "arguments", [("search", "--web", "--region", "x"), ("read", "--offset", "-1")]
)
def test_invalid_option_is_reported_as_json_with_json_flag(
    command: Command, arguments: tuple[str, ...]
) -> None:
    ended = command(*arguments, "--json", "https://a.example/")
    record = json.loads(ended.stdout)
    assert ended.code == 2
    assert (record["success"], record["kind"], record["effect"]) == (False, "bad_input", "none")


def test_web_search_options_are_parsed_from_command_line() -> None:
    given = ["--engines", "mojeek, bing", "--page", "2", "--limit", "20", "--time-range", "week"]
    options = parser().parse_args(["search", "--web", "what", "is", "it?", *given])
    assert options.query == ["what", "is", "it?"]
    assert options.engines == ("mojeek", "bing")
    assert (options.page, options.limit, options.time_range) == (2, 20, "week")
    assert options.language is None


def test_repeated_wait_progress_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    say = StepLines()
    person = HumanNeededProgress("A person is needed.", "https://a.example/", 300, lambda: None)
    turn, later = (
        WaitProgress("mojeek: waiting for its turn"),
        WaitProgress("mojeek: next request in 3.2 s"),
    )
    for step in (turn, turn, later, AnswerProgress("The answer"), later, person, person, turn):
        say(step)
    reported = capsys.readouterr()
    assert reported.out == ""
    assert reported.err.splitlines() == [str(step) for step in (turn, later, person, person, turn)]


@pytest.mark.parametrize(
    ("arguments", "code", "kind"),
    [
        (["search", "--web", "x", "--engines", "mojek"], 2, "bad_input"),
        (["search", "--web", "x", *NO_BROWSER, "--engines", "mojeek"], 3, "browser_missing"),
        (["view", "captchas", "open"], 2, "bad_input"),
        (["search", "x", "--limit", "3"], 2, "bad_input"),
        (["search", "--web", "x", "--follow-up"], 2, "bad_input"),
        (["crawl", "--list", "https://a.example", "--format", "text"], 2, "bad_input"),
        (["view", "captchas"], 1, "no_server"),
        (["top", "--pool"], 1, "no_server"),
        (["read", "ftp://a.example"], 2, "bad_input"),
        (["read", "http://localhost/"], 2, "bad_input"),
        (["search", ""], 2, "empty_query"),
        (["read", "https://a.example", "--tier", "2", *NO_BROWSER], 3, "browser_missing"),
        (["search", "x", *NO_BROWSER], 3, "browser_missing"),
    ],
)
def test_json_errors_all_have_the_same_fields(
    command: Command, arguments: list[str], code: int, kind: str
) -> None:
    ended = command(*arguments, "--json")
    record = json.loads(ended.stdout)
    assert ended.code == code
    assert list(record) == ["success", "error", "kind", "retryable", "effect", "advice"]
    assert record["success"] is False
    assert record["kind"] == kind
    assert record["retryable"] is (kind == "no_server")
    assert record["effect"] == "none"
    assert record["error"]
    assert record["advice"]


def test_doctor_without_browser_exits_with_3_and_reason(command: Command) -> None:
    ended = command("doctor", "--json", *NO_BROWSER)
    findings = {finding["subject"]: finding for finding in json.loads(ended.stdout)}
    assert ended.code == 3
    assert [name for name, finding in findings.items() if not finding["ok"]] == ["browser"]
    assert "/nonexistent/browser is not an executable file." in findings["browser"]["text"]
    assert "page" not in findings


def test_log_directory_receives_command_failures_without_traceback_on_stderr(
    run: Command, tmp_path: Path
) -> None:
    config, logs = tmp_path / "my.yaml", tmp_path / "new" / "logs"
    config.write_text(f"log: {{dir: '{logs}', level: info}}\n")
    ended = run("read", "https://a.example", "-t", "2", *NO_BROWSER, "--config", str(config))
    assert (ended.code, ended.stdout) == (3, "")
    (file,) = logs.glob("tabwright-????-??-??.log")
    written = file.read_text()
    assert "INFO tabwright.actors page-browser-0 crashed: BrowserMissing" in written
    assert "INFO tabwright.shell A command failed: browser_missing" in written
    assert "Traceback" not in ended.stderr
    assert 'File "' in written
    assert written.splitlines()[0] in ended.stderr


def test_log_without_directory_goes_to_stderr_only() -> None:
    with new_root_log() as root:
        _set_up_logging(log_settings(level="debug", dir=None))
        (handler,) = root.handlers
        assert isinstance(handler, logging.StreamHandler)
        assert handler.stream is sys.stderr
        assert root.level == logging.DEBUG


def test_unwritable_log_dir_setting_raises_settings_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    settings = log_settings(level="info", dir=str(tmp_path / "file"))
    with new_root_log(), pytest.raises(SettingsError, match=r"log\.dir"):
        _set_up_logging(settings)


def test_log_file_is_skipped_when_state_directory_is_unwritable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with new_root_log() as root:
        _set_up_logging(log_settings(level="info", dir="auto"))
        assert len(root.handlers) == 1
    assert "no log is written" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signal_shuts_server_down_with_exit_code_128_plus_number(number: signal.Signals) -> None:
    with subprocess.Popen(
        [*REAL, "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n')
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        server.send_signal(number)
        assert server.wait(30) == 128 + number


def test_end_of_input_shuts_server_down_with_exit_code_0(run: Command) -> None:
    assert run("serve") == Ended(0, "", "")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--max-tokens", "0"), "max_tokens is 0"),
        (("--batch-concurrency", "0"), "it must be at least 1"),
        (("--batch", "/nonexistent/urls"), "does not exist"),
        (("--offset", "-1"), "offset is -1"),
    ],
)
def test_invalid_browse_options_are_reported(
    command: Command, arguments: tuple[str, ...], text: str
) -> None:
    urls = () if "--batch" in arguments else ("https://a.example/",)
    ended = command("read", *urls, *arguments)
    assert (ended.code, ended.stdout) == (2, "")
    assert text in ended.stderr


@pytest.mark.parametrize(("flags", "identity"), [([], "honest"), (["--stealth"], "ordinary")])
def test_stealth_flag_sets_ordinary_browser_identity(flags: list[str], identity: str) -> None:
    options = parser().parse_args(["read", *flags, "https://a.example/"])
    assert settings_from(*layers(options)).browser.identity == identity


def test_signing_key_command_creates_key_once_and_prints_public_part(
    run: Command, tmp_path: Path
) -> None:
    file = tmp_path / "key.pem"
    first = run("config", "signing-key", str(file))
    written = file.read_bytes()
    second = run("config", "signing-key", "--set", f"network.signing={{key: {file}}}")
    assert (first.code, second.code) == (0, 0)
    assert first.stdout == second.stdout
    assert file.read_bytes() == written
    (published,) = json.loads(first.stdout)["keys"]
    assert published["kid"] in first.stderr
    assert "d" not in published


def test_signing_key_refuses_file_that_is_not_a_key(run: Command, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("notes")
    assert run("config", "signing-key", str(file)).code == 2
    assert file.read_text() == "notes"
    assert run("config", "signing-key").code != 0
