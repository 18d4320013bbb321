"""Token files, and the settings of each user."""

import pytest

from tabwright.config.loader import override, settings_from
from tabwright.plugins.server.principals import (
    ONLY,
    TokenRefused,
    read_tokens,
    require_shareable,
    settings_for,
)
from tabwright.protocol.errors import SettingsError

ANN, BOB = "a" * 24, "b" * 24


@pytest.fixture
def write(tmp_path):
    def written(text):
        path = tmp_path / "tokens"
        path.write_text(text)
        return path

    return written


async def test_each_token_maps_to_its_user(write):
    tokens = read_tokens(write(f"# comment\n\nann {ANN}\nbob@example.org  {BOB}\n"))
    assert tokens.shared
    assert await tokens.principal(ANN) == "ann"
    assert await tokens.principal(BOB) == "bob@example.org"


@pytest.mark.parametrize("text", [ANN, f"ann {ANN}", f"ann {ANN}\nann {BOB}"])
async def test_tokens_of_a_single_user_map_to_the_only_user(write, text):
    tokens = read_tokens(write(text))
    assert not tokens.shared
    assert await tokens.principal(ANN) == ONLY


@pytest.mark.parametrize("token", ["", "ann", ANN[1:], f"{ANN} ", ANN.upper(), f"ann {ANN}"])
async def test_unknown_token_is_refused(write, token):
    with pytest.raises(TokenRefused):
        await read_tokens(write(f"ann {ANN}")).principal(token)


@pytest.mark.parametrize(
    "text",
    ["", "# only a comment", "ann short", "short", f"a/b {ANN}", f"ann {ANN} more", f"- {ANN}"],
)
def test_invalid_token_line_is_refused_without_showing_the_token(write, text):
    with pytest.raises(SettingsError) as refused:
        read_tokens(write(text))
    assert ANN not in str(refused.value)


def test_tokens_are_not_shown_in_logs(write):
    assert ANN not in repr(read_tokens(write(f"ann {ANN}")))


@pytest.mark.parametrize(
    "pair", [("ann", "bob"), ("a/b", "a_b"), ("..", "."), ("A" * 99, "A" * 98)]
)
def test_users_have_separate_session_and_download_folders(pair, tmp_path):
    settings = settings_from(override(session__dir=str(tmp_path)))
    one, other = (settings_for(name, settings) for name in pair)
    assert one.session.dir != other.session.dir
    assert one.acting.downloads != other.acting.downloads
    for chosen in (one, other):
        assert chosen.session.dir.startswith(f"{tmp_path}/users/")
        assert ".." not in chosen.session.dir.split("/")


def test_only_user_gets_the_settings_unchanged():
    settings = settings_from()
    assert settings_for(ONLY, settings) is settings


def test_personal_settings_are_refused_for_a_shared_server(tmp_path):
    secrets = tmp_path / "secrets"
    secrets.touch()
    require_shareable(settings_from())
    for personal in (override(session__own="default"), override(acting__secrets=str(secrets))):
        with pytest.raises(SettingsError):
            require_shareable(settings_from(personal))


@pytest.mark.parametrize(("mode", "is_open"), [(0o600, False), (0o640, False), (0o644, True)])
def test_world_readable_token_file_is_warned_about(write, caplog, mode, is_open):
    path = write(f"ann {ANN}")
    path.chmod(mode)
    read_tokens(path)
    assert (str(path) in caplog.text) is is_open
