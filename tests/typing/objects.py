"""Type inference for pages and locators: checked by mypy and pyright, never run."""

from typing import assert_type

import tabwright
from tabwright.advanced import Choice, Click, TakeOutline
from tabwright.protocol.inspection import OutlineText


async def methods_of_pages_are_typed_by_the_fields_of_their_action(tw: tabwright.Tabwright) -> None:
    page = await tw.open("https://shop.example/")
    assert_type(await page.click("text=Buy", count=2), tabwright.Outcome)
    assert_type(await page.wait_for("Thanks", seconds=3), tabwright.Outcome)
    assert_type(await page.screenshot(full=True), tabwright.Screenshot)
    assert_type(await page.requests(failed=True), tuple[tabwright.NetworkEntry, ...])
    assert_type(await page.inspect(TakeOutline()), OutlineText)
    assert_type(await page.run(Click("text=Buy")), tabwright.Outcome)
    assert_type(await page.locator("text=Buy").click(count=2), tabwright.Outcome)
    assert_type(await page.locator("css=select").options(), tuple[Choice, ...])


async def wrong_arguments_are_errors(page: tabwright.Page) -> None:
    await page.click(5)  # type: ignore[arg-type]
    await page.click("text=Buy", counts=2)  # type: ignore[call-arg]
    await page.locator("text=Buy").type()  # type: ignore[call-arg]


def synchronous_methods_are_typed_alike(tw: tabwright.SyncTabwright) -> None:
    page = tw.open("https://shop.example/", session="shop")
    assert_type(page, tabwright.SyncPage)
    assert_type(page.click("text=Buy", count=2), tabwright.Outcome)
    assert_type(page.locator("text=Buy").text(), str)
    assert_type(page.session.pages(), tuple[tabwright.SyncPage, ...])
    page.click(5)  # type: ignore[arg-type]
