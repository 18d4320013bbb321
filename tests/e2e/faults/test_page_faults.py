"""Pages that crash, hang, flood or open other pages, in a real Chromium."""

import os
import signal
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
import trio

from tabwright.protocol.actions import Click
from tabwright.protocol.errors import PageFailed, TabLost, TabwrightError, TimeOut
from tabwright.protocol.inspection import Capture, ListDownloads, TakeOutline
from tabwright.protocol.sessions import Sessions
from tabwright.sessions.session_tab import TABS_MAX

pytestmark = [pytest.mark.chromium, pytest.mark.own_browser]

BOUND_S = 60

PATIENCE_S = 120
"""How long a page may take beside four others, two of which use all the CPU that they get."""

GIVEN_UP_S = 15
"""How long a page may take that never loads."""

TEXT = "<h1>Hostile</h1><p>It has a text all the same.</p>"

LONE = "<h1>Half a pair</h1><script>document.title = '\\ud800 half a pair'</script>"
RELOADING = "<h1>Reloads</h1><script>setTimeout(() => location.reload(), 20)</script>"

SPITEFUL = {
    "/frames": TEXT + "".join(f"<iframe src=/404?{number}></iframe>" for number in range(200)),
    "/console": TEXT + "<script>setInterval(() => { for (let i = 0; i < 3000; i++)"
    " console.log('x'.repeat(1000)) }, 1)</script>",
    "/churn": TEXT + "<script>setInterval(() => { document.querySelector('ol')?.remove();"
    " const list = document.createElement('ol'); list.innerHTML = '<li>x'.repeat(2_000);"
    " document.body.append(list) }, 50)</script>",
    "/pop-ups": TEXT + "<script>for (let i = 0; i < 60; i++) window.open('/article?' + i)</script>",
    "/lone": TEXT + "<script>document.title = '\\ud800 half a pair'</script>",
}
"""What is read all the same."""

HOPELESS = {
    "/deep": TEXT + "<script>let at = document.body; for (let i = 0; i < 100_000; i++) {"
    " at.append(document.createElement('div')); at = at.lastChild }</script>",
    "/endless": "<script>document.body.append('x'.repeat(300 << 20))</script>",
    "/reload": TEXT + "<script>setTimeout(() => location.reload(), 20)</script>",
    "/alerts": TEXT + "<script>while (true) alert('Again')</script>",
    "/loop": TEXT + "<script>while (true);</script>",
}
"""What is given up, or read as far as it goes."""


async def browse_beside_each_other(trial, paths) -> dict[str, str]:
    """Read pages at the same time; return the texts of those that succeed."""
    texts = {}

    async def read(path: str) -> None:
        with suppress(PageFailed, TimeOut):
            texts[path] = (await trial.browse(path, "localhost")).text

    with trio.fail_after(PATIENCE_S + BOUND_S):
        async with trio.open_nursery() as nursery:
            for path in paths:
                nursery.start_soon(read, path)
    return texts


@pytest.mark.nightly
async def test_pages_that_flood_or_spawn_pop_ups_are_read_concurrently(oracle, web):
    for path, body in SPITEFUL.items():
        web.put(path, body)
    blocking_pop_ups = "chromium"  # which the headless shell does not
    async with oracle(network__page_timeout_s=PATIENCE_S, browser__path=blocking_pop_ups) as trial:
        texts = await browse_beside_each_other(trial, SPITEFUL)
    assert {path for path, text in texts.items() if "a text all the same" in text} == {*SPITEFUL}


@pytest.mark.nightly
async def test_pages_that_never_finish_are_given_up_and_later_ones_are_read(oracle, web):
    for path, body in (SPITEFUL | HOPELESS).items():
        web.put(path, body)
    async with oracle(network__page_timeout_s=GIVEN_UP_S, browser__path="chromium") as trial:
        texts = await browse_beside_each_other(trial, HOPELESS)
        after = await browse_beside_each_other(trial, ["/lone"])
    assert not {"/loop", "/alerts"} & {*texts}
    assert "a text all the same" in after["/lone"]


async def test_page_exceeding_its_heap_limit_loses_only_its_tab(oracle, web):
    web.put("/p", "<button onclick='for (const all = [];;) all.push([...Array(1e5)])'>Go</button>")
    async with oracle(browser__extra_args=["--js-flags=--max-old-space-size=64"]) as trial:
        await trial.enter("/p")
        button = (await trial.ask(TakeOutline())).controls[0]
        error = await trial.refused(partial(trial.ask, Click(button.ref)))
    assert isinstance(error, TabLost)  # it has crashed, or collects garbage for ever


@pytest.mark.nightly
async def test_popup_storm_cannot_exceed_maximum_tabs_of_session(oracle, web):
    web.put("/p", "<a href=/404 target=_blank>Up</a>" * 30)
    async with oracle(browser__extra_args=["--disable-popup-blocking"]) as trial:
        await trial.enter("/p")
        with trio.fail_after(BOUND_S):
            await trial.value("document.querySelectorAll('a').forEach(link => link.click())")
        tabs = await trial.tabwright.parts.sessions.ask(Sessions.change_tabs, "s")
    assert len(tabs) == TABS_MAX


async def test_background_tabs_can_be_captured(oracle):
    async with oracle() as trial:
        for _ in range(4):
            await trial.enter("/article", new_tab=True)
        pictures = [await trial.ask(Capture(), tab=tab) for tab in range(1, 6)]
    assert all(picture.data for picture in pictures)


def downloaded(members) -> list[Path]:
    """Return everything in the download folder, at any depth."""
    return list((members.folder / "downloads").rglob("*"))


@pytest.mark.nightly
async def test_download_in_a_browser_that_is_killed_leaves_no_partial_file(
    oracle, web, members, until
):
    web.put("/p", "<a href=/drip download=drip>Get</a>")
    async with oracle("goes") as trial:
        await trial.enter("/p")
        link = (await trial.ask(TakeOutline())).controls[0]
        await trial.ask(Click(link.ref))
        await until(lambda: [path for path in downloaded(members) if path.is_file()])
        for browser in members.browsers:
            os.kill(browser, signal.SIGKILL)
        await until(lambda: not downloaded(members))


async def test_a_download_without_end_is_stopped_when_it_is_too_large(oracle, web, members, until):
    web.put("/p", "<a href=/big download=big>Get</a>")
    async with oracle(acting__file_bytes_max=1_000_000) as trial:
        await trial.enter("/p")
        link = (await trial.ask(TakeOutline())).controls[0]
        await trial.ask(Click(link.ref))
        with trio.fail_after(60):
            while [file.state for file in await trial.ask(ListDownloads())] != ["too large"]:
                await trio.sleep(0.1)
        await until(lambda: not [path for path in downloaded(members) if path.is_file()])


async def test_endless_script_error_includes_advice(oracle):
    async with oracle() as trial:
        error = await trial.refused(partial(trial.value, "new Promise(() => {})"))
    assert error.advice


async def test_download_of_a_read_page_is_not_written_to_the_home_directory(
    oracle, web, monkeypatch, tmp_path
):
    monkeypatch.setenv("HOME", str(tmp_path))
    web.put("/p", "<a href=/big download=big>Get</a><script>document.links[0].click()</script>")
    async with oracle() as trial:
        await trial.browse("/p")
    assert web.asked("/big")
    assert not (tmp_path / "Downloads").exists()


async def test_page_with_a_lone_surrogate_in_its_title_can_be_acted_on(oracle, web):
    web.put("/p", LONE)
    async with oracle() as trial:
        await trial.enter("/p")
        assert "Half a pair" in (await trial.ask(TakeOutline())).text


@pytest.mark.nightly
async def test_endlessly_reloading_page_can_be_left(oracle, web):
    web.put("/p", RELOADING)
    async with oracle(network__page_timeout_s=15) as trial:
        with trio.fail_after(60):
            try:
                await trial.enter("/p")
            except TabwrightError as error:
                assert error.retryable
        with trio.fail_after(60):
            assert (await trial.enter("/table")).url.endswith("/table")
