"""The identity that is presented to sites, derived from a browser's client hints."""

import pytest

from tabwright.browser.identity import Identity, agreeing

HINTS = {"platform": "Linux"}


class ScriptedBrowser:
    """A fake browser that answers requests for its client hints from a list."""

    def __init__(self, *answers):
        self._answers = iter(answers)

    async def ask(self):
        return next(self._answers)


def hints_in(command):
    return command.params.get("userAgentMetadata")


async def test_missing_client_hints_are_requested_again() -> None:
    kept = []
    reported, identity = ScriptedBrowser(None, HINTS), Identity("Chrome/1", keep=kept.append)
    commands = [await identity.command(reported.ask) for _ in range(3)]
    assert [hints_in(command) for command in commands] == [None, HINTS, HINTS]
    assert kept == [HINTS]


@pytest.mark.parametrize("hints", [HINTS, {}])
async def test_client_hints_are_queried_only_once(hints) -> None:
    reported, identity = ScriptedBrowser(hints), Identity("Chrome/1")
    commands = [await identity.command(reported.ask) for _ in range(2)]
    assert [hints_in(command) for command in commands] == [hints or None] * 2


async def test_hints_of_a_build_are_not_queried_at_its_next_start(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = Identity("HeadlessChrome/1", build="one")
    await first.command(ScriptedBrowser(HINTS).ask)
    later = Identity("HeadlessChrome/1", build="one")
    assert hints_in(await later.command(ScriptedBrowser().ask)) == HINTS


@pytest.mark.parametrize(("build", "is_damaged"), [("two", False), ("", False), ("one", True)])
async def test_hints_of_another_build_are_queried(build, is_damaged, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    await Identity("HeadlessChrome/1", build="one").command(ScriptedBrowser(HINTS).ask)
    if is_damaged:
        (file,) = tmp_path.rglob("*.json")
        file.write_bytes(file.read_bytes()[:-1])
    other = {"platform": "macOS"}
    identity = Identity("HeadlessChrome/1", build=build)
    assert hints_in(await identity.command(ScriptedBrowser(other).ask)) == other


async def test_missing_hints_are_not_kept_for_a_build(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    await Identity("HeadlessChrome/1", build="one").command(ScriptedBrowser(None).ask)
    identity = Identity("HeadlessChrome/1", build="one")
    assert hints_in(await identity.command(ScriptedBrowser(HINTS).ask)) == HINTS


CHROMIUM = {"brand": "Chromium", "version": "156"}
HEADLESS = {"brand": "HeadlessChrome", "version": "156"}


@pytest.mark.parametrize("brands", [(CHROMIUM,), (CHROMIUM, HEADLESS)])
@pytest.mark.parametrize(
    ("agent", "agreed"),
    [("HeadlessChrome/156.0.0.0", (CHROMIUM, HEADLESS)), ("Chrome/156.0.0.0", (CHROMIUM,))],
)
def test_hints_have_the_headless_brand_if_the_user_agent_has(brands, agent, agreed) -> None:
    hints = {"brands": brands, "fullVersionList": brands, "platform": "Linux"}
    assert agreeing(hints, agent) == {
        "brands": agreed,
        "fullVersionList": agreed,
        "platform": "Linux",
    }


async def test_workers_have_the_identity_once_the_hints_are_known() -> None:
    identity = Identity("Chrome/1", is_own=False)
    assert identity.for_workers() == ()
    command = await identity.command(ScriptedBrowser(HINTS).ask)
    assert identity.for_workers() == (command,)
    assert Identity("Chrome/1", hints=HINTS).for_workers() == ()
