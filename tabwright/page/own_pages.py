"""The pages that the user has open: those of the default context of a browser."""

from tabwright.browser.running import RunningBrowser
from tabwright.cdp.domains import target
from tabwright.page.errors import translate_cdp_errors
from tabwright.protocol.browser_pool import OpenPage

SCHEMES = ("http:", "https:", "about:")
"""Pages of the browser itself, of its extensions and of files are not the agent's concern."""


async def open_pages(running: RunningBrowser | None) -> tuple[OpenPage, ...]:
    """Return the pages of the default context, of the web and blank ones; none if it has ended.

    Raises:
        BrowserDied, PageFailed: the browser is gone, or refuses.
    """
    if running is None:
        return ()
    root = running.connection.root
    with translate_cdp_errors():
        others = (await root.execute(target.get_browser_contexts())).browser_context_ids
        known = (await root.execute(target.get_targets())).target_infos
    return tuple(
        OpenPage(one.target_id, one.url, one.title, one.target_id in running.contexts.pages)
        for one in known
        if one.type == "page"
        and one.browser_context_id not in others
        and one.url.startswith(SCHEMES)
    )
