import stat

import pytest

from tabwright.config.secrets import Secrets
from tabwright.protocol.errors import BadInput
from tabwright.protocol.fetch import Cookie
from tabwright.protocol.tab import OriginStorage
from tabwright.sessions.store import Saved, SessionFiles

SAVED = Saved(
    (Cookie("id", "1", "a.example", expires_s=2e9),),
    ("https://a.example/",),
    0,
    (OriginStorage("https://a.example", (("token", "\u2028 1"),)),),
)


def test_session_file_round_trips_with_private_permissions(tmp_path):
    files = SessionFiles(tmp_path / "sessions")
    assert not files.has("work")
    path = files.write("work", SAVED)
    assert files.has("work")
    assert files.read("work") == SAVED
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_unknown_session_reads_as_empty(tmp_path):
    assert SessionFiles(tmp_path).read("none") == Saved()


def test_session_file_without_storage_is_read(tmp_path):
    (tmp_path / "old.json").write_text(
        '{"cookies": [], "urls": ["https://a.example/"], "place": 0}'
    )
    assert SessionFiles(tmp_path).read("old") == Saved(urls=("https://a.example/",), place=0)


def test_corrupt_session_file_is_reported(tmp_path):
    files = SessionFiles(tmp_path)
    files.write("work", SAVED).write_text("{")
    with pytest.raises(BadInput, match="cannot be read"):
        files.read("work")


def test_forgotten_session_reads_as_empty(tmp_path):
    files = SessionFiles(tmp_path)
    files.write("work", SAVED)
    files.forget("work")
    files.forget("work")
    assert files.read("work") == Saved()


def test_failed_deletion_of_a_session_file_is_reported(tmp_path):
    (tmp_path / "work.json").mkdir()
    with pytest.raises(BadInput, match="was not deleted"):
        SessionFiles(tmp_path).forget("work")


def test_uncreatable_session_folder_is_reported(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(BadInput, match="was not saved"):
        SessionFiles(tmp_path / "taken").write("work", SAVED)


def test_saved_session_omits_secrets(tmp_path):
    secrets = Secrets({"WORD": 'p@ss&"word'})
    saved = Saved(
        (Cookie("id", "1", "a.example"), Cookie("was", "p%40ss%26%22word", "a.example")),
        ("https://a.example/?p=p%40ss%26%22word", "https://a.example/"),
        1,
        (OriginStorage("https://a.example", (("kept", "1"), ("form", '{"p": "p@ss&\\"word"}'))),),
    )
    files = SessionFiles(tmp_path, secrets)
    path = files.write("work", saved)
    assert secrets.masked(path.read_text()) == path.read_text()
    assert files.read("work") == Saved(
        (Cookie("id", "1", "a.example"),),
        ("https://a.example/?p={{WORD}}", "https://a.example/"),
        1,
        (OriginStorage("https://a.example", (("kept", "1"),)),),
    )
