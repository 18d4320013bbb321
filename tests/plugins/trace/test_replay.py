"""Replays, with fake sessions that record the requested actions."""

from pathlib import Path

import attrs
import pytest

from tabwright.config.loader import override, settings_from
from tabwright.plugins.trace.events import TraceEvent, TraceHeader, recorded_action
from tabwright.plugins.trace.records import ElementDescription, PerformedAction, RecordedTarget
from tabwright.plugins.trace.replay import TraceReplay
from tabwright.plugins.trace.trace_file import Trace
from tabwright.protocol.actions import Click, FieldValue, Fill, SimpleAction, Type, Upload
from tabwright.protocol.errors import BadInput
from tabwright.protocol.sessions import Sessions

FIELD = ElementDescription(ref="7.1", role="textbox", name="Name", around=("Name",))
TARGET = RecordedTarget("1.1", FIELD)
HEADER = TraceHeader(session="s", started=0, made_by="1")


@attrs.define(eq=False)
class RecordingSessions:
    """Fake sessions on a page with one field, which record the actions."""

    page: tuple[ElementDescription, ...] = (FIELD,)
    actions: list[SimpleAction] = attrs.field(factory=list[SimpleAction])

    async def ask(self, method, _session: str, *asked: object, **_others: object) -> object:
        if method is Sessions.act:
            self.actions.extend(asked)
        return self.page if method is Sessions.inspect else None


async def replayed(sessions: RecordingSessions, action: SimpleAction, **values: object):
    recorded = recorded_action(PerformedAction(action, (TARGET,), done=True))
    events = (
        TraceEvent(number=1, kind="navigate", request={"url": "https://shop.example/"}),
        TraceEvent(number=2, kind="action", request={"type": "x"}, performed=(recorded,)),
    )
    settings = settings_from(override(acting__downloads=None, acting__upload_roots=[]))
    replay = TraceReplay(sessions, settings, "s", find_s=0, **values)
    return await replay.run(Trace(HEADER, events, {}))


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (Type("1.1", "a{{PIN}}{Enter}"), Type("7.1", "a1\\{Tab}{Enter}")),
        (Type("1.1", "a{{PIN}}", literal=True), Type("7.1", "a1{Tab}", literal=True)),
        (Fill((FieldValue("Name", "{{PIN}}"),)), Fill((FieldValue("7.1", "1{Tab}"),))),
    ],
)
async def test_secret_with_key_syntax_is_typed_literally(action, expected):
    sessions = RecordingSessions()
    report = await replayed(sessions, action, secrets={"PIN": "1{Tab}"})
    assert (sessions.actions, report.failure) == ([expected], None)


async def test_missing_secret_is_refused_before_the_first_step():
    sessions = RecordingSessions()
    with pytest.raises(BadInput):
        await replayed(sessions, Type("1.1", "{{PIN}}"), secrets={"OTHER": "x"})
    assert sessions.actions == []


async def test_file_outside_the_folders_for_uploads_is_refused(tmp_path: Path):
    (tmp_path / "key").write_text("x")
    sessions = RecordingSessions()
    report = await replayed(sessions, Upload("1.1", (str(tmp_path / "key"),)))
    assert (sessions.actions, report.failure.kind) == ([], "bad_input")


async def test_report_of_a_missing_element_is_without_secrets():
    sessions = RecordingSessions(page=())
    report = await replayed(sessions, Click("1.1"), secrets={"PIN": "Name"})
    assert (sessions.actions, report.failure.kind) == ([], "not_clear")
    assert "Name" not in report.failure.text
