"""Actions that lead to pages, tabs, downloads or nowhere, in a real Chromium."""

import stat
from pathlib import Path

import pytest
import trio

from tabwright.protocol.actions import Click, WaitFor
from tabwright.protocol.errors import NavigationFailed, TabClosed
from tabwright.protocol.inspection import ListDownloads, TakeOutline
from tabwright.protocol.sessions import Sessions
from tabwright.testing.replica.server import ServerResponse, html, redirect
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

SLOW_S = 1.5


def titled(title: str, body: str = "", status: int = 200) -> ServerResponse:
    html = f"<!doctype html><title>{title}</title><h1>{title}</h1>{body}"
    return ServerResponse(html.encode(), status=status)


def file(data: bytes, disposition: str = "attachment") -> ServerResponse:
    headers = (("Content-Disposition", disposition),)
    return ServerResponse(data, content_type="application/octet-stream", headers=headers)


async def late(exchange):
    await trio.sleep(SLOW_S)
    await exchange.answer(titled("Slow"))


async def test_click_reports_final_page_for_every_kind_of_navigation(agent):
    agent.stand.pages |= {
        "/plain": titled("Plain"),
        "/slow": late,
        "/hop": redirect("/hop/two"),
        "/hop/two": redirect("/plain"),
        "/hopping": titled("Hopping", "<script>location = '/hopping/two'</script>"),
        "/hopping/two": titled("Two", "<meta http-equiv=refresh content='0;url=/plain'>"),
    }
    await agent.show(
        "<a href=/plain>Plain link</a><button onclick=\"setTimeout(() => location = '/slow', 50)\">"
        "Slow button</button><a href=/hop>Redirected</a><a href=/hopping>Hopping</a>"
        "<form action=/plain><input name=q><button>Send</button></form>"
    )
    ends = {}
    for name in ("Plain link", "Slow button", "Redirected", "Hopping", "Send"):
        await agent.go("/")
        ends[name] = await agent.click(f'"{name}"')
    paths = {name: one.url.removeprefix(agent.stand.url("")) for name, one in ends.items()}
    assert paths == {
        "Plain link": "/plain",
        "Slow button": "/slow",
        "Redirected": "/plain",
        "Hopping": "/plain",
        "Send": "/plain?q=",
    }
    assert [one.navigated.status for one in ends.values()] == [200] * 5
    assert all("# " in one.changes for one in ends.values())


@pytest.mark.whole_browser
async def test_clicks_that_load_no_page_are_reported_and_session_survives(agent):
    agent.stand.pages |= {
        "/gone": titled("Gone", status=404),
        "/broken": titled("Broken", status=500),
        "/private": ServerResponse(
            status=401, headers=(("WWW-Authenticate", 'Basic realm="Private"'),)
        ),
        "/nothing": ServerResponse(status=204),
    }
    await agent.show(
        "<a href=/gone>Gone</a><a href=/broken>Broken</a><a href=http://127.0.0.1:2/>Refused</a>"
        "<a href=http://127.0.0.1:1/>Unsafe</a><a href=http://nowhere.invalid/>Nowhere</a>"
        "<a href=/private>Private</a><a href=/nothing>Nothing</a><a href=mailto:a@b.c>Mail</a>"
        "<a href=#part>Part</a>"
        '<form onsubmit="event.preventDefault()"><button>Stay</button></form>'
        "<a href=\"javascript:note('ran')\">Script</a><p id=part>Part</p>"
    )
    gone = await agent.click('"Gone"')
    await agent.go("/")
    broken = await agent.click('"Broken"')
    refusals = {}
    for name in ("Refused", "Unsafe", "Nowhere", "Private"):
        await agent.go("/")
        refusals[name] = await agent.refused(Click(await agent.ref(f'"{name}"')))
    await agent.go("/")
    for name in ("Nothing", "Mail", "Part", "Stay", "Script"):
        stayed = await agent.click(f'"{name}"')
        assert stayed.url.startswith(agent.stand.url("/")), name
    assert (gone.navigated.status, broken.navigated.status) == (404, 500)
    assert {type(one) for one in refusals.values()} == {NavigationFailed}
    assert "ERR_CONNECTION_REFUSED" in str(refusals["Refused"])
    assert "ERR_UNSAFE_PORT" in str(refusals["Unsafe"])
    assert "ERR_NAME_NOT_RESOLVED" in str(refusals["Nowhere"])
    assert "user name and a password" in str(refusals["Private"])
    assert await agent.notes() == ["ran"]


@pytest.mark.whole_browser
async def test_outline_after_refused_link_navigation_names_the_error(agent):
    await agent.show("<a href=http://127.0.0.1:1/>Refused</a><p>Here</p>")
    await agent.refused(Click(await agent.ref('"Refused"')))
    seen = await agent.see()
    assert "ERR_UNSAFE_PORT" in seen


async def test_push_state_url_change_is_not_a_navigation(agent):
    await agent.show(
        "<button onclick=\"history.pushState(0, '', '/app/two'); view.textContent = 'Two'\">Two"
        "</button><p id=view>One</p><script>onpopstate = () => { view.textContent = 'Back' }"
        "</script>"
    )
    ref = await agent.ref('"Two"')
    pushed = await agent.ask(Click(ref))
    again = await agent.ask(Click(ref))
    assert (pushed.url, pushed.navigated) == (agent.stand.url("/app/two"), None)
    assert "+ Two" in pushed.changes
    assert again.description


async def test_pages_opened_by_links_and_scripts_become_numbered_tabs(agent):
    agent.stand.pages |= {
        "/second": titled("Second", "<button onclick=opener.note('called')>Call</button>"),
        "/third": titled("Third", "<script>alert('Welcome'); alert('Again')</script>"),
        "/noopener": titled("Alone"),
    }
    await agent.show(
        "<a href=/noopener target=_blank>Blank</a>"
        "<button onclick=\"window.open('/second')\">Open</button>"
        "<button onclick=\"window.open('/third', '', 'width=300'); note('on')\">Pop</button>"
        "<button onclick=\"window.open('').document.body.innerHTML = '<h1>Written</h1>'\">Write"
        "</button><a href=/second target=_blank rel=noopener>Safe</a>"
    )
    opened = {}
    for name in ("Blank", "Open", "Pop", "Write", "Safe"):
        opened[name] = await agent.click(f'"{name}"')
        if name == "Open":
            await agent.click('"Call"')
        await agent.tabwright.parts.sessions.ask(Sessions.change_tabs, "s", "switch", 1)
    tabs = await agent.tabs()
    assert [[tab.number for tab in one.tabs] for one in opened.values()] == [
        [2],
        [3],
        [4],
        [5],
        [6],
    ]
    assert [tab.title for tab in tabs] == [
        "Hard to act on called on",
        "Alone",
        "Second",
        "Third",
        "",
        "Second",
    ]
    assert [tab.current for tab in tabs] == [True] + [False] * 5
    written = await agent.ask(TakeOutline(), 5)
    assert "# Written" in written.text
    left = await agent.tabwright.parts.sessions.ask(Sessions.change_tabs, "s", "close", 3)
    assert [tab.number for tab in left] == [1, 2, 4, 5, 6]


@cases("closing", ["window.close()", "setTimeout(() => window.close(), 50)", "opener.shut()"])
async def test_tab_closed_by_its_page_is_reported_and_replaced_as_current(agent, closing):
    agent.stand.pages["/second"] = titled("Second", f'<button onclick="{closing}">Done</button>')
    await agent.show(
        "<button onclick=\"other = window.open('/second')\">Open</button>"
        "<script>function shut() { other.close() }</script>"
    )
    for _ in range(3):
        await agent.click('"Open"')
        closed = await agent.refused(Click(await agent.ref('"Done"')))
        assert isinstance(closed, TabClosed)
        assert str(closed) == "The page closed the tab. Tab 1 is now the current tab."
        assert [tab.number for tab in await agent.tabs()] == [1]
    assert 'button "Open"' in await agent.see()
    assert len((await agent.tabwright.pool()).tabs) == 1


async def test_session_continues_in_new_tab_after_only_tab_closes_itself(agent):
    agent.stand.pages["/second"] = titled("Second", "<button onclick=window.close()>Done</button>")
    await agent.show("<a href=/second target=_blank rel=opener>Open</a>")
    await agent.click('"Open"')
    await agent.tabwright.parts.sessions.ask(Sessions.change_tabs, "s", "close", 1)
    assert isinstance(await agent.refused(Click(await agent.ref('"Done"'))), TabClosed)
    assert [tab.number for tab in await agent.tabs()] == [3]
    assert '"Open"' in await agent.go("/")


async def test_refs_of_another_tab_or_page_are_refused(agent):
    agent.stand.pages["/other"] = titled("Other", "<button onclick=this.remove()>Delete</button>")
    await agent.show("<button onclick=note('one')>One</button>")
    here = await agent.ref('"One"')
    await agent.go("/other", new_tab=True)
    elsewhere = await agent.refused(Click(here))
    await agent.go("/other")
    there = await agent.ref('"Delete"')
    await agent.go("/")
    stale = await agent.refused(Click(there))
    made_up = [await agent.refused(Click(ref)) for ref in ("1", "x.y", "99.1", "-1.2", "1.1.1", "")]
    assert "no element" in elsewhere.message
    assert agent.stand.url("/") in str(stale)
    assert len(made_up) == 6
    assert await agent.notes() == []


async def test_downloads_get_safe_names_and_respect_the_size_limit(stand, open_agent, tmp_path):
    stand.pages |= {
        "/file": file(b"abc", "attachment; filename=../../.bashrc"),
        "/again": file(b"abcd", "attachment; filename=../../.bashrc"),
        "/large": file(b"x" * 5000),
        "/inline.bin": file(b"inline", "inline"),
    }
    async with open_agent(acting__file_bytes_max=1000) as agent:
        await agent.show(
            "<a href=/file>File</a><button onclick=\"location = '/again'\">Again</button>"
            "<a href=/large>Large</a><a href=data:text/plain,made download=made.txt>Made</a>"
            "<a href=/inline.bin target=_blank>New tab</a>"
        )
        reported = [await agent.click(f'"{name}"') for name in ("File", "Again", "Large", "Made")]
        await agent.click('"New tab"')
        listed = await agent.ask(ListDownloads(), 1)
    assert all(one.url == stand.url("/") for one in reported)
    states = {one.url.rpartition("/")[2]: (one.state, one.size_bytes) for one in listed}
    folder = tmp_path / "downloads"
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir() if path.is_file()}
    assert all(Path(one.path).parent == folder for one in listed if one.path)
    assert states["file"] == ("complete", 3)
    assert states["large"][0] == "too large"
    assert sorted(files.values()) == [b"abc", b"abcd", b"inline", b"made"]
    assert modes == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


async def test_click_reports_downloaded_file(agent):
    agent.stand.pages["/file"] = file(b"abc", "attachment; filename=report.csv")
    await agent.show("<a href=/file>File</a>")
    outcome = await agent.click('"File"')
    (download,) = outcome.downloads
    assert (download.name, outcome.url) == ("report.csv", agent.stand.url("/"))


async def test_click_that_downloads_or_gets_204_keeps_page_url_and_status(agent):
    agent.stand.pages |= {
        "/": titled("Here", "<a href=/file>File</a><a href=/none>None</a>", status=203),
        "/file": file(b"abc"),
        "/none": ServerResponse(status=204),
    }
    await agent.go("/")
    for name in ("File", "None"):
        await agent.click(f'"{name}"')
        shown = await agent.tabwright.parts.sessions.ask(Sessions.snapshot, "s")
        assert (shown.url, shown.status) == (agent.stand.url("/"), 203)
        assert (shown.title, shown.media_type) == ("Here", "text/html")


async def test_click_navigation_updates_the_page_status(agent):
    agent.stand.pages["/next"] = titled("Next", status=203)
    await agent.show("<a href=/next>On</a>")
    await agent.click('"On"')
    assert (await agent.tabwright.parts.sessions.ask(Sessions.snapshot, "s")).status == 203


async def test_wait_for_is_fulfilled_by_next_page(agent):
    agent.stand.pages["/next"] = titled("Next", "<p class=late>Arrived</p>")
    await agent.show("<p>Wait</p><script>setTimeout(() => { location = '/next' }, 600)</script>")
    outcome = await agent.ask(WaitFor("Arrived", selector=".late", url="/next"))
    missing = await agent.refused(WaitFor("Never", seconds=0.3))
    wrong = await agent.refused(WaitFor(selector="p[", seconds=0.3))
    assert outcome.url == agent.stand.url("/next")
    assert "'Never'" in missing.message
    assert "selector" in str(wrong)


async def test_session_goes_back_and_forward_through_clicked_links(agent):
    agent.stand.pages["/next"] = titled("Next")
    await agent.show("<a href=/next>On</a>")
    await agent.click('"On"')
    back = await agent.tabwright.parts.sessions.ask(Sessions.enter, "s", "back")
    forward = await agent.tabwright.parts.sessions.ask(Sessions.enter, "s", "forward")
    assert (back.url, forward.url) == (agent.stand.url("/"), agent.stand.url("/next"))


ROUTED = (
    "<p id=route></p><script>let routes = 0; const show = () => "
    "route.textContent = `Route ${location.hash} ${++routes}`; onhashchange = show; show()</script>"
)


async def test_url_that_differs_in_its_fragment_alone_keeps_the_page(agent):
    agent.stand.pages["/app"] = titled("App", ROUTED)
    first = await agent.go("/app")
    second = await agent.go("/app#/orders")
    third = await agent.go("/app#/users")
    assert "Route 1" in first
    assert "Route #/orders 2" in second
    assert "Route #/users 3" in third
    assert agent.stand.asked("/app") == 1


async def test_navigation_to_the_same_url_with_fragment_reloads_the_page(agent):
    agent.stand.pages["/app"] = titled("App", ROUTED)
    await agent.go("/app#/orders")
    seen = await agent.go("/app#/orders")
    assert "Route #/orders 1" in seen
    assert agent.stand.asked("/app") == 2


@pytest.mark.parametrize("downloads", [None, "/proc/none/downloads", "/dev/null"])
async def test_page_opens_and_downloads_are_refused_without_a_folder(open_agent, downloads):
    async with open_agent(acting__downloads=downloads) as agent:
        agent.stand.pages["/file"] = file(b"abc", "attachment; filename=report.csv")
        await agent.show("<a href=/file>File</a><button>Other</button>")
        await agent.click('"Other"')
        clicked = await agent.click('"File"')
        listed = await agent.ask(ListDownloads())
        (download,) = clicked.downloads or clicked.meanwhile.downloads or listed
        opened = agent.tabwright.parts.sessions.ask(
            Sessions.enter, agent.session, agent.stand.url("/file")
        )
        with pytest.raises(NavigationFailed) as failure:
            await opened
    assert (download.name, download.state, download.path) == ("report.csv", "failed", "")
    assert "acting.downloads" in download.problem
    assert "acting.downloads" in failure.value.advice


@pytest.mark.own_browser
async def test_page_that_comes_back_from_the_cache_keeps_its_refs(open_agent, tmp_path):
    async with open_agent(browser__profile=str(tmp_path / "profile")) as agent:  # has that cache
        agent.stand.pages["/next"] = titled(
            "Next", "<button onclick='history.back()'>Back</button>"
        )
        agent.stand.pages["/inner"] = html("<button onclick=\"this.title='x'\">Framed</button>")
        before = await agent.show(
            "<a href=/next>Next</a><p id=host></p><script>host.attachShadow({mode: 'closed'})"
            ".innerHTML = '<button onclick=document.title=1>Inner</button>'</script>"
            "<button>Stay</button><iframe src=/inner></iframe>"
        )
        stay, framed = await agent.ref('"Stay"'), await agent.ref('"Framed"')
        await agent.click('"Next"')
        outcome = await agent.click('"Back"')
        assert outcome.url == agent.stand.url("/")
        assert (await agent.see()).replace(" focused", "") == before
        await agent.ask(Click(stay))
        assert (await agent.click('"Inner"')).title == "1"
        # It comes back by itself too, before any outline of it is taken again.
        await agent.click('"Next"')
        await agent.value("void setTimeout(() => history.back(), 50)")
        while await agent.value("location.pathname") != "/":
            await trio.sleep(0.05)
        await agent.ask(Click(framed))
        await agent.ask(Click(stay))
