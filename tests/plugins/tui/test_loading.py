"""What is shown and possible while a page loads, and when it fails to load."""

import pytest

pytestmark = pytest.mark.chromium


async def test_reading_continues_while_page_loads_and_escape_stops_loading(web, open_tui) -> None:
    async with open_tui(web.url("/long")) as t:
        await t.until("Paragraph 1.")
        t.type(f":open {web.url('/slow')}\n")
        await t.until(lambda now: f"Loading {web.url('/slow')} 1 s (Esc stops)" in now.line(-1))
        t.keys("G")
        await t.until("Paragraph 500.")
        t.keys("?")
        await t.until("The browser of the terminal")
        assert "Loading" in t.line(-1)
        t.keys("b")
        await t.until("Paragraph 500.")
        t.type(f":tab {web.url('/article')}\n")
        await t.until("Structured concurrency")
        await t.until("story[1]")
        assert "… http" in t.line(0)
        t.keys("[")
        await t.until("Paragraph 499.")
        t.keys("Escape")
        await t.until("Stopped.")
        await web.given_up.wait()
        await t.until("Paragraph 499.")


async def test_last_opened_page_replaces_pending_load(web, open_tui) -> None:
    async with open_tui(web.url("/article")) as t:
        await t.until("story[1]")
        t.type(f":open {web.url('/slow')}\n")
        await t.until(lambda _: web.asked("/slow") == 1)
        t.type(f":open {web.url('/slow?again')}\n")
        await t.until(lambda _: web.asked("/slow?again") == 1)
        await t.until(f"Loading {web.url('/slow?again')} 1 s")
        web.released.set()
        await t.until(lambda now: now.line(0) == "Slow")
        t.keys("b")
        await t.until("story[1]")


async def test_failed_page_load_keeps_the_current_page(web, open_tui) -> None:
    async with open_tui(web.url("/article")) as t:
        await t.until("story[1]")
        for url, reason in (
            ("http://127.0.0.1:1/", "127.0.0.1:1"),
            ("http://no-such-host.invalid/", "no-such-host.invalid"),
            ("ftp://127.0.0.1/", "ftp"),
        ):
            t.type(f":open {url}\n")
            await t.until(lambda now, reason=reason: shows_reason(now, reason))
            await t.until("story[1]")


async def test_an_error_page_is_shown_with_its_status(web, open_tui) -> None:
    async with open_tui(web.url("/article")) as t:
        await t.until("story[1]")
        t.type(f":open {web.url('/nowhere')}\n")
        await t.until("There is no such page.")
        await t.until(lambda now: "HTTP 404" in now.line(-1))
        t.keys("b")
        await t.until("story[1]")


def shows_reason(t, reason: str) -> bool:
    """Return whether the bottom lines show the reason, and nothing is loading."""
    return reason in "".join(t.screen.text[-5:]) and not t.line(-1).startswith(("Loading", ":"))


async def test_first_screen_shows_url_and_keys_while_page_loads(web, open_tui) -> None:
    async with open_tui(web.url("/slow")) as t:
        await t.until("open a URL")
        assert t.line(0) == "tabwright"
        assert t.line(2) == f"Loading {web.url('/slow')} …"
        assert "starting the server" in t.line(-1)
        t.keys("Escape")
        await t.until("No page is open.")


async def test_first_screen_without_url_shows_the_keys(web, open_tui) -> None:
    async with open_tui(columns=40) as t:
        await t.until("open a URL")
        assert "No page is open." in t.text


@pytest.mark.parametrize("columns", [80, 40])
async def test_long_error_is_wrapped_and_shown_in_full(web, open_tui, columns) -> None:
    async with open_tui(web.url("/article"), columns=columns) as t:
        await t.until("story[1]")
        t.type(":" + "nonsense" * 20 + "\n")
        await t.until(lambda now: "lists them." in "".join(now.screen.text))
        message = f"There is no command :{'nonsense' * 20}. :help lists them."
        assert "".join(message.split()) in "".join(t.text.split())
        t.keys("j")
        await t.gone("There is no command")


async def test_m_key_shows_truncated_message_in_full(web, open_tui) -> None:
    async with open_tui(web.url("/article"), columns=40, lines=12) as t:
        await t.until("story[1]")
        t.type(":" + "nonsense" * 40 + "\n")
        await t.until("… (m shows all)")
        t.keys("m")
        await t.until("Details")
        t.keys("d")
        await t.until(":help lists them.")


async def test_reload_after_redirect_requests_the_final_url(web, open_tui) -> None:
    async with open_tui(web.url("/redirect")) as t:
        await t.until("story[1]")
        t.keys("r")
        await t.until(lambda _: web.asked("/article") == 2)
        assert web.asked("/redirect") == 1


async def test_a_page_that_needs_scripts_is_shown_by_a_browser(web, open_tui) -> None:
    async with open_tui(web.url("/scripted")) as t:
        await t.until("Made by a script")
        assert "tier 2" in t.line(-1) or "tier 3" in t.line(-1)
