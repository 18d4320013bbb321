"""The output and the files of ``tabwright trace`` and ``tabwright trace replay``."""

from pathlib import Path

import attrs
import msgspec
import pytest

from tabwright.cli.command_line import parse
from tabwright.cli.exit_codes import ExitCode
from tabwright.config.loader import override, settings_from
from tabwright.plugins.trace.events import TraceEvent, TraceHeader, recorded_action
from tabwright.plugins.trace.records import (
    ElementDescription,
    PerformedAction,
    RecordedTarget,
    ReplayCandidate,
    ReplayFailure,
    ReplayReport,
)
from tabwright.plugins.trace.replay_command import ReplayOptions, report_text, secret_values
from tabwright.plugins.trace.trace_file import SUFFIX, append_event, create_trace
from tabwright.protocol.actions import Click, Type
from tabwright.protocol.errors import BadInput

SAVE = RecordedTarget("1.1", ElementDescription(role="button", name="Save"))
FIELD = RecordedTarget("1.2", ElementDescription(role="password", name="Password"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = create_trace(tmp_path, TraceHeader(session="s", started=0, made_by="1"), "now")
    events = (
        TraceEvent(number=1, kind="navigate", request={"url": "https://shop.example/"}),
        TraceEvent(
            number=2,
            kind="action",
            request={"type": "RunSteps"},
            performed=(
                recorded_action(PerformedAction(Type("1.2", "{{PASS}}"), (FIELD,), done=True)),
                recorded_action(PerformedAction(Click("1.1"), (SAVE,), done=True)),
            ),
        ),
    )
    for event in events:
        append_event(path, msgspec.to_builtins(event), event.number, b"")
    return path


async def run(*arguments: str | Path) -> int:
    options = parse(["trace", *map(str, arguments)])
    return await options.command.work(settings_from(), options)


async def test_trace_is_printed_as_text_and_as_json(file, capsys):
    assert await run("show", "--text", file) == 0
    assert "1. Open https://shop.example/" in capsys.readouterr().out
    assert await run("show", "--json", file) == 0
    assert len(msgspec.json.decode(capsys.readouterr().out)["events"]) == 2


async def test_page_of_a_trace_is_written_for_its_user_only(file, tmp_path, capsys):
    page = tmp_path / "trace.html"
    assert await run("show", "-o", page, file) == 0
    assert page.read_text().startswith("<!doctype html>")
    assert page.stat().st_mode & 0o777 == 0o600
    assert str(page) in capsys.readouterr().out


@pytest.mark.parametrize("form", ["run", "python", "playwright", "har"])
async def test_trace_is_exported_to_standard_output_or_a_file(form, file, tmp_path, capsys):
    assert await run("export", "--to", form, file) == 0
    printed = capsys.readouterr().out
    assert await run("export", "--to", form, "-o", tmp_path / "out", file) == 0
    assert (tmp_path / "out").read_text() == printed != ""


async def test_trace_command_with_missing_format_ffmpeg_or_file_is_refused(
    file, tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("PATH", str(tmp_path))
    missing = tmp_path / "no.zip"
    for arguments in (
        ("export", file),
        ("export", "--to", "video", file),
        ("export", "--to", "video", "-o", tmp_path / "x.webm", file),
        ("show", "--text", missing),
    ):
        assert await run(*arguments) == ExitCode.WRONG_USE
        assert capsys.readouterr().err


def test_replay_uses_only_secrets_that_are_named(file, tmp_path):
    (tmp_path / "secrets").write_text("PASS=from the file\n")
    settings = settings_from(override(acting__secrets=str(tmp_path / "secrets")))
    options = ReplayOptions(path=file)
    assert secret_values(options, settings) == {}
    named = attrs.evolve(options, secrets=("PASS",))
    assert secret_values(named, settings) == {"PASS": "{{PASS}}"}
    given = attrs.evolve(options, secrets=("PASS=a=b",))
    assert secret_values(given, settings) == {"PASS": "a=b"}
    with pytest.raises(BadInput):
        secret_values(attrs.evolve(options, secrets=("OTHER",)), settings)


def test_report_names_the_step_and_the_candidates():
    candidate = ReplayCandidate("1.5", "button", "Save\n", "All", 9.5, "another neighborhood")
    failure = ReplayFailure(3, 'Click button "Save"', "not_clear", "None is clear.", (candidate,))
    lines = report_text(ReplayReport(("Open /",), failure)).splitlines()
    assert lines[0] == "done: Open /"
    assert lines[1].startswith("FAILED at step 3")
    assert lines[-1].startswith('- [1.5] button "Save "')
    assert report_text(ReplayReport(("a", "b"))).endswith("All 2 steps were done.")


def test_name_of_a_trace_ends_with_its_suffix(file):
    assert file.name.endswith(SUFFIX)
