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


def test_what_is_written_is_read_again(tmp_path):
    files = SessionFiles(tmp_path / "sessions")
    assert not files.has("work")
    path = files.write("work", SAVED)
    assert files.has("work")
    assert files.read("work") == SAVED
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_of_a_session_that_never_was_there_is_nothing(tmp_path):
    assert SessionFiles(tmp_path).read("none") == Saved()


def test_a_file_from_before_there_was_storage_is_read(tmp_path):
    (tmp_path / "old.json").write_text(
        '{"cookies": [], "urls": ["https://a.example/"], "place": 0}'
    )
    assert SessionFiles(tmp_path).read("old") == Saved(urls=("https://a.example/",), place=0)


def test_a_file_that_is_none_is_reported(tmp_path):
    files = SessionFiles(tmp_path)
    files.write("work", SAVED).write_text("{")
    with pytest.raises(BadInput, match="cannot be read"):
        files.read("work")


def test_what_is_forgotten_is_gone(tmp_path):
    files = SessionFiles(tmp_path)
    files.write("work", SAVED)
    files.forget("work")
    files.forget("work")
    assert files.read("work") == Saved()


def test_what_cannot_be_forgotten_is_reported(tmp_path):
    (tmp_path / "work.json").mkdir()
    with pytest.raises(BadInput, match="was not deleted"):
        SessionFiles(tmp_path).forget("work")


def test_a_folder_that_cannot_be_made_is_reported(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(BadInput, match="was not saved"):
        SessionFiles(tmp_path / "taken").write("work", SAVED)


def test_session_with_a_secret_is_kept_without_it(tmp_path):
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
